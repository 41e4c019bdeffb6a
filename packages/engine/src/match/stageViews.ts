/**
 * Reads the log of a desk that goes by stages as objects: fills of entries and funding too.
 *
 * @since 0.1.0
 */
import * as codes from "./deskCodes.ts"
import * as layout from "./deskLayout.ts"
import {
  type ClosedLot,
  type EndedEntry,
  type OpenLot,
  readClosed,
  readEnded,
  readLots,
  type Tags
} from "./deskViews.ts"
import * as log from "./logLayout.ts"
import type { DeskBlock } from "./memory.ts"

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
export interface StageClosing extends ClosedLot {
  /** Id of the exit, or null where what protects the lot closed it. */
  readonly orderId: number | null
  /** The number that the entry of the lot was given. */
  readonly tagNumber: number
  /** Fee of the fill alone. */
  readonly fee: number
  readonly worstPathPnl: number
  /** Whether the market has no lot any more. */
  readonly isLast: boolean
}

/** An order that ended, or the rest of one. */
export interface StageEnding extends EndedEntry {
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
export type StageRow = OpenedLot | StageClosing | StageEnding | FundingRow

/** An order that a host placed and that rests. */
export interface RestingRecord {
  readonly id: number
  readonly side: 1 | -1
  readonly leg: "entry" | "exit"
  readonly quantity: number
  readonly limit: number | null
  readonly stop: number | null
  /** The number that the order was given. */
  readonly tagNumber: number
  /** Id of the lot that an exit names, or null. */
  readonly lotId: number | null
  /** Whether the order ends with the position that it adds to or reduces. */
  readonly endsWithPosition: boolean
}

/** An open lot, with the number that its entry was given. */
export interface StagedLot extends OpenLot {
  readonly tagNumber: number
}

/** Open lots of a market, the oldest first. */
export const readStagedLots = (
  block: DeskBlock,
  market: number,
  tags: Tags
): ReadonlyArray<StagedLot> => {
  const { words } = block
  const from = words[layout.lotsAt >> 2]!
  let slot = words[(layout.headerBytes + market * layout.marketBytes + layout.firstLotAt) >> 2]!
  return readLots(block, market, tags).map((lot) => {
    const tagNumber = words[(from + slot + layout.lotTagAt) >> 2]!
    slot = words[(from + slot + layout.nextLotAt) >> 2]!
    return { ...lot, tagNumber }
  })
}

/** Entries and exits at rest, in the order in which they are looked at. */
export const readResting = (
  { doubles, words }: DeskBlock,
  market: number
): ReadonlyArray<RestingRecord> => {
  const from = words[layout.ordersAt >> 2]!
  const lots = words[layout.lotsAt >> 2]!
  const found: Array<RestingRecord> = []
  const first = layout.headerBytes + market * layout.marketBytes + layout.firstOrderAt
  let slot = words[first >> 2]!
  while (slot !== layout.none) {
    const at = from + slot
    slot = words[(at + layout.nextOrderAt) >> 2]!
    const leg = words[(at + layout.legAt) >> 2]
    if (leg !== codes.entryLeg && leg !== codes.exitLeg) continue
    const flags = words[(at + layout.flagsAt) >> 2]!
    const lot = words[(at + layout.orderLotAt) >> 2]!
    found.push({
      id: words[(at + layout.orderIdAt) >> 2]!,
      side: words[(at + layout.sideAt) >> 2] as 1 | -1,
      leg: leg === codes.entryLeg ? "entry" : "exit",
      quantity: doubles[(at + layout.quantityAt) >> 3]!,
      limit: (flags & codes.hasLimit) === 0 ? null : doubles[(at + layout.limitAt) >> 3]!,
      stop: (flags & codes.hasStop) === 0 ? null : doubles[(at + layout.stopAt) >> 3]!,
      tagNumber: words[(at + layout.orderTagAt) >> 2]!,
      lotId: lot === layout.none ? null : words[(lots + lot + layout.lotIdAt) >> 2]!,
      endsWithPosition: (flags & codes.endsWithPosition) !== 0
    })
  }
  return found
}

/** The protective exits of a lot; null where there is no such level. */
export interface LotExits {
  readonly lotId: number
  readonly stop: number | null
  readonly stopReason: "stop_loss" | "trailing_stop" | "break_even"
  readonly target: number | null
  /** Whether its stop trails the price. */
  readonly isTrailing: boolean
  /** Whether its stop comes to the entry. */
  readonly breaksEven: boolean
}

/** The protective exits of a market's lots, the oldest first. */
export const readLotExits = (block: DeskBlock, market: number): ReadonlyArray<LotExits> => {
  const { doubles, words } = block
  const [lots, orders] = [words[layout.lotsAt >> 2]!, words[layout.ordersAt >> 2]!]
  const level = (slot: number, levelAt: number): number | null =>
    slot === layout.none ? null : doubles[(orders + slot + levelAt) >> 3]!
  const found: Array<LotExits> = []
  const first = layout.headerBytes + market * layout.marketBytes + layout.firstLotAt
  let slot = words[first >> 2]!
  while (slot !== layout.none) {
    const word = (at: number): number => words[(lots + slot + at) >> 2]!
    const stop = level(word(layout.stopOrderAt), layout.stopAt)
    const moves = word(layout.movesAt)
    found.push({
      lotId: word(layout.lotIdAt),
      stop,
      // A lot that has no stop yet has no reason for it either.
      stopReason: stop === null ? "stop_loss" : stopReasonOf(word(layout.stopReasonAt)),
      target: level(word(layout.targetOrderAt), layout.limitAt),
      isTrailing: (moves & codes.trails) !== 0,
      breaksEven: (moves & codes.breaksEven) !== 0
    })
    slot = word(layout.nextLotAt)
  }
  return found
}

const stopReasonOf = (code: number): LotExits["stopReason"] => {
  if (code === codes.byTrailingStop) return "trailing_stop"
  return code === codes.byBreakEven ? "break_even" : "stop_loss"
}

/** The rows of the log, the oldest first. */
export const readStageRows = (block: DeskBlock, tags: Tags): ReadonlyArray<StageRow> => {
  const { words } = block
  const from = words[layout.logAt >> 2]!
  const rows: Array<StageRow> = []
  for (let row = 0; row < words[layout.logCountAt >> 2]!; row++) {
    rows.push(readRow(block, from + row * log.rowBytes, tags))
  }
  return rows
}

const readRow = (block: DeskBlock, at: number, tags: Tags): StageRow => {
  switch (block.words[(at + log.rowKindAt) >> 2]) {
    case codes.openedRow:
      return readOpened(block, at, tags)
    case codes.closedRow:
      return readClosing(block, at, tags)
    case codes.fundingRow:
      return readFunding(block, at)
    default:
      return readEnding(block, at, tags)
  }
}

const readOpened = ({ doubles, words }: DeskBlock, at: number, tags: Tags): OpenedLot => ({
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

const readClosing = (block: DeskBlock, at: number, tags: Tags): StageClosing => {
  const { doubles, words } = block
  const orderId = words[(at + log.rowOrderIdAt) >> 2]!
  return {
    ...readClosed(block, at, tags),
    orderId: orderId === 0 ? null : orderId,
    tagNumber: words[(at + log.rowTagAt) >> 2]!,
    fee: doubles[(at + log.rowFeeAt) >> 3]!,
    worstPathPnl: doubles[(at + log.rowWorstPnlAt) >> 3]!,
    isLast: words[(at + log.rowIsWholeAt) >> 2] === 1
  }
}

const readEnding = (block: DeskBlock, at: number, tags: Tags): StageEnding => {
  const ended = readEnded(block, at, tags)
  const last = block.words[(at + log.rowOrderAt + layout.expiresAt) >> 2]!
  return {
    ...ended,
    life: last === layout.none ? null : last - ended.order.placedAt,
    tagNumber: block.words[(at + log.rowOrderAt + layout.orderTagAt) >> 2]!
  }
}

const readFunding = ({ doubles, words }: DeskBlock, at: number): FundingRow => ({
  kind: "funding",
  market: words[(at + log.rowMarketAt) >> 2]!,
  lotId: words[(at + log.rowLotAt) >> 2]!,
  index: words[(at + log.rowIndexAt) >> 2]!,
  time: doubles[(at + log.rowTimeAt) >> 3]!,
  amount: doubles[(at + log.rowAmountAt) >> 3]!
})
