/**
 * Traps of backtesting engines: what it costs, what is held, and what it all adds up to.
 */
import { assert, describe, it } from "@effect/vitest"
import { measureAll } from "../../src/language/Metric.ts"
import { toEquityMeasurement, toMeasurement } from "../../src/language/Measurement.ts"
import { applyFill, makeLedger, type PositionState } from "../../src/kernel/ledger.ts"
import { maxDrawdown } from "../../src/kernel/metrics/maxDrawdown.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import type { Simulation } from "../../src/kernel/simulate.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { drawCandles } from "../laws/drawnCandles.ts"
import { openMarket, simulateOn } from "../laws/simulated.ts"
import {
  type Bar,
  exitsOf,
  flatBars,
  fraction,
  hourMs,
  runAll,
  runOne,
  type Scripted
} from "./scripted.ts"

const flat: Bar = [100, 100, 100, 100]

describe("costs", () => {
  it("trap 18: fees are paid on both sides and on notional, a fixed part besides", () => {
    // Fixed 10 and 1 % on each side of a hundred units from 1 to 4: 25 in all.
    const { ledger } = runOne({
      bars: [
        [1, 1, 1, 1],
        [1, 1, 1, 1],
        [4, 4, 4, 4]
      ],
      long: [0],
      exitLong: [1],
      capital: 5000,
      plan: { sizing: { type: "fixed_quantity", quantity: 100 } },
      spec: { feePerFill: 10, takerRate: 0.01 }
    })
    assert.closeTo(ledger.feesPaid, 25, 1e-9)
    assert.closeTo(ledger.cash, 5275, 1e-9)
  })

  it("trap 18: limits and targets pay the maker's rate, markets and stops the taker's", () => {
    const spec = { makerRate: 0.001, takerRate: 0.002 }
    const rates = (simulation: Simulation) =>
      simulation.fills.map(({ fee, price, quantity }) => fee / (price * quantity))
    const isClose = (simulation: Simulation, expected: ReadonlyArray<number>) => {
      const seen = rates(simulation)
      assert.lengthOf(seen, expected.length)
      seen.forEach((rate, index) => assert.closeTo(rate, expected[index] ?? 0, 1e-12))
    }
    const exits = { stopLoss: fraction(0.05), takeProfit: fraction(0.05) }
    const down: Bar = [100, 100, 90, 90]
    const up: Bar = [100, 110, 100, 110]
    isClose(runOne({ bars: [flat, flat, down], long: [0], exits, spec }), [0.002, 0.002])
    isClose(runOne({ bars: [flat, flat, up], long: [0], exits, spec }), [0.002, 0.001])
    const limit = { type: "limit", offsetRate: 0 } as const
    const entered = { bars: [flat, flat, up], long: [0], exits, spec, entry: limit }
    isClose(runOne(entered), [0.001, 0.001])
  })

  it("trap 22: funding is paid at each boundary once, by the sign of the side, on the open", () => {
    const spec = { funding: { rate: 0.01, intervalMs: 8 * hourMs } }
    const bars = flatBars(20).map((bar, index): Bar => (index === 16 ? [110, 110, 110, 110] : bar))
    const long = runOne({ bars, long: [0], exitLong: [17], spec })
    // 1 % of 100 at the eighth hour and of 110 at the sixteenth; the position is a cost lower.
    assert.closeTo(long.ledger.fundingPaid, 1 + 1.1, 1e-12)
    assert.closeTo(long.closed[0]?.pnl ?? 0, -2.1, 1e-12)
    assert.closeTo(long.equity.at(-1) ?? 0, 100_000 - 2.1, 1e-9)
    const short = runOne({ bars, short: [0], exitShort: [17], spec })
    assert.closeTo(short.ledger.fundingPaid, -2.1, 1e-12)
  })

  it("trap 22: who enters at the boundary pays nothing, who leaves there has held till then", () => {
    const spec = { funding: { rate: 0.01, intervalMs: 8 * hourMs } }
    const bars = flatBars(12)
    const entering = runOne({ bars, long: [7], exitLong: [9], spec })
    assert.strictEqual(entering.ledger.fundingPaid, 0)
    const leaving = runOne({ bars, long: [0], exitLong: [7], spec })
    assert.closeTo(leaving.ledger.fundingPaid, 1, 1e-12)
  })

  it("trap 22: a gap in the candles pays for every boundary that it hides", () => {
    const spec = { funding: { rate: 0.01, intervalMs: 8 * hourMs } }
    const timeAt = (index: number) => (index < 3 ? index : index + 24) * hourMs
    const { ledger } = runOne({ bars: flatBars(6), timeAt, long: [0], spec })
    assert.closeTo(ledger.fundingPaid, 3, 1e-12)
  })
})

