/**
 * The markets that runs and bots went by, and the effect of a market's terms on them, over HTTP,
 * with real services and real stores.
 */
import { assert, describe, it } from "@effect/vitest"
import { Accounts, type StorePorts } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { eventually, type Server, startServer, stores } from "./servedBots.ts"

const symbol = "WAV/USD"

/** A wave around a middle: prices that rise for a day and fall for a day. */
const csvAround = (middle: number): string =>
  [
    "time,open,high,low,close,volume",
    ...Array.from({ length: 480 }, (_, index) => {
      const time = new Date(Date.UTC(2024, 0, 1, index)).toISOString()
      const priceAt = (at: number) => middle + 10 * Math.sin((at * Math.PI) / 24)
      const [open, close] = [priceAt(index), priceAt(index + 1)]
      const [high, low] = [Math.max(open, close) + 0.5, Math.min(open, close) - 0.5]
      return [time, open, high, low, close, 100].join(",")
    })
  ].join("\n")

const price = { type: "price", field: "close" }
const average = { type: "sma", period: 12 }
const above = { type: "crosses_above", left: price, right: average }
const below = { type: "crosses_below", left: price, right: average }
const long = { enter: above, exit: below }
const short = { enter: below, exit: above }

type Caller = (
  method: string,
  path: string,
  body?: unknown
) => Effect.Effect<{ readonly status: number; readonly body: any }>

