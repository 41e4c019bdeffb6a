/**
 * A strategy in plain sentences: its markets, its entries and exits, and its size.
 *
 * @since 0.1.0
 */
import type { ParameterValues } from "./Parameter.ts"
import type { RiskProfile } from "./RiskProfile.ts"
import type { PositionParts, StrategyDefinition } from "./StrategyDefinition.ts"
import { type OrderDirections, entrySentence, sizingSentence } from "./describeEntries.ts"
import { exitSentences } from "./describeExits.ts"
import { describeRule } from "./describeExpression.ts"
import {
  gridSentences,
  ladderSentences,
  lotSentences,
  rebalanceSentences
} from "./describeLadder.ts"
import { numberText, saidOf, type Words, wordsWith } from "./describeWords.ts"
import { defaultValues } from "./searchSpace.ts"
import { partsOf, sidesOf } from "./sidesOf.ts"

const tradesSentence = ({ symbols, timeframe, trades }: StrategyDefinition): string => {
  const read = symbols.filter((symbol) => trades?.includes(symbol) === false)
  const besides = read.length === 0 ? "" : `, and reads ${read.join(", ")}`
  return `Trades ${(trades ?? symbols).join(", ")} on ${timeframe} candles${besides}.`
}

const directionSentences = (definition: StrategyDefinition, words: Words): ReadonlyArray<string> =>
  definition.code === undefined
    ? ruleSentences(definition, words)
    : [`The code "${definition.code}" says when to enter and to exit.`]

const ruleSentences = (definition: StrategyDefinition, words: Words): ReadonlyArray<string> =>
  (["long", "short"] as const).flatMap((direction) => {
    const rules = definition[direction]
    if (rules === undefined) return []
    const enter = `Enters ${direction} when ${describeRule(rules.enter, words.text)}.`
    if (rules.exit === undefined) return [enter]
    return [enter, `Exits ${direction} when ${describeRule(rules.exit, words.text)}.`]
  })

const directionsOf = ({ code, long, short }: StrategyDefinition): OrderDirections => [
  ...(long !== undefined || code !== undefined ? (["long"] as const) : []),
  ...(short !== undefined || code !== undefined ? (["short"] as const) : [])
]

/** Describes parts of a position once, or for each side where one of them has its own. */
const sidedSentences = (
  definition: StrategyDefinition,
  names: ReadonlyArray<keyof PositionParts>,
  tell: (parts: PositionParts, directions: OrderDirections) => ReadonlyArray<string>
): ReadonlyArray<string> => {
  const directions = directionsOf(definition)
  if (directions.every((side) => names.every((name) => definition[side]?.[name] === undefined))) {
    return tell(definition, directions)
  }
  return directions.flatMap((side) => {
    const subject = directions.length === 1 ? null : `a ${side}`
    const sentences = tell(partsOf(definition, side), [side])
    return sentences.map((sentence) => saidOf(subject, sentence))
  })
}

/** An addition with exits of its own is described beside the exits that these replace. */
const additionParts = (definition: StrategyDefinition): ReadonlyArray<keyof PositionParts> =>
  sidesOf(definition).some(({ parts }) => parts.additions?.some(({ exits }) => exits !== undefined))
    ? ["additions", "exits"]
    : ["additions"]

const positionSentences = (definition: StrategyDefinition, words: Words): ReadonlyArray<string> => [
  ...sidedSentences(definition, ["entry"], ({ entry }, directions) => [
    entrySentence(entry, directions, words)
  ]),
  ...sidedSentences(definition, additionParts(definition), ({ additions, exits }, directions) =>
    ladderSentences({ ...(additions && { additions }), ...(exits && { exits }) }, directions, words)
  ),
  ...(["safety_orders", "targets", "reductions"] as const).flatMap((name) =>
    sidedSentences(definition, [name], (parts, directions) =>
      ladderSentences({ [name]: parts[name] }, directions, words)
    )
  ),
  ...lotSentences(definition),
  ...sidedSentences(definition, ["exits"], ({ exits }) => exitSentences(exits, words)),
  ...sidedSentences(definition, ["sizing"], ({ sizing }) => [
    sizingSentence("Each entry", sizing, words)
  ])
]

const limitSentences = (
  { max_positions: count, overlap, reentry }: StrategyDefinition,
  words: Words
): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  if (count !== undefined) {
    const most = `Holds at most ${count} ${count === 1 ? "position" : "positions"} at a time`
    const each = overlap === true ? ", several of one market among them" : ", one a market"
    sentences.push(`${most}${count === 1 ? "" : each}.`)
  }
  if (reentry?.cooldown !== undefined) {
    sentences.push(`Waits ${words.candles(reentry.cooldown)} after an exit before it enters again.`)
  }
  if (reentry?.cooldown_after_stop !== undefined) {
    const wait = words.candles(reentry.cooldown_after_stop)
    sentences.push(`Waits ${wait} after a stop before it enters again.`)
  }
  return sentences
}

/**
 * Says how a risk profile cuts entries of any size.
 *
 * @category descriptions
 * @since 0.1.0
 */
export const describeCaps = ({
  max_exposure,
  risk_per_trade
}: RiskProfile): ReadonlyArray<string> => {
  const [exposure, risk] = [max_exposure, risk_per_trade].map((rate) => numberText(rate * 100))
  return [
    `An entry is cut where its stop would cost more than ${risk} % of equity.`,
    `An entry is cut where all positions would be worth more than ${exposure} % of equity.`
  ]
}

/**
 * Describes a strategy in plain sentences; a setting that is a parameter is followed by the
 * parameter's name.
 *
 * **Details**
 *
 * Without `values` the sentences use the parameters' defaults.
 *
 * @category descriptions
 * @since 0.1.0
 */
export const describeStrategy = (
  definition: StrategyDefinition,
  values: ParameterValues = defaultValues(definition)
): ReadonlyArray<string> => {
  const words = wordsWith(values)
  const { grid, rebalance } = definition
  if (grid !== undefined) {
    return [tradesSentence(definition), ...gridSentences(definition, grid, words)]
  }
  if (rebalance !== undefined) {
    return [tradesSentence(definition), ...rebalanceSentences(rebalance, words)]
  }
  return [
    tradesSentence(definition),
    ...directionSentences(definition, words),
    ...positionSentences(definition, words),
    ...limitSentences(definition, words)
  ]
}
