import { assert, describe, it } from "@effect/vitest"
import { defaultValues } from "../../src/language/searchSpace.ts"
import { toSignalColumns } from "../../src/plan/signalColumns.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { copyColumns, indexAt, sliceColumns } from "../../src/kernel/columns.ts"
import type { StrategySignals } from "../../src/plan/signalColumns.ts"
import type { Random } from "../../src/kernel/random.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import type { Simulation } from "../../src/kernel/simulate.ts"
import { backtest } from "../../src/research/backtest.ts"
import { drawStrategy } from "./drawnStrategies.ts"
import { drawCandles } from "./drawnCandles.ts"
import { simulateOn } from "./simulated.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const names = ["enterLong", "exitLong", "enterShort", "exitShort"] as const

const assertSamePast = (
  whole: StrategySignals,
  other: StrategySignals,
  until: number,
  where: string
): void => {
  for (const name of names) {
    assert.deepStrictEqual(
      whole.signals[name]?.slice(0, until),
      other.signals[name]?.slice(0, until),
      `${where}, ${name}`
    )
  }
  for (let at = 0; at < until; at += 1) {
    assert.deepStrictEqual(other.levelsAt(at), whole.levelsAt(at), `${where}, candle ${at}`)
  }
}

/** The same candles up to `until`, and entirely different ones from there on. */
const withOtherFuture = (columns: CandleColumns, until: number, random: Random): CandleColumns => {
  const changed = copyColumns(columns)
  for (let at = until; at < changed.length; at += 1) {
    const factor = 0.2 + random.next() * 5
    for (const field of ["open", "high", "low", "close", "volume"] as const) {
      changed[field][at]! *= factor
    }
  }
  return changed
}

/** The events before a time. */
const pastOf = ({ time, equity, notional, fills, gateChanges }: Simulation, now: number) => {
  const steps = time.findIndex((opens) => opens >= now)
  const count = steps === -1 ? time.length : steps
  return {
    equity: equity.slice(0, count),
    notional: notional.slice(0, count),
    fills: fills.filter((fill) => fill.time < now),
    gateChanges: gateChanges.filter((change) => change.time < now)
  }
}

/** Volumes in whole numbers up to a candle, and in millionths after it; prices likewise. */
const finerFrom = (columns: CandleColumns, from: number): CandleColumns => {
  const finer = copyColumns(columns)
  for (let at = from; at < finer.length; at += 1) {
    finer.volume[at]! += 0.123456
    finer.high[at]! += 0.001234
  }
  return finer
}

describe("no look-ahead", () => {
  it("keeps the past of 200 random strategies when the future is deleted or changed", () => {
    for (const { number, random } of draws("look ahead", 200)) {
      const definition = drawStrategy(random.next)
      const columns = drawCandles(random, definition.timeframe, 240)
      const values = defaultValues(definition)
      const whole = toSignalColumns(definition, values, columns)
      for (let cut = 0; cut < 4; cut += 1) {
        const until = random.integer(1, columns.length - 1)
        const where = `strategy ${number}, cut at ${until}`
        const deleted = toSignalColumns(definition, values, sliceColumns(columns, 0, until))
        assertSamePast(whole, deleted, until, `${where}, deleted`)
        const changed = withOtherFuture(columns, until, random)
        const differing = toSignalColumns(definition, values, changed)
        assertSamePast(whole, differing, until, `${where}, changed`)
      }
    }
  })

  it("keeps past fills, exits and equity of 200 simulations on one market or several", () => {
    const seen = { fills: 0, exits: 0, ended: 0, higher: 0 }
    for (const { number, random } of draws("later fills", 200)) {
      const symbols = random.pick([["AAA/USD"], ["AAA/USD", "BBB/USD"]] as const)
      const definition = drawStrategy(random.next, { symbols, depth: random.integer(2, 6) })
      const candles = symbols.map(() => drawCandles(random, definition.timeframe, 240))
      const changes = {
        fill: random.pick(["next_open", "close"] as const),
        endOfData: "open",
        limits: { ...noRiskLimits, drawdownMax: random.pick([null, 0.2]) }
      } as const
      const whole = simulateOn(definition, candles, changes)
      for (let cut = 0; cut < 3; cut += 1) {
        const time = random.pick(candles).time[random.integer(1, 239)]!
        const until = candles.map((columns) => indexAt(columns, time))
        const before = pastOf(whole, time)
        const where = `strategy ${number}, cut at ${time}`
        const deleted = candles.map((columns, market) => sliceColumns(columns, 0, until[market]))
        const short = simulateOn(definition, deleted, changes)
        assert.deepStrictEqual(pastOf(short, time), before, `${where}, deleted`)
        const changed = candles.map((columns, market) =>
          withOtherFuture(columns, until[market]!, random)
        )
        const other = simulateOn(definition, changed, changes)
        assert.deepStrictEqual(pastOf(other, time), before, `${where}, changed`)
        seen.fills += before.fills.length
        seen.exits += before.fills.filter(({ leg }) => leg !== "entry" && leg !== "exit").length
      }
      seen.ended += whole.ended.length
      if (JSON.stringify(definition).includes('"type":"timeframe"')) seen.higher += 1
    }
    for (const [what, count] of Object.entries(seen)) assert.isAbove(count, atLeast(40), what)
  })

  it("keeps the past of 150 whole backtests, whose steps of price and quantity nobody names", () => {
    let fillCount = 0
    for (const { number, random } of draws("steps", 150)) {
      const definition = drawStrategy(random.next, { symbols: ["BTC/USD"], depth: 3 })
      const drawn = drawCandles(random, definition.timeframe, 300)
      for (let at = 0; at < 300; at += 1) drawn.volume[at]! /= 10
      const first = random.pick([0, 40, 150])
      const columns = finerFrom(drawn, random.integer(first, 299))
      const options = {
        from: columns.time[first]!,
        fill: random.pick(["next_open", "close"] as const),
        endOfData: "open"
      } as const
      const whole = backtest(columns, definition, options)
      for (let cut = 0; cut < 2; cut += 1) {
        const until = random.integer(first + 1, columns.length - 1)
        const now = columns.time[until]!
        const before = whole.fills.filter(({ time }) => time < now)
        const where = `strategy ${number} from ${first}, cut at ${until}`
        const short = backtest(sliceColumns(columns, 0, until), definition, options)
        const other = backtest(withOtherFuture(columns, until, random), definition, options)
        for (const one of [short, other]) {
          assert.deepStrictEqual(one.steps, whole.steps, where)
          assert.deepStrictEqual(
            one.fills.filter(({ time }) => time < now),
            before,
            where
          )
          const count = until - first
          assert.deepStrictEqual(one.equity.slice(0, count), whole.equity.slice(0, count), where)
        }
        fillCount += before.length
      }
    }
    assert.isAbove(fillCount, atLeast(40))
  })
})
