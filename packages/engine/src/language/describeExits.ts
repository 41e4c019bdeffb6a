/**
 * Exits in plain sentences.
 *
 * @since 0.1.0
 */
import type { Exits } from "./Exits.ts"
import { distanceText, placeText, type Words } from "./describeWords.ts"

/** The exits that a position has besides its exit rule. @category descriptions @since 0.1.0 */
export const exitSentences = (exits: Exits | undefined, words: Words): ReadonlyArray<string> => {
  if (exits === undefined) return []
  const sentences: Array<string> = []
  if (exits.stop_loss !== undefined) {
    sentences.push(`Stop loss ${placeText(exits.stop_loss, "against", words)}.`)
  }
  if (exits.take_profit !== undefined) {
    sentences.push(`Takes profit ${placeText(exits.take_profit, "beyond", words)}.`)
  }
  const trailing = exits.trailing_stop
  if (trailing !== undefined) {
    const start =
      trailing.activation === undefined
        ? "from the entry on"
        : `once the price is ${placeText(trailing.activation, "beyond", words)}`
    const distance = distanceText(trailing.distance, words)
    sentences.push(`A trailing stop follows the best price by ${distance}, ${start}.`)
  }
  const breakEven = exits.break_even
  if (breakEven !== undefined) {
    const offset =
      breakEven.offset === undefined ? "" : ` plus ${words.percent(breakEven.offset)} of it`
    const start = `once the price is ${placeText(breakEven.activation, "beyond", words)}`
    sentences.push(`The stop moves to the entry price${offset} ${start}.`)
  }
  if (exits.time_limit !== undefined) {
    const candles = words.candles(exits.time_limit)
    sentences.push(
      `Decides to exit at the close ${candles} after the entry candle's, at the latest.`
    )
  }
  return sentences
}