describe("the end", () => {
  const bars: ReadonlyArray<Bar> = [flat, flat, [100, 105, 100, 104]]

  it("trap 31: where the candles end, a position is closed at the last close, and says why", () => {
    const simulation = runOne({ bars, long: [0], endOfData: "close", spec: { takerRate: 0.01 } })
    assert.deepStrictEqual(exitsOf(simulation), [[2, 104, "end_of_data"]])
    assert.isEmpty(simulation.open)
    assert.closeTo(simulation.equity.at(-1) ?? 0, 100_000 + 4 - 2.04, 1e-9)
  })

  // The position stays until the other market's end: it counts in equity and holds its cash.
  it("trap 31: a market whose candles end before the others' is left at its own end", () => {
    const { closed, fills } = runAll(
      [
        { bars: flatBars(3), long: [0] },
        { bars: flatBars(8), long: [4] }
      ],
      { capital: 100, endOfData: "close" }
    )
    assert.strictEqual(closed[0]?.exitTime, 2 * hourMs)
    assert.deepStrictEqual(
      fills.map(({ market }) => market),
      [0, 0, 1, 1]
    )
  })

  it("trap 32: a position that is open at the end is closed or reported open, as asked", () => {
    const closed = runOne({ bars, long: [0], endOfData: "close" })
    const open = runOne({ bars, long: [0], endOfData: "open" })
    assert.strictEqual(closed.closed.length, 1)
    assert.strictEqual(open.closed.length, 0)
    assert.strictEqual(open.open[0]?.quantity, 1)
    assert.deepStrictEqual([...open.equity], [...closed.equity])
    // A decision at the last close has no candle left, and opens nothing.
    const late = runOne({ bars, long: [2], endOfData: "close" })
    assert.deepStrictEqual(late.fills, [])
  })
})

