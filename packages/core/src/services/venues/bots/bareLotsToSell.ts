/**
 * Lots that are to be sold at the market because their stop was missing for too long.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { decimalOfNumber } from "../../../domain/decimals.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { BotPorts } from "../../bots/botPorts.ts"
import type { BareLot } from "../books/auditProtection.ts"
import { isSaleRefused } from "../books/planProtection.ts"
import { protectionOfLot, stopIdOf } from "../books/protectionStatus.ts"
import type { VenueBook } from "../books/venueBook.ts"

/**
 * The lots that an audit has reported, and whose stop the venue has not confirmed since. They leave
 * before their stop is asked for once more, unless the venue refuses just that for now.
 */
export const bareLotsToSell = Effect.fnUntraced(function* (
  { attemptsOf, nowMs }: BotPorts["venueAccounts"],
  { markets, specs }: VenueBook,
  botId: string,
  bare: ReadonlyArray<BareLot>
): Effect.fn.Return<ReadonlySet<string>, StoreError> {
  const told = new Set(bare.filter(({ isTold }) => isTold).map(({ lot }) => lot))
  const leaving = new Set<string>()
  if (told.size === 0) return leaving
  const now = yield* nowMs
  for (const [market, { lots }] of markets.entries()) {
    const step = decimalOfNumber(specs[market]!.lot)
    for (const lot of lots.filter(({ id }) => told.has(id))) {
      const attempts = yield* attemptsOf(botId, stopIdOf(lot))
      if (protectionOfLot(lot, step, attempts) === "venue") continue
      if (!isSaleRefused(attempts, now)) leaving.add(lot.id)
    }
  }
  return leaving
})
