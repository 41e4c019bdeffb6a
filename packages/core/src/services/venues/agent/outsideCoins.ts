/**
 * The amount of a coin that surely no bot owns, whatever trades are yet to be told.
 *
 * An entry may have filled before holdings were read, and its trade may come later: what it bought
 * looks like the owner's. So an open entry counts as filled at its comparison. The open orders that
 * the venue shows later tell that it was not, once they are newer than that by the lag of its
 * answers. The comparison before the last one is settled so.
 *
 * @since 0.1.0
 */
import { coinsOf } from "../../../domain/AccountBook.ts"
import type { HoldingLine } from "../../../domain/HoldingLines.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import type { VenueOrderState } from "../../../ports/Venue.ts"

/** Holdings beside the books of the same time. */
export interface ComparedHoldings {
  /** The store's time after they were read. */
  readonly atMs: number
  readonly lines: ReadonlyArray<HoldingLine>
  /** Open entries that buy. */
  readonly entries: ReadonlyArray<OrderAttempt>
}

/** The same, and by coin what entries may have bought that no trade had told. */
export interface SettledHoldings extends Pick<ComparedHoldings, "lines"> {
  readonly buying: ReadonlyMap<string, number>
}

/** The comparisons that an agent goes by. */
export interface KeptComparisons {
  /** The last comparison of the holdings, and the last one of which all fills are known. */
  compared: ComparedHoldings | null
  settled: SettledHoldings | null
}

/**
 * By coin, the quantity that entries may have bought besides their booked trades. Of an entry that
 * the venue shows as open it is what the venue says, and of another one all that is left.
 */
const buyingOf = (
  entries: ReadonlyArray<OrderAttempt>,
  shown: ReadonlyArray<VenueOrderState> = []
): ReadonlyMap<string, number> => {
  const buying = new Map<string, number>()
  const filledAt = new Map(shown.map(({ filledQuantity, id }) => [id, Number(filledQuantity)]))
  for (const { filled_quantity: booked, id, order } of entries) {
    const [coin] = coinsOf(order.symbol)
    const most = filledAt.get(id) ?? Number(order.quantity)
    buying.set(coin, (buying.get(coin) ?? 0) + Math.max(0, most - Number(booked)))
  }
  return buying
}

/** Settles the last comparison by the orders that the venue shows as open since then. */
export const settleBuying = (
  kept: KeptComparisons,
  shown: ReadonlyArray<VenueOrderState>,
  /** The store's time before they were asked for, less the lag of the venue's answers. */
  shownAtMs: number
): void => {
  const { compared } = kept
  if (compared === null || shownAtMs < compared.atMs) return
  kept.settled = { lines: compared.lines, buying: buyingOf(compared.entries, shown) }
}

/** A coin of a comparison. */
export const coinLineOf = (
  lines: ReadonlyArray<HoldingLine>,
  coin: string
): HoldingLine | undefined => lines.find(({ kind, name }) => kind === "coin" && name === coin)

/** The amount of a coin that surely no bot owned at the last comparisons. */
export const outsideOf = ({ compared, settled }: KeptComparisons, coin: string): number => {
  if (compared === null) return 0
  const outsideIn = (lines: ReadonlyArray<HoldingLine>) =>
    Number(coinLineOf(lines, coin)?.outside ?? "0")
  const now = outsideIn(compared.lines)
  const least = now - (buyingOf(compared.entries).get(coin) ?? 0)
  if (settled === null) return least
  const before = outsideIn(settled.lines) - (settled.buying.get(coin) ?? 0)
  return Math.max(least, Math.min(now, before))
}
