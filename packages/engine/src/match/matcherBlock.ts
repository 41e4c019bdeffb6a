/**
 * Makes blocks of matchers: new ones, larger ones, and copies that are checked before they are
 * used.
 *
 * @since 0.1.0
 */
import { atClose, atNextOpen, atPreviousClose } from "./matcherCodes.ts"
import {
  byQueue,
  byStage,
  byTime,
  closesOldest,
  feesOfFill,
  matcherMagic,
  matcherVersion
} from "./matcherCodes.ts"
import {
  feesOfUnit,
  gapAtOpen,
  gapAtStop,
  gapWaits,
  isCut,
  isDropped,
  mergesInto,
  neverDue,
  opensAlone,
  opensBeside
} from "./matcherCodes.ts"
import {
  roundsDown,
  roundsHalfEven,
  valuedAtClose,
  valuedAtFill,
  valuedAtLastClose
} from "./matcherCodes.ts"
import * as layout from "./matcherLayout.ts"
import { type MatcherMigrations, migrateMatcher } from "./matcherMigrations.ts"
import type { MatcherMarket, MatcherRules } from "./matcherRules.ts"
import { inverseOf } from "./fillRules.ts"
import { rowBytes } from "./logLayout.ts"
import type { MatcherBlock } from "./memory.ts"
import * as stage from "./stageLayout.ts"

/** The number of records that there is room for. */
export interface MatcherCapacity {
  readonly orders: number
  readonly lots: number
  readonly rows: number
  /** Shorter candles inside one. */
  readonly details?: number
}

const fills = { next_open: atNextOpen, close: atClose, previous_close: atPreviousClose }
const nettings = {
  fifo: closesOldest,
  hedging: opensBeside,
  single: opensAlone,
  average: mergesInto
}
const sequences = { time: byTime, queue: byQueue, stage: byStage }
const sizingPrices = { last_close: valuedAtLastClose, close: valuedAtClose, fill: valuedAtFill }
const feeReserves = { fill: feesOfFill, unit: feesOfUnit }
const shortfalls = { cut: isCut, drop: isDropped }
const roundings = { down: roundsDown, half_even: roundsHalfEven }
const gaps = { open: gapAtOpen, stop: gapAtStop, wait: gapWaits }

/** Where the tables of a matcher begin, and where it ends. */
const placesOf = (marketCount: number, { details = 0, lots, orders, rows }: MatcherCapacity) => {
  const ordersAt = layout.headerBytes + marketCount * layout.marketBytes
  const lotsAt = ordersAt + orders * layout.orderBytes
  const logAt = lotsAt + lots * layout.lotBytes
  const detailsAt = logAt + rows * rowBytes
  return { ordersAt, lotsAt, logAt, detailsAt, end: detailsAt + details * stage.detailBytes }
}

const viewsOf = (buffer: ArrayBuffer): MatcherBlock => ({
  doubles: new Float64Array(buffer),
  words: new Int32Array(buffer)
})

/** A block with its header's places, all of its records free. */
const emptyBlock = (marketCount: number, capacity: MatcherCapacity): MatcherBlock => {
  const { detailsAt, end, logAt, lotsAt, ordersAt } = placesOf(marketCount, capacity)
  const block = viewsOf(new ArrayBuffer(end))
  const put = (at: number, value: number): void => {
    block.words[at >> 2] = value
  }
  put(layout.magicAt, matcherMagic)
  put(layout.versionAt, matcherVersion)
  put(layout.bytesAt, end)
  put(layout.marketCountAt, marketCount)
  put(layout.orderCapacityAt, capacity.orders)
  put(layout.lotCapacityAt, capacity.lots)
  put(layout.logCapacityAt, capacity.rows)
  put(layout.ordersAt, ordersAt)
  put(layout.lotsAt, lotsAt)
  put(layout.logAt, logAt)
  put(stage.detailCapacityAt, capacity.details ?? 0)
  put(stage.detailsAt, detailsAt)
  put(layout.freeOrderAt, layout.none)
  put(layout.freeLotAt, layout.none)
  freeRecords(block, orderTable(ordersAt), 0, capacity.orders)
  freeRecords(block, lotTable(lotsAt), 0, capacity.lots)
  return block
}

/** A table whose free records are linked. */
interface FreeTable {
  readonly from: number
  readonly bytes: number
  readonly nextAt: number
  readonly freeAt: number
}

const orderTable = (from: number): FreeTable => ({
  from,
  bytes: layout.orderBytes,
  nextAt: layout.nextOrderAt,
  freeAt: layout.freeOrderAt
})

const lotTable = (from: number): FreeTable => ({
  from,
  bytes: layout.lotBytes,
  nextAt: layout.nextLotAt,
  freeAt: layout.freeLotAt
})

