/**
 * Random scripts of orders, over random candles, under all options: what the matcher must bear.
 */
import { type CandleColumns, makeColumns } from "../../src/kernel/columns.ts"
import type { EntryRequest } from "../../src/kernel/orders/codeOrders.ts"
import type { OrderContext } from "../../src/kernel/orders/orderContext.ts"
import { orderDefaults, type OrderOptions } from "../../src/kernel/orders/orderOptions.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"

const hasLuck = (random: Random, chance: number): boolean => random.next() < chance

/** Candles on a coarse tick, so that prices often meet levels; gaps are common. */
export const drawTickCandles = (random: Random, count: number): CandleColumns => {
  const candles = makeColumns(count)
  let last = random.integer(60, 140)
  const tick = random.pick([1, 0.5, 0.1, 0.001])
  const step = (most: number): number => (random.integer(-most, most) * tick) / random.pick([1, 2])
  for (let index = 0; index < count; index++) {
    const open = Math.max(5, last + (hasLuck(random, 0.3) ? step(6) : 0))
    const close = Math.max(5, open + step(8))
    candles.time[index] = index * 60_000
    candles.open[index] = open
    candles.close[index] = close
    candles.high[index] = Math.max(open, close) + Math.abs(step(4))
    candles.low[index] = Math.max(1, Math.min(open, close) - Math.abs(step(4)))
    last = close
  }
  return candles
}

/** Options of which each is often another than its default. */
export const drawOrderOptions = (random: Random): OrderOptions => ({
  ...orderDefaults,
  capital: random.pick([500, 10_000, 1_000_000]),
  takerRate: random.pick([0, 0.001, 0.01]),
  makerRate: random.pick([0, 0.0005, -0.0002]),
  feePerFill: random.pick([0, 0, 1.5]),
  slippageRate: random.pick([0, 0.002]),
  entrySpread: random.pick([0, 0.001]),
  leverage: random.pick([1, 1, 2, 10]),
  lot: random.pick([0, 0, 1, 0.1, 0.03]),
  canShort: hasLuck(random, 0.8),
  fill: random.pick(["next_open", "close", "previous_close"]),
  netting: random.pick(["fifo", "hedging"]),
  isExclusive: hasLuck(random, 0.2),
  sequence: random.pick(["time", "queue"]),
  sizingPrice: random.pick(["fill", "close"]),
  feeReserve: random.pick(["fill", "unit"]),
  shortfall: random.pick(["cut", "drop"]),
  portionRounding: random.pick(["down", "half_even"]),
  stopLimitGap: random.pick(["open", "stop"]),
  hasTargetOnStopEntry: hasLuck(random, 0.5),
  atEnd: random.pick(["close", "keep", "repeat_last"]),
  firstDecision: random.pick([0, 0, 3])
})

const level = (random: Random, near: number): number =>
  hasLuck(random, 0.01) ? Number.NaN : Math.round((near + random.normal() * 6) * 2) / 2

const drawEntry = (random: Random, near: number, side: 1 | -1): EntryRequest => {
  const limit = hasLuck(random, 0.4) ? level(random, near) : undefined
  const stop = hasLuck(random, 0.3) ? level(random, near) : undefined
  const from = limit ?? stop ?? near
  const away = random.integer(-1, 8) + (hasLuck(random, 0.5) ? 0.25 : 0)
  return {
    ...(hasLuck(random, 0.6) && { quantity: random.pick([1, 2, 5, 7.5, 40, 0, -1]) }),
    ...(hasLuck(random, 0.3) && { fraction: random.pick([0.1, 0.5, 0.9999, 1, 1.5]) }),
    ...(limit !== undefined && { limit }),
    ...(stop !== undefined && { stop }),
    ...(hasLuck(random, 0.5) && { stopLoss: from - side * away }),
    ...(hasLuck(random, 0.5) && { takeProfit: from + side * (away + 1) }),
    ...(hasLuck(random, 0.3) && { tag: random.pick(["a", "b", "long name"]) })
  }
}

/** The signals and commands of a script at the close of a candle. */
export type Deed = (context: OrderContext<object, never>) => void

/** Does one thing of many. */
const act = (random: Random, context: OrderContext<object, never>): void => {
  const near = context.candle().close
  const trades = context.trades()
  const trade = trades.length > 0 && hasLuck(random, 0.6) ? random.pick(trades) : undefined
  const what = trade === undefined ? {} : { trade }
  const price = hasLuck(random, 0.2) ? null : level(random, near)
  const orders = context.orders()
  switch (random.integer(0, 9)) {
    case 0:
      return context.close({ ...what, portion: random.pick([0.3, 0.5, 1, 1, 0]) })
    case 1:
      return context.setStop(price, what)
    case 2:
      return context.setTarget(price, what)
    case 3: {
      const order = orders.length > 0 && hasLuck(random, 0.7) ? random.pick(orders) : undefined
      return context.cancel(order === undefined ? {} : { order })
    }
    case 4:
    case 5:
    case 6:
      context.buy(drawEntry(random, near, 1))
      return
    default:
      context.sell(drawEntry(random, near, -1))
  }
}

/** A script, and a list of all that it is told on its way. */
export const drawScript = (
  seed: string
): { readonly deed: Deed; readonly told: Array<unknown> } => {
  const random = makeRandom(seed)
  const eagerness = random.pick([0.1, 0.5, 0.9])
  const told: Array<unknown> = []
  const deed: Deed = (context) => {
    while (hasLuck(random, eagerness)) act(random, context)
    told.push(context.trades(), context.orders(), context.cash(), context.equity())
  }
  return { deed, told }
}

/** A case: candles, options and a script, all of one seed. */
export const drawCase = (seed: string) => {
  const random = makeRandom(seed)
  const candles = drawTickCandles(random, random.pick([1, 2, 30, 120]))
  return { candles, options: drawOrderOptions(random), ...drawScript(seed) }
}
