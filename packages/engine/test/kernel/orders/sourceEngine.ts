import type { OrderOptions } from "../../../src/kernel/orders/orderOptions.ts"

/** The engine of a case as its file states it. */
export interface SourceEngine {
  readonly cash: number
  readonly commission: number | readonly [number, number]
  readonly spread: number
  readonly margin: number
  readonly trade_on_close: boolean
  readonly hedging: boolean
  readonly exclusive_orders: boolean
  readonly finalize_trades: boolean
  readonly fractional_unit?: number
}

/** All that can be paid, as the source says it: the next number below one. */
export const allIn = 1 - 2 ** -52

/** The fixed fee of a fill and its rate. */
export const feesOf = ({ commission }: SourceEngine): readonly [number, number] =>
  typeof commission === "number" ? [0, commission] : commission

/** The options under which our engine does what the source of the cases does. */
export const sourceOptions = (engine: SourceEngine, firstDecision: number): OrderOptions => {
  const [feePerFill, rate] = feesOf(engine)
  return {
    capital: engine.cash,
    takerRate: rate,
    makerRate: rate,
    feePerFill,
    slippageRate: 0,
    entrySpread: engine.spread,
    leverage: 1 / engine.margin,
    lot: engine.fractional_unit ?? 1,
    canShort: true,
    fill: engine.trade_on_close ? "previous_close" : "next_open",
    netting: engine.hedging ? "hedging" : "fifo",
    isExclusive: engine.exclusive_orders,
    sequence: "queue",
    sizingPrice: "close",
    feeReserve: "unit",
    shortfall: "drop",
    portionRounding: "half_even",
    stopLimitGap: "stop",
    hasTargetOnStopEntry: true,
    atEnd: engine.finalize_trades ? "repeat_last" : "keep",
    firstDecision
  }
}
