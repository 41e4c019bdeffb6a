/**
 * Strategies with code that place orders of every kind, as a host keeps them in a module of their
 * own. The time of a candle says which order is placed, so that a bot that starts again places the
 * same.
 */
import { makeRandom } from "../../packages/engine/src/kernel/random.ts"
import {
  type CodeContext,
  type CodeDecision,
  type CodedOrder,
  define,
  fractionOf,
  indicators,
  integer
} from "../../packages/engine/src/research/index.ts"

const frame = { symbols: ["ABC/USD"], timeframe: "1h" } as const

type Random = ReturnType<typeof makeRandom>

const orderOf = (random: Random, { candle }: CodeContext, nth: number): CodedOrder => {
  const { close, time } = candle()
  const side = random.pick(["buy", "buy", "sell"] as const)
  const against = side === "buy" ? -1 : 1
  const away = close * 0.01 * random.next()
  const life = random.pick([
    {},
    { expiresAfter: 4 },
    { until: time + 5 * 3_600_000 },
    { endsWithPosition: true }
  ])
  const level = random.pick([
    {},
    { limit: close + against * away, ...life },
    { stop: close - against * away, ...life },
    { stop: close - against * away, limit: close - against * away * 1.5, ...life },
    { limit: close + against * away, isImmediate: true }
  ])
  const size = random.pick([
    { quantity: random.integer(1, 12) },
    { sizing: { type: "equity_fraction", fraction: 0.2 } },
    { sizing: { type: "fixed_notional", notional: 700 } }
  ] as const)
  const exits = random.pick([
    {},
    { exits: { takeProfit: { kind: "fraction", value: 0.02 } } },
    { exits: { stopLoss: { kind: "distance", value: 2 } } }
  ] as const)
  return { side, tag: `t${(time / 3_600_000 + nth) % 5}`, ...level, ...size, ...exits }
}

/** Orders of every kind, each at some candles. */
const decideAnything = (context: CodeContext, isApart: boolean): CodeDecision => {
  const { candle, lots, orders } = context
  const { close, time } = candle()
  const random = makeRandom(`orders ${context.symbol} ${time}`)
  const [lot] = lots
  const named = isApart && lot !== undefined ? { lot: random.pick(lots).tag } : {}
  const isLong = lot?.direction === "long"
  switch (random.integer(0, 9)) {
    case 0:
    case 1:
    case 2:
      return { orders: [orderOf(random, context, 0)] }
    case 3: {
      const [up, down] = [close * 1.005, close * 0.995]
      return {
        orders: [
          { side: "buy", stop: up, quantity: 3, group: "breakout", tag: "up" },
          { side: "sell", stop: down, quantity: 3, group: "breakout", tag: "down" }
        ]
      }
    }
    case 4:
      return lot === undefined ? {} : { close: { portion: 0.5, ...named } }
    case 5:
      if (lot === undefined) return {}
      return { protect: { stop: close * (isLong ? 0.99 : 1.01), target: null, ...named } }
    case 6:
      if (lot === undefined) return {}
      return {
        orders: [
          {
            side: isLong ? "sell" : "buy",
            limit: close * (isLong ? 1.01 : 0.99),
            quantity: Math.ceil(lot.quantity / 2),
            tag: "part"
          }
        ]
      }
    case 7:
      return orders.length === 0 ? {} : { cancel: random.next() < 0.5 || random.pick(orders).tag }
    case 8:
      return random.next() < 0.3 ? { cancel: true, close: {} } : {}
    default:
      return {}
  }
}

const shared = {
  ...frame,
  parameters: {},
  exits: { stop_loss: fractionOf(0.03) },
  sizing: { type: "equity_fraction", fraction: 0.3 }
} as const

/** Orders of every kind, with lots that are kept apart. */
export const apart = define({
  ...shared,
  name: "orders_apart",
  lots: "by_name",
  onCandle: (context) => decideAnything(context, true)
})

/** The same, with entries that are averaged. */
export const averaged = define({
  ...shared,
  name: "orders_averaged",
  lots: "average",
  onCandle: (context) => decideAnything(context, false)
})

/** Keeps each market at a weight that depends on the other one, and reads a third. */
export const pair = define({
  symbols: ["ABC/USD", "XYZ/USD", "REF/USD"],
  trades: ["ABC/USD", "XYZ/USD"],
  timeframe: "1h",
  name: "orders_of_a_pair",
  lots: "average",
  parameters: { period: integer(20, 5, 60) },
  lookback: 50,
  indicators: ({ close }, { period }) => ({ mean: indicators.sma(close, { period }) }),
  onCandle: ({ candle, cash, equity, market, position, symbol }) => {
    const other = market(symbol === "ABC/USD" ? "XYZ/USD" : "ABC/USD")
    const reference = market("REF/USD")
    const isCalm = reference.candle().close > reference.value("mean", 1)
    const isStronger =
      candle().close / candle(10).close > other.candle().close / other.candle(10).close
    const weight =
      (isCalm ? 0.4 : 0.2) + (isStronger ? 0.3 : 0) - (other.position === null ? 0 : 0.1)
    const { close } = candle()
    const missing = (weight * equity) / close - (position?.quantity ?? 0)
    if (Math.abs(missing * close) < 0.05 * equity) return null
    if (missing > 0 && cash < 0.1 * equity) return null
    return { orders: [{ side: missing > 0 ? "buy" : "sell", quantity: Math.abs(missing) }] }
  }
})
