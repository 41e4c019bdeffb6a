/**
 * The cash of other software's account as it goes from candle to candle. The size of an entry takes
 * all of it at the fill.
 */
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { fillLimit, fillStop, type SideSign } from "../../src/kernel/fill.ts"
import type { CodePosition } from "../../src/research/index.ts"
import { allIn, feesOf, type SourceEngine } from "../kernel/orders/sourceEngine.ts"

/** An entry that was decided at the last close. */
interface Entry {
  readonly side: SideSign
  readonly quantity: number
  readonly stop: number | null
  readonly target: number | null
}

interface Expected {
  readonly leaves: boolean
  readonly entry: Entry | null
}

interface Held extends Entry {
  readonly price: number
}

export const makePurse = (candles: CandleColumns, engine: SourceEngine) => {
  const [fixed, rate] = feesOf(engine)
  const lot = engine.fractional_unit ?? 1
  let cash = engine.cash
  let held: Held | null = null
  let expected: Expected = { leaves: false, entry: null }
  const feeOf = (quantity: number, price: number) => fixed + rate * quantity * price
  /** The fill price of an order of this close. */
  const fillAt = (index: number): number =>
    engine.trade_on_close ? candles.close[index]! : (candles.open[index + 1] ?? Number.NaN)
  const gainAt = ({ side, quantity, price }: Held, exit: number) =>
    side * quantity * (exit - price) - feeOf(quantity, exit)
  /** Where a candle comes to a level of what is held: the stop before the target. */
  const levelPrice = ({ side, stop, target }: Held, index: number): number => {
    const back: SideSign = side === 1 ? -1 : 1
    const [open, high, low] = [candles.open[index]!, candles.high[index]!, candles.low[index]!]
    const stopped = stop === null ? Number.NaN : fillStop(back, stop, open, high, low)
    if (!Number.isNaN(stopped)) return stopped
    return target === null ? Number.NaN : fillLimit(back, target, open, high, low)
  }
  return {
    /** Books what the candle did to the last close's orders and to what was held. */
    see: (index: number, position: CodePosition | null): void => {
      const { leaves, entry } = expected
      const fill = index === 0 ? Number.NaN : fillAt(index - 1)
      if (held !== null && leaves) {
        cash += gainAt(held, fill)
        held = null
      }
      if (held === null && entry !== null && entry.quantity > 0) {
        held = { ...entry, price: fill }
        cash -= feeOf(entry.quantity, fill)
      }
      if (held !== null && position === null) {
        cash += gainAt(held, levelPrice(held, index))
        held = null
      }
    },
    expect: (next: Expected): void => {
      expected = next
    },
    /** All that can be paid where an order of this close is filled, in whole lots. */
    sizeAt: (index: number, leaves: boolean): number => {
      const price = fillAt(index)
      const free = held !== null && leaves ? cash + gainAt(held, price) : cash
      const cost = price * (1 + rate) + fixed
      const count = Math.floor((allIn * Math.max(0, free)) / engine.margin / cost / lot)
      return Number.isFinite(count) ? count * lot : 0
    }
  }
}
