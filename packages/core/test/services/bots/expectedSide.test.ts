import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "@candlewick/core"
import { defaultValues, noCode, toRiskLimits } from "@candlewick/engine"
import { makeColumns, toSharedColumns } from "@candlewick/engine/kernel"
import { simulateTask } from "../../../src/services/runs/workers/simulateTask.ts"
import { expectedBy, makeCooldownEnd } from "../../../src/services/bots/expectedSide.ts"

const hourMs = 3_600_000
const close = { type: "price", field: "close" } as const
const symbols = ["AAA/USD", "BBB/USD"] as const

const spec = {
  tick: 0.01,
  lot: 0.001,
  minNotional: 0,
  makerRate: 0,
  takerRate: 0.001,
  feePerFill: 0,
  slippageRate: 0,
  canShort: true,
  leverage: 1
}

/** Candles that open at the close before, and reach no further. */
const columnsOf = (closes: ReadonlyArray<number>) => {
  const columns = makeColumns(closes.length)
  closes.forEach((price, index) => {
    const open = closes[index - 1] ?? price
    columns.time[index] = index * hourMs
    columns.open[index] = open
    columns.high[index] = Math.max(open, price)
    columns.low[index] = Math.min(open, price)
    columns.close[index] = price
    columns.volume[index] = 100
  })
  return columns
}

/** Enters above 100, from the third candle on. */
const entering: StrategyDefinition = {
  format: 1,
  symbols,
  timeframe: "1h",
  parameters: {},
  long: { enter: { type: "above", left: close, right: { type: "constant", value: 100 } } }
}

const from = 2

const sideOf = (
  fields: Partial<StrategyDefinition>,
  closes: ReadonlyArray<number>,
  dailyLoss = 1
) => {
  const definition = { ...entering, ...fields }
  const columns = columnsOf(closes)
  const markets = definition.symbols.map(() => ({ columns, hash: closes.join(), from }))
  const risk = {
    max_drawdown: 1,
    risk_per_trade: 1,
    max_exposure: 10,
    daily_loss: dailyLoss,
    is_stop_loss_mandatory: false
  }
  const simulation = simulateTask(
    {
      markets: definition.symbols.map((symbol) => ({
        symbol,
        buffer: toSharedColumns(columns),
        hash: closes.join(),
        spec,
        from,
        to: columns.length
      })),
      timeframe: "1h",
      capital: 1_000,
      limits: toRiskLimits(risk),
      fill: "next_open",
      endOfData: "open"
    },
    definition,
    defaultValues(definition),
    () => false,
    noCode
  )
  return expectedBy(markets, simulation, makeCooldownEnd(definition, markets))
}

describe("the side of a backtest", () => {
  it("has the orders that its cash has cut, by their decisions", () => {
    const sizing = { type: "equity_fraction", fraction: 0.5 } as const
    const { expected, lacking } = sideOf({ sizing }, [99, 99, 99, 101, 101, 101])
    const decision = `e${3 * hourMs}`
    assert.deepStrictEqual(
      expected.map((fill) => fill.decision),
      [decision, decision]
    )
    const [order, ...others] = lacking
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(order, { market: 1, decision, isCut: true, overTime: 4 * hourMs })
  })

  it("has the orders that ended without a fill, and those that rest", () => {
    const entry = { type: "limit", offset: 0.5, expires_after: 1 } as const
    const { expected, lacking } = sideOf(
      { symbols: ["AAA/USD"], entry },
      [99, 99, 99, 101, 101, 99]
    )
    assert.deepStrictEqual(expected, [])
    const orderOf = (index: number) => ({
      market: 0,
      decision: `e${index * hourMs}`,
      isCut: false,
      overTime: (index + 1) * hourMs
    })
    assert.deepStrictEqual(lacking, [orderOf(3), orderOf(4)])
    const { expires_after: _, ...resting } = entry
    const rests = sideOf({ symbols: ["AAA/USD"], entry: resting }, [99, 99, 99, 101, 101, 99])
    assert.deepStrictEqual(rests.lacking, [{ ...orderOf(3), overTime: null }])
  })

  it("has the orders that its strategy took back, as a ladder and without", () => {
    const exit = { type: "below", left: close, right: { type: "constant", value: 100 } } as const
    const fields = {
      symbols: ["AAA/USD"],
      entry: { type: "limit", offset: 0.5 },
      long: { enter: entering.long!.enter, exit }
    } as const
    const ladder = { ...fields, additions: [{ name: "dip", against: 0.1 }] } as const
    for (const one of [fields, ladder]) {
      const { lacking } = sideOf(one, [99, 99, 99, 101, 101, 99, 99])
      const order = { market: 0, decision: `e${3 * hourMs}`, isCut: false, overTime: 5 * hourMs }
      assert.deepStrictEqual(lacking, [order])
    }
  })

  it("has the stretches in which its gate was shut", () => {
    const day = Array.from({ length: 24 }, (_, index) => (index === 5 ? 80 : 101))
    const { shut } = sideOf({ symbols: ["AAA/USD"] }, [...day, 101, 101, 80, 101], 0.1)
    assert.deepStrictEqual(shut, [
      { after: 5 * hourMs, until: 24 * hourMs },
      { after: 26 * hourMs, until: Number.POSITIVE_INFINITY }
    ])
  })
})
