/**
 * A bot's log as it is written: server-sent events, a line each, from whichever process they come.
 *
 * The number of a line is the id of its event, so that a reader who is cut off goes on after the
 * last one that it has seen, as an `EventSource` does by itself.
 *
 * @since 0.1.0
 */
import { type Bots, Limits, type LogEntry, Problem, type StoreError } from "@candlewick/core"
import { Clock, Deferred, Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { eventStreamMediaType } from "../api/BotsApi.ts"
import { Closing } from "./Closing.ts"

/** How many logs each account follows here. @category models @since 0.1.0 */
export type Followers = Map<string, number>

/** Whose log is followed, from where, and what of it. @category models @since 0.1.0 */
export interface Following {
  readonly accountId: string
  readonly botId: string
  readonly level: LogEntry["level"] | undefined
  readonly since: string | undefined
  /** The last event that the reader has seen. */
  readonly lastEventId: string | undefined
}

const pollMs = 1_000
/** Silence after which a line that says nothing keeps proxies from closing the connection. */
const silenceMaxMs = 15_000

/** Whether a reader asks for events. @category conversions @since 0.1.0 */
export const wantsEvents = (accept: string | undefined): boolean =>
  accept?.toLowerCase().includes(eventStreamMediaType) ?? false

const toEvent = (line: LogEntry): string => `id: ${line.seq}\ndata: ${JSON.stringify(line)}\n\n`

type Read<A> = Effect.Effect<A, Problem | StoreError>

/** The number of the newest line, or of the one that nothing is newer than. */
const newestSeq = (bots: Bots["Service"], { accountId, botId }: Following, after: number) =>
  Effect.map(
    bots.logs(accountId, botId, { limit: 1, after: String(after) }),
    ({ items }) => items[0]?.seq ?? after
  )

/** The lines after a number that are asked for, oldest first. */
const linesAfter = Effect.fnUntraced(function* (
  bots: Bots["Service"],
  { accountId, botId, level, since }: Following,
  after: number
): Effect.fn.Return<ReadonlyArray<LogEntry>, Problem | StoreError> {
  const lines: Array<LogEntry> = []
  const filter = { limit: Limits.pageSizeMax, level, since, after: String(after) }
  let before: string | undefined
  do {
    const page = yield* bots.logs(accountId, botId, { ...filter, before })
    lines.push(...page.items)
    before = page.next ?? undefined
  } while (before !== undefined)
  return lines.toReversed()
})

/** Where to begin: after what was seen, at a time, or with what comes from now on. */
const firstSeq = (bots: Bots["Service"], following: Following): Read<number> => {
  const { lastEventId, since } = following
  if (lastEventId !== undefined && /^\d{1,10}$/.test(lastEventId)) {
    // Also tells whether there is such a bot.
    return Effect.as(newestSeq(bots, following, 0), Number(lastEventId))
  }
  return Effect.map(newestSeq(bots, following, 0), (newest) => (since === undefined ? newest : 0))
}

interface Position {
  readonly seq: number
  readonly spokenMs: number
}

/** What is new, as text, and where to go on. */
const lookAgain = Effect.fnUntraced(function* (
  bots: Bots["Service"],
  following: Following,
  { seq, spokenMs }: Position
): Effect.fn.Return<readonly [string, Position], Problem | StoreError> {
  const nowMs = yield* Clock.currentTimeMillis
  const newest = yield* newestSeq(bots, following, seq)
  const lines = newest === seq ? [] : yield* linesAfter(bots, following, seq)
  const next = Math.max(newest, lines.at(-1)?.seq ?? 0)
  if (lines.length > 0) return [lines.map(toEvent).join(""), { seq: next, spokenMs: nowMs }]
  const isSilent = nowMs - spokenMs >= silenceMaxMs
  return [isSilent ? ":\n\n" : "", { seq: next, spokenMs: isSilent ? nowMs : spokenMs }]
})

const tooMany = new Problem({
  code: "quota_exceeded",
  detail: `An account follows at most ${Limits.logFollowersPerAccountMax} logs at a time.`
})

/**
 * Answers with the log as it is written, for some minutes; the reader comes again then, so that a
 * key that was revoked does not read on. It ends early where the bot or the server does.
 *
 * @category combinators
 * @since 0.1.0
 */
export const followLogs = Effect.fnUntraced(function* (
  bots: Bots["Service"],
  followers: Followers,
  following: Following
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, Problem | StoreError> {
  const { accountId } = following
  const seq = yield* firstSeq(bots, following)
  if ((followers.get(accountId) ?? 0) >= Limits.logFollowersPerAccountMax) return yield* tooMany
  const closing = yield* Closing
  const beginMs = yield* Clock.currentTimeMillis
  const count = (by: number) =>
    Effect.sync(() => {
      const left = (followers.get(accountId) ?? 0) + by
      if (left > 0) followers.set(accountId, left)
      else followers.delete(accountId)
    })
  const lines = Stream.paginate({ seq, spokenMs: beginMs }, (position: Position) =>
    Effect.gen(function* () {
      const [said, next] = yield* lookAgain(bots, following, position)
      const isOver =
        (yield* Clock.currentTimeMillis) - beginMs >= Limits.logFollowMaxSeconds * 1_000
      if (said === "" && !isOver) yield* Effect.sleep(pollMs)
      return [said === "" ? [] : [said], isOver ? Option.none() : Option.some(next)] as const
    }).pipe(
      // A reader comes again, and is told then.
      Effect.catch(() => Effect.succeed([[], Option.none()] as const))
    )
  )
  const events = Stream.make(`retry: ${2 * pollMs}\n\n`).pipe(
    Stream.concat(lines),
    Stream.interruptWhen(Deferred.await(closing)),
    Stream.encodeText
  )
  const counted = Stream.unwrap(Effect.as(count(1), Stream.ensuring(events, count(-1))))
  // A connection that stays open after the last event would hold up a server that ends.
  const headers = { connection: "close" }
  return HttpServerResponse.stream(counted, { contentType: eventStreamMediaType, headers })
})
