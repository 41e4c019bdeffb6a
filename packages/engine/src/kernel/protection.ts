/**
 * The protective exits of a position: stop loss, target, trailing stop and break-even, as price
 * levels.
 *
 * @since 0.1.0
 */
import type { AttachedExits, ExitLevel } from "../match/AttachedExits.ts"
import { distanceAway, partAway } from "../match/levelRules.ts"
import type { ExitReason } from "./ledger.ts"

export type { AttachedExits, ExitLevel }

/**
 * Protective exits of an open position: plain data, changed in place.
 *
 * @category models
 * @since 0.1.0
 */
export interface Protection {
  readonly entryOrderId: string
  /** Index of the first candle that they are checked on. */
  readonly liveFrom: number
  readonly direction: 1 | -1
  readonly tick: number
  /** The tightest stop in force. */
  stop: number | null
  stopReason: Extract<ExitReason, "stop_loss" | "trailing_stop" | "break_even">
  readonly target: number | null
  readonly trailing: {
    readonly distance: number
    /** Whether `distance` is a fraction of the best price. */
    readonly isFraction: boolean
    /** Price that must be reached before it trails, or null. */
    readonly activation: number | null
    best: number
  } | null
  readonly breakEven: { readonly activation: number; readonly stop: number } | null
  /** The results of other paths where a candle raised a stop that it may have passed. */
  passed?: PassedStops | undefined
}

/**
 * The least and the most that other paths inside earlier candles would have given.
 *
 * @category models
 * @since 0.1.0
 */
export interface PassedStops {
  /** After slippage; the highest for a long, the lowest for a short. */
  readonly best: number
  readonly worst: number
}

/**
 * The price of a level beside an entry price; `away` is 1 for a level above it and -1 for one
 * below.
 *
 * @category models
 * @since 0.1.0
 */
export const levelPrice = (level: ExitLevel, entryPrice: number, away: 1 | -1): number => {
  switch (level.kind) {
    case "fraction":
      return partAway(entryPrice, away, level.value)
    case "distance":
      return distanceAway(entryPrice, away, level.value)
    case "price":
      return level.value
  }
}

/** Exits that stand in place of others. @category models @since 0.1.0 */
export type GivenExits = {
  readonly [Name in keyof AttachedExits]?: NonNullable<AttachedExits[Name]> | undefined
}

/** The exits with others in their places; an absent one stays. @category models @since 0.1.0 */
export const withExits = (base: AttachedExits | null, given: GivenExits): AttachedExits => ({
  stopLoss: given.stopLoss ?? base?.stopLoss ?? null,
  takeProfit: given.takeProfit ?? base?.takeProfit ?? null,
  trailingStop: given.trailingStop ?? base?.trailingStop ?? null,
  breakEven: given.breakEven ?? base?.breakEven ?? null
})

/**
 * The exits without levels that are not defined yet, which are none; NaN would not survive as JSON.
 *
 * @category models
 * @since 0.1.0
 */
export const definedExits = ({
  breakEven,
  stopLoss,
  takeProfit,
  trailingStop
}: AttachedExits): AttachedExits => ({
  stopLoss: defined(stopLoss),
  takeProfit: defined(takeProfit),
  trailingStop:
    trailingStop === null || defined(trailingStop.distance) === null
      ? null
      : { distance: trailingStop.distance, activation: defined(trailingStop.activation) },
  breakEven: breakEven === null || defined(breakEven.activation) === null ? null : breakEven
})

const defined = (level: ExitLevel | null): ExitLevel | null =>
  level === null || Number.isNaN(level.value) ? null : level
