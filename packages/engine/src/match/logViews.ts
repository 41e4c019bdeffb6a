/**
 * Reads the log of a matcher as objects: fills, funding, orders that ended.
 *
 * @since 0.1.0
 */
import * as codes from "./matcherCodes.ts"
import * as layout from "./matcherLayout.ts"
import { type QueuedOrder, readQueuedOrder, type Tags } from "./matcherViews.ts"
import * as log from "./logLayout.ts"
import type { MatcherBlock } from "./memory.ts"

const closingReasons = [
  "signal",
  "stop_loss",
  "take_profit",
  "liquidation",
  "end_of_data",
  "trailing_stop",
  "break_even",
  "time_limit",
  "force_exit",
  "kill_switch"
] as const

const endings = ["", "cancelled", "rejected", "expired"] as const

const endingReasons = [
  "asked for",
  "its quantity is not above zero",
  "its fraction is not above zero and at most one",
  "its stop loss is not on the losing side of its price",
  "its take profit is not on the winning side of its price",
  "there is not enough cash",
  "this market can't be shorted",
  "it is below the minimum notional",
  "it was not filled in time",
  "another of its group was filled",
  "there is no position to reduce",
  "there is no more to reduce",
  "a position is open",
  "the candle has too little volume",
  "there is not enough cash for the rest",
  "there is not enough volume for the rest",
  "the position that it adds to is closed"
]

/** Why the rest of an order ends of which a part was filled. */
const restReasons: ReadonlySet<number> = new Set([
  codes.restLacksCash,
  codes.restLacksVolume,
  codes.noMoreToReduce
])

/** A lot that was opened. */
export interface OpenedLot {
  readonly kind: "opened"
  readonly market: number
  /** Id of the lot, and of the entry too where the entry opened the lot and was not merged. */
  readonly lotId: number
  /** Id of the entry. */
  readonly orderId: number
  readonly tag: string | null
  /** The number that the entry was given. */
  readonly tagNumber: number
  readonly direction: 1 | -1
  readonly quantity: number
  readonly price: number
  readonly fee: number
  readonly index: number
  readonly time: number
  /** Whether the market had no lot before. */
  readonly isFirst: boolean
}

/** A lot, or part of it, that was closed, and by which fill. */
export interface ClosedLot {
  readonly kind: "closed"
  readonly market: number
  readonly lotId: number
  /** Id of the order that closed it, or null where the lot's own levels or the host did. */
  readonly orderId: number | null
  readonly tag: string | null
  /** The number that the entry of the lot was given. */
  readonly tagNumber: number
  readonly direction: 1 | -1
  readonly quantity: number
  readonly entryIndex: number
  readonly entryTime: number
  readonly entryPrice: number
  readonly exitIndex: number
  readonly exitTime: number
  readonly exitPrice: number
  /** Fee of the fill alone. */
  readonly fee: number
  /** Fees of both sides, and funding. */
  readonly fees: number
  readonly pnl: number
  readonly exitReason: (typeof closingReasons)[number]
  readonly isAmbiguous: boolean
  readonly bestPathPnl: number
  readonly worstPathPnl: number
  readonly stopLoss: number | null
  readonly takeProfit: number | null
  /** Whether the market has no lot any more. */
  readonly isLast: boolean
}

/** An order that ended, or the rest of one. */
export interface EndedEntry {
  readonly kind: "ended"
  readonly market: number
  readonly order: QueuedOrder
  readonly index: number
  readonly outcome: "cancelled" | "rejected" | "expired"
  readonly reason: string
  /** Whether a part of the order was filled, and only the rest ended. */
  readonly isRest: boolean
  /** Candles that it might rest, or null. */
  readonly life: number | null
  /** The number that the order was given. */
  readonly tagNumber: number
}

/** Funding that a lot paid, or got where the amount is negative. */
export interface FundingRow {
  readonly kind: "funding"
  readonly market: number
  readonly lotId: number
  readonly index: number
  readonly time: number
  readonly amount: number
}

/** A row of the log. */
export type MatcherRow = OpenedLot | ClosedLot | EndedEntry | FundingRow

/** The rows of the log, the oldest first. */
export const readRows = (block: MatcherBlock, tags: Tags): ReadonlyArray<MatcherRow> => {
  const { words } = block
  const from = words[layout.logAt >> 2]!
  const rows: Array<MatcherRow> = []
  for (let row = 0; row < words[layout.logCountAt >> 2]!; row++) {
    rows.push(readRow(block, from + row * log.rowBytes, tags))
  }
  return rows
}

