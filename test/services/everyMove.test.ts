/**
 * Every event in every state of attempts, orders at the paper venue, endpoints and secrets. The code
 * that moves them is given a record in that state, and then the event. A row leads to its state. An
 * event without a row leaves the record as it was.
 */
import {
  AttemptMachine,
  DeliveryStore,
  DeliveryQueue,
  EndpointMachine,
  type EndpointEvidence,
  EndpointStore,
  type EndpointStatus,
  Ids,
  makePaperVenue,
  PaperAccountStore,
  type PaperOrderFact,
  PaperOrderMachine,
  type PaperOrderPhase,
  SecretMachine,
  type SecretState,
  StateTable,
  toTimestamp,
  Transactor,
  WebhookEndpoints
} from "@candlewick/core"
import type { OrderRequest } from "@candlewick/core/kernel"
import {
  deliveryRecord,
  evidenceRecord,
  orderAttemptRecord,
  testName,
  testVenueId
} from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Option } from "effect"
import { secretStateOf } from "../../packages/core/src/domain/SecretMachine.ts"
import { moveAttempt } from "../../packages/core/src/services/venues/agent/moveAttempt.ts"
import { keepPaper } from "../../packages/core/src/services/venues/paperKeeper.ts"
import { countingTransport, in2026, itIs2026, nowMs, refusalCode } from "./setting.ts"
import { makeWorld } from "./venues/accountWorld.ts"

/** Holds each state and event to the table, by `tell` where a row allows the event or none does. */
const everyMove = <State extends string, Event extends string, E>(
  table: StateTable.StateTable<State, Event>,
  tell: (state: State, event: Event, to: State | null) => Effect.Effect<unknown, E>
): void => {
  const events = [...new Set(table.transitions.map(({ on }) => on))]
  for (const state of table.states) {
    for (const event of events) {
      const to = Option.getOrNull(StateTable.moveIfLegal(table, state, event))
      const end = to === null ? "moves nothing" : `leads to ${to}`
      it.effect(`${event} of the ${table.name} in ${state} ${end}`, () => tell(state, event, to))
    }
  }
}

describe("attempts", () => {
  everyMove(AttemptMachine, (state, event, to) =>
    Effect.gen(function* () {
      const { account, bots, key, ports } = yield* makeWorld()
      const before = yield* ports.venueAccounts.putAttempt(
        orderAttemptRecord({
          account_key: key,
          account_id: account.id,
          bot_id: bots[0]!.id,
          id: testVenueId("base62"),
          state
        })
      )
      const moved = yield* moveAttempt({ ports }, before, event, { reason: "told" })
      const kept = Option.getOrThrow(yield* ports.venueAccounts.findAttempt(key, before.id))
      assert.strictEqual(moved === null, to === null)
      assert.deepStrictEqual(kept, moved ?? before)
      if (to !== null) assert.deepInclude(kept, { state: to, reason: "told" })
    }).pipe(Effect.scoped)
  )
})

describe("orders at the paper venue", () => {
  const symbol = "BTC/USDT"
  const market = {
    symbol,
    base: "BTC",
    quote: "USDT",
    quantityStep: "0.001",
    priceStep: "0.01",
    minQuantity: "0.001",
    minNotional: "5",
    makerRate: "0.001",
    takerRate: "0.002"
  }
  const flat = { symbol, open: 100, high: 100, low: 100, close: 100 }

  /** The order whose next event at the matcher is this one, as nobody cancels it. */
  const requestOf = (id: string, event: PaperOrderFact): OrderRequest => ({
    id,
    side: event === "rejected" ? -1 : 1,
    leg: event === "rejected" ? "exit" : "entry",
    ...(event === "filled" || event === "rejected"
      ? { type: "market", limit: null }
      : { type: "limit", limit: 50 }),
    quantity: 1,
    stop: null,
    expiresAfter: event === "expired" ? 1 : null,
    reason: "signal",
    attached: null
  })

  /** An account whose matcher has one open order, which the venue's record has in a phase. */
  const accountWith = Effect.fnUntraced(function* (phase: PaperOrderPhase, request: OrderRequest) {
    const [accounts, transactor] = [yield* PaperAccountStore, yield* Transactor]
    const nowMs = Clock.currentTimeMillis
    const options = { key: testName(), capital: "1000", quote: "USDT", markets: [market], nowMs }
    const keeper = keepPaper(options, { accounts, transactor })
    const { show, venue } = yield* makePaperVenue(options)
    yield* show([{ ...flat, time: 0 }])
    const { id } = request
    const order = { id, symbol, side: "buy", quantity: "1", filledQuantity: "0" } as const
    yield* keeper.change((account) => {
      account.at.place(0, request)
      return keeper.save({ ...account, open: [{ ...order, lockPrice: "100", phase }] })
    })
    const next = Effect.forEach([1, 2, 3], (nth) => show([{ ...flat, time: nth * 1_000 }]))
    return { cancel: venue.cancel(symbol, id), next, find: venue.order(symbol, id), venue }
  })

  everyMove(PaperOrderMachine, (state, event, to) =>
    Effect.gen(function* () {
      const request = requestOf(testVenueId("base62"), event)
      const { cancel, find, next, venue } = yield* accountWith(state, request)
      const before = yield* find
      assert.strictEqual(Option.getOrThrow(before).status, state)
      const told: Effect.Effect<unknown, unknown> = event === "cancelled" ? cancel : next
      const exit = yield* Effect.exit(told)
      if (to !== null) {
        assert.isTrue(Exit.isSuccess(exit))
        assert.strictEqual(Option.getOrThrow(yield* find).status, to)
        // The matcher has forgotten the order, so no event can follow.
        assert.deepStrictEqual(yield* venue.openOrders, [])
        assert.strictEqual(yield* cancel, "gone")
        return
      }
      // No order is at the matcher after its end: the venue takes such a record for a defect.
      const defect = new StateTable.IllegalMove({ table: "paper order", state, event })
      assert.deepStrictEqual(exit, Exit.die(defect))
      assert.deepStrictEqual(yield* find, before)
    }).pipe(Effect.provide(MemoryStore.layer))
  )
})

