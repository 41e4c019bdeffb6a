/**
 * Strategies in code whose orders have groups, as a host keeps them in a module of their own.
 */
import { type CodeDecision, define } from "../../packages/engine/src/research/index.ts"

const frame = { symbols: ["STY/USD"], timeframe: "1h", parameters: {}, lots: "average" } as const

/** Enters at a close of 101 whichever way the price leaves it by one. */
export const bothWays = define({
  ...frame,
  name: "groups_both_ways",
  onCandle: ({ candle, orders, position }): CodeDecision => {
    if (candle().close !== 101 || position !== null || orders.length > 0) return {}
    return {
      orders: [
        { side: "buy", stop: 102, quantity: 5, group: "breakout", tag: "up" },
        { side: "sell", stop: 100, quantity: 5, group: "breakout", tag: "down" }
      ]
    }
  }
})

/** Enters at a close of 101, and sells a part at a price above it or at one below. */
export const eitherExit = define({
  ...frame,
  name: "groups_either_exit",
  onCandle: ({ candle, lots, orders, position }): CodeDecision => {
    if (position === null)
      return candle().close === 101 ? { orders: [{ side: "buy", quantity: 10 }] } : {}
    if (orders.length > 0 || lots[0]!.quantity < 10) return {}
    return {
      orders: [
        { side: "sell", limit: 103, quantity: 4, group: "part", tag: "above" },
        { side: "sell", stop: 99, quantity: 4, group: "part", tag: "below" }
      ]
    }
  }
})

/** Enters at a close of 101, and bounds the loss by a stop at 99. */
export const ownStop = define({
  ...frame,
  name: "groups_own_stop",
  onCandle: ({ candle, orders, position }): CodeDecision => {
    if (position === null)
      return candle().close === 101 ? { orders: [{ side: "buy", quantity: 10 }] } : {}
    return orders.length > 0 ? {} : { orders: [{ side: "sell", stop: 99, quantity: 10 }] }
  }
})

/** The same, with a second stop behind the first. */
export const twoStops = define({
  ...frame,
  name: "groups_two_stops",
  onCandle: ({ candle, orders, position }): CodeDecision => {
    if (position === null)
      return candle().close === 101 ? { orders: [{ side: "buy", quantity: 10 }] } : {}
    if (orders.length > 0) return {}
    return {
      orders: [
        { side: "sell", stop: 99, quantity: 10, tag: "near" },
        { side: "sell", stop: 97, quantity: 10, tag: "far" }
      ]
    }
  }
})

/** Bounds the loss by one of them, and sells a part at market at a close of 101.5. */
export const reducedStop = define({
  ...frame,
  name: "groups_reduced_stop",
  onCandle: ({ candle, orders, position }): CodeDecision => {
    if (position === null)
      return candle().close === 101 ? { orders: [{ side: "buy", quantity: 10 }] } : {}
    if (orders.length === 0) return { orders: [{ side: "sell", stop: 99, quantity: 10 }] }
    const isWhole = position.quantity === 10 && candle().close === 101.5
    return isWhole ? { orders: [{ side: "sell", quantity: 4 }] } : {}
  }
})

/** Enters at a close of 101, and halves the position at 103 or at 99. */
export const halves = define({
  ...frame,
  name: "groups_halves",
  onCandle: ({ candle, orders, position }): CodeDecision => {
    if (position === null)
      return candle().close === 101 ? { orders: [{ side: "buy", quantity: 12.5 }] } : {}
    if (orders.length > 0 || position.quantity < 12.5) return {}
    return {
      orders: [
        { side: "sell", limit: 103, quantity: 6, tag: "above" },
        { side: "sell", stop: 99, quantity: 6.5, tag: "below" }
      ]
    }
  }
})

/** Enters short at a close of 101, bounds the loss, and buys a part back at the next close. */
export const reducedShort = define({
  ...frame,
  name: "groups_reduced_short",
  onCandle: ({ candle, orders, position }): CodeDecision => {
    if (position === null)
      return candle().close === 101 ? { orders: [{ side: "sell", quantity: 12.5 }] } : {}
    if (orders.length === 0) return { orders: [{ side: "buy", stop: 104, quantity: 12.5 }] }
    return position.quantity === 12.5 ? { orders: [{ side: "buy", quantity: 6.5 }] } : {}
  }
})

/** Enters at a close of 101, and asks once for a price of 103 that is not there. */
export const nowOrNever = define({
  ...frame,
  name: "groups_now_or_never",
  onCandle: ({ candle, position }): CodeDecision => {
    if (position === null)
      return candle().close === 101 ? { orders: [{ side: "buy", quantity: 10 }] } : {}
    if (candle().close !== 101.5) return {}
    return { orders: [{ side: "sell", limit: 103, quantity: 4, isImmediate: true }] }
  }
})

/** Enters two lots at a close of 101, orders an exit of the first, and leaves that lot at once. */
export const namedExit = define({
  ...frame,
  lots: "by_name",
  name: "groups_named_exit",
  onCandle: ({ candle, lots, orders, position }): CodeDecision => {
    if (position === null) {
      const both = [
        { side: "buy", quantity: 5, tag: "a" },
        { side: "buy", quantity: 5, tag: "b" }
      ] as const
      return candle().close === 101 ? { orders: both } : {}
    }
    if (lots.every(({ tag }) => tag !== "a")) return {}
    if (orders.length > 0) return { close: { lot: "a" } }
    return { orders: [{ side: "sell", limit: 103, quantity: 5, lot: "a", tag: "above" }] }
  }
})
