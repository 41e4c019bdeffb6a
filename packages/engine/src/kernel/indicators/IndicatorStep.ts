/**
 * The step form of an indicator, and the column form that follows from it.
 *
 * An indicator is defined once, by its step. Its columns are that step over whole series, so that a
 * backtest and a bot see the same numbers to the bit.
 *
 * @since 0.1.0
 */

/**
 * Takes the next value of each input and writes each output; NaN where it is not defined yet.
 *
 * **Details**
 *
 * An input that is NaN (because it is warming up itself) starts the warm-up again.
 *
 * @category indicators
 * @since 0.1.0
 */
export interface IndicatorStep {
  (inputs: ArrayLike<number>, outputs: Float64Array): void
}

/**
 * The places for an indicator's outputs: an array, a new one where there is none (undefined), or
 * none because the output has no reader (null). The results are in these arrays only where the
 * indicator can write there; the result in place of a null has no meaning.
 *
 * @category indicators
 * @since 0.1.0
 */
export type ColumnsInto = ReadonlyArray<Float64Array | null | undefined>

const empty = new Float64Array(0)

/**
 * An output, or an empty column in place of one that no reader needs.
 *
 * @category indicators
 * @since 0.1.0
 */
export const orEmpty = (output: Float64Array | null | undefined): Float64Array => output ?? empty

/** Runs a step over whole columns. @category indicators @since 0.1.0 */
export const toColumns = (
  step: IndicatorStep,
  inputs: ReadonlyArray<Float64Array>,
  outputCount: number
): ReadonlyArray<Float64Array> => {
  const length = inputs[0]?.length ?? 0
  const columns = Array.from({ length: outputCount }, () => new Float64Array(length))
  const next = new Float64Array(inputs.length)
  const outputs = new Float64Array(outputCount)
  for (let index = 0; index < length; index++) {
    for (let input = 0; input < inputs.length; input++) next[input] = inputs[input]![index]!
    step(next, outputs)
    for (let output = 0; output < outputCount; output++) columns[output]![index] = outputs[output]!
  }
  return columns
}
