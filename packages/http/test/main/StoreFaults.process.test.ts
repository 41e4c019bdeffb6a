/**
 * The whole server on its embedded store, over a disk that fails: what callers, probes and bots
 * see of it, and afterwards.
 */
import { serve } from "@candlewick/http"
import { operatorAccountId, Accounts, Candles, StoreHealth } from "@candlewick/core"
import { makeColumns } from "@candlewick/core/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { HttpServer } from "effect/http"
import {
  type Fault,
  faultyWorker,
  makeFaults
} from "../../../store-postgres/test/embedded/faults.ts"
import { databaseDirectory } from "../../../store-postgres/test/embedded/temporaryDirectory.ts"
import { servicesOf } from "../../src/main/services.ts"
import { readSettings } from "../../src/main/settings.ts"

const apiKey = "a-key-of-the-tests-of-faults-0123456789"
const candleCount = 150
const hourMs = 3_600_000

/** Closes that cross 100 every other candle, so that a bot trades all the time. */
const columns = () => {
  const made = makeColumns(candleCount)
  for (let index = 0; index < candleCount; index++) {
    const close = index % 2 === 0 ? 101 : 99
    made.time[index] = Date.UTC(2024, 0, 1) + index * hourMs
    made.open[index] = 100
    made.high[index] = 102
    made.low[index] = 98
    made.close[index] = close
    made.volume[index] = 1
  }
  return made
}

const price = { type: "price", field: "close" }
const limit = { type: "constant", value: 100 }
const definition = {
  format: 1,
  symbols: ["FLT/USD"],
  timeframe: "1h",
  parameters: {},
  long: {
    enter: { type: "above", left: price, right: limit },
    exit: { type: "below", left: price, right: limit }
  },
  sizing: { type: "fixed_quantity", quantity: 1 }
}

/** How many candles a bot has processed, by its status. */
const atCandle = (status: Readonly<Record<string, unknown>>): number =>
  (Date.parse(String(status["last_candle_at"])) - Date.UTC(2024, 0, 1)) / hourMs

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

const startServer = Effect.gen(function* () {
  const turn = makeFaults()
  const directory = yield* databaseDirectory
  const settings = readSettings({ CANDLEWICK_REPLAY_RATE: "1000", CANDLEWICK_WORKERS: "1" })
  const store = { type: "embedded", directory, script: faultyWorker } as const
  const services = yield* Layer.build(servicesOf({ ...settings, store }))
  yield* Effect.provide(
    Effect.flatMap(Accounts, (accounts) => accounts.ensureAdmin(apiKey)),
    services
  )
  const { check, hindrance } = yield* Effect.provide(StoreHealth, services)
  const served = serve({
    host: "127.0.0.1",
    port: 0,
    checks: { store: check },
    accessLog: { write: () => undefined }
  }).pipe(Layer.provide(Layer.succeedContext(services)))
  const { address } = yield* Effect.provide(HttpServer.HttpServer, yield* Layer.build(served))
  const baseUrl = `http://127.0.0.1:${"port" in address ? address.port : 0}`
  const call = (method: string, path: string, body?: unknown): Effect.Effect<Answer> =>
    Effect.promise(async () => {
      const response = await fetch(baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        body: JSON.parse(text === "" ? "{}" : text) as Answer["body"]
      }
    })
  const metrics = Effect.promise(async () => {
    const headers = { authorization: `Bearer ${apiKey}` }
    return (await fetch(`${baseUrl}/metrics`, { headers })).text()
  })
  return { turn, call, hindrance, metrics, services }
})

const eventually = <A>(ask: Effect.Effect<A>, isWanted: (answer: A) => boolean) =>
  Effect.gen(function* () {
    let last: A | undefined
    for (let attempt = 0; attempt < 300; attempt++) {
      last = yield* ask
      if (isWanted(last)) return last
      yield* Effect.sleep("200 millis")
    }
    return yield* Effect.die(new Error(`it did not come to that: ${JSON.stringify(last)}`))
  })

const kindsOf = ({ body }: Answer): ReadonlyArray<string> =>
  ((body["hindrances"] ?? []) as ReadonlyArray<{ readonly kind: string }>).map(({ kind }) => kind)

const rowsOf = ({ body }: Answer) =>
  body["data"] as ReadonlyArray<Readonly<Record<string, unknown>>>