const readRow = (block: MatcherBlock, at: number, tags: Tags): MatcherRow => {
  switch (block.words[(at + log.rowKindAt) >> 2]) {
    case codes.openedRow:
      return readOpened(block, at, tags)
    case codes.closedRow:
      return readClosed(block, at, tags)
    case codes.fundingRow:
      return readFunding(block, at)
    default:
      return readEnded(block, at, tags)
  }
}

const readOpened = ({ doubles, words }: MatcherBlock, at: number, tags: Tags): OpenedLot => ({
  kind: "opened",
  market: words[(at + log.rowMarketAt) >> 2]!,
  lotId: words[(at + log.rowLotAt) >> 2]!,
  orderId: words[(at + log.rowOrderIdAt) >> 2]!,
  tag: tags[words[(at + log.rowTagAt) >> 2]!] ?? null,
  tagNumber: words[(at + log.rowTagAt) >> 2]!,
  direction: words[(at + log.rowDirectionAt) >> 2] as 1 | -1,
  quantity: doubles[(at + log.rowQuantityAt) >> 3]!,
  price: doubles[(at + log.rowPriceAt) >> 3]!,
  fee: doubles[(at + log.rowFeeAt) >> 3]!,
  index: words[(at + log.rowIndexAt) >> 2]!,
  time: doubles[(at + log.rowTimeAt) >> 3]!,
  isFirst: words[(at + log.rowIsWholeAt) >> 2] === 1
})

const readClosed = ({ doubles, words }: MatcherBlock, at: number, tags: Tags): ClosedLot => {
  const word = (field: number): number => words[(at + field) >> 2]!
  const double = (field: number): number => doubles[(at + field) >> 3]!
  const levels = word(log.rowLevelsAt)
  const orderId = word(log.rowOrderIdAt)
  return {
    kind: "closed",
    market: word(log.rowMarketAt),
    lotId: word(log.rowLotAt),
    orderId: orderId === 0 ? null : orderId,
    tag: tags[word(log.rowTagAt)] ?? null,
    tagNumber: word(log.rowTagAt),
    direction: word(log.rowDirectionAt) as 1 | -1,
    quantity: double(log.rowQuantityAt),
    entryIndex: word(log.rowEntryIndexAt),
    entryTime: double(log.rowEntryTimeAt),
    entryPrice: double(log.rowEntryPriceAt),
    exitIndex: word(log.rowIndexAt),
    exitTime: double(log.rowTimeAt),
    exitPrice: double(log.rowPriceAt),
    fee: double(log.rowFeeAt),
    fees: double(log.rowFeesAt),
    pnl: double(log.rowPnlAt),
    exitReason: closingReasons[word(log.rowReasonAt)]!,
    isAmbiguous: word(log.rowOutcomeAt) === 1,
    bestPathPnl: double(log.rowBestPnlAt),
    worstPathPnl: double(log.rowWorstPnlAt),
    stopLoss: (levels & 1) === 0 ? null : double(log.rowStopLossAt),
    takeProfit: (levels & 2) === 0 ? null : double(log.rowTakeProfitAt),
    isLast: word(log.rowIsWholeAt) === 1
  }
}

const readEnded = (block: MatcherBlock, at: number, tags: Tags): EndedEntry => {
  const word = (field: number): number => block.words[(at + field) >> 2]!
  const reason = word(log.rowReasonAt)
  const order = readQueuedOrder(block, at + log.rowOrderAt, tags)
  const last = word(log.rowOrderAt + layout.expiresAt)
  return {
    kind: "ended",
    market: word(log.rowMarketAt),
    order,
    index: word(log.rowIndexAt),
    outcome: endings[word(log.rowOutcomeAt)] as EndedEntry["outcome"],
    reason: endingReasons[reason]!,
    isRest: restReasons.has(reason),
    life: last === layout.none ? null : last - order.placedAt,
    tagNumber: word(log.rowOrderAt + layout.orderTagAt)
  }
}

const readFunding = ({ doubles, words }: MatcherBlock, at: number): FundingRow => ({
  kind: "funding",
  market: words[(at + log.rowMarketAt) >> 2]!,
  lotId: words[(at + log.rowLotAt) >> 2]!,
  index: words[(at + log.rowIndexAt) >> 2]!,
  time: doubles[(at + log.rowTimeAt) >> 3]!,
  amount: doubles[(at + log.rowAmountAt) >> 3]!
})
