/**
 * Answers with events as they happen, from any process: server-sent events, until the reader comes
 * again.
 *
 * A stream looks for its next events in the stores once the reader has taken the last one. A slow
 * reader therefore holds up no other, and its events do not pile up; a reader that takes nothing
 * any more is disconnected.
 *
 * @since 0.1.0
 */
import { Limits, Problem, type StoreError } from "@candlewick/core"
import { Clock, Context, Deferred, Effect, type Fiber, Layer, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { eventStreamMediaType } from "../api/EventsApi.ts"
import { Closing } from "./Closing.ts"
import { KeyCheck } from "./KeyCheck.ts"

/** How many streams each account has from this server. @category services @since 0.1.0 */
export class Followers extends Context.Service<Followers, Map<string, number>>()(
  "@candlewick/http/server/Followers"
) {
  /** No follower yet. */
  static readonly layer = Layer.sync(Followers, () => new Map<string, number>())
}

/** Something to send. @category models @since 0.1.0 */
export interface SentEvent {
  /**
   * The position that a reader has reached before it was cut off; nothing where events can't be
   * sent again.
   */
  readonly id?: number
  readonly event?: string
  /** JSON, on one line. */
  readonly data: string
}

/** The new events, and where to go on. @category models @since 0.1.0 */
export interface Look<Position> {
  readonly told: ReadonlyArray<SentEvent>
  readonly next: Position
}

/** A message to a reader. @category models @since 0.1.0 */
export interface Telling<Position> {
  readonly followers: Followers["Service"]
  readonly accountId: string
  /** Where to begin. */
  readonly first: Position
  /** The id of the last event before a position. */
  readonly idOf: (position: Position) => number
  /** Looks for events after a position. It is asked again, and no quicker than the reader reads. */
  readonly look: (position: Position) => Effect.Effect<Look<Position>, Problem | StoreError>
}

const pollMs = 1_000
/** The key is looked at once a second; a timer may ring a bit early. */
const keyCheckEveryMs = 950
/** Silence after which a line that says nothing keeps proxies from closing the connection. */
const silenceMaxMs = 15_000

/** Whether a reader asks for events. @category conversions @since 0.1.0 */
export const wantsEvents = (accept: string | undefined): boolean =>
  accept?.toLowerCase().includes(eventStreamMediaType) ?? false

/** The position that a reader says it has reached. @category conversions @since 0.1.0 */
export const seenBefore = (lastEventId: string | undefined): number | undefined =>
  lastEventId !== undefined && /^\d{1,10}$/.test(lastEventId) ? Number(lastEventId) : undefined

const toText = ({ data, event, id }: SentEvent): string =>
  `${id === undefined ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`

const tooMany = new Problem({
  code: "quota_exceeded",
  detail: `An account follows at most ${Limits.followersPerAccountMax} streams at a time.`,
  retry_after_seconds: 30
})

/** Notes when a reader was given something that it has not taken yet. */
interface Reader {
  givenMs: number | null
}

/** How far a stream is. */
interface Progress<Position> {
  readonly position: Position
  readonly spokenMs: number
  /** When the key was last seen to be good. */
  readonly checkedMs: number
}

/** Lets a reader go that takes nothing: its connection may stay open for ever. */
const letGo = (reader: Reader, fiber: Fiber.Fiber<unknown, unknown>): Effect.Effect<void> =>
  Effect.forever(
    Effect.andThen(
      Effect.sleep(pollMs),
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        const { givenMs } = reader
        if (givenMs !== null && nowMs - givenMs > Limits.followStallMaxSeconds * 1_000) {
          fiber.interruptUnsafe()
        }
      })
    )
  )

/**
 * Answers with the findings of looks, for some minutes; the reader comes again then. It ends early
 * where a look fails, the server ends, or the key is good no more.
 *
 * **Details**
 *
 * The store is asked for the key once a second, and not the server that revoked it: every server
 * ends its streams equally soon. The key is checked after each look at the store. So a stream
 * reports nothing that was found more than a second after the key was last good.
 *
 * @category combinators
 * @since 0.1.0
 */
export const streamEvents = Effect.fnUntraced(function* <Position>({
  accountId,
  first,
  followers,
  idOf,
  look
}: Telling<Position>): Effect.fn.Return<HttpServerResponse.HttpServerResponse, Problem> {
  if ((followers.get(accountId) ?? 0) >= Limits.followersPerAccountMax) return yield* tooMany
  const closing = yield* Closing
  const checkKey = yield* KeyCheck
  const beginMs = yield* Clock.currentTimeMillis
  const reader: Reader = { givenMs: beginMs }
  const idLine = (position: Position) => `id: ${idOf(position)}\n`

  const lookAgain = Effect.fnUntraced(function* ({
    checkedMs,
    position,
    spokenMs
  }: Progress<Position>) {
    reader.givenMs = null
    const { next, told } = yield* look(position)
    const nowMs = yield* Clock.currentTimeMillis
    const isCheckDue = nowMs - checkedMs >= keyCheckEveryMs
    if (isCheckDue) yield* checkKey
    const isSilent = told.length === 0 && nowMs - spokenMs >= silenceMaxMs
    const said = isSilent ? `:\n${idLine(next)}\n` : told.map(toText).join("")
    if (said === "") yield* Effect.raceFirst(Effect.sleep(pollMs), Deferred.await(closing))
    const isOver =
      nowMs - beginMs >= Limits.followMaxSeconds * 1_000 || (yield* Deferred.isDone(closing))
    if (said !== "") reader.givenMs = nowMs
    const then: Progress<Position> = {
      position: next,
      spokenMs: said === "" ? spokenMs : nowMs,
      checkedMs: isCheckDue ? nowMs : checkedMs
    }
    return [said === "" ? [] : [said], isOver ? Option.none() : Option.some(then)] as const
  })

  const begin: Progress<Position> = { position: first, spokenMs: beginMs, checkedMs: beginMs }
  const told = Stream.paginate(begin, (state) =>
    // A reader comes again, and gets it then.
    Effect.orElseSucceed(lookAgain(state), () => [[], Option.none()] as const)
  )
  // The id before the first event: a reader that is cut off there misses none either.
  const events = Stream.make(`retry: ${2 * pollMs}\n${idLine(first)}\n`).pipe(
    Stream.concat(told),
    Stream.encodeText
  )
  const count = (by: number) =>
    Effect.sync(() => {
      const left = (followers.get(accountId) ?? 0) + by
      if (left > 0) followers.set(accountId, left)
      else followers.delete(accountId)
    })
  const counted = Stream.unwrap(
    Effect.gen(function* () {
      yield* Effect.acquireRelease(count(1), () => count(-1))
      yield* Effect.withFiber((fiber) => Effect.forkScoped(letGo(reader, fiber)))
      return events
    })
  )
  // A connection that stays open after the last event would hold up a server that ends.
  const headers = { connection: "close" }
  return HttpServerResponse.stream(counted, { contentType: eventStreamMediaType, headers })
})
