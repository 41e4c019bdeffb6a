/**
 * Random orders over the candles of several markets that share cash: what a matcher that goes by
 * stages must bear.
 */
import type { CandleInput, MarketSpec } from "../../src/kernel/account.ts"
import { type CandleColumns, makeColumns } from "../../src/kernel/columns.ts"
import type { AttachedExits, ExitLevel } from "../../src/kernel/protection.ts"
import type { Random } from "../../src/kernel/random.ts"
import { drawTickCandles } from "./drawnScripts.ts"

const hasLuck = (random: Random, chance: number): boolean => random.next() < chance

/** A market of which every field is drawn. */
export const drawSpec = (random: Random): MarketSpec => ({
  tick: random.pick([0, 0.01, 0.25]),
  lot: random.pick([0, 0, 1, 0.1]),
  minNotional: random.pick([0, 0, 200]),
  makerRate: random.pick([0, 0.0005, -0.0002]),
  takerRate: random.pick([0, 0.001]),
  feePerFill: random.pick([0, 1]),
  slippageRate: random.pick([0, 0.002]),
  canShort: hasLuck(random, 0.8),
  leverage: random.pick([1, 3, 20, 50]),
  ...(hasLuck(random, 0.4) && {
    funding: { rate: random.pick([0.001, -0.0005, 0]), intervalMs: random.pick([60_000, 210_000]) }
  }),
  ...(hasLuck(random, 0.4) && { volumeShare: { max: random.pick([0.1, 1]), slippageRate: 0.01 } })
})

/** Candles of a market, with the volume that they may have and shorter candles within them. */
export interface DrawnMarket {
  readonly columns: CandleColumns
  readonly detail: CandleColumns | null
  readonly hasVolume: boolean
  readonly spec: MarketSpec
}

const detailCount = 4

/** Shorter candles that stay in the longer ones; now and then one misses an extreme. */
const drawDetail = (random: Random, columns: CandleColumns): CandleColumns => {
  const detail = makeColumns(columns.length * detailCount)
  for (let index = 0; index < columns.length; index++) {
    const [high, low] = [columns.high[index]!, columns.low[index]!]
    const between = (): number => low + (high - low) * random.pick([0, 0.25, 0.5, 1])
    let last = columns.open[index]!
    for (let part = 0; part < detailCount; part++) {
      const at = index * detailCount + part
      const close = part === detailCount - 1 ? columns.close[index]! : between()
      const reached = [last, close, between()]
      detail.time[at] = columns.time[index]! + part
      detail.open[at] = last
      detail.high[at] = Math.max(...reached)
      detail.low[at] = Math.min(...reached)
      detail.close[at] = close
      last = close
    }
  }
  return detail
}

export const drawMarket = (random: Random, count: number): DrawnMarket => {
  const columns = drawTickCandles(random, count)
  columns.volume.forEach((_, index) => {
    columns.volume[index] = random.pick([0, 3, 25, 400])
  })
  return {
    columns,
    detail: hasLuck(random, 0.5) ? drawDetail(random, columns) : null,
    hasVolume: hasLuck(random, 0.7),
    spec: drawSpec(random)
  }
}

/** The candle of a market at an index, as both are shown it. */
export const candleAt = (
  { columns, detail, hasVolume }: DrawnMarket,
  market: number,
  index: number
): CandleInput => ({
  market,
  time: columns.time[index]!,
  open: columns.open[index]!,
  high: columns.high[index]!,
  low: columns.low[index]!,
  close: columns.close[index]!,
  volume: hasVolume ? columns.volume[index]! : undefined,
  detail:
    detail === null
      ? undefined
      : {
          columns: detail,
          from: index * detailCount,
          to: index * detailCount + (index % 7 === 0 ? 0 : detailCount)
        }
})

const drawLevel = (random: Random): ExitLevel =>
  hasLuck(random, 0.5)
    ? { kind: "fraction", value: random.pick([0.01, 0.03, 0.1]) }
    : { kind: "distance", value: random.pick([0.5, 2, 6.25, 0]) }

export const drawExits = (random: Random): AttachedExits | null => {
  if (hasLuck(random, 0.15)) return null
  const perhaps = <A>(make: () => A): A | null => (hasLuck(random, 0.5) ? make() : null)
  return {
    stopLoss: perhaps(() => drawLevel(random)),
    takeProfit: perhaps(() => drawLevel(random)),
    trailingStop: perhaps(() => ({
      distance: drawLevel(random),
      activation: perhaps(() => drawLevel(random))
    })),
    breakEven: perhaps(() => ({
      activation: drawLevel(random),
      offsetRate: random.pick([0, 0.002])
    }))
  }
}

/** An order near a price, of a type that both know. */
export const drawOrder = (random: Random, near: number) => {
  const type = random.pick(["market", "market", "limit", "stop", "stop_limit"] as const)
  const level = (): number => Math.max(2, Math.round((near + random.normal() * 4) * 4) / 4)
  return {
    type,
    side: random.pick([1, -1] as const),
    quantity: random.pick([0.3, 1, 2.5, 7, 40]),
    limit: type === "limit" || type === "stop_limit" ? level() : null,
    stop: type === "stop" || type === "stop_limit" ? level() : null,
    expiresAfter: random.pick([null, null, 0, 1, 3])
  }
}
