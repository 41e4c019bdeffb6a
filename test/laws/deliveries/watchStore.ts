/**
 * A store that is watched. One write follows another, and after each the test compares every
 * changed delivery with the table of states and the rights of the write.
 */
import {
  DeliveryMachine,
  DeliveryQueue,
  DeliveryStore,
  EndpointStore,
  fromTimestamp,
  type ListedDelivery,
  NoticeQueue,
  ReplayStore,
  StateTable,
  type StorePorts,
  Transactor
} from "@candlewick/core"
import { assert } from "@effect/vitest"
import { Cause, Clock, Context, Effect, Layer, Option, Semaphore } from "effect"
import { TestClock } from "effect/testing"

type Move = (typeof DeliveryMachine)["transitions"][number]["on"]
const ports = { DeliveryQueue, DeliveryStore, EndpointStore, NoticeQueue, ReplayStore }
type Ports = typeof ports
type MethodsOf<Name extends keyof Ports> = `${Name}.${keyof Ports[Name]["Service"] & string}`
type Method = { readonly [Name in keyof Ports]: MethodsOf<Name> }[keyof Ports]

/** The ports that say how deliveries and endpoints are. */
interface Kept {
  readonly deliveries: DeliveryStore["Service"]
  readonly endpoints: EndpointStore["Service"]
}

/** The changes that each write may make to a delivery, as ways through the table. */
const waysOf: Partial<Record<Method, ReadonlyArray<ReadonlyArray<Move>>>> = {
  "DeliveryQueue.claim": [["claim"], ["lease_expired", "claim"]],
  // A sender begins an attempt, or holds it back, or finds nobody to send to; a caller asks again.
  "DeliveryStore.updateMany": [
    [],
    ["put_back"],
    ["held_up"],
    ["cancel"],
    ["exhausted"],
    ["redeliver"]
  ],
  "DeliveryStore.update": [["redeliver"]],
  // With its endpoint disabled by one of the batch, what waits, or waits again, is cancelled too.
  "DeliveryQueue.keepOutcomes": [
    ["accepted"],
    ["refused"],
    ["exhausted"],
    ["held_up"],
    ["refused", "cancel"],
    ["held_up", "cancel"],
    ["cancel"]
  ],
  "DeliveryQueue.cancelWaiting": [["cancel"]],
  "EndpointStore.remove": [["cancel"]]
}

/** The rows of the table that a way goes along, or null where it has none. */
const rowsAlong = (before: ListedDelivery, after: ListedDelivery, way: ReadonlyArray<Move>) => {
  let at = before.status
  const rows: Array<string> = []
  for (const move of way) {
    const next = Option.getOrNull(StateTable.moveIfLegal(DeliveryMachine, at, move))
    if (next === null) return null
    rows.push(`${at} --> ${next}: ${move}`)
    at = next
  }
  return at === after.status ? rows : null
}

const isOver = ({ status }: ListedDelivery): boolean =>
  ["succeeded", "failed", "cancelled", "skipped"].includes(status)

/** The watch over all processes. */
export class Watch {
  /** The rows of the table that were gone along. */
  readonly rows: Set<string>
  deliveries: ReadonlyMap<string, ListedDelivery> = new Map()
  /** Every delivery that ever was, as it was last. */
  readonly ever = new Map<string, ListedDelivery>()
  readonly webhookIds: Array<string> = []
  readonly turn = Semaphore.makeUnsafe(1)
  /** Writes that are under way or wait for their turn. */
  underWay = 0
  writeCount = 0
  /** The faults found: a loop that is told of one would only try again. */
  readonly faults: Array<unknown> = []
  /** The first and the last write after which each endpoint was seen disabled without a break. */
  readonly disabled = new Map<string, { first: number; last: number; isNow: boolean }>()
  /** The write by which each delivery was claimed. */
  readonly claimedAt = new Map<string, number>()

  constructor(rows: Set<string>) {
    this.rows = rows
  }