const App = WebhookEndpoints.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Ids.layer, countingTransport)),
  Layer.provideMerge(MemoryStore.layer),
  Layer.provide(in2026)
)

/** An endpoint, and its events. */
const endpoint = Effect.gen(function* () {
  yield* itIs2026
  const webhooks = yield* WebhookEndpoints
  const store = yield* EndpointStore
  const deliveries = yield* DeliveryStore
  const queue = yield* DeliveryQueue
  const ids = yield* Ids
  const account = yield* ids.make("account")
  const { id } = yield* webhooks.register(account, {
    url: "https://example.com/hook",
    events: ["trade.executed"]
  })
  const find = Effect.map(store.get(account, id), Option.getOrThrow)
  const end = Effect.fnUntraced(function* (evidence: Partial<EndpointEvidence>) {
    const delivery = yield* deliveries.insert(
      deliveryRecord(yield* find, {
        id: yield* ids.make("delivery"),
        status: evidence.says === "accepted" ? "succeeded" : "failed"
      })
    )
    yield* queue.keepOutcomes([
      { delivery, evidence: evidenceRecord({ endedAtMs: nowMs, ...evidence }) }
    ])
  })
  const set = (status: "active" | "disabled") => webhooks.update(account, id, { status })
  const rotate = (overlap_seconds: number) =>
    webhooks.rotateSecret(account, id, { overlap_seconds })
  const activate = webhooks.activateSecret(account, id)
  const expire = store.eraseSpentSecrets({ until: toTimestamp(nowMs + 60_000), limit: 10 })
  return { activate, end, expire, find, rotate, set }
})

describe("endpoints", () => {
  everyMove(EndpointMachine, (state, event, to) =>
    Effect.gen(function* () {
      const { end, find, set } = yield* endpoint
      const before: Readonly<Record<EndpointStatus, Effect.Effect<unknown, unknown>>> = {
        active: Effect.void,
        failing: end({ says: "failed" }),
        disabled: set("disabled")
      }
      const events = {
        accepted: end({ says: "accepted" }),
        falter: end({ says: "failed" }),
        give_up: end({ ends: "gone" }),
        enable: set("active"),
        disable: set("disabled")
      }
      yield* before[state]
      const { disabled_at, disabled_reason, status } = yield* find
      assert.strictEqual(status, state)
      yield* events[event]
      const after = yield* find
      assert.strictEqual(after.status, to ?? state)
      // An event that moves nothing keeps the reason and the time of the one that did.
      if (to === null) assert.deepInclude(after, { disabled_at, disabled_reason })
    }).pipe(Effect.provide(App))
  )
})

describe("secrets of endpoints", () => {
  everyMove(SecretMachine, (state, event, to) =>
    Effect.gen(function* () {
      const { activate, expire, find, rotate } = yield* endpoint
      const before: Readonly<Record<SecretState, Effect.Effect<unknown, unknown>>> = {
        single_secret: Effect.void,
        rotating: rotate(60),
        activated: Effect.andThen(rotate(60), activate)
      }
      const events = { rotate: rotate(60), replace: rotate(0), activate, expire }
      yield* before[state]
      const kept = yield* find
      assert.strictEqual(secretStateOf(kept, nowMs), state)
      const told: Effect.Effect<unknown, unknown> = events[event]
      if (to !== null || event === "expire") yield* told
      else assert.strictEqual(yield* refusalCode(told), "invalid_transition")
      const after = yield* find
      assert.strictEqual(secretStateOf(after, nowMs), to ?? state)
      if (to === null) assert.deepStrictEqual(after, kept)
    }).pipe(Effect.provide(App))
  )
})
