/**
 * Runs of any strategy on candles of any prices, also those that use up the equity.
 */
import { samplePoint, searchSpace } from "../../src/language/searchSpace.ts"
import { type CandleColumns, makeColumns } from "../../src/kernel/columns.ts"
import type { Random } from "../../src/kernel/random.ts"
import { drawCandles } from "./drawnCandles.ts"
import { drawStrategy } from "./drawnStrategies.ts"

/** The same candles, each price from `from` on so many times as high. */
const timesFrom = (columns: CandleColumns, from: number, times: number): CandleColumns => {
  const after = makeColumns(columns.length)
  for (const name of ["time", "open", "high", "low", "close", "volume"] as const) {
    const isPrice = name !== "time" && name !== "volume"
    after[name].set(
      columns[name].map((value, at) => (isPrice && at >= from ? value * times : value))
    )
  }
  return after
}

/** Costs, capital and the market as given; undefined where the default is meant. */
export const drawOptions = (random: Random, { length, time }: CandleColumns) => {
  const given = <Value>(...values: ReadonlyArray<Value>) => random.pick([undefined, ...values])
  const options = {
    fill: random.pick(["next_open", "close"] as const),
    endOfData: random.pick(["close", "open"] as const),
    capital: given(1, 100, 12_345.67),
    fees: given(
      { maker: 0, taker: 0 },
      { maker: 0.0002, taker: 0.002 },
      { maker: -0.0002, taker: -0.0004 }
    ),
    slippage: given(0, 0.003),
    from: given(time[random.integer(0, length - 2)]! + random.integer(0, 1)),
    market: {
      leverage: random.pick([1, 1, 0.5, 2, 5, 40]),
      feePerFill: given(0.001, 0.5, -0.001),
      funding: given(
        { rate: 0.0001, intervalMs: 28_800_000 },
        { rate: -0.002, intervalMs: 3_600_000 },
        { rate: 0.01, intervalMs: 604_800_000 }
      ),
      lot: given(0, 1e-6, 0.01, 2),
      tick: given(0, 0.5),
      minNotional: given(0, 20),
      canShort: given(false, true)
    }
  }
  // Options that are there and undefined are refused or override; so those are left out.
  type Said<Given> = { [Name in keyof Given]?: Exclude<Given[Name], undefined> }
  const said = <Given extends object>(all: Given) =>
    Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined)
    ) as Said<Given>
  const { market, ...others } = options
  return { ...said(others), market: said(market) }
}

/** Candles, a strategy with sets of its values, and options. */
export const drawCase = (random: Random) => {
  const timeframe = random.pick(["1h", "4h", "1d"] as const)
  // Some are longer than a tile of the fast path, and some prices far from a hundred.
  const count = random.next() < 0.1 ? random.integer(2_040, 2_300) : 300
  const drawn = timesFrom(
    drawCandles(random, timeframe, count),
    0,
    random.pick([1, 1, 1, 1e-8, 1e-3, 1e9])
  )
  const definition = drawStrategy(random.next, {
    symbols: ["BTC/USD"],
    timeframe,
    depth: 2,
    parameterRate: random.pick([0, 0.5])
  })
  // A price that triples between two candles uses up the equity of a short. One that falls to
  // nothing uses up that of a long.
  const times = random.pick([1, 3, 3, 3, 3, 3, 1e-9])
  const columns = timesFrom(drawn, random.integer(80, 250), times)
  const space = searchSpace(definition)
  const sets = [{}, ...Array.from({ length: 3 }, () => samplePoint(space, random.next))]
  return { columns, definition, sets, options: drawOptions(random, columns) }
}