  /** Notes what an effect finds wrong. */
  noting<E, R>(effect: Effect.Effect<void, E, R>): Effect.Effect<void, never, R> {
    return Effect.catchCause(effect, (cause) =>
      Effect.sync(() => void this.faults.push(Cause.squash(cause)))
    )
  }
}

const checkAttempts = (method: Method, before: ListedDelivery, after: ListedDelivery): void => {
  const [old, now] = [before.attempts, after.attempts]
  const isBegun = method === "DeliveryStore.updateMany" && now.length === old.length + 1
  assert.isTrue(isBegun || now.length === old.length, `${method} left ${now.length} attempts`)
  const last = old.length - 1
  for (const [index, attempt] of old.entries()) {
    const isEnded = method === "DeliveryQueue.keepOutcomes" && before.status === "sending"
    if (isEnded && index === last) {
      assert.isNull(attempt.duration_ms)
      assert.isNotNull(now[index]!.duration_ms)
    } else assert.deepStrictEqual(now[index], attempt)
  }
  assert.deepStrictEqual(
    now.map(({ number }) => number),
    now.map((_, index) => index + 1)
  )
  assert.strictEqual(new Set(now.map(({ id }) => id)).size, now.length)
}

/** The rows of the table that a change went along. */
const rowsOf = (
  method: Method,
  before: ListedDelivery,
  after: ListedDelivery
): ReadonlyArray<string> => {
  const isBrokenOff = after.attempts.at(-1)?.error === "cancelled"
  for (const way of waysOf[method] ?? []) {
    // A delivery that a process broke off is held up, and one under way has an outcome.
    if (method === "DeliveryQueue.keepOutcomes" && isBrokenOff && way[0] === "refused") continue
    if (
      method === "DeliveryQueue.keepOutcomes" &&
      before.status === "sending" &&
      way[0] === "cancel"
    )
      continue
    const rows = rowsAlong(before, after, way)
    if (rows !== null) return rows
  }
  return assert.fail(`${method} made ${after.status} of ${before.status}`)
}

/**
 * Nothing is begun that was claimed when its endpoint was disabled already, and nothing cancelled
 * of one that was not.
 */
const checkDisabled = (
  watch: Watch,
  method: Method,
  before: ListedDelivery,
  after: ListedDelivery
): void => {
  const { id, status, webhook_id } = after
  if (method === "DeliveryQueue.claim") watch.claimedAt.set(id, watch.writeCount)
  const claimedAt = watch.claimedAt.get(id) ?? 0
  const disabled = watch.disabled.get(webhook_id)
  if (after.attempts.length > before.attempts.length) {
    const isSinceBefore = disabled?.isNow === true && disabled.first < claimedAt
    assert.isFalse(isSinceBefore, `${id} was begun for a disabled endpoint`)
  }
  if (status !== "cancelled") return
  // A sender cancels what it claimed and found disabled, whatever came in between.
  const isSeen = before.status === "sending" ? (disabled?.last ?? -1) >= claimedAt : disabled?.isNow
  assert.isTrue(isSeen, `${method} cancelled ${id} of an endpoint that is not disabled`)
}

/** Holds one change of a delivery to the table. */
const checkChange = (
  watch: Watch,
  method: Method,
  before: ListedDelivery,
  after: ListedDelivery,
  nowMs: number
): void => {
  const frozen = ({ created_at, event_id, id, sequence, test, webhook_id }: ListedDelivery) =>
    ({ created_at, event_id, id, sequence, test, webhook_id }) as const
  assert.deepStrictEqual(frozen(after), frozen(before))
  assert.strictEqual(after.version, before.version + 1)
  for (const row of rowsOf(method, before, after)) watch.rows.add(row)
  checkAttempts(method, before, after)
  checkDisabled(watch, method, before, after)
  const isLeased = before.status === "sending" && (before.leased_until_ms ?? 0) > nowMs
  if (method === "DeliveryQueue.claim")
    assert.isFalse(isLeased, `${after.id} was claimed twice at once`)
  assert.strictEqual(after.leased_until_ms === null, after.status !== "sending")
}