describe("sizes and cash", () => {
  it("trap 34: sizes are cut down to the lot, prices to the tick, and dust is not ordered", () => {
    const spec = { lot: 0.3, tick: 0.5, minNotional: 20 }
    const bars: ReadonlyArray<Bar> = [flat, [100, 100, 97, 100], [100, 100, 90, 90]]
    const sized = (quantity: number) =>
      runOne({
        bars,
        long: [0],
        entry: { type: "limit", offsetRate: 0.0123 },
        exits: { stopLoss: fraction(0.0333) },
        plan: { sizing: { type: "fixed_quantity", quantity } },
        spec
      }).fills.map(({ price, quantity: filled }) => [price, filled])
    // A limit of 98.77 and a stop of 95.72 before they are rounded; 0.8 is two lots.
    assert.deepStrictEqual(sized(0.8), [
      [99, 0.6],
      [95.5, 0.6]
    ])
    assert.deepStrictEqual(sized(0.29), [])
    const dust = { ...spec, minNotional: 60 }
    assert.deepStrictEqual(runOne({ bars, long: [0], spec: dust, capital: 50 }).fills, [])
  })

  it("trap 35: without leverage cash never goes below zero, whatever the open", () => {
    let fillCount = 0
    for (let number = 0; number < 60; number++) {
      const random = makeRandom(`cash ${number}`)
      const definition = randomDefinition(random.next, { canShort: false })
      const drawn = [1, 2].map(() => drawCandles(random, definition.timeframe, 300))
      const spec = { ...openMarket, canShort: false, feePerFill: 0.5 }
      const whole = { ...definition, sizing: { type: "equity_fraction", fraction: 1 } } as const
      let cash = 10_000
      for (const { fee, price, quantity, side } of simulateOn(whole, drawn, {}, spec).fills) {
        cash -= side * price * quantity + fee
        assert.isAtLeast(cash, -1e-6, `strategy ${number}`)
        fillCount++
      }
    }
    assert.isAbove(fillCount, 500, "so few fills prove little")
  })

  it("trap 35: a size decided at the close is cut where the open costs more, fees included", () => {
    const { fills, ledger } = runOne({
      bars: [flat, [150, 150, 150, 150]],
      long: [0],
      capital: 1000,
      plan: { sizing: { type: "equity_fraction", fraction: 1 } },
      spec: { takerRate: 0.01, slippageRate: 0.01, lot: 0.001 }
    })
    assert.strictEqual(fills[0]?.quantity, 6.535)
    assert.isAtLeast(ledger.cash, 0)
  })

  it("trap 35: nor does rounding take it there, whatever the lot", () => {
    for (const lot of [0, 1e-8, 0.001]) {
      for (let number = 0; number < 2_000; number++) {
        const random = makeRandom(`rest ${number}`)
        const price = 0.01 + random.next() * 1_000
        const bar: Bar = [price, price, price, price]
        const { fills, ledger } = runOne({
          bars: [bar, bar],
          long: [0],
          capital: 1 + random.next() * 10_000,
          plan: { sizing: { type: "equity_fraction", fraction: 1 } },
          spec: { lot, takerRate: 0.001, slippageRate: 0.0005 }
        })
        assert.lengthOf(fills, 1)
        assert.isAtLeast(ledger.cash, 0, `lot ${lot}, ${number}`)
      }
    }
  })

  it("trap 35: at its open an entry is cut to what positions in other markets leave", () => {
    const first = (price: number): Bar => [price, price, price, price]
    const entered = (
      held: Pick<Scripted, "bars" | "long" | "short">,
      setting: { readonly capital: number; readonly leverage: number; readonly wanted: number },
      [decided, open]: readonly [number, number]
    ) => {
      const { capital, leverage, wanted } = setting
      const spec = { leverage, lot: 0.1 }
      const quantity = (size: number) => ({ type: "fixed_quantity", quantity: size }) as const
      const { ended, fills } = runAll(
        [
          { ...held, spec },
          { bars: [decided, decided, open].map(first), long: [1], spec }
        ],
        { capital, plan: { sizing: quantity(wanted) } }
      )
      const second = fills.filter(({ market }) => market === 1)
      return [second.map((fill) => [fill.quantity, fill.price]), ended.map((one) => one.reason)]
    }
    const lacks = "there is not enough cash for the rest"
    // A short of 2 at 100 from 500 leaves cash of 700. At 110 equity is 480, and 260 of that is
    // free: enough for 2 at 120, and for 1.3 at 200.
    const rising = { bars: [first(100), [100, 110, 100, 110], first(110)] as const, short: [0] }
    const plain = { capital: 500, leverage: 1, wanted: 2 }
    assert.deepStrictEqual(entered(rising, plain, [120, 120]), [[[2, 120]], []])
    assert.deepStrictEqual(entered(rising, plain, [120, 200]), [[[1.3, 200]], [lacks]])
    // A long of 1 at 100 from 100 at twice the equity leaves no cash, but carries 100 more.
    const long = { bars: [first(100), first(100), first(100)], long: [0] }
    const geared = { capital: 100, leverage: 2, wanted: 1 }
    assert.deepStrictEqual(entered(long, geared, [100, 100]), [[[1, 100]], []])
    assert.deepStrictEqual(entered(long, geared, [100, 125]), [[[0.8, 125]], [lacks]])
  })

  it("trap 38: parts add up: ten tenths are closed by one, and nothing drifts in 10,000 fills", () => {
    const ledger = makeLedger(1000)
    let position: PositionState | null = null
    const fill = (side: 1 | -1, quantity: number) => {
      const one = { side, quantity, price: 100, fee: 0, index: 0, time: 0 }
      position = applyFill(ledger, position, one).position
    }
    for (let round = 0; round < 1_000; round++) {
      for (let part = 0; part < 10; part++) fill(1, 0.1)
      fill(-1, 1)
      assert.isNull(position)
    }
    assert.closeTo(ledger.cash, 1000, 1e-6)
    assert.closeTo(ledger.realizedPnl, 0, 1e-6)
  })
})