/** The kinds of hindrances that a bot's log has, as they came and went. */
const hindrancesInLog = (lines: Answer) =>
  rowsOf(lines)
    .filter(({ event }) => String(event).endsWith("hindered"))
    .map(({ data, event }) => [event, (data as { readonly kind: string }).kind])

const assertUnavailable = ({ body, headers, status }: Answer): void => {
  assert.strictEqual(status, 503)
  assert.strictEqual(body["code"], "unavailable")
  assert.strictEqual(headers.get("content-type"), "application/problem+json")
  assert.isAtLeast(Number(headers.get("retry-after")), 1)
}

describe("a server whose disk fails", () => {
  const faults: ReadonlyArray<readonly [Fault, RegExp]> = [
    ["noWrites", /store \(it can't be written\)/],
    ["slow", /store \((?:it takes longer than|it gives no answer)/]
  ]
  for (const [fault, reason] of faults) {
    it.live(
      `is not ready, answers 503, keeps what it said, and recovers (${fault})`,
      () =>
        Effect.gen(function* () {
          const { call, hindrance, metrics, services, turn } = yield* startServer
          yield* Effect.provide(
            Effect.flatMap(Candles, (candles) =>
              candles.import(operatorAccountId, {
                key: { symbol: "FLT/USD", timeframe: "1h" },
                columns: columns()
              })
            ),
            services
          )
          const strategy = yield* call("POST", "/api/v1/mix/strategies", {
            name: "often",
            definition
          })
          assert.strictEqual(strategy.status, 201, JSON.stringify(strategy.body))
          const bot = yield* call("POST", "/api/v1/bots/create", {
            name: "a bot",
            strategy_id: strategy.body["id"],
            capital_allocation: 10_000,
            auto_start: true
          })
          assert.strictEqual(bot.status, 201, JSON.stringify(bot.body))
          const path = `/api/v1/bots/${String(bot.body["id"])}`
          const status = call("GET", `${path}/status`)
          const rename = (name: string) => call("PUT", path, { name })
          yield* eventually(status, ({ body }) => atCandle(body) > 5)
          assert.strictEqual((yield* rename("kept")).status, 200)
          assert.strictEqual((yield* call("GET", "/readyz")).status, 200)

          turn(fault)
          assertUnavailable(yield* rename("refused"))
          const probe = yield* eventually(call("GET", "/readyz"), (answer) => answer.status === 503)
          assertUnavailable(probe)
          assert.match(String(probe.body["detail"]), reason)
          assert.strictEqual((yield* call("GET", "/healthz")).status, 200)

          if (fault === "slow") yield* eventually(hindrance, (found) => found !== null)
          turn("none")
          if (fault === "slow") {
            // The server goes by its last look for five seconds.
            yield* eventually(status, (answer) => kindsOf(answer).includes("slow_store"))
            const shown = 'candlewick_bots_hindered{kind="slow_store"} 1'
            yield* eventually(metrics, (text) => text.includes(shown))
          }
          yield* eventually(call("GET", "/readyz"), (answer) => answer.status === 200)
          // A refused request has not been done; one that took too long may have been.
          const { name } = (yield* call("GET", path)).body
          assert.include(fault === "slow" ? ["kept", "refused"] : ["kept"], name)
          const after = yield* eventually(status, ({ body }) => body["is_data_ended"] === true)
          assert.strictEqual(after.body["status"], "running")
          if (fault === "slow") {
            const warnings = yield* call("GET", `${path}/logs?level=warn`)
            assert.deepInclude(hindrancesInLog(warnings), ["bot.hindered", "slow_store"])
            const [alert] = rowsOf(yield* call("GET", "/api/v1/alerts"))
            assert.strictEqual(alert?.["metric"], "hindered")
            assert.isAtLeast(Number(alert?.["fired_count"]), 1)
          }
          // A buy or a sell at each open, none doubled and none left out: a recording waits for
          // its store.
          const fills = rowsOf(yield* call("GET", `${path}/trades?limit=100`))
          fills.slice(1).forEach((fill, index) => {
            const next = fills[index]!
            const elapsedMs =
              Date.parse(String(next["candle_time"])) - Date.parse(String(fill["candle_time"]))
            assert.strictEqual(elapsedMs, hourMs)
            assert.notStrictEqual(fill["side"], next["side"])
          })
        }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")),
      180_000
    )
  }
})
