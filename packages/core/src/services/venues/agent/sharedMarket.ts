/**
 * Markets that several bots of an exchange account hold at once.
 *
 * Where a venue has one position for each market, that position bounds an order that only reduces.
 * The holding of the order's own bot does not. So two exits of a bot that overlap may close another
 * bot's position: a stop and the one that takes its place, say.
 *
 * @since 0.1.0
 */
import type { AccountBook } from "../../../domain/AccountBook.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import type { VenueCapabilities } from "../../../ports/Venue.ts"
import { isEntry } from "../../orderLegs.ts"

/**
 * Whether another bot holds one of the markets, or may come to by an entry that is open. An entry
 * that is yet to be sent counts, because it waits until no exits overlap any more.
 */
export const isHeldByOthers = (
  botId: string,
  symbols: ReadonlyArray<string>,
  { bots }: AccountBook,
  open: ReadonlyArray<OrderAttempt>
): boolean =>
  Object.entries(bots).some(
    ([id, { positions }]) =>
      id !== botId && symbols.some((symbol) => positions[symbol] !== undefined)
  ) ||
  open.some((one) => one.bot_id !== botId && isEntry(one) && symbols.includes(one.order.symbol))

/**
 * Whether a second exit may rest for the quantity of a stop. Both may fill in one move. Where a
 * venue nets positions, the second one then closes another bot's position, if there is one. On spot
 * it sells coins of others, and nothing says whose the coins are.
 */
export const mayShareQuantity = (
  {
    canShareQuantity,
    hasReduceOnly,
    kind
  }: Pick<VenueCapabilities, "canShareQuantity" | "hasReduceOnly" | "kind">,
  reducesOthers: boolean
): boolean => canShareQuantity && kind === "one_way" && hasReduceOnly && !reducesOthers
