/**
 * Orders that rest between signals of both sides, and levels beside the price at which borrowed
 * money is used up. The fast path treats each as the plain path does.
 */
import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { runOne } from "../../src/fast/runOne.ts"
import { runWithReasons } from "../../src/fast/runMany.ts"
import type { EngineRun } from "../../src/fast/Run.ts"
import { replayRoundTrips } from "../../src/fast/replayRoundTrips.ts"
import { runPlain } from "../../src/fast/runPlain.ts"
import { makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import { hourMs } from "../../src/kernel/calendar.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { Random } from "../../src/kernel/random.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import { randomCandles } from "../../src/testing/randomCandles.ts"
import { freeMarket } from "../traps/scripted.ts"
import { above, assertPlain, average, candlesOf, close, optionsOf, runOf } from "./engineRuns.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

/** The same with opens that jump past levels as often as not. */
const jumping = (candles: CandleColumns, random: Random): CandleColumns => {
  const open = candles.open.map((price) => price * (0.95 + 0.1 * random.next()))
  const high = candles.high.map((price, index) => Math.max(price, open[index]!))
  const low = candles.low.map((price, index) => Math.min(price, open[index]!))
  return { ...candles, open, high, low }
}

const fraction = (value: number) => ({ type: "fraction", value }) as const

/** In and out at nearly each candle, on both sides and often on both at once. */
const drawRun = (random: Random): EngineRun => {
  const period = () => random.pick([1, 2, 3, 5])
  const rule = () =>
    above(random.pick([close, { type: "price", field: "open" } as const]), average(period()))
  const entries: ReadonlyArray<NonNullable<StrategyDefinition["entry"]>> = [
    { type: "market" },
    { type: "limit", offset: random.pick([0, 0.01, 0.04]), expires_after: random.pick([1, 3, 9]) },
    { type: "stop", offset: random.pick([0, 0.01, 0.04]), expires_after: random.pick([1, 3, 9]) }
  ]
  return runOf({
    long: { enter: rule(), exit: rule() },
    short: { enter: rule(), exit: rule() },
    entry: random.pick(entries),
    exits: {
      ...(random.next() < 0.7 ? { stop_loss: fraction(random.pick([0.01, 0.03, 0.06])) } : {}),
      ...(random.next() < 0.7 ? { take_profit: fraction(random.pick([0.01, 0.03, 0.06])) } : {})
    },
    sizing: { type: "equity_fraction", fraction: random.pick([0.5, 10, 20, 30]) }
  })
}

describe("entries that rest and money that is borrowed", () => {
  it("end as they do on the plain path, whatever a candle passes first", () => {
    let ruined = 0
    let rested = 0
    for (const { number, random } of draws("near ruin", 1_500)) {
      const candles = jumping(
        randomCandles(number, { count: 60, price: 100, stepMs: hourMs }),
        random
      )
      const run = drawRun(random)
      const options = optionsOf(
        {
          fill: random.pick(["close", "next_open"]),
          returns: random.pick(["candle", "day"]),
          webAssembly: random.next() < 0.5
        },
        {
          leverage: 30,
          takerRate: random.pick([0, 0.0005]),
          funding: { rate: random.pick([0, 0.0004]), intervalMs: 4 * hourMs }
        }
      )
      const where = JSON.stringify({ number, run, options })
      const { plain } = assertPlain(candles, [run], options, where)
      const { closed } = runPlain(makeColumnCache(candles), run, options, new Float64Array(4), 0)
      const { trades } = runOne(candles, run, options)
      const told = (name: "entryIndex" | "exitIndex" | "entryPrice" | "exitPrice") =>
        assert.deepStrictEqual(
          Array.from(trades[name]),
          closed.map((one) => one[name]),
          `${name}: ${where}`
        )
      told("entryIndex")
      told("exitIndex")
      told("entryPrice")
      told("exitPrice")
      if (plain.length > 0) continue
      if (closed.some(({ exitReason }) => exitReason === "liquidation")) ruined++
      if (run.definition.entry?.type !== "market") rested += closed.length
    }
    assert.isAbove(ruined, atLeast(200))
    assert.isAbove(rested, atLeast(2_000))
  })

  it("costs no run its path that it loses everything", () => {
    const candles = candlesOf(Float64Array.of(100, 100, 100, 60, 100, 100))
    const long = { enter: above(close, { type: "constant", value: 1 }) }
    const run = runOf({ long, sizing: { type: "equity_fraction", fraction: 3 } })
    const options = optionsOf({}, { leverage: 3, takerRate: 0.001 })
    const { figures, plain } = runWithReasons(candles, [run], options)
    assert.deepStrictEqual(plain, [])
    // The open is far below the price at which nothing is left: the run loses more than it had.
    assert.closeTo(figures[0]!, -1.2, 0.01)
    assert.strictEqual(figures[3], 1)
  })
})

describe("trades under limits", () => {
  it("can't be told where a day's loss may have taken away an order that rests", () => {
    const prices = Float64Array.from({ length: 60 }, (_, index) => (index < 12 ? 100 : 80))
    const columns = candlesOf(prices)
    const trades = {
      entryIndex: Int32Array.of(10, 30),
      exitIndex: Int32Array.of(14, 40),
      entryPrice: Float64Array.of(100, 80),
      exitPrice: Float64Array.of(80, 80),
      quantity: Float64Array.of(5, 5),
      fees: new Float64Array(2)
    }
    const run = { columns, from: 0, capital: 1_000, spec: freeMarket, trades }
    const limits = { ...noRiskLimits, dailyLossMax: 0.05 }
    assert.strictEqual(replayRoundTrips({ ...run, entry: "market" }, limits)?.tradeCount, 2)
    assert.isNull(replayRoundTrips({ ...run, entry: "limit" }, limits))
    assert.strictEqual(replayRoundTrips({ ...run, entry: "limit" }, noRiskLimits)?.tradeCount, 2)
  })
})
