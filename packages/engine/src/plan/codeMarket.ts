/**
 * One market as the code of a strategy sees it: candles, indicators, and the position.
 *
 * @since 0.1.0
 */
import { refuse } from "../language/Fault.ts"
import { notAmong } from "../language/notAmong.ts"
import type { BookView } from "../kernel/accountView.ts"
import type { CodeView, LotView } from "../kernel/codeView.ts"
import { candleAt, type CandleColumns } from "../kernel/columns.ts"
import { baseTag, tagOf } from "../kernel/ladder/LadderMemory.ts"
import type { CodeLot, RestingCodedOrder } from "../language/CodedOrders.ts"
import type { CodeMarket, CodePosition } from "../language/CodeRules.ts"
import { describeValue } from "../language/withGiven.ts"

/** The view that the code of a strategy has of its markets. */
export interface MarketSetting {
  /** The most candles that code may look back. */
  readonly lookback: number
  /** Whether lots are merged or kept apart; none where the strategy does not say `lots`. */
  readonly lots: "merged" | "separate" | null
}

/** A market that follows its candles as it is moved. */
export interface MovingMarket {
  readonly market: CodeMarket
  readonly move: (
    candles: CandleColumns,
    columns: ReadonlyMap<string, ArrayLike<number>>,
    index: number,
    book: BookView | undefined,
    view: CodeView | undefined
  ) => void
}

const positionOf = ({ index, position }: BookView): CodePosition | null =>
  position === null
    ? null
    : {
        direction: position.quantity > 0 ? "long" : "short",
        quantity: Math.abs(position.quantity),
        entryPrice: position.entryPrice,
        entryTime: position.entryTime,
        heldCount: index - position.entryIndex
      }

const toLot = (lot: LotView, index: number, isMerged: boolean): CodeLot => ({
  // The first of several entries may have left a position that is averaged.
  tag: isMerged ? baseTag : tagOf(lot.id),
  direction: lot.quantity > 0 ? "long" : "short",
  quantity: Math.abs(lot.quantity),
  entryPrice: lot.entryPrice,
  entryTime: lot.entryTime,
  heldCount: index - lot.entryIndex,
  stop: lot.stop,
  target: lot.target
})

const toResting = ({ id, leg, limit, quantity, side, stop }: BookView["orders"][number]) =>
  ({
    tag: tagOf(id),
    side: side === 1 ? "buy" : "sell",
    isExit: leg === "exit",
    quantity,
    limit,
    stop
  }) satisfies RestingCodedOrder

const refuseParts = (name: string): never =>
  refuse(
    "/lots",
    "required",
    `Code sees ${name} and places orders where its strategy says in lots whether entries are averaged`
  )

/** Throws for a candle that code may not see. */
const refuseAgo = (ago: number, lookback: number): never => {
  if (!Number.isInteger(ago)) {
    throw new RangeError(`a strategy counts whole candles back, got ${describeValue(ago)}`)
  }
  throw new RangeError(
    ago > lookback
      ? `a strategy sees ${lookback} candles back; its lookback may say more`
      : "a strategy sees no later candle than the current one"
  )
}

const refuseName = (name: string, names: ReadonlyArray<string>): never =>
  refuse("/indicators", "unknown_field", notAmong(`indicator ${name}`, names))

/** A market of this number in the account. */
export const makeCodeMarket = (
  symbol: string,
  number: number,
  { lookback, lots: kept }: MarketSetting
): MovingMarket => {
  let candles: CandleColumns
  let columns: ReadonlyMap<string, ArrayLike<number>> = new Map()
  // A few names are found sooner one after the other than in a map.
  let names: ReadonlyArray<string> = []
  let arrays: ReadonlyArray<ArrayLike<number>> = []
  let index = -1
  let book: BookView | undefined
  let view: CodeView | undefined
  // Small, so that V8 inlines the reads of a strategy: a call of its own boxes each value.
  const at = (ago: number): number =>
    ago === 0 || (ago > 0 && ago <= lookback && Number.isInteger(ago))
      ? index - ago
      : refuseAgo(ago, lookback)
  const market: CodeMarket = {
    symbol,
    get position() {
      return book === undefined ? null : positionOf(book)
    },
    get lots() {
      if (kept === null) return refuseParts("lots")
      const isMerged = kept === "merged"
      const now = book?.index ?? -1
      return view?.lots(number).map((lot) => toLot(lot, now, isMerged)) ?? []
    },
    get orders() {
      return kept === null ? refuseParts("orders") : (book?.orders.map(toResting) ?? [])
    },
    candle: (ago = 0) => candleAt(candles, at(ago)),
    value: (name, ago = 0) => {
      for (let nth = 0; nth < names.length; nth++) {
        if (names[nth] === name) return arrays[nth]![at(ago)] ?? Number.NaN
      }
      return refuseName(name, names)
    }
  }
  return {
    market,
    move: (shown, computed, place, held, account) => {
      candles = shown
      index = place
      book = held
      view = account
      if (columns === computed) return
      columns = computed
      names = [...computed.keys()]
      arrays = [...computed.values()]
    }
  }
}
