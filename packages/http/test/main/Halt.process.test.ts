/**
 * The account's kill switch and a bot's equity as callers and receivers see them. It goes over
 * HTTP, with real services and a real receiver, and from two servers over one store.
 */
import { AccountStore, IdempotencyStore, StoreError, StoreUnavailable } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { makePlacements } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import {
  eventually,
  importCloses,
  type Server,
  startBot,
  startReceiver,
  startServer,
  stores
} from "./servedBots.ts"

/** A bot whose entry, decided at the last candle, rests until another comes. */
const setTheScene = Effect.fnUntraced(function* (server: Server) {
  const scene = yield* startBot(server, [90, 90, 101], 100)
  const status = yield* eventually(
    server.call("GET", `${scene.path}/status`),
    ({ body }) => body.open_orders[0]?.status === "accepted"
  )
  assert.lengthOf(status.body.open_orders, 1)
  return scene
})

describe("POST /account/halt and /account/resume", () => {
  for (const [name, store] of Object.entries(stores)) {
    it.live(
      `cancel entries, send an alert, halt bots, and let them go on (${name})`,
      () =>
        Effect.gen(function* () {
          const receiver = yield* startReceiver
          const server = yield* startServer(store, "one")
          const { call } = server
          const { path } = yield* setTheScene(server)
          const events = ["alert.triggered"]
          const hook = yield* call("POST", "/v1/webhooks", { url: receiver.url, events })
          assert.strictEqual(hook.status, 201, JSON.stringify(hook.body))

          const refused = yield* call("POST", "/v1/account/halt", { reason: "" })
          assert.strictEqual(refused.status, 400, JSON.stringify(refused.body))
          const once = { "idempotency-key": "halt-once" }
          const reason = "markets are mad"
          const halted = yield* call("POST", "/v1/account/halt", { reason }, once)
          assert.strictEqual(halted.status, 200, JSON.stringify(halted.body))
          const shown = { is_halted: true, halted_reason: reason }
          assert.deepInclude(halted.body, { ...shown, changed: true, orders_cancelled: 1 })
          assert.strictEqual(halted.headers.get("etag"), '"2"')
          const repeated = yield* call("POST", "/v1/account/halt", { reason }, once)
          assert.deepStrictEqual(repeated.body, halted.body)
          const again = yield* call("POST", "/api/v1/account/halt")
          assert.deepInclude(again.body, { ...shown, changed: false, orders_cancelled: 0 })
          assert.deepInclude((yield* call("GET", "/v1/account")).body, shown)
          assert.deepInclude((yield* call("GET", "/v1/account/settings")).body.account, shown)

          const killed = { trading_state: "halted", trading_state_reason: "kill_switch" }
          const status = yield* call("GET", `${path}/status`)
          assert.deepInclude(status.body, { ...killed, status: "running", open_orders: [] })
          assert.deepInclude((yield* call("GET", path)).body, killed)
          assert.deepInclude((yield* call("POST", `${path}/pause`)).body, killed)
          yield* eventually(
            Effect.sync(() => receiver.bodies),
            (bodies) => bodies.length > 0
          )
          const { data } = receiver.bodies[0]
          const message = `the account is halted: ${reason}`
          assert.deepInclude(data, { metric: "kill_switch", bot_id: null, value: 1, message })
          const alert = yield* call("GET", `/v1/alerts/${String(data.alert_id)}`)
          assert.deepInclude(alert.body, { metric: "kill_switch", fired_count: 1 })

          yield* eventually(call("GET", `${path}/status`), ({ body }) => body.status === "paused")
          yield* call("POST", `${path}/start`)
          yield* importCloses(server, [102, 103], 3)
          const at = "2024-01-01T04:00:00.000Z"
          yield* eventually(
            call("GET", `${path}/status`),
            ({ body }) => body.last_candle_at === at && body.is_data_ended
          )
          assert.deepStrictEqual((yield* call("GET", `${path}/trades`)).body.data, [])

          const resumed = yield* call("POST", "/v1/account/resume")
          const open = { is_halted: false, halted_reason: null }
          assert.deepInclude(resumed.body, { ...open, changed: true })
          assert.isFalse((yield* call("POST", "/v1/account/resume")).body.changed)
          assert.deepInclude((yield* call("GET", "/v1/account")).body, open)
          yield* importCloses(server, [104, 105], 5)
          yield* eventually(
            call("GET", `${path}/status`),
            ({ body }) => body.open_positions.length === 1
          )
          assert.lengthOf(receiver.bodies, 1, "one halt, one alert")

          const key = yield* call("POST", "/v1/account/keys", {
            name: "reads",
            scopes: ["bots:execute"]
          })
          const authorization = `Bearer ${String(key.body.secret)}`
          for (const command of ["halt", "resume"]) {
            const denied = yield* call("POST", `/v1/account/${command}`, undefined, {
              authorization
            })
            assert.strictEqual(denied.status, 403)
          }
        }).pipe(Effect.scoped),
      120_000
    )
  }

  it.live(
    "are taken by a server that does not run the bots",
    () =>
      Effect.gen(function* () {
        const kept = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
        const placements = makePlacements()
        const one = yield* startServer(kept, "one", placements)
        const other = yield* startServer(kept, "other", placements)
        const { path } = yield* setTheScene(one)
        const halted = yield* other.call("POST", "/v1/account/halt")
        assert.deepInclude(halted.body, { changed: true, orders_cancelled: 1, bots_waiting: [] })
        // The candle that the entry waited for.
        yield* importCloses(one, [102, 103], 3)
        const at = "2024-01-01T04:00:00.000Z"
        const status = yield* eventually(
          one.call("GET", `${path}/status`),
          ({ body }) => body.last_candle_at === at
        )
        assert.strictEqual(status.body.trading_state_reason, "kill_switch")
        assert.deepStrictEqual((yield* one.call("GET", `${path}/trades`)).body.data, [])
      }).pipe(Effect.scoped),
    180_000
  )
})

