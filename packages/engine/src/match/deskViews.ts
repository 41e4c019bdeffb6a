/**
 * Reads what is in a desk's block as objects.
 *
 * @since 0.1.0
 */
import * as codes from "./deskCodes.ts"
import * as layout from "./deskLayout.ts"
import * as log from "./logLayout.ts"
import type { DeskBlock } from "./memory.ts"

const legs = ["entry", "close", "stop_loss", "take_profit", "close"] as const

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

/** Names by the numbers that a desk knows them by; number 0 is no name. */
export type Tags = ReadonlyArray<string | null>

/** An order of a desk. */
export interface DeskOrder {
  readonly id: number
  readonly side: 1 | -1
  readonly leg: (typeof legs)[number]
  /** Candle on which it was placed. */
  readonly placedAt: number
  readonly quantity: number | null
  readonly fraction: number | null
  readonly limit: number | null
  readonly stop: number | null
  readonly stopLoss: number | null
  readonly takeProfit: number | null
  readonly tag: string | null
}

/** An open lot. */
export interface OpenLot {
  readonly id: number
  readonly position: {
    /** Negative for a short. */
    readonly quantity: number
    readonly entryPrice: number
    readonly entryIndex: number
    readonly entryTime: number
    readonly entryFees: number
  }
  readonly stopLoss: number | null
  readonly takeProfit: number | null
  readonly tag: string | null
}

/** A lot, or part of one, that was closed. */
export interface ClosedLot {
  readonly kind: "closed"
  readonly market: number
  readonly lotId: number
  readonly tag: string | null
  readonly direction: 1 | -1
  readonly quantity: number
  readonly entryIndex: number
  readonly entryTime: number
  readonly entryPrice: number
  readonly exitIndex: number
  readonly exitTime: number
  readonly exitPrice: number
  readonly fees: number
  readonly pnl: number
  readonly exitReason: (typeof closingReasons)[number]
  readonly isAmbiguous: boolean
  readonly bestPathPnl: number
  readonly stopLoss: number | null
  readonly takeProfit: number | null
}

/** An order that ended without a fill. */
export interface EndedEntry {
  readonly kind: "ended"
  readonly market: number
  readonly order: DeskOrder
  readonly index: number
  readonly outcome: "cancelled" | "rejected" | "expired"
  readonly reason: string
}

/** A row of the log. */
export type DeskRow = ClosedLot | EndedEntry

const readOrder = ({ doubles, words }: DeskBlock, at: number, tags: Tags): DeskOrder => {
  const word = (field: number): number => words[(at + field) >> 2]!
  const flags = word(layout.flagsAt)
  const ifIt = (flag: number, field: number): number | null =>
    (flags & flag) === 0 ? null : doubles[(at + field) >> 3]!
  const leg = word(layout.legAt)
  const hasFraction = leg === codes.entryLeg && (flags & codes.hasQuantity) === 0
  return {
    id: word(layout.orderIdAt),
    side: word(layout.sideAt) as 1 | -1,
    leg: legs[leg]!,
    placedAt: word(layout.placedAt),
    quantity: ifIt(codes.hasQuantity, layout.quantityAt),
    fraction: hasFraction ? doubles[(at + layout.fractionAt) >> 3]! : null,
    limit: ifIt(codes.hasLimit, layout.limitAt),
    stop: ifIt(codes.hasStop, layout.stopAt),
    stopLoss: ifIt(codes.hasStopLoss, layout.stopLossAt),
    takeProfit: ifIt(codes.hasTakeProfit, layout.takeProfitAt),
    tag: tags[word(layout.orderTagAt)] ?? null
  }
}

const marketAt = (market: number): number => layout.headerBytes + market * layout.marketBytes

/** Entries at rest, in the order of the queue. */
export const readEntries = (
  block: DeskBlock,
  market: number,
  tags: Tags
): ReadonlyArray<DeskOrder> => {
  const { words } = block
  const from = words[layout.ordersAt >> 2]!
  const found: Array<DeskOrder> = []
  let slot = words[(marketAt(market) + layout.firstOrderAt) >> 2]!
  while (slot !== layout.none) {
    const at = from + slot
    if (words[(at + layout.legAt) >> 2] === codes.entryLeg) found.push(readOrder(block, at, tags))
    slot = words[(at + layout.nextOrderAt) >> 2]!
  }
  return found
}