/** Links records of a table in front of those that are free already. */
const freeRecords = (
  { words }: MatcherBlock,
  { bytes, freeAt, from, nextAt }: FreeTable,
  first: number,
  count: number
): void => {
  for (let record = count - 1; record >= first; record--) {
    words[(from + record * bytes + nextAt) >> 2] = words[freeAt >> 2]!
    words[freeAt >> 2] = record * bytes
  }
}

/** A matcher that holds nothing but cash. */
export const makeBlock = (
  cash: number,
  rules: MatcherRules,
  markets: ReadonlyArray<MatcherMarket>,
  capacity: MatcherCapacity
): MatcherBlock => {
  const block = emptyBlock(markets.length, capacity)
  const { doubles, words } = block
  doubles[layout.cashAt >> 3] = cash
  words[layout.fillAt >> 2] = fills[rules.fill]
  writeNetting(block, rules.netting)
  words[layout.sequenceAt >> 2] = sequences[rules.sequence]
  words[layout.sizingPriceAt >> 2] = sizingPrices[rules.sizingPrice]
  words[layout.feeReserveAt >> 2] = feeReserves[rules.feeReserve]
  words[layout.shortfallAt >> 2] = shortfalls[rules.shortfall]
  words[layout.portionRoundingAt >> 2] = roundings[rules.portionRounding]
  words[layout.stopLimitGapAt >> 2] = gaps[rules.stopLimitGap]
  words[layout.targetOnStopEntryAt >> 2] = rules.hasTargetOnStopEntry ? 1 : 0
  markets.forEach((market, index) => writeMarket(block, market, index))
  return block
}

/** Writes the effect of entries on lots that are open. */
export const writeNetting = ({ words }: MatcherBlock, netting: MatcherRules["netting"]): void => {
  words[layout.nettingAt >> 2] = nettings[netting]
}

/** Writes the steps, costs and permissions of a market; the rest of it stays. */
export const writeTerms = (
  { doubles, words }: MatcherBlock,
  market: MatcherMarket,
  index: number
): void => {
  const from = layout.headerBytes + index * layout.marketBytes
  const double = (at: number, value: number): void => {
    doubles[(from + at) >> 3] = value
  }
  const word = (at: number, value: number): void => {
    words[(from + at) >> 2] = value
  }
  double(layout.tickAt, market.tick ?? 0)
  double(layout.tickInverseAt, inverseOf(market.tick ?? 0))
  double(layout.lotStepAt, market.lot)
  double(layout.lotInverseAt, inverseOf(market.lot))
  double(layout.minNotionalAt, market.minNotional ?? 0)
  double(layout.takerRateAt, market.takerRate)
  double(layout.makerRateAt, market.makerRate)
  double(layout.feePerFillAt, market.feePerFill)
  double(layout.slippageRateAt, market.slippageRate)
  double(layout.entrySpreadAt, market.entrySpread)
  double(layout.leverageAt, market.leverage)
  double(stage.fundingRateAt, market.funding?.rate ?? 0)
  double(stage.fundingIntervalAt, market.funding?.intervalMs ?? 0)
  double(stage.volumeMaxAt, market.volumeShare?.max ?? 0)
  double(stage.volumeSlippageAt, market.volumeShare?.slippageRate ?? 0)
  word(stage.hasVolumeShareAt, market.volumeShare === undefined ? 0 : 1)
  word(layout.canShortAt, market.canShort ? 1 : 0)
}

const writeMarket = (block: MatcherBlock, market: MatcherMarket, index: number): void => {
  writeTerms(block, market, index)
  const { doubles, words } = block
  const from = layout.headerBytes + index * layout.marketBytes
  const double = (at: number, value: number): void => {
    doubles[(from + at) >> 3] = value
  }
  const word = (at: number, value: number): void => {
    words[(from + at) >> 2] = value
  }
  const unknown = [layout.closeAt, layout.previousCloseAt, stage.lastCloseAt, stage.lastTimeAt]
  for (const at of [...unknown, stage.volumeAt]) double(at, Number.NaN)
  for (const at of [layout.candleIndexAt, layout.previousIndexAt, stage.lastExitIndexAt])
    word(at, -1)
  const ends = [layout.firstOrderAt, layout.lastOrderAt, layout.firstLotAt, layout.lastLotAt]
  for (const at of ends) word(at, layout.none)
  word(layout.marketIndexAt, index)
  word(layout.dueAt, neverDue)
  double(stage.dueTimeAt, Number.POSITIVE_INFINITY)
}

const capacityOf = ({ words }: MatcherBlock): MatcherCapacity => ({
  orders: words[layout.orderCapacityAt >> 2]!,
  lots: words[layout.lotCapacityAt >> 2]!,
  rows: words[layout.logCapacityAt >> 2]!,
  details: words[stage.detailCapacityAt >> 2]!
})

/** The same matcher with room for twice as much. */
export const growBlock = (block: MatcherBlock): MatcherBlock => {
  const { details = 0, lots, orders, rows } = capacityOf(block)
  return resized(block, { orders: orders * 2, lots: lots * 2, rows: rows * 2, details })
}

