/**
 * Decides how the signals of one candle change the position.
 *
 * @since 0.1.0
 */
import type { SideSign } from "../fill.ts"
import type { AgainstRule, ConflictRule, SignalOptions } from "./signalOptions.ts"

/**
 * The direction and the kind of the trade. It adds `size`, takes `size` off the position, or closes
 * it. It closes it and opens `size` the other way, or trades `size` against it even through zero.
 *
 * @category models
 * @since 0.1.0
 */
export interface SignalIntent {
  readonly side: SideSign
  readonly effect: "increase" | "reduce" | "close" | "reverse" | "turn"
}

/** The signals of one candle. @category models @since 0.1.0 */
export interface SignalFlags {
  readonly longEntry: boolean
  readonly longExit: boolean
  readonly shortEntry: boolean
  readonly shortExit: boolean
}

type Rules = Pick<
  SignalOptions,
  "accumulation" | "longConflict" | "shortConflict" | "directionConflict" | "oppositeEntry"
>

/**
 * Returns the intent, or null.
 *
 * **Details**
 *
 * Entry and exit of the same direction are settled first, then entries both ways, then an entry
 * against the position. An entry that is left prevails over an exit.
 *
 * @category kernels
 * @since 0.1.0
 */
export const decideSignal = (
  flags: SignalFlags,
  held: SideSign | 0,
  rules: Rules
): SignalIntent | null => {
  const long = settle(flags.longEntry, flags.longExit, held, rules.longConflict)
  const short = settle(flags.shortEntry, flags.shortExit, -held, rules.shortConflict)
  const entry = entrySide(long.enters, short.enters, held, rules.directionConflict)
  const { accumulation } = rules
  if (entry !== 0 && held !== -entry) {
    const adds = accumulation === "both" || accumulation === "add_only"
    return held === 0 || adds ? { side: entry, effect: "increase" } : null
  }
  if (entry !== 0 && rules.oppositeEntry !== "ignore") {
    return { side: entry, effect: effectAgainst(rules.oppositeEntry, accumulation) }
  }
  const exits = held === 1 ? long.exits : held === -1 && short.exits
  if (!exits) return null
  return { side: held === 1 ? -1 : 1, effect: effectAgainst("close_reduce", accumulation) }
}

/** The effect of a rule on a position under an accumulation. @category kernels @since 0.1.0 */
export const effectAgainst = (
  rule: AgainstRule,
  accumulation: SignalOptions["accumulation"]
): SignalIntent["effect"] => {
  const removes = accumulation === "both" || accumulation === "remove_only"
  switch (rule) {
    case "close":
    case "reverse":
      return rule
    case "close_reduce":
      return removes ? "reduce" : "close"
    case "reverse_reduce":
      return removes ? "turn" : "reverse"
  }
}

/**
 * Entry and exit of one direction; `held` is 1 where the position is of it, -1 where it is of the
 * other.
 */
const settle = (enters: boolean, exits: boolean, held: number, rule: ConflictRule) => {
  if (!enters || !exits) return { enters, exits }
  switch (rule) {
    case "ignore":
      return { enters: false, exits: false }
    case "entry":
    case "exit":
      return { enters: rule === "entry", exits: rule === "exit" }
    case "adjacent":
      return { enters: held === 1, exits: held === -1 }
    case "opposite":
      return { enters: held === -1, exits: held === 1 }
  }
}

const entrySide = (
  long: boolean,
  short: boolean,
  held: SideSign | 0,
  rule: SignalOptions["directionConflict"]
): SideSign | 0 => {
  if (!long || !short) return long ? 1 : short ? -1 : 0
  switch (rule) {
    case "ignore":
      return 0
    case "long":
      return 1
    case "short":
      return -1
    case "adjacent":
      return held
    case "opposite":
      return held === 0 ? 0 : held === 1 ? -1 : 1
  }
}