interface Ailments {
  readonly claim?: Effect.Effect<never, StoreError>
  readonly markKeyUsed?: Effect.Effect<never, StoreError>
  readonly update?: Effect.Effect<never, StoreError>
}

/** Memory that falls ill: some of its writes do as the test says from then on. */
const ailingStore = Effect.gen(function* () {
  const kept = yield* Layer.build(MemoryStore.layer)
  const [accounts, keys] = [Context.get(kept, AccountStore), Context.get(kept, IdempotencyStore)]
  let ailments: Ailments = {}
  const or = <A>(name: keyof Ailments, well: Effect.Effect<A, StoreError>) =>
    Effect.suspend((): Effect.Effect<A, StoreError> => ailments[name] ?? well)
  const ailing = Context.make(AccountStore, {
    ...accounts,
    update: (account) => or("update", accounts.update(account)),
    // Each request is the first of its minute.
    findKey: (lookup) =>
      Effect.map(
        accounts.findKey(lookup),
        Option.map((key) => ({ ...key, last_used_at: null }))
      ),
    markKeyUsed: (...use) => or("markKeyUsed", accounts.markKeyUsed(...use))
  }).pipe(
    Context.add(IdempotencyStore, {
      ...keys,
      claim: (request) => or("claim", keys.claim(request))
    })
  )
  return {
    layer: Layer.succeedContext(Context.merge(kept, ailing)),
    fall: (ill: Ailments) => void (ailments = ill)
  }
})

describe("POST /account/halt while the store is ill", () => {
  const fails = Effect.fail(new StoreError({ reason: new StoreUnavailable({ cause: "a test" }) }))
  for (const [title, ill, keptStatus] of [
    ["takes no keys", { claim: fails }, 200],
    ["gives no answer to a key", { claim: Effect.never }, 200],
    ["notes no use of API keys", { markKeyUsed: Effect.never }, 200],
    ["takes neither a key nor the halt", { claim: Effect.never, update: fails }, 503]
  ] as const) {
    it.live(`halts the bots of a store that ${title}`, () =>
      Effect.gen(function* () {
        const { fall, layer } = yield* ailingStore
        const server = yield* startServer(layer, "one")
        const { call } = server
        const { path } = yield* startBot(server, [90, 90, 99], 100)
        fall(ill)
        const once = { "idempotency-key": "halt-once" }
        const halted = yield* call("POST", "/v1/account/halt", { reason: "a test" }, once)
        assert.strictEqual(halted.status, keptStatus, JSON.stringify(halted.body))
        const status = yield* call("GET", `${path}/status`)
        const killed = { trading_state: "halted", trading_state_reason: "kill_switch" }
        assert.deepInclude(status.body, killed)
        fall({})
        const again = yield* eventually(
          call("POST", "/v1/account/halt", { reason: "a test" }, once),
          (answer) => answer.status === 200
        )
        assert.isTrue(again.body.is_halted)
      }).pipe(Effect.scoped)
    )
  }
})

describe("GET /bots/:id/equity", () => {
  for (const [name, store] of Object.entries(stores)) {
    it.live(
      `lists what is kept newest first, and its pages stay as they are (${name})`,
      () =>
        Effect.gen(function* () {
          const server = yield* startServer(store, "one")
          const { call } = server
          // Bought at the third candle's open, for 90.
          const { path } = yield* startBot(server, [80, 80, 90, 95, 93], 75)
          const first = yield* call("GET", `${path}/equity?limit=2`)
          assert.strictEqual(first.status, 200, JSON.stringify(first.body))
          yield* importCloses(server, [99], 5)
          yield* eventually(
            call("GET", `${path}/equity?limit=1`),
            ({ body }) => body.data[0].time === "2024-01-01T05:00:00.000Z"
          )
          const walked = [...first.body.data]
          let { next_cursor: cursor } = first.body
          while (cursor !== null) {
            const { body } = yield* call("GET", `${path}/equity?limit=2&cursor=${String(cursor)}`)
            walked.push(...body.data)
            cursor = body.next_cursor
          }
          const { body: performance } = yield* call("GET", `${path}/performance`)
          assert.deepStrictEqual(walked, performance.equity_curve.slice(0, -1).toReversed())
          assert.lengthOf(walked, 5)
          const shifted = yield* call(
            "GET",
            `${path}/trades?cursor=${String(first.body.next_cursor)}`
          )
          assert.strictEqual(shifted.body.code, "invalid_cursor")
          const strange = "/v1/bots/bot_01ARZ3NDEKTSV4RRFFQ69G5FAV/equity"
          assert.strictEqual((yield* call("GET", strange)).status, 404)
        }).pipe(Effect.scoped),
      180_000
    )
  }
})
