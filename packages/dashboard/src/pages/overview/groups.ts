/**
 * The worth of an account in groups: paper and live are never in one sum, and neither are two
 * currencies.
 */
import type { Day, Performance } from "../../api/types.ts"

/** The worth of one mode and currency, with its days, the oldest first. */
export interface WorthGroup<W, D> {
  readonly name: string
  readonly worth: W
  readonly days: ReadonlyArray<D>
}

type Grouped = Pick<Performance, "currency" | "mode">

/** The groups of an account, live before paper; days come the newest first. */
export const worthGroups = <W extends Grouped, D extends Pick<Day, "currency" | "mode">>(
  worths: ReadonlyArray<W>,
  days: ReadonlyArray<D>
): ReadonlyArray<WorthGroup<W, D>> =>
  worths
    .toSorted((one, other) => one.mode.localeCompare(other.mode))
    .map((worth) => ({
      name: `${worth.mode} ${worth.currency}`,
      worth,
      days: days
        .filter(({ currency, mode }) => currency === worth.currency && mode === worth.mode)
        .toReversed()
    }))