/** Notes which endpoints are disabled, and that none gets more at once than it allows. */
const lookAtEndpoints = Effect.fnUntraced(function* (
  { endpoints }: Kept,
  watch: Watch,
  nowMs: number
) {
  for (const { id, max_concurrency, status } of yield* endpoints.getMany(watch.webhookIds)) {
    const known = watch.disabled.get(id)
    const last = watch.writeCount
    if (status === "disabled") {
      const first = known?.isNow === true ? known.first : last
      watch.disabled.set(id, { first, last, isNow: true })
    } else if (known !== undefined) known.isNow = false
    const sending = [...watch.deliveries.values()].filter(
      (one) =>
        one.webhook_id === id && one.status === "sending" && (one.leased_until_ms ?? 0) > nowMs
    )
    assert.isAtMost(sending.length, max_concurrency)
  }
})

/** Looks at every delivery; `method` is null where a transaction was undone. */
const look = Effect.fnUntraced(function* (kept: Kept, watch: Watch, method: Method | null) {
  const nowMs = yield* Clock.currentTimeMillis
  const pages = yield* Effect.forEach(watch.webhookIds, (id) =>
    kept.deliveries.list(id, { limit: 1_000 })
  )
  const deliveries = new Map(pages.flatMap(({ items }) => items).map((one) => [one.id, one]))
  const before = watch.deliveries
  watch.deliveries = deliveries
  for (const delivery of deliveries.values()) watch.ever.set(delivery.id, delivery)
  yield* lookAtEndpoints(kept, watch, nowMs)
  if (method === null) return
  for (const [id, after] of deliveries) {
    const old = before.get(id)
    if (old === undefined) {
      assert.include(["DeliveryStore.insertMany", "DeliveryStore.insert"], method)
      assert.include(["pending", "skipped"], after.status)
      assert.strictEqual(after.attempts.length, 0)
      // A delivery for a disabled endpoint begins as skipped.
      if (after.status === "skipped") watch.rows.add("pending --> skipped: skip")
    } else if (old.version !== after.version) checkChange(watch, method, old, after, nowMs)
    else assert.deepStrictEqual(after, old)
  }
  for (const [id, old] of before) {
    if (deliveries.has(id)) continue
    assert.strictEqual(method, "DeliveryStore.removeFinished")
    assert.isTrue(isOver(old), `${old.status} was forgotten`)
    assert.isBelow(fromTimestamp(old.created_at), nowMs)
  }
})

/** Where a process is killed: at its next such write, before or after it was kept. */
export interface KillAt {
  readonly method: Method
  readonly isKept: boolean
}

/** A process as the store sees it. */
export class ProcessLife {
  isDead = false
  killAt: KillAt | null = null
}

const Inside = Context.Reference<boolean>("test/deliveries/Inside", { defaultValue: () => false })

/** The methods that only read, or write nothing of deliveries. */
const unwatched: ReadonlySet<string> = new Set<Method>([
  "EndpointStore.get",
  "EndpointStore.getMany",
  "EndpointStore.list",
  "EndpointStore.listSubscribed",
  "EndpointStore.eraseSpentSecrets",
  "DeliveryStore.get",
  "DeliveryStore.list",
  "ReplayStore.get",
  "ReplayStore.list",
  "ReplayStore.listRunning",
  "DeliveryQueue.countOpen",
  "DeliveryQueue.nextDueInMs"
])

/** The methods that write nothing where they find nothing. */
const isTaking: ReadonlySet<string> = new Set<Method>([
  "DeliveryQueue.claim",
  "NoticeQueue.take",
  "ReplayStore.removeFinished",
  "DeliveryStore.removeFinished"
])

const isNothing = (answer: unknown): boolean =>
  answer === undefined || answer === 0 || (Array.isArray(answer) && answer.length === 0)

