/**
 * Ladders as order scripts: the few fields of a definition, written out order by order.
 */
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { floorToLot } from "../../src/kernel/fill.ts"
import { smaColumn } from "../../src/kernel/indicators/sma.ts"
import type { OpenRoundTrip } from "../../src/kernel/orders/codeOrders.ts"
import { defineStrategy } from "../../src/kernel/orders/defineStrategy.ts"
import type { OrderContext } from "../../src/kernel/orders/orderContext.ts"

export const lot = 0.0001

/** A notional in units, on the lot. */
const units = (notional: number, price: number): number => floorToLot(notional / price, lot)

const sizeOf = (trades: ReadonlyArray<OpenRoundTrip>): number =>
  trades.reduce((sum, { position }) => sum + position.quantity, 0)

const averageOf = (trades: ReadonlyArray<OpenRoundTrip>): number =>
  trades.reduce((sum, { position }) => sum + position.quantity * position.entryPrice, 0) /
  sizeOf(trades)

type NoParameters = Readonly<Record<string, unknown>>
type Context = OrderContext<NoParameters, string>

const means = ({ close, high }: CandleColumns) => ({
  mean: smaColumn([close], [20])[0],
  highest: close.map((_, index) =>
    index < 19 ? Number.NaN : Math.max(...high.subarray(index - 19, index + 1))
  )
})

/** A script that decides from the first candle on. */
const script = (onCandle: (context: Context) => void) =>
  defineStrategy<NoParameters, string>({ parameters: {}, onCandle })

/** A script that decides once its indicators are known. */
const averageScript = (onCandle: (context: Context) => void) =>
  defineStrategy<NoParameters, string>({ parameters: {}, indicators: means, onCandle })

/** A base order, five safety orders, and one target over the average price. */
export const dcaScript = (base: number, distance: number, target: number) =>
  script(({ buy, cancel, candle, orders, setTarget, trades }) => {
    const held = trades()
    if (held.length === 0) {
      cancel()
      buy({ quantity: units(base, candle().close) })
      return
    }
    const first = held[0]!.position.entryPrice
    if (held.length === 1 && orders().length === 0) {
      let away = 0
      for (let nth = 0; nth < 5; nth++) {
        away += distance * 1.4 ** nth
        const limit = first * (1 - away)
        buy({ limit, quantity: units(base * 1.5 ** nth, limit) })
      }
    }
    setTarget(averageOf(held) * (1 + target))
  })

/** Lines that buy, and sell one line above. */
export const gridScript = (lines: ReadonlyArray<number>, notional: number) =>
  script(({ buy, candle, orders, trades }) => {
    const taken = new Set([...trades(), ...orders()].map(({ tag }) => tag))
    const { close } = candle()
    for (let nth = lines.length - 2; nth >= 0; nth--) {
      const limit = lines[nth]!
      const tag = `line${nth}`
      if (!(close > limit) || taken.has(tag)) continue
      buy({ limit, quantity: units(notional, limit), takeProfit: lines[nth + 1]!, tag })
    }
  })

/** Enters above an average, adds twice on the way up, and leaves below the average. */
export const pyramidScript = (notional: number) =>
  averageScript(({ buy, cancel, candle, close: closeAll, orders, trades, value }) => {
    const held = trades()
    const { close } = candle()
    const mean = value("mean")
    if (held.length > 0 && close < mean) {
      cancel()
      closeAll()
    } else if (held.length === 1 && orders().length === 0) {
      const { entryPrice: first, quantity } = held[0]!.position
      for (const away of [0.02, 0.04]) {
        const stop = first * (1 + away)
        buy({ stop, quantity: units(first * quantity * 0.5, stop) })
      }
    } else if (held.length === 0) {
      cancel()
      if (close > mean) buy({ quantity: units(notional, close) })
    }
  })

/** Half of the position is sold at 2 %, the rest at 4 %, and the stop comes to the entry. */
export const targetsScript = (notional: number) =>
  averageScript(({ buy, candle, close: closeAll, setStop, setTarget, trades, value }) => {
    const held = trades()
    const { close } = candle()
    const mean = value("mean")
    if (held.length > 0) {
      const entry = held[0]!.position.entryPrice
      for (const trade of held) {
        const at = trade.tag === "half" ? 0.02 : 0.04
        if (trade.takeProfit === null) setTarget(entry * (1 + at), { trade })
      }
      if (held.length === 1) setStop(entry)
      if (close < mean) closeAll()
    } else if (close > mean) {
      const whole = units(notional, close)
      const half = floorToLot(whole * 0.5, lot)
      buy({ quantity: half, tag: "half" })
      buy({ quantity: whole - half, tag: "rest" })
    }
  })

/** A weight in equity, ordered anew where it is off by more than a band. */
export const weightScript = (weight: number, band: number) =>
  script(({ buy, candle, equity, sell, trades }) => {
    const { close } = candle()
    const held = sizeOf(trades())
    const worth = equity()
    if (!(Math.abs(weight - (held * close) / worth) > band)) return
    const missing = (weight * worth) / close - held
    const quantity = floorToLot(Math.abs(missing), lot)
    if (missing > 0) buy({ quantity })
    else sell({ quantity })
  })

/** Above an average, a stop at the highest high and a limit 5 % below; the first that fills. */
export const breakoutScript = (notional: number) =>
  averageScript(({ buy, cancel, candle, close: closeAll, orders, trades, value }) => {
    const { close } = candle()
    const mean = value("mean")
    if (trades().length > 0) {
      cancel()
      if (close < mean) closeAll()
    } else if (close < mean) cancel()
    else if (close > mean && orders().length === 0) {
      const [stop, limit] = [value("highest"), close * 0.95]
      buy({ stop, quantity: units(notional, stop) })
      buy({ limit, quantity: units(notional, limit) })
    }
  })
