/**
 * The library in a plain host: promises, problems, signals, events and an end.
 */
import {
  alertOperations,
  backtestOperations,
  botOperations,
  candleOperations,
  Candlewick,
  type CandlewickHost,
  makeColumns,
  type OperationTable,
  optimizationOperations,
  Problem,
  strategyOperations,
  webhookOperations
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { Pglite, PostgresStore } from "@candlewick/store-postgres"
import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { columnsOf } from "./stories/scripted.ts"
import { dips } from "./services/hostCode.ts"
import { definition, symbol, walkCandles } from "./services/runSetting.ts"

const withHost = async (use: (host: CandlewickHost) => Promise<void>): Promise<void> => {
  const host = await Candlewick.open({ store: MemoryStore.layer, size: 1, replayRate: 10_000 })
  try {
    await use(host)
  } finally {
    await host.close()
  }
}

const importWalk = (host: CandlewickHost, length = 600) =>
  host.candles.import({ key: { symbol, timeframe: "1h" }, columns: walkCandles(1, length) })

const refusal = async (promise: Promise<unknown>): Promise<Problem> => {
  const error: unknown = await promise.then(
    () => assert.fail("it was not refused"),
    (reason: unknown) => reason
  )
  assert.instanceOf(error, Problem)
  return error
}

const tables: Record<string, OperationTable> = {
  alerts: alertOperations,
  backtests: backtestOperations,
  bots: botOperations,
  candles: candleOperations,
  optimizations: optimizationOperations,
  strategies: strategyOperations,
  webhooks: webhookOperations
}

const longSearch = { objective: "sharpe", risk_tolerance: "medium", timeframe: "1h" } as const

describe("Candlewick.open", () => {
  it("keeps what it holds in a directory, which a second host can't take", async () => {
    const directory = mkdtempSync(join(tmpdir(), "candlewick-host-"))
    const open = () => Candlewick.open({ store: PostgresStore.layerPglite({ directory }), size: 1 })
    try {
      const first = await open()
      const { id } = await first.strategies.write({ name: "Dips", definition })
      const refused: unknown = await open().then(
        () => assert.fail("it was not refused"),
        (reason: unknown) => reason
      )
      assert.instanceOf(refused, Pglite.DirectoryInUse)
      assert.include(refused.message, `in use by process ${process.pid}`)
      await first.close()
      const second = await open()
      assert.strictEqual((await second.strategies.get(id)).name, "Dips")
      assert.strictEqual(second.accountId, first.accountId)
      await second.close()
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }, 180_000)

  it("writes, backtests, optimises and trades for its own account, with promises", () =>
    withHost(async (host) => {
      const events: Array<string> = []
      const stopListening = host.onEvent(({ event }) => events.push(event))
      assert.strictEqual((await importWalk(host)).candle_count, 600)
      const strategy = await host.strategies.write({ name: "Dips", definition })
      assert.strictEqual(strategy.account_id, host.accountId)
      const backtest = await host.backtests.run({ strategy_id: strategy.id })
      assert.strictEqual(backtest.status, "completed")
      const search = await host.optimizations.run({ strategy_id: strategy.id, max_trials: 5 })
      assert.strictEqual(search.report?.trial_count, 5)
      const bot = await host.bots.create({
        name: "dips",
        strategy_id: strategy.id,
        capital_allocation: 1_000,
        auto_start: true
      })
      for (let asked = 0; asked < 200; asked++) {
        if ((await host.bots.status(bot.id)).is_data_ended) break
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      const { items } = await host.bots.trades(bot.id, { limit: 100 })
      assert.isAbove(items.length, 4)
      stopListening()
      assert.includeMembers(events, ["backtest.complete", "strategy.optimized", "trade.executed"])
    }))

  it("rejects with the problem that a server would answer", () =>
    withHost(async (host) => {
      const missing = await refusal(host.bots.get("bot_01ARZ3NDEKTSV4RRFFQ69G5FAV"))
      assert.deepInclude(missing, { code: "not_found", status: 404 })
      const nothing = await refusal(host.backtests.run({ strategy_id: "str_none" }))
      assert.strictEqual(nothing.code, "unknown_strategy")
      assert.strictEqual(nothing.errors?.[0]?.pointer, "#/strategy_id")
      const closed = await refusal(
        host.webhooks.register({ url: "https://example.com/", events: ["trade.executed"] })
      )
      assert.strictEqual(closed.code, "url_not_allowed")
      const objective = await refusal(
        host.strategies.generate({
          objective: "x" as never,
          risk_tolerance: "low",
          timeframe: "1h"
        })
      )
      const [fault] = objective.errors!
      assert.deepInclude(fault, { pointer: "#/objective", code: "not_allowed" })
      assert.match(fault!.message, /^Expected one of total_return \(also /)
      assert.strictEqual(objective.detail, "1 field is not valid.")
      assert.strictEqual(objective.message, `/objective: ${fault!.message}`)
    }))

  it("looks at what it is given before anything is done, and names every fault", () =>
    withHost(async (host) => {
      const careless = host as unknown as Record<string, Record<string, (...all: any) => any>>
      const bot = await refusal(
        careless["bots"]!["create"]!({ name: 5, strategy_id: "x", capital_allocation: -4, mood: 1 })
      )
      assert.deepStrictEqual(
        [bot.code, ...bot.errors!.map(({ code, pointer }) => `${pointer} ${code}`).sort()],
        [
          "validation_failed",
          "#/capital_allocation not_allowed",
          "#/mood unknown_field",
          "#/name wrong_type"
        ]
      )
      assert.strictEqual(bot.detail, "3 fields are not valid.")
      for (const [service, table] of Object.entries(tables)) {
        for (const [method, { takes }] of Object.entries(table)) {
          if (takes.length === 0) continue
          const { code } = await refusal(careless[service]![method]!(Symbol("junk")))
          assert.strictEqual(code, "validation_failed", `${service}.${method}`)
        }
      }
      const short = { ...makeColumns(3), length: 4 }
      const columns = await refusal(
        host.candles.import({ key: { symbol, timeframe: "1h" }, columns: short })
      )
      assert.strictEqual(columns.errors?.[0]?.pointer, "#/columns")
    }))

  it("ends a call with its signal, and the run that it waited for", () =>
    withHost(async (host) => {
      await importWalk(host, 3_000)
      const abort = new AbortController()
      const generating = host.withSignal(abort.signal).strategies.generate({
        ...longSearch,
        symbols: [symbol],
        max_candidates: 2_000
      })
      const ended = generating.then(
        () => "kept",
        (reason: unknown) => reason
      )
      let waiting = await host.strategies.list({ limit: 1 })
      while (waiting.items.length === 0) {
        // A fibre that only awaits a store in memory lets no other come to its turn.
        await new Promise((resolve) => setTimeout(resolve, 1))
        waiting = await host.strategies.list({ limit: 1 })
      }
      abort.abort(new Error("changed my mind"))
      assert.deepInclude(await ended, { message: "changed my mind" })
      const { id } = waiting.items[0]!
      const over = await host.strategies.wait(id, 20)
      assert.strictEqual(over.status, "cancelled")
      const late = host.withSignal(AbortSignal.abort(new Error("too late")))
      const error = await late.strategies.list({ limit: 1 }).catch((reason: unknown) => reason)
      assert.deepInclude(error, { message: "too late" })
    }))

  it("goes on telling events to a listener that throws", () =>
    withHost(async (host) => {
      await importWalk(host)
      const heard: Array<string> = []
      host.onEvent(({ event }) => {
        heard.push(event)
        throw new Error("a careless listener")
      })
      const strategy = await host.strategies.write({ name: "Dips", definition })
      await host.backtests.run({ strategy_id: strategy.id })
      for (let asked = 0; asked < 100 && heard.length < 2; asked++) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      assert.deepStrictEqual(heard, ["strategy.generated", "backtest.complete"])
    }))

  it("looks at its own options", async () => {
    const careless = Candlewick as unknown as Record<string, (options: unknown) => Promise<unknown>>
    const store = MemoryStore.layer
    for (const [options, pointer] of [
      [{}, "#/store"],
      [{ store: "memory" }, "#/store"],
      [{ store, marketData: 5 }, "#/marketData"],
      [{ store, venues: 5 }, "#/venues"],
      [{ store, code: "./code.ts" }, "#/code"],
      [{ store, size: Number.NaN }, "#/size"],
      [{ store, size: "x" }, "#/size"],
      [{ store, replayRate: 0 }, "#/replayRate"],
      [{ store, replayRate: -5 }, "#/replayRate"]
    ] as const) {
      const { code, errors } = await refusal(careless["open"]!(options))
      assert.deepStrictEqual([code, errors?.[0]?.pointer], ["validation_failed", pointer])
    }
  })

  it("runs the code of a module that it is given, in its threads", async () => {
    const code = new URL("./services/hostCode.ts", import.meta.url)
    const host = await Candlewick.open({ store: MemoryStore.layer, size: 1, code })
    try {
      await importWalk(host)
      const strategy = await host.strategies.write({ name: "Dips", definition: dips.definition })
      const { report, status } = await host.backtests.run({ strategy_id: strategy.id })
      assert.strictEqual(status, "completed")
      assert.isAbove(report!.position_count, 3)
    } finally {
      await host.close()
    }
  })

  it("is released by close, whatever is under way", async () => {
    const host = await Candlewick.open({ store: MemoryStore.layer, size: 1 })
    await host.candles.import({
      key: { symbol, timeframe: "1h" },
      columns: columnsOf(Array.from({ length: 3_000 }, (_, index) => 100 + (index % 7)))
    })
    const strategy = await host.strategies.write({ name: "Dips", definition })
    await host.bots.create({
      name: "left running",
      strategy_id: strategy.id,
      capital_allocation: 1_000,
      auto_start: true
    })
    const search = refusal(host.strategies.generate({ ...longSearch, symbols: [symbol] }))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await host.close()
    assert.strictEqual((await search).code, "unavailable")
    assert.strictEqual((await refusal(host.bots.list({ limit: 1 }))).code, "unavailable")
  })
})