describe("metrics", () => {
  const assertSound = (measured: ReturnType<typeof measureAll>, where: string) => {
    for (const [name, value] of Object.entries(measured.metrics)) {
      assert.isTrue(value === null || Number.isFinite(value), `${where}, ${name}`)
      if (value === null) assert.isNotEmpty(measured.reasons[name], `${where}, ${name}`)
    }
  }
  const hours = (equity: ReadonlyArray<number>) =>
    measureAll(
      toEquityMeasurement(
        Float64Array.from(equity, (_, index) => index * hourMs),
        Float64Array.from(equity),
        100,
        hourMs
      )
    )

  it("trap 36: what can't be measured is null with a reason, never NaN or Infinity", () => {
    const idle = runOne({ bars: flatBars(50) })
    const won = runOne({
      bars: [flat, flat, [110, 110, 110, 110], ...flatBars(5, 110)],
      long: [0],
      endOfData: "close"
    })
    for (const [where, simulation] of [
      ["no position", idle],
      ["all won", won]
    ] as const) {
      assertSound(measureAll(toMeasurement(simulation, 100_000, hourMs)), where)
    }
    for (const equity of [[], [100], [100, 100, 100], [100, 0, 0], [100, -20], [1e-300, 1e300]]) {
      assertSound(hours(equity), JSON.stringify(equity))
    }
    const { metrics } = measureAll(toMeasurement(won, 100_000, hourMs))
    assert.isNull(metrics["profit_factor"])
    assert.strictEqual(metrics["win_rate"], 1)
    const nothing = measureAll(toMeasurement(idle, 100_000, hourMs)).metrics
    assert.isNull(nothing["win_rate"])
    assert.strictEqual(nothing["trades"], 0)
    assert.strictEqual(nothing["max_drawdown"], 0)
  })

  it("trap 37: the drawdown is the largest fraction of a peak, with the amount of that fall", () => {
    const equity = [1000, 500, 1000, 11_000, 10_000]
    const { amount, rate } = maxDrawdown(1000, equity)
    assert.deepStrictEqual([rate, amount], [0.5, 500])
    const days = Float64Array.from(equity, (_, index) => index * 24 * hourMs)
    const curve = toEquityMeasurement(days, Float64Array.from(equity), 1000, 24 * hourMs)
    assert.strictEqual(measureAll(curve).metrics["max_drawdown"], 0.5)
  })
})

describe("protections", () => {
  const every = Array.from({ length: 100 }, (_, index) => index)
  const entriesOf = ({ fills }: Simulation) =>
    fills.filter(({ leg }) => leg === "entry").map(({ index }) => index)

  it("trap 39: after an exit, and longer after a stop, nothing is entered for a while", () => {
    const plan = { cooldown: 2, cooldownAfterStop: 5 }
    const timed = runOne({
      bars: flatBars(12),
      long: every.slice(0, 12),
      plan: { ...plan, timeLimit: 1 }
    })
    assert.deepStrictEqual(entriesOf(timed), [1, 6, 11])
    const dips = Array.from({ length: 20 }, (): Bar => [100, 100, 94, 100])
    const stopped = runOne({
      bars: dips,
      long: every.slice(0, 20),
      exits: { stopLoss: fraction(0.05) },
      plan
    })
    assert.deepStrictEqual(entriesOf(stopped), [1, 7, 13, 19])
  })

  it("trap 39: a drawdown locks entries to the end, a daily loss until the next UTC day", () => {
    const falling = every.map((index): Bar => {
      const close = 200 - index
      return [close, close, close, close]
    })
    const run = (limits: Partial<typeof noRiskLimits>) =>
      runOne({
        bars: falling,
        long: every,
        capital: 1000,
        plan: { timeLimit: 1 },
        limits: { ...noRiskLimits, ...limits }
      })
    const locked = run({ drawdownMax: 0.01 })
    assert.strictEqual(locked.gate.state, "halted")
    const [halt] = locked.gateChanges
    assert.isTrue(entriesOf(locked).every((index) => index * hourMs <= (halt?.time ?? 0)))
    assert.isEmpty(locked.open, "what was held was still left")
    const daily = run({ dailyLossMax: 0.003 })
    const days = entriesOf(daily).map((index) => Math.floor(index / 24))
    for (const day of [0, 1, 2, 3]) {
      const count = days.filter((one) => one === day).length
      assert.isTrue(count >= 1 && count <= 3, `${count} entries on day ${day}`)
    }
  })
})