const importWave = (server: Server, key = server.key, middle = 100) =>
  Effect.promise(async () => {
    const query = new URLSearchParams({ symbol, timeframe: "1h" }).toString()
    const response = await fetch(`${server.baseUrl}/v1/candles?${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "text/csv" },
      body: csvAround(middle)
    })
    assert.strictEqual(response.status, 200, await response.text())
  })

const begin = Effect.fnUntraced(function* (store: Layer.Layer<StorePorts>) {
  const server = yield* startServer(store, "one")
  const accounts = yield* Effect.provide(Accounts, server.services)
  yield* accounts.ensureAdmin(server.key)
  yield* importWave(server)
  const other = yield* accounts.create("another")
  const asOther: Caller = (method, path, body) =>
    server.call(method, path, body, { authorization: `Bearer ${other.secret}` })
  const call: Caller = (method, path, body) => server.call(method, path, body)
  return { server, call, asOther, secret: other.secret }
})

const write = Effect.fnUntraced(function* (call: Caller, sides: object) {
  const sizing = { type: "equity_fraction", fraction: 1 }
  const { body, status } = yield* call("POST", "/v1/mix/strategies", {
    name: "A wave",
    definition: { format: 1, symbols: [symbol], timeframe: "1h", parameters: {}, sizing, ...sides }
  })
  assert.strictEqual(status, 201, JSON.stringify(body))
  return String(body.id)
})

const backtest = Effect.fnUntraced(function* (call: Caller, request: object) {
  const { body, status } = yield* call("POST", "/v1/mix/backtest", request)
  assert.strictEqual(status, 202, JSON.stringify(body))
  const path = `/v1/mix/backtest/${body.id}/results`
  return (yield* eventually(call("GET", path), (answer) => answer.status === 200)).body
})

const directions = ({ positions }: any): ReadonlyArray<string> =>
  Array.from(new Set<string>(positions.map(({ direction }: any) => String(direction)))).toSorted()

const market = `/v1/markets/${encodeURIComponent(symbol)}`

describe("the terms of a market", () => {
  for (const [name, store] of Object.entries(stores)) {
    it.live(`are pinned by what a backtest ran on (${name})`, () =>
      Effect.gen(function* () {
        const { asOther, call } = yield* begin(store)
        const strategy_id = yield* write(call, { long })
        const first = (yield* call("GET", market)).body
        const before = yield* backtest(call, { strategy_id })
        const { hash, id, owner, revision, source } = first
        const pin = { symbol, market_id: id, owner, source, revision, hash }
        assert.deepStrictEqual(before.markets, [pin])

        // Another account's own terms are nothing to this one.
        const own = { symbol, taker_rate: 0.2 }
        assert.strictEqual((yield* asOther("POST", "/v1/markets", own)).status, 201)
        assert.deepStrictEqual((yield* backtest(call, { strategy_id })).metrics, before.metrics)
        const theirs = yield* write(asOther, { long })
        const dear = yield* backtest(asOther, { strategy_id: theirs })
        assert.isBelow(dear.metrics.total_return, before.metrics.total_return)
        assert.deepInclude(dear.markets[0], { revision: 1, source: "given" })

        const changed = yield* call("PUT", market, { fee_per_fill: 2 })
        assert.strictEqual(changed.body.revision, 2)
        const after = yield* backtest(call, { strategy_id })
        assert.deepInclude(after.markets[0], { revision: 2, hash: changed.body.hash })
        assert.isBelow(after.metrics.total_return, before.metrics.total_return)
        const again = yield* backtest(call, { strategy_id, market_revisions: { [symbol]: 1 } })
        assert.deepStrictEqual(again.metrics, before.metrics)
        assert.deepStrictEqual(again.markets, [pin])

        for (const [revisions, expected, pointer] of [
          [{ [symbol]: 3 }, 422, "#/market_revisions/WAV~1USD"],
          [{ "OTH/USD": 1 }, 400, "#/market_revisions/OTH~1USD"],
          [{ [symbol]: 0 }, 400, "#/market_revisions/WAV~1USD"]
        ] as const) {
          const request = { strategy_id, market_revisions: revisions }
          const { body, status } = yield* call("POST", "/v1/mix/backtest", request)
          assert.strictEqual(status, expected, JSON.stringify(body))
          assert.strictEqual(body.errors[0].pointer, pointer)
        }
      }).pipe(Effect.scoped)
    )

    it.live(`reproduce a run as its result names them, whichever counts by then (${name})`, () =>
      Effect.gen(function* () {
        const { asOther, call } = yield* begin(store)
        const strategy_id = yield* write(asOther, { long })
        const first = yield* backtest(asOther, { strategy_id })
        const made = (yield* asOther("POST", "/v1/markets", { symbol, fee_per_fill: 7 })).body
        const [pin] = first.markets
        assert.isAbove(first.trades.length, 10)
        assert.notStrictEqual(made.id, pin.market_id)
        // A number is of the market that counts, which is the account's own now.
        const own = yield* backtest(asOther, { strategy_id, market_revisions: { [symbol]: 1 } })
        assert.deepInclude(own.markets[0], { market_id: made.id, revision: 1 })
        assert.isBelow(own.metrics.total_return, first.metrics.total_return)

        const { market_id, revision } = pin
        for (const named of [
          first.markets,
          { [symbol]: pin },
          { [symbol]: { market_id, revision } }
        ]) {
          const again = yield* backtest(asOther, { strategy_id, market_revisions: named })
          assert.deepStrictEqual(again.markets, first.markets)
          assert.deepStrictEqual(again.metrics, first.metrics)
          assert.deepStrictEqual(again.trades, first.trades)
        }
        const back = yield* backtest(asOther, { strategy_id, market_revisions: own.markets })
        assert.deepStrictEqual(back.metrics, own.metrics)

        const place = "#/market_revisions/WAV~1USD"
        const others = yield* write(call, { long })
        const hash = "0".repeat(64)
        for (const [caller, named, expected, pointer] of [
          [asOther, [{ ...pin, hash }], 422, "#/market_revisions/0"],
          [asOther, { [symbol]: { ...pin, hash } }, 422, place],
          [asOther, { [symbol]: { ...pin, revision: 2 } }, 422, place],
          [call, { [symbol]: { market_id: made.id, revision: 1 } }, 422, place],
          [call, [{ ...pin, symbol: "OTH/USD" }], 400, "#/market_revisions/0"],
          [call, { [symbol]: { market_id, revision: 0 } }, 400, `${place}/revision`]
        ] as const) {
          const id = caller === call ? others : strategy_id
          const request = { strategy_id: id, market_revisions: named }
          const { body, status } = yield* caller("POST", "/v1/mix/backtest", request)
          assert.strictEqual(status, expected, JSON.stringify(body))
          assert.strictEqual(body.errors[0].pointer, pointer)
        }
      }).pipe(Effect.scoped)
    )

    it.live(`and candles of one account are nothing to the bots of another (${name})`, () =>
      Effect.gen(function* () {
        const { asOther, call, secret, server } = yield* begin(store)
        const tradesOf = Effect.fnUntraced(function* (caller: Caller) {
          const strategy_id = yield* write(caller, { long })
          const bot = { name: "Waves", strategy_id, capital_allocation: 10_000, auto_start: true }
          const { body } = yield* caller("POST", "/v1/bots/create", bot)
          const path = `/v1/bots/${body.id}`
          yield* eventually(caller("GET", `${path}/status`), (answer) => answer.body.is_data_ended)
          const { data } = (yield* caller("GET", `${path}/trades?limit=100`)).body
          assert.isAbove(data.length, 10)
          return data.map(({ amount, fee, price: at, side }: any) => [side, amount, at, fee])
        })
        const before = yield* tradesOf(call)
        const strategy_id = yield* write(asOther, { long })
        const bot = { name: "Shared", strategy_id, capital_allocation: 10_000 }
        const { id } = (yield* asOther("POST", "/v1/bots/create", bot)).body
        yield* importWave(server, secret, 1_000)
        const logs = (yield* asOther("GET", `/v1/bots/${id}/logs?level=warn`)).body.data
        const own = logs.find(({ event }: any) => event === "candles.own")
        assert.match(own.message, /its own candles, 480 of 1h, and not the shared ones, 480 of 1h/)
        yield* asOther("POST", "/v1/markets", { symbol, fee_per_fill: 7 })
        assert.deepStrictEqual(yield* tradesOf(call), before)
        const theirs = yield* tradesOf(asOther)
        for (const [, , at] of before) assert.isBelow(at, 120)
        for (const [, , at] of theirs) assert.isAbove(at, 900)
      }).pipe(Effect.scoped)
    )

    it.live(`are a bot's from start to start, whatever restarts between (${name})`, () =>
      Effect.gen(function* () {
        const shared = Layer.succeedContext(yield* Layer.build(store))
        const { call } = yield* begin(shared)
        const strategy_id = yield* write(call, { long })
        const request = { name: "Waves", strategy_id, capital_allocation: 10_000 }
        const made = yield* call("POST", "/v1/bots/create", request)
        assert.strictEqual(made.status, 201, JSON.stringify(made.body))
        const [first] = made.body.markets
        assert.deepInclude(first, { symbol, revision: 1, source: "inferred" })
        const path = `/v1/bots/${made.body.id}`
        yield* call("POST", `${path}/start`)
        const ended = eventually(call("GET", `${path}/status`), ({ body }) => body.is_data_ended)
        yield* ended
        const fees = (yield* call("GET", `${path}/performance`)).body.fees_paid
        const { revision } = (yield* call("PUT", market, { fee_per_fill: 3 })).body
        assert.strictEqual(revision, 2)
        assert.deepStrictEqual((yield* call("GET", path)).body.markets, [first])

        // Another server takes the stores over, as after a restart.
        const next = yield* startServer(shared, "two")
        yield* Effect.provide(
          Effect.flatMap(Accounts, (accounts) => accounts.ensureAdmin(next.key)),
          next.services
        )
        const then: Caller = (method, at, body) => next.call(method, at, body)
        assert.deepStrictEqual((yield* then("GET", path)).body.markets, [first])
        assert.strictEqual((yield* then("GET", `${path}/performance`)).body.fees_paid, fees)

        yield* call("POST", `${path}/stop`, { positions: "close" })
        yield* eventually(call("GET", path), ({ body }) => body.status === "stopped")
        const started = yield* call("POST", `${path}/start`)
        assert.deepInclude(started.body.markets[0], { symbol, revision: 2, source: "given" })
        assert.deepInclude((yield* then("GET", path)).body.markets[0], { revision: 2 })
        const { data } = (yield* call("GET", `${path}/logs`)).body
        const told = data.find(({ event }: any) => event === "market.revised")
        assert.match(told.message, /^WAV\/USD: trades by revision 2 of shared from now on/)
      }).pipe(Effect.scoped)
    )

    it.live(`refuse or allow shorts, and the results say which (${name})`, () =>
      Effect.gen(function* () {
        const { call } = yield* begin(store)
        const both = yield* write(call, { long, short })
        const alone = yield* write(call, { short })
        const sentence = "the strategy's short entries are not ordered."
        for (const id of [both, alone]) {
          const { warnings } = (yield* call("GET", `/v1/mix/strategies/${id}`)).body
          assert.deepStrictEqual(warnings, [`Shorts are not allowed on WAV/USD: ${sentence}`])
        }
        const bot = { name: "Waves", capital_allocation: 10_000 }
        for (const [path, request] of [
          ["/v1/mix/backtest", {}],
          ["/v1/mix/optimize", {}],
          ["/v1/bots/create", bot]
        ] as const) {
          const asked = { ...request, strategy_id: alone }
          const { body, status } = yield* call("POST", path, asked)
          assert.strictEqual(status, 422, JSON.stringify(body))
          assert.deepInclude(body.errors[0], {
            pointer: "#/strategy_id",
            code: "shorts_forbidden"
          })
          const named = yield* call("POST", path, { ...asked, symbols: [symbol] })
          assert.strictEqual(named.body.errors[0].pointer, "#/symbols")
        }
        const warned = yield* backtest(call, { strategy_id: both })
        assert.deepStrictEqual(directions(warned), ["long"])
        assert.match(warned.warnings[0], /^Shorts are not allowed on WAV\/USD: \d+ short entries/)
        const longBot = yield* call("POST", "/v1/bots/create", { ...bot, strategy_id: both })
        assert.deepStrictEqual(longBot.body.warnings, [
          "Shorts are not allowed on WAV/USD: the strategy's short entries are not ordered."
        ])

        yield* call("PUT", market, { can_short: true, funding_rate: 0.001, max_leverage: 2 })
        const traded = yield* backtest(call, { strategy_id: both })
        assert.deepStrictEqual(directions(traded), ["long", "short"])
        assert.notStrictEqual(traded.funding_paid, 0)
        const shorts = yield* backtest(call, { strategy_id: alone })
        assert.deepStrictEqual(directions(shorts), ["short"])
        // A short is paid the funding that longs pay.
        assert.isBelow(shorts.funding_paid, 0)

        const request = { ...bot, strategy_id: alone, auto_start: true }
        const shortBot = yield* call("POST", "/v1/bots/create", request)
        assert.strictEqual(shortBot.status, 201, JSON.stringify(shortBot.body))
        assert.deepStrictEqual(shortBot.body.warnings, [])
        const path = `/v1/bots/${shortBot.body.id}`
        yield* eventually(call("GET", `${path}/status`), ({ body }) => body.is_data_ended)
        const made = (yield* call("GET", `${path}/trades?limit=100`)).body.data.toReversed()
        assert.isAbove(made.length, 10)
        assert.strictEqual(made[0].side, "sell")
        // A bot fills as its backtest does, of which the last position is closed by the end.
        const fields = ({ amount, price: at, side }: any) => [side, amount, at]
        assert.deepStrictEqual(made.map(fields), shorts.trades.slice(0, made.length).map(fields))

        yield* call("PUT", market, { can_short: false })
        yield* call("POST", `${path}/stop`, { positions: "close" })
        yield* eventually(call("GET", path), ({ body }) => body.status === "stopped")
        const refused = yield* call("POST", `${path}/start`)
        assert.strictEqual(refused.status, 422, JSON.stringify(refused.body))
        assert.strictEqual(refused.body.errors[0].code, "shorts_forbidden")
      }).pipe(Effect.scoped)
    )
  }

  it.live("are pinned by what an optimisation and a generation ran on", () =>
    Effect.gen(function* () {
      const { call } = yield* begin(stores.memory)
      const fast = { kind: "integer", default: 8, min: 4, max: 20 }
      const sma = { type: "sma", period: { parameter: "fast" } }
      const strategy_id = yield* write(call, {
        parameters: { fast },
        long: { enter: { ...above, right: sma }, exit: { ...below, right: sma } }
      })
      const { hash } = (yield* call("PUT", market, { tick: 0.01 })).body
      const asked = yield* call("POST", "/v1/mix/optimize", { strategy_id, max_trials: 4 })
      const results = `/v1/mix/optimize/${asked.body.id}/results`
      const optimized = yield* eventually(call("GET", results), ({ status }) => status === 200)
      assert.deepInclude(optimized.body.markets[0], { symbol, revision: 2, hash })
      const { body } = yield* call("POST", "/v1/mix/generate", {
        objective: "sharpe",
        risk_tolerance: "medium",
        timeframe: "1h",
        symbols: [symbol],
        max_candidates: 8
      })
      const path = `/v1/mix/strategies/${body.id}`
      const generated = yield* eventually(
        call("GET", path),
        (answer) => answer.body.status === "ready"
      )
      assert.deepInclude(generated.body.evidence.markets[0], { symbol, revision: 2, hash })
    }).pipe(Effect.scoped)
  )
})