/** The same matcher with room for so many shorter candles inside one. */
export const withDetails = (block: MatcherBlock, details: number): MatcherBlock =>
  resized(block, { ...capacityOf(block), details })

const resized = (block: MatcherBlock, capacity: MatcherCapacity): MatcherBlock => {
  const before = capacityOf(block)
  const marketCount = block.words[layout.marketCountAt >> 2]!
  const old = placesOf(marketCount, before)
  const { detailsAt, logAt, lotsAt, ordersAt } = placesOf(marketCount, capacity)
  const grown = emptyBlock(marketCount, capacity)
  const { words } = grown
  const move = (from: number, end: number, to: number): void =>
    words.set(block.words.subarray(from >> 2, end >> 2), to >> 2)
  const kept = layout.orderCountAt
  move(kept, old.ordersAt, kept)
  move(old.ordersAt, old.lotsAt, ordersAt)
  move(old.lotsAt, old.logAt, lotsAt)
  move(old.logAt, old.detailsAt, logAt)
  const keptDetails = Math.min(before.details ?? 0, capacity.details ?? 0)
  move(old.detailsAt, old.detailsAt + keptDetails * stage.detailBytes, detailsAt)
  words[stage.detailCapacityAt >> 2] = capacity.details ?? 0
  words[stage.detailsAt >> 2] = detailsAt
  freeRecords(grown, orderTable(ordersAt), before.orders, capacity.orders)
  freeRecords(grown, lotTable(lotsAt), before.lots, capacity.lots)
  return grown
}

/** A copy of the bytes of a matcher. */
export const copyBytes = ({ words }: MatcherBlock): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength).slice()

/**
 * The matcher that these bytes are, in the layout of this engine.
 *
 * @throws RangeError where they are none, or one of a version that no migration brings to today's.
 */
export const readBlock = (stored: Uint8Array, migrations?: MatcherMigrations): MatcherBlock => {
  const bytes = migrateMatcher(stored, migrations)
  const isWhole = bytes.length >= layout.headerBytes && bytes.length % 8 === 0
  if (!isWhole) throw new RangeError(`A matcher is no block of ${bytes.length} bytes`)
  const block = viewsOf(bytes.slice().buffer)
  const word = (at: number): number => block.words[at >> 2]!
  if (word(layout.magicAt) !== matcherMagic) throw new RangeError("The bytes are no matcher")
  const version = word(layout.versionAt)
  if (version !== matcherVersion) {
    throw new RangeError(
      `The matcher is of version ${version}; this engine reads ${matcherVersion}`
    )
  }
  const places = placesOf(word(layout.marketCountAt), capacityOf(block))
  const { detailsAt, end, logAt, lotsAt, ordersAt } = places
  const isPlaced =
    word(layout.bytesAt) === end &&
    bytes.length === end &&
    word(layout.ordersAt) === ordersAt &&
    word(layout.lotsAt) === lotsAt &&
    word(layout.logAt) === logAt &&
    word(stage.detailsAt) === detailsAt &&
    word(stage.detailCountAt) >= 0 &&
    word(stage.detailCountAt) <= word(stage.detailCapacityAt)
  if (!isPlaced) throw new RangeError("The tables of the matcher do not fill its block")
  checkLists(block)
  return block
}

/** Throws where a record is in no list, or in two: then walking a list might never end. */
const checkLists = (block: MatcherBlock): void => {
  const { words } = block
  const { lots, orders, rows } = capacityOf(block)
  const word = (at: number): number => words[at >> 2]!
  const ordersAt = word(layout.ordersAt)
  const lotsAt = word(layout.lotsAt)
  const orderHeads = [word(layout.freeOrderAt)]
  const lotHeads = [word(layout.freeLotAt)]
  for (let market = 0; market < word(layout.marketCountAt); market++) {
    const from = layout.headerBytes + market * layout.marketBytes
    orderHeads.push(word(from + layout.firstOrderAt))
    lotHeads.push(word(from + layout.firstLotAt))
  }
  const isSound =
    hasEachOnce(words, orderTable(ordersAt), orderHeads, orders) &&
    hasEachOnce(words, lotTable(lotsAt), lotHeads, lots) &&
    word(layout.logCountAt) >= 0 &&
    word(layout.logCountAt) <= rows
  if (!isSound) throw new RangeError("The lists of the matcher do not hold each record once")
}

const hasEachOnce = (
  words: Int32Array,
  { bytes, from, nextAt }: FreeTable,
  heads: ReadonlyArray<number>,
  count: number
): boolean => {
  const seen = new Set<number>()
  for (const head of heads) {
    for (let slot = head; slot !== layout.none; slot = words[(from + slot + nextAt) >> 2]!) {
      if (slot < 0 || slot % bytes !== 0 || slot >= count * bytes || seen.has(slot)) return false
      seen.add(slot)
    }
  }
  return seen.size === count
}
