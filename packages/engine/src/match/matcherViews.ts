/**
 * Reads a matcher's block as objects: lots with their stops and targets, and orders at rest.
 *
 * @since 0.1.0
 */
import * as codes from "./matcherCodes.ts"
import * as layout from "./matcherLayout.ts"
import type { MatcherBlock } from "./memory.ts"

const legs = ["entry", "close", "stop_loss", "take_profit", "close"] as const

/** Names by the numbers that a matcher knows them by; number 0 is no name. */
export type Tags = ReadonlyArray<string | null>

/** An order of a matcher. */
export interface QueuedOrder {
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
export interface HeldLot {
  /** Id of the entry that opened it. */
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
  /** The number that its entry was given. */
  readonly tagNumber: number
}

/** An order, of its record. */
export const readQueuedOrder = (
  { doubles, words }: MatcherBlock,
  at: number,
  tags: Tags
): QueuedOrder => {
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
  block: MatcherBlock,
  market: number,
  tags: Tags
): ReadonlyArray<QueuedOrder> => {
  const { words } = block
  const from = words[layout.ordersAt >> 2]!
  const found: Array<QueuedOrder> = []
  let slot = words[(marketAt(market) + layout.firstOrderAt) >> 2]!
  while (slot !== layout.none) {
    const at = from + slot
    if (words[(at + layout.legAt) >> 2] === codes.entryLeg)
      found.push(readQueuedOrder(block, at, tags))
    slot = words[(at + layout.nextOrderAt) >> 2]!
  }
  return found
}

/** Open lots, the oldest first. */
export const readLots = (
  block: MatcherBlock,
  market: number,
  tags: Tags
): ReadonlyArray<HeldLot> => {
  const { words } = block
  const from = words[layout.lotsAt >> 2]!
  const found: Array<HeldLot> = []
  let slot = words[(marketAt(market) + layout.firstLotAt) >> 2]!
  while (slot !== layout.none) {
    found.push(readLot(block, slot, tags))
    slot = words[(from + slot + layout.nextLotAt) >> 2]!
  }
  return found
}

const readLot = ({ doubles, words }: MatcherBlock, slot: number, tags: Tags): HeldLot => {
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
    tag: tags[word(layout.lotTagAt)] ?? null,
    tagNumber: word(layout.lotTagAt)
  }
}

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

/** Entries and exits at rest, in the order in which they are looked at. */
export const readResting = (
  { doubles, words }: MatcherBlock,
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
export const readLotExits = (block: MatcherBlock, market: number): ReadonlyArray<LotExits> => {
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
