/**
 * Ladders in plain sentences: additions, safety orders, targets, reductions, lots, grids and
 * rebalancing.
 *
 * @since 0.1.0
 */
import type { Exits } from "./Exits.ts"
import type { Addition, Grid, Rebalance, Reduction, SafetyOrders, Target } from "./Ladder.ts"
import type { PositionParts, StrategyDefinition } from "./StrategyDefinition.ts"
import { type OrderDirections, orderText, sizingSentence } from "./describeEntries.ts"
import { exitSentences } from "./describeExits.ts"
import { describeRule } from "./describeExpression.ts"
import { distanceText, placeText, saidOf, type Words } from "./describeWords.ts"

const additionSentence = (
  addition: Addition,
  directions: OrderDirections,
  words: Words
): string => {
  const { against, enter, entry, in_favour: inFavour, name, times = 1 } = addition
  if (enter !== undefined) {
    const often = times === 1 ? "once" : `at most ${words.text(times)} times`
    const order = entry === undefined ? "a market order" : orderText(entry, directions, words)
    const rule = describeRule(enter, words.text)
    return `Adds "${name}" to an open position, ${often}, when ${rule}, by ${order}.`
  }
  const [order, far] =
    against === undefined
      ? ["a stop order", `${words.percent(inFavour ?? Number.NaN)} beyond`]
      : ["a limit order", `${words.percent(against)} against`]
  return `The addition "${name}" rests as ${order} ${far} the first entry price of the position.`
}

const replaceable = [
  ["stop_loss", "stop loss"],
  ["take_profit", "take profit"],
  ["trailing_stop", "trailing stop"],
  ["break_even", "break-even"],
  ["time_limit", "time limit"]
] as const

/** The common exits that the lot of an addition has not, where it has exits of its own. */
const replacedSentences = (
  lot: string,
  own: Exits,
  common: Exits | undefined
): ReadonlyArray<string> => {
  const there = replaceable.filter(([key]) => common?.[key] !== undefined)
  if (there.length === 0) return []
  const lacking = there.filter(([key]) => own[key] === undefined).map(([, name]) => `no ${name}`)
  const without = lacking.length === 0 ? "" : `: it has ${lacking.join(" and ")}`
  return [`Exits of its own replace the common ones for ${lot}${without}.`]
}

const ownExitSentences = (
  lot: string,
  own: Exits,
  common: Exits | undefined,
  words: Words
): ReadonlyArray<string> => [
  ...exitSentences(own, words).map((sentence) => saidOf(lot, sentence)),
  ...replacedSentences(lot, own, common)
]

const additionSentences = (
  addition: Addition,
  common: Exits | undefined,
  directions: OrderDirections,
  words: Words
): ReadonlyArray<string> => {
  const { exits, name, sizing } = addition
  const subject = `The addition "${name}"`
  return [
    additionSentence(addition, directions, words),
    sizing === undefined
      ? `${subject} is sized as an entry is.`
      : sizingSentence(subject, sizing, words),
    ...(exits === undefined ? [] : ownExitSentences(`the lot "${name}"`, exits, common, words))
  ]
}

const safetySentence = (safety: SafetyOrders, words: Words): string => {
  const { count, distance, distance_factor: farther, size_factor: larger } = safety
  const orders =
    count === 1
      ? "1 safety order as a limit order"
      : `${words.text(count)} safety orders as limit orders`
  const first = `the first ${words.percent(distance)} against the first entry price and of the notional of the first entry`
  const further = `each further distance ${words.text(farther)} times the one before`
  return `Rests ${orders}: ${first}, ${further}, each further notional ${words.text(larger)} times the one before.`
}

const targetSentences = (target: Target, index: number, words: Words): ReadonlyArray<string> => {
  const name = `Target ${index + 1}`
  const place = placeText(target.at, "beyond", words, "the average entry price")
  const portion = `${words.percent(target.portion)} of the largest size that the position had`
  const sentence = `${name} closes ${portion}, ${place}.`
  if (target.stop === undefined) return [sentence]
  const to = target.stop === "entry" ? "the average entry price" : `the price of target ${index}`
  return [sentence, `Once target ${index + 1} is filled, the stop of the position moves to ${to}.`]
}

const reductionSentence = ({ lot, portion, when }: Reduction, words: Words): string => {
  const of = lot === undefined ? "the position" : `the lot "${lot}"`
  return `Reduces ${of} by ${words.percent(portion)} when ${describeRule(when, words.text)}.`
}

/** The growth and the shrinking of a position. @category descriptions @since 0.1.0 */
export const ladderSentences = (
  { additions, exits, reductions, safety_orders: safety, targets }: Partial<PositionParts>,
  directions: OrderDirections,
  words: Words
): ReadonlyArray<string> => [
  ...(additions ?? []).flatMap((one) => additionSentences(one, exits, directions, words)),
  ...(safety === undefined ? [] : [safetySentence(safety, words)]),
  ...(targets ?? []).flatMap((target, index) => targetSentences(target, index, words)),
  ...(reductions ?? []).map((reduction) => reductionSentence(reduction, words))
]

/** The treatment of the entries of one position. @category descriptions @since 0.1.0 */
export const lotSentences = ({
  exits_of: exitsOf,
  lots
}: StrategyDefinition): ReadonlyArray<string> => {
  if (lots === undefined) return []
  if (lots === "average") return ["All entries of a position are one lot, at the average price."]
  const first =
    lots === "by_name"
      ? "Each entry is a lot of its own, and a reduction closes the lots that it names."
      : "Each entry is a lot of its own, and the oldest lot is closed first."
  return [
    first,
    exitsOf === "position"
      ? "All lots have the same exits, measured from the average entry price."
      : "Each lot has exits of its own, measured from its own entry price."
  ]
}

const gridStopSentence = (stop: NonNullable<Exits["stop_loss"]>, words: Words): string => {
  const text = distanceText(stop, words)
  const place = stop.type === "level" ? `at ${text}` : `${text} below the lowest line`
  return `Stop loss ${place}, for all lots.`
}

/** The sentences about a grid. @category descriptions @since 0.1.0 */
export const gridSentences = (
  { exits, sizing }: StrategyDefinition,
  { lines, lower, spacing, upper }: Grid,
  words: Words
): ReadonlyArray<string> => {
  const range = `from ${words.text(lower)} to ${words.text(upper)}`
  const apart = spacing === "arithmetic" ? "equal differences" : "equal ratios"
  const size =
    sizing === undefined || sizing.type === "equity_fraction"
      ? `All lines together use ${words.percent(sizing?.fraction ?? 1)} of equity.`
      : sizingSentence("Each line", sizing, words)
  const stop = exits?.stop_loss
  return [
    `A grid has ${words.text(lines)} lines ${range}, ${apart} apart.`,
    "Each line but the highest buys with a limit order, and its lot is sold one line above.",
    ...(stop === undefined ? [] : [gridStopSentence(stop, words)]),
    size
  ]
}

/** The sentences about rebalancing. @category descriptions @since 0.1.0 */
export const rebalanceSentences = (
  { band, weight, when }: Rebalance,
  words: Words
): ReadonlyArray<string> => {
  const at = when === undefined ? "" : `, at closes at which ${describeRule(when, words.text)}`
  const off = `its weight is off by more than ${words.percent(band)} of equity`
  return [
    `Holds each market at a weight of ${words.percent(weight)} of equity.`,
    `Orders the difference at the market when ${off}${at}.`
  ]
}
