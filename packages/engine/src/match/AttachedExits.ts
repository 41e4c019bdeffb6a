/**
 * Protective exits as they are attached to an entry, and how a matcher gets them.
 *
 * @since 0.1.0
 */
import * as codes from "./matcherCodes.ts"
import { attachExits } from "./placeOrders.ts"

/**
 * The distance of a level from the entry price: a fraction of it, a distance in price, or the price
 * itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExitLevel {
  readonly kind: "fraction" | "distance" | "price"
  readonly value: number
}

/**
 * Protective exits as they are attached to an entry, relative to a fill that is yet to come; null
 * where an exit is absent.
 *
 * @category models
 * @since 0.1.0
 */
export interface AttachedExits {
  readonly stopLoss: ExitLevel | null
  readonly takeProfit: ExitLevel | null
  readonly trailingStop: {
    readonly distance: ExitLevel
    readonly activation: ExitLevel | null
  } | null
  readonly breakEven: { readonly activation: ExitLevel; readonly offsetRate: number } | null
}

const levelKinds = {
  fraction: codes.fractionLevel,
  distance: codes.distanceLevel,
  price: codes.priceLevel
}

const kindOf = (level: ExitLevel | null | undefined): number =>
  level === null || level === undefined ? codes.noLevel : levelKinds[level.kind]

/** The kinds of all levels, as an order has them. */
const kindsOf = ({ breakEven, stopLoss, takeProfit, trailingStop }: AttachedExits): number =>
  (kindOf(stopLoss) << codes.stopLossKindAt) |
  (kindOf(takeProfit) << codes.takeProfitKindAt) |
  (kindOf(trailingStop?.distance) << codes.trailKindAt) |
  (kindOf(trailingStop?.activation) << codes.activationKindAt) |
  (kindOf(breakEven?.activation) << codes.breakEvenKindAt)

/** Gives an entry of the matcher whose turn it is its exits. */
export const attachTo = (market: number, id: number, exits: AttachedExits): void => {
  const { breakEven, stopLoss, takeProfit, trailingStop } = exits
  attachExits(
    0,
    market,
    id,
    kindsOf(exits),
    stopLoss?.value ?? 0,
    takeProfit?.value ?? 0,
    trailingStop?.distance.value ?? 0,
    trailingStop?.activation?.value ?? 0,
    breakEven?.activation.value ?? 0,
    breakEven?.offsetRate ?? 0
  )
}