/** Open lots, the oldest first. */
export const readLots = (block: DeskBlock, market: number, tags: Tags): ReadonlyArray<OpenLot> => {
  const { words } = block
  const from = words[layout.lotsAt >> 2]!
  const found: Array<OpenLot> = []
  let slot = words[(marketAt(market) + layout.firstLotAt) >> 2]!
  while (slot !== layout.none) {
    found.push(readLot(block, slot, tags))
    slot = words[(from + slot + layout.nextLotAt) >> 2]!
  }
  return found
}

const readLot = ({ doubles, words }: DeskBlock, slot: number, tags: Tags): OpenLot => {
  const at = words[layout.lotsAt >> 2]! + slot
  const orders = words[layout.ordersAt >> 2]!
  const word = (field: number): number => words[(at + field) >> 2]!
  const double = (field: number): number => doubles[(at + field) >> 3]!
  const stop = word(layout.stopOrderAt)
  const target = word(layout.targetOrderAt)
  return {
    id: word(layout.lotIdAt),
    position: {
      quantity: double(layout.heldAt),
      entryPrice: double(layout.entryPriceAt),
      entryIndex: word(layout.entryIndexAt),
      entryTime: double(layout.entryTimeAt),
      entryFees: double(layout.entryFeesAt)
    },
    stopLoss: stop === layout.none ? null : doubles[(orders + stop + layout.stopAt) >> 3]!,
    takeProfit: target === layout.none ? null : doubles[(orders + target + layout.limitAt) >> 3]!,
    tag: tags[word(layout.lotTagAt)] ?? null
  }
}

/** The rows of the log, the oldest first. */
export const readRows = (block: DeskBlock, tags: Tags): ReadonlyArray<DeskRow> => {
  const { words } = block
  const from = words[layout.logAt >> 2]!
  const rows: Array<DeskRow> = []
  for (let row = 0; row < words[layout.logCountAt >> 2]!; row++) {
    const at = from + row * log.rowBytes
    const isEnded = words[(at + log.rowKindAt) >> 2] === codes.endedRow
    rows.push(isEnded ? readEnded(block, at, tags) : readClosed(block, at, tags))
  }
  return rows
}

/** An ended order, of its row. */
export const readEnded = (block: DeskBlock, at: number, tags: Tags): EndedEntry => {
  const word = (field: number): number => block.words[(at + field) >> 2]!
  return {
    kind: "ended",
    market: word(log.rowMarketAt),
    order: readOrder(block, at + log.rowOrderAt, tags),
    index: word(log.rowIndexAt),
    outcome: endings[word(log.rowOutcomeAt)] as EndedEntry["outcome"],
    reason: endingReasons[word(log.rowReasonAt)]!
  }
}

/** A closing, of its row. */
export const readClosed = ({ doubles, words }: DeskBlock, at: number, tags: Tags): ClosedLot => {
  const word = (field: number): number => words[(at + field) >> 2]!
  const double = (field: number): number => doubles[(at + field) >> 3]!
  const levels = word(log.rowLevelsAt)
  return {
    kind: "closed",
    market: word(log.rowMarketAt),
    lotId: word(log.rowLotAt),
    tag: tags[word(log.rowTagAt)] ?? null,
    direction: word(log.rowDirectionAt) as 1 | -1,
    quantity: double(log.rowQuantityAt),
    entryIndex: word(log.rowEntryIndexAt),
    entryTime: double(log.rowEntryTimeAt),
    entryPrice: double(log.rowEntryPriceAt),
    exitIndex: word(log.rowIndexAt),
    exitTime: double(log.rowTimeAt),
    exitPrice: double(log.rowPriceAt),
    fees: double(log.rowFeesAt),
    pnl: double(log.rowPnlAt),
    exitReason: closingReasons[word(log.rowReasonAt)]!,
    isAmbiguous: word(log.rowOutcomeAt) === 1,
    bestPathPnl: double(log.rowBestPnlAt),
    stopLoss: (levels & 1) === 0 ? null : double(log.rowStopLossAt),
    takeProfit: (levels & 2) === 0 ? null : double(log.rowTakeProfitAt)
  }
}
