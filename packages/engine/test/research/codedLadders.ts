/**
 * The ladders of the pages `docs/ladder-*.md`, written in code order by order.
 */
import { floorToLot, roundToTick } from "../../src/kernel/fill.ts"
import { smaColumn } from "../../src/kernel/indicators/sma.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { type CodedOrder, define, float, fractionOf } from "../../src/research/index.ts"

const frame = { symbols: ["BTC/USD"], timeframe: "1d" } as const

const notionalOf = (notional: number) => ({ type: "fixed_notional", notional }) as const

/** A base order, five safety orders and a target over the average price. */
export const codedDca = define({
  ...frame,
  name: "dca",
  lots: "average",
  parameters: { base: float(600, 100, 1_000), distance: float(0.03, 0.01, 0.05) },
  exits: { take_profit: fractionOf(0.03) },
  onCandle: ({ lots, orders, parameters: { base, distance } }) => {
    const [held] = lots
    if (held === undefined) return { orders: [{ side: "buy", sizing: notionalOf(base) }] }
    const isGrown = held.quantity * held.entryPrice > base * 1.2
    if (isGrown || orders.length > 0) return null
    let [away, step, notional] = [0, distance, base]
    const safety: Array<CodedOrder> = []
    for (let nth = 0; nth < 5; nth++) {
      away += step
      safety.push({
        side: "buy",
        tag: `safety${nth}`,
        limit: held.entryPrice * (1 - away),
        sizing: notionalOf(notional),
        endsWithPosition: true
      })
      step *= 1.4
      notional *= 1.5
    }
    return { orders: safety }
  }
})

/** Lines that buy, and sell one line above. */
export const codedGrid = define({
  ...frame,
  name: "grid",
  lots: "by_name",
  parameters: { count: float(16, 4, 30) },
  onCandle: ({ candle, lots, orders, parameters: { count } }) => {
    const lines = Array.from({ length: count }, (_, nth) =>
      roundToTick(3_000 * (12_000 / 3_000) ** (nth / (count - 1)), 0.01)
    )
    const taken = new Set([...lots, ...orders].map(({ tag }) => tag))
    const { close } = candle()
    const placed: Array<CodedOrder> = []
    for (let nth = count - 2; nth >= 0; nth--) {
      const [line, tag] = [lines[nth]!, `line${nth}`]
      if (taken.has(tag) || !(close > line)) continue
      placed.push({
        side: "buy",
        tag,
        limit: line,
        sizing: { type: "equity_fraction", fraction: 0.9 / (count - 1) },
        exits: { takeProfit: { kind: "price", value: lines[nth + 1]! } }
      })
    }
    return { orders: placed }
  }
})

const average = (period: number) => (candles: CandleColumns) => ({
  close: candles.close,
  mean: smaColumn([candles.close], [period])[0]
})

/** Enters where the close crosses its average, and adds twice on the way up. */
export const codedPyramid = define({
  ...frame,
  name: "pyramid",
  lots: "average",
  exits: { stop_loss: fractionOf(0.1) },
  indicators: average(50),
  onCandle: ({ lots, orders, value }) => {
    const [held] = lots
    const isAbove = value("close") > value("mean")
    const isBelow = value("close") < value("mean")
    if (held !== undefined && isBelow && value("close", 1) >= value("mean", 1)) {
      return { cancel: true, close: {} }
    }
    if (held === undefined) {
      if (!isAbove || !(value("close", 1) <= value("mean", 1))) return null
      return { orders: [{ side: "buy", sizing: { type: "equity_fraction", fraction: 0.25 } }] }
    }
    if (held.heldCount > 0 || orders.length > 0) return null
    const notional = held.quantity * held.entryPrice
    const rise = (tag: string, away: number, factor: number): CodedOrder => ({
      side: "buy",
      tag,
      stop: held.entryPrice * (1 + away),
      sizing: notionalOf(notional * factor),
      endsWithPosition: true
    })
    return { orders: [rise("second", 0.05, 0.5), rise("third", 0.1, 0.25)] }
  }
})

/** A weight in equity, ordered anew where it is off by more than a band. */
export const codedWeight = define({
  ...frame,
  name: "weight",
  lots: "average",
  onCandle: ({ candle, equity, position }) => {
    const { close } = candle()
    const held = position?.quantity ?? 0
    if (!(Math.abs(0.5 - (held * close) / equity) > 0.05)) return null
    const missing = (0.5 * equity) / close - held
    const quantity = Math.abs(missing)
    if (missing < 0) return { orders: [{ side: "sell", quantity, tag: "weight" }] }
    const order = { side: "buy", quantity } as const
    return {
      orders: [held === 0 ? order : { ...order, tag: "weight", endsWithPosition: true }]
    }
  }
})

const lotStep = 0.00001
const ways = [0.05, 0.1, 0.2]
const portions = [0.4, 0.3, 0.3]

/** Three targets in parts, and a stop that follows those that have filled. */
export const codedTargets = define({
  ...frame,
  name: "targets",
  lots: "average",
  exits: { stop_loss: fractionOf(0.08) },
  indicators: average(50),
  onCandle: ({ lots, orders, value }) => {
    const [held] = lots
    const isAbove = value("close") > value("mean")
    const isBelow = value("close") < value("mean")
    if (held === undefined) {
      if (!isAbove || !(value("close", 1) <= value("mean", 1))) return null
      return { orders: [{ side: "buy", sizing: { type: "equity_fraction", fraction: 0.5 } }] }
    }
    if (isBelow && value("close", 1) >= value("mean", 1)) return { close: {} }
    const priceOf = (nth: number): number => roundToTick(held.entryPrice * (1 + ways[nth]!), 0.01)
    if (held.heldCount === 0) {
      let rest = held.quantity
      return {
        orders: ways.map((_, nth): CodedOrder => {
          const isLast = nth === ways.length - 1
          const part = floorToLot(portions[nth]! * held.quantity, lotStep)
          const quantity = isLast ? rest : part
          rest -= quantity
          return { side: "sell", tag: `target${nth}`, limit: priceOf(nth), quantity }
        })
      }
    }
    const isReached = (nth: number): boolean => !orders.some(({ tag }) => tag === `target${nth}`)
    const stop = isReached(1) ? priceOf(0) : isReached(0) ? held.entryPrice : null
    return stop === null ? null : { protect: { stop: Math.max(stop, held.stop ?? 0) } }
  }
})
