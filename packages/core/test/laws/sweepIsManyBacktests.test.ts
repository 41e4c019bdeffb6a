/**
 * A sweep's figures of a set are those of a backtest with it, whichever path it takes and however
 * badly it ends: equity that is used up has lost everything, and nothing changes after it.
 */
import { assert, describe, it } from "@effect/vitest"
import { type CandleColumns, makeColumns } from "../../src/kernel/columns.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import { backtest } from "../../src/research/backtest.ts"
import { candles } from "../../src/research/candles.ts"
import { sweep } from "../../src/research/sweep.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { drawCandles } from "./drawnCandles.ts"

/** The same candles, each price after `from` as many times as high. */
const jumped = (columns: CandleColumns, from: number, times: number): CandleColumns => {
  const after = makeColumns(columns.length)
  for (const name of ["time", "open", "high", "low", "close", "volume"] as const) {
    const isPrice = name !== "time" && name !== "volume"
    after[name].set(
      columns[name].map((value, at) => (isPrice && at >= from ? value * times : value))
    )
  }
  return after
}

const drawCase = (random: Random) => {
  const timeframe = random.pick(["1h", "4h", "1d"] as const)
  const drawn = drawCandles(random, timeframe, 300)
  const definition = randomDefinition(random.next, {
    symbols: ["BTC/USD"],
    timeframe,
    depth: 2,
    parameterRate: 0
  })
  // A price that triples between two candles uses up the equity of whoever is short.
  const isJump = random.next() < 0.6
  const columns = isJump ? jumped(drawn, random.integer(80, 250), 3) : drawn
  const fill = random.pick(["next_open", "close"] as const)
  const endOfData = random.pick(["close", "open"] as const)
  return { columns, definition, options: { fill, endOfData, market: { leverage: 1 } } }
}

const assertEqual = (
  columns: CandleColumns,
  drawn: Omit<ReturnType<typeof drawCase>, "columns">
) => {
  const { definition, options } = drawn
  const { equity, fills, metrics } = backtest(columns, definition, options)
  const swept = sweep(columns, definition, [{}], options)
  const told = JSON.stringify({ definition, options, metrics, swept })
  const close = (found: number, expected: number | null | undefined) => {
    if (typeof expected !== "number") return assert.isNaN(found, told)
    assert.isAtMost(Math.abs(found - expected), 1e-9 * Math.max(1, Math.abs(expected)), told)
  }
  close(swept.totalReturn[0]!, metrics["total_return"])
  close(swept.sharpe[0]!, metrics["sharpe"])
  close(swept.maxDrawdown[0]!, metrics["max_drawdown"])
  const entered = fills.filter(({ leg }) => leg === "entry").length
  assert.strictEqual(swept.positionCount[0], entered, told)
  return Math.min(...equity) <= 0
}

describe("a sweep", () => {
  it("gives the figures of a backtest for every strategy, also where equity is used up", () => {
    let ruined = 0
    for (let number = 0; number < 400; number += 1) {
      const { columns, definition, options } = drawCase(makeRandom(`sweep ${number}`))
      if (assertEqual(columns, { definition, options })) ruined += 1
    }
    assert.isAbove(ruined, 10)
  })

  it("has lost everything where a short from 100 meets a price of 300", () => {
    const rows = [100, 100, 110, 90, 300, 300, 300].map((price, day) => ({
      time: day * 86_400_000,
      open: price,
      high: price,
      low: price,
      close: price
    }))
    const one = { type: "constant", value: 1 } as const
    const definition = {
      format: 1,
      symbols: ["BTC/USD"],
      timeframe: "1d",
      parameters: {},
      short: { enter: { type: "above", left: { type: "price", field: "close" }, right: one } }
    } as const
    assert.isTrue(
      assertEqual(candles(rows), {
        definition,
        options: { fill: "next_open", endOfData: "close", market: { leverage: 1 } }
      })
    )
  })
})
