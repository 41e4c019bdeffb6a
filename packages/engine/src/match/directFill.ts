/**
 * The fill of a direct order, read from the rows that the log has of it.
 *
 * @since 0.1.0
 */
import * as codes from "./matcherCodes.ts"
import * as layout from "./matcherLayout.ts"
import * as log from "./logLayout.ts"
import type { MatcherBlock } from "./memory.ts"

/** Units of a lot that a direct order closed. */
export interface DirectClosing {
  readonly direction: 1 | -1
  readonly quantity: number
  readonly entryIndex: number
  readonly entryTime: number
  readonly entryPrice: number
  /** Fees of both sides. */
  readonly fees: number
  readonly pnl: number
  /** Whether the lot is closed whole. */
  readonly isWhole: boolean
}

/** The fill of a direct order. */
export interface DirectFill {
  readonly quantity: number
  /** Price of the fill, slippage included. */
  readonly price: number
  readonly fee: number
  /** Whether the order opened a lot, added to one, or did neither. */
  readonly opening: "lot" | "addition" | null
  readonly closing: DirectClosing | null
}

/** Reads the rows from one on as those of one order, and takes them out of the log. */
export const takeDirectFill = (block: MatcherBlock, first: number): DirectFill => {
  const { doubles, words } = block
  const from = words[layout.logAt >> 2]!
  const count = words[layout.logCountAt >> 2]!
  words[layout.logCountAt >> 2] = first
  let [quantity, price, fee] = [0, 0, 0]
  let opening: DirectFill["opening"] = null
  let closing: DirectClosing | null = null
  for (let row = first; row < count; row++) {
    const at = from + row * log.rowBytes
    quantity += doubles[(at + log.rowQuantityAt) >> 3]!
    price = doubles[(at + log.rowPriceAt) >> 3]!
    fee += doubles[(at + log.rowFeeAt) >> 3]!
    if (words[(at + log.rowKindAt) >> 2] === codes.closedRow) closing = readDirectClosing(block, at)
    else opening = words[(at + log.rowIsWholeAt) >> 2] === 1 ? "lot" : "addition"
  }
  return { quantity, price, fee, opening, closing }
}

const readDirectClosing = ({ doubles, words }: MatcherBlock, at: number): DirectClosing => ({
  direction: words[(at + log.rowDirectionAt) >> 2] as 1 | -1,
  quantity: doubles[(at + log.rowQuantityAt) >> 3]!,
  entryIndex: words[(at + log.rowEntryIndexAt) >> 2]!,
  entryTime: doubles[(at + log.rowEntryTimeAt) >> 3]!,
  entryPrice: doubles[(at + log.rowEntryPriceAt) >> 3]!,
  fees: doubles[(at + log.rowFeesAt) >> 3]!,
  pnl: doubles[(at + log.rowPnlAt) >> 3]!,
  isWhole: words[(at + log.rowIsWholeAt) >> 2] === 1
})