/**
 * Has the patience with a database go by the machine's clock: the clock of a story may pass minutes
 * while a statement is under way. The time of day stays the time of the story.
 */
const inRealTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const story = yield* Clock.Clock
    const machine = yield* TestClock.withLive(Clock.Clock)
    const sleep: Clock.Clock["sleep"] = (duration) => machine.sleep(duration)
    const patient: Clock.Clock = Object.create(story, { sleep: { value: sleep } })
    return yield* Effect.provideService(effect, Clock.Clock, patient)
  })

/** The ports of webhooks and the transactor of one process, watched. */
export const watched = (watch: Watch, life: ProcessLife) => {
  const alone = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Inside, (isInside) =>
      isInside
        ? effect
        : Effect.suspend(() => {
            watch.underWay++
            return Effect.ensuring(
              watch.turn.withPermit(Effect.provideService(inRealTime(effect), Inside, true)),
              Effect.sync(() => watch.underWay--)
            )
          })
    )
  const unlessDead = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => (life.isDead ? Effect.never : effect))

  const watchMethod = (kept: Kept, name: Method, call: Effect.Effect<unknown, unknown>) =>
    Effect.flatMap(Inside, (isInTransaction) => {
      // In a transaction the end of a process undoes what it wrote.
      const end = isInTransaction ? Effect.die("killed") : Effect.never
      const watchedCall = Effect.gen(function* () {
        const isLast = life.killAt?.method === name
        if (isLast && life.killAt?.isKept === false) life.isDead = true
        if (life.isDead) return undefined
        watch.writeCount++
        const answer = yield* call
        const isQuiet = unwatched.has(name) || (isTaking.has(name) && isNothing(answer))
        if (!isQuiet) yield* watch.noting(look(kept, watch, name))
        if (isLast && !isNothing(answer)) life.isDead = true
        return answer
      })
      return unlessDead(alone(watchedCall)).pipe(
        Effect.flatMap((answer) => (life.isDead ? end : Effect.succeed(answer)))
      )
    })

  const watchedPort = <Port extends object>(kept: Kept, name: string, port: Port): Port => {
    const entries = Object.entries(port).map(([member, value]: readonly [string, unknown]) => {
      const method = `${name}.${member}` as Method
      if (Effect.isEffect(value)) {
        return [member, watchMethod(kept, method, value as Effect.Effect<unknown, unknown>)]
      }
      const call = value as (...input: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>
      const watched = (...input: ReadonlyArray<unknown>) =>
        watchMethod(kept, method, call(...input))
      return [member, watched]
    })
    return Object.fromEntries(entries) as Port
  }

  const layer = Effect.gen(function* () {
    const [deliveries, endpoints] = [yield* DeliveryStore, yield* EndpointStore]
    const { isSerial, lock, transact } = yield* Transactor
    const kept = { deliveries, endpoints }
    const transacting = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      unlessDead(
        alone(Effect.tapCause(transact(effect), () => watch.noting(look(kept, watch, null))))
      ).pipe(Effect.catchCause((cause) => (life.isDead ? Effect.never : Effect.failCause(cause))))
    return Context.make(Transactor, { isSerial, lock, transact: transacting }).pipe(
      Context.add(DeliveryStore, watchedPort(kept, "DeliveryStore", deliveries)),
      Context.add(EndpointStore, watchedPort(kept, "EndpointStore", endpoints)),
      Context.add(DeliveryQueue, watchedPort(kept, "DeliveryQueue", yield* DeliveryQueue)),
      Context.add(NoticeQueue, watchedPort(kept, "NoticeQueue", yield* NoticeQueue)),
      Context.add(ReplayStore, watchedPort(kept, "ReplayStore", yield* ReplayStore))
    )
  })
  return Layer.effectContext(layer)
}

/** The services under a watched process. */
export type Stores = Layer.Layer<StorePorts>
