/**
 * A bot's log as it is written, a line each.
 *
 * The number of a line is the id of its event.
 *
 * @since 0.1.0
 */
import {
  type Bots,
  Limits,
  type LogEntry,
  type LogPageRequest,
  type Problem,
  type StoreError
} from "@candlewick/core"
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { type Followers, seenBefore, streamEvents } from "./streamEvents.ts"

/** The bot whose log is followed, the start, and the filter. @category models @since 0.1.0 */
export interface Following {
  readonly accountId: string
  readonly botId: string
  readonly filter: Pick<LogPageRequest, "event" | "level" | "since" | "until">
  /** The last event that the reader has seen. */
  readonly lastEventId: string | undefined
}

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
  { accountId, botId, filter }: Following,
  after: number
): Effect.fn.Return<ReadonlyArray<LogEntry>, Problem | StoreError> {
  const lines: Array<LogEntry> = []
  const asked = { ...filter, limit: Limits.pageSizeMax, after: String(after) }
  let before: string | undefined
  do {
    const page = yield* bots.logs(accountId, botId, { ...asked, before })
    lines.push(...page.items)
    before = page.next ?? undefined
  } while (before !== undefined)
  return lines.toReversed()
})

/** The beginning: after the last line seen, at a time, or with the next line. */
const firstSeq = (bots: Bots["Service"], following: Following): Read<number> =>
  // Also shows whether there is such a bot.
  Effect.map(
    newestSeq(bots, following, 0),
    // A number that is not given yet is one of a store that was put back to an earlier day.
    (newest) =>
      Math.min(
        seenBefore(following.lastEventId) ?? (following.filter.since === undefined ? newest : 0),
        newest
      )
  )

const toEvent = (line: LogEntry) => ({ id: line.seq, data: JSON.stringify(line) })

const look = Effect.fnUntraced(function* (
  bots: Bots["Service"],
  following: Following,
  seq: number
) {
  const newest = yield* newestSeq(bots, following, seq)
  const lines = newest === seq ? [] : yield* linesAfter(bots, following, seq)
  return { told: lines.map(toEvent), next: Math.max(newest, lines.at(-1)?.seq ?? 0) }
})

/** Answers with a log as it is written. @category combinators @since 0.1.0 */
export const followLogs = Effect.fnUntraced(function* (
  bots: Bots["Service"],
  followers: Followers["Service"],
  following: Following
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, Problem | StoreError> {
  return yield* streamEvents({
    followers,
    accountId: following.accountId,
    first: yield* firstSeq(bots, following),
    idOf: (seq) => seq,
    look: (seq) => look(bots, following, seq)
  })
})
