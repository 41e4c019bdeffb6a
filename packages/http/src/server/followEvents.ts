/**
 * An account's events as they are published, and how far its runs are.
 *
 * Events are read from the store, so any process may have published them. A reader goes on after
 * their numbers. Runs are looked at again and again, so that a reader gets their present state.
 *
 * @since 0.1.0
 */
import {
  ageOf,
  bodyFor,
  type Events,
  finishedRunStatuses,
  type Ids,
  type Problem,
  type PublishedEvent,
  type RunNote,
  type Runs,
  type StoreError
} from "@candlewick/core"
import { Clock, Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { runEventNames, type StreamedEventName, streamedEventNames } from "../api/EventsApi.ts"
import { type Followers, seenBefore, streamEvents, type SentEvent } from "./streamEvents.ts"

/** The source of events. @category models @since 0.1.0 */
export interface EventSources {
  readonly events: Events["Service"]
  readonly runs: Runs["Service"]
  readonly ids: Ids["Service"]
  readonly followers: Followers["Service"]
}

/**
 * The account whose events are followed, the start, and the kinds. @category models @since 0.1.0
 */
export interface FollowedEvents {
  readonly accountId: string
  /** All of them where it is left out. */
  readonly types: ReadonlyArray<StreamedEventName> | undefined
  /** The last event that the reader has seen. */
  readonly lastEventId: string | undefined
}

interface Wish {
  readonly accountId: string
  readonly types: ReadonlyArray<StreamedEventName>
}

/** The last message about a run that is under way. */
interface ToldRun extends Pick<RunNote, "kind" | "id"> {
  readonly data: string
}

/** How far a reader is. */
interface Position {
  readonly seq: number
  /** When runs were looked at. */
  readonly runsAtMs: number
  /** Runs with older ids were reported, or were over before anybody looked. */
  readonly newestId: string
  readonly runs: ReadonlyMap<string, ToldRun>
}

/** So few that the queue of one slow reader is small, however large the bodies are. */
const pageCount = 25

/** Runs change all the time: they are looked at once a second, and a timer may ring a bit early. */
const runsEveryMs = 950

const envelope = (event: string, nowMs: number, data: unknown): string =>
  JSON.stringify({ event, timestamp: new Date(nowMs).toISOString(), data })

const toldEvent = ({ event, seq }: PublishedEvent): SentEvent => ({
  id: seq,
  event: event.event,
  data: bodyFor(event, "extended")
})

/** The event that names the numbers that were asked for and are not kept any more. */
const missedEvent = (after: number, next: number, nowMs: number): SentEvent => {
  const event = "events.missed"
  return { event, data: envelope(event, nowMs, { from: after + 1, to: next - 1 }) }
}

const lookForEvents = Effect.fnUntraced(function* (
  { events }: EventSources,
  { accountId, types }: Wish,
  after: number
): Effect.fn.Return<{ readonly told: ReadonlyArray<SentEvent>; readonly seq: number }, StoreError> {
  let seq = after
  while (true) {
    const page = yield* events.list(accountId, { after: seq, limit: pageCount })
    const [first] = page
    if (first === undefined) return { told: [], seq }
    const isGap = first.seq > seq + 1
    const missed = isGap ? [missedEvent(seq, first.seq, yield* Clock.currentTimeMillis)] : []
    const wanted = page.filter(({ event }) => types.includes(event.event)).map(toldEvent)
    seq = page.at(-1)!.seq
    const told = [...missed, ...wanted]
    if (told.length > 0 || page.length < pageCount) return { told, seq }
  }
})

const dataOf = ({ id, kind, ...rest }: RunNote) => ({ kind, run_id: id, ...rest })

const lookForRuns = Effect.fnUntraced(function* (
  { runs }: EventSources,
  { accountId, types }: Wish,
  { newestId, runs: before }: Pick<Position, "newestId" | "runs">
) {
  const also = [...before.values()]
  const notes = yield* runs.listRecent(accountId, { after: newestId, also })
  const nowMs = yield* Clock.currentTimeMillis
  const told: Array<SentEvent> = []
  const underWay = new Map<string, ToldRun>()
  let newest = newestId
  for (const note of notes) {
    const { eta_seconds: _eta, ...standing } = note
    const data = JSON.stringify(standing)
    const isOver = finishedRunStatuses.includes(note.status)
    const event = isOver ? "run.ended" : "run.progress"
    if (ageOf(note.id) > ageOf(newest)) newest = note.id
    if (!isOver) underWay.set(note.id, { kind: note.kind, id: note.id, data })
    const isNew = isOver || before.get(note.id)?.data !== data
    if (isNew && types.includes(event)) {
      told.push({ event, data: envelope(event, nowMs, dataOf(note)) })
    }
  }
  return { told, newestId: newest, runs: underWay }
})

/** Answers with an account's events as they come. @category combinators @since 0.1.0 */
export const followEvents = Effect.fnUntraced(function* (
  sources: EventSources,
  { accountId, lastEventId, types = streamedEventNames }: FollowedEvents
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, Problem | StoreError> {
  const wish = { accountId, types }
  const newestSeq = yield* sources.events.newestSeq(accountId)
  // A number that is not given yet is one of a store that was put back to an earlier day.
  const seq = Math.min(seenBefore(lastEventId) ?? newestSeq, newestSeq)
  const wantsRuns = runEventNames.some((name) => types.includes(name))
  const newestId = yield* sources.ids.make("request")
  const first: Position = { seq, runsAtMs: Number.NEGATIVE_INFINITY, newestId, runs: new Map() }
  return yield* streamEvents({
    followers: sources.followers,
    accountId,
    first,
    idOf: (position) => position.seq,
    look: Effect.fnUntraced(function* (position: Position) {
      const events = yield* lookForEvents(sources, wish, position.seq)
      const nowMs = yield* Clock.currentTimeMillis
      if (!wantsRuns || nowMs - position.runsAtMs < runsEveryMs) {
        return { told: events.told, next: { ...position, seq: events.seq } }
      }
      const { told, ...next } = yield* lookForRuns(sources, wish, position)
      return {
        told: [...events.told, ...told],
        next: { ...next, seq: events.seq, runsAtMs: nowMs }
      }
    })
  })
})
