/**
 * How many units an entry of a code strategy opens.
 *
 * @since 0.1.0
 */
import { floorToLot } from "../fill.ts"
import type { OrderRun, QueuedOrder } from "./codeOrders.ts"

/** Cash and open trades at a price. */
export const equityAt = ({ ledger, trades }: OrderRun, price: number): number => {
  let equity = ledger.cash
  for (const { position } of trades) equity += position.quantity * price
  return equity
}

/** Notional that may still be opened, with open trades valued at this price. */
const powerAt = (run: OrderRun, price: number): number => {
  const { leverage } = run.options
  let used = 0
  for (const { position } of run.trades) used += Math.abs(position.quantity) * price
  return Math.max(0, equityAt(run, price) - used / leverage) * leverage
}

/** What sizing depends on. */
export interface EntryPrices {
  /** Price of the fill. */
  readonly price: number
  /** The same before the spread. */
  readonly raw: number
  /** Price at which open trades are valued. */
  readonly mark: number
}

/** What a unit costs, and what the order costs besides. */
const costsOf = ({ options }: OrderRun, order: QueuedOrder, { price, raw }: EntryPrices) => {
  const rate = order.limit === null ? options.takerRate : options.makerRate
  if (options.feeReserve === "fill") return { unit: price * (1 + rate), fixed: options.feePerFill }
  const share = options.feePerFill / (order.quantity ?? order.fraction ?? 1)
  return { unit: price + share + rate * raw, fixed: 0 }
}

/** The units that an entry asks for, those of open trades the other way included. */
export const wantedQuantity = (run: OrderRun, order: QueuedOrder, prices: EntryPrices): number => {
  const { lot } = run.options
  if (order.quantity !== null) return floorToLot(order.quantity, lot)
  const { unit, fixed } = costsOf(run, order, prices)
  const power = powerAt(run, prices.mark) * (order.fraction ?? 1) - fixed
  return Math.max(0, floorToLot(power / unit, lot))
}

/** Of so many units those that can be paid. */
export const paidQuantity = (
  run: OrderRun,
  order: QueuedOrder,
  quantity: number,
  prices: EntryPrices
): number => {
  const { lot, shortfall } = run.options
  const { unit, fixed } = costsOf(run, order, prices)
  const power = powerAt(run, prices.mark) - fixed
  // A fraction of 1 may be more than all by the last bit.
  if (quantity * unit <= power * (1 + 1e-12)) return quantity
  if (shortfall === "drop") return 0
  return Math.max(0, floorToLot(power / unit, lot))
}
