/**
 * Indicators taken apart into the operations of lanes: the same sums in the same order as in their
 * steps.
 *
 * @since 0.1.0
 */
import type { IndicatorName } from "../../language/Indicator.ts"
import type { LaneNode, LaneProgram } from "./LaneProgram.ts"

/** Adds the operations of one output. */
type Output = (
  program: LaneProgram,
  inputs: ReadonlyArray<LaneNode>,
  settings: ReadonlyArray<number>
) => LaneNode

const exponential = (program: LaneProgram, source: LaneNode, period: number): LaneNode =>
  program.series("smoothed", [source], [period, 2 / (period + 1)])

const wilder = (program: LaneProgram, source: LaneNode, period: number): LaneNode =>
  program.series("smoothed", [source], [period, 1 / period])

const times = (program: LaneProgram, factor: number, node: LaneNode): LaneNode =>
  program.series("mul", [program.series("constant", [], [factor]), node])

const rolling =
  (kind: "mean" | "stdev"): Output =>
  (program, [source], [period]) =>
    program.series(kind, [source!], [period!])

const ema: Output = (program, [source], [period]) => exponential(program, source!, period!)

const dema: Output = (program, [source], [period]) => {
  const once = exponential(program, source!, period!)
  const twice = exponential(program, once, period!)
  return program.series("sub", [times(program, 2, once), twice])
}

const tema: Output = (program, [source], [period]) => {
  const once = exponential(program, source!, period!)
  const twice = exponential(program, once, period!)
  const thrice = exponential(program, twice, period!)
  const apart = program.series("sub", [times(program, 3, once), times(program, 3, twice)])
  return program.series("add", [apart, thrice])
}

const rsi: Output = (program, [source], [period]) => {
  const change = program.series("change", [source!])
  const gain = wilder(program, program.series("rise", [change]), period!)
  const loss = wilder(program, program.series("fall", [change]), period!)
  return program.series("gain_share", [gain, loss])
}

const macd: Output = (program, [source], [fast, slow]) =>
  program.series("sub", [
    exponential(program, source!, fast!),
    exponential(program, source!, slow!)
  ])

const macdSignal: Output = (program, inputs, settings) =>
  exponential(program, macd(program, inputs, settings), settings[2]!)

const macdHistogram: Output = (program, inputs, settings) =>
  program.series("sub", [macd(program, inputs, settings), macdSignal(program, inputs, settings)])

const band =
  (side: "add" | "sub"): Output =>
  (program, [source], [period, deviations]) => {
    const room = times(program, deviations!, program.series("stdev", [source!], [period!]))
    return program.series(side, [program.series("mean", [source!], [period!]), room])
  }

const atr: Output = (program, inputs, [period]) =>
  wilder(program, program.series("true_range", inputs), period!)

const donchianUpper: Output = (program, [high], [period]) =>
  program.series("highest", [high!], [period!])

const donchianLower: Output = (program, [, low], [period]) =>
  program.series("lowest", [low!], [period!])

const donchianMiddle: Output = (program, inputs, settings) => {
  const upper = donchianUpper(program, inputs, settings)
  const lower = donchianLower(program, inputs, settings)
  const two = program.series("constant", [], [2])
  return program.series("div", [program.series("add", [upper, lower]), two])
}

const outputs: Partial<Record<IndicatorName, ReadonlyArray<Output>>> = {
  sma: [rolling("mean")],
  ema: [ema],
  dema: [dema],
  tema: [tema],
  stddev: [rolling("stdev")],
  rsi: [rsi],
  macd: [macd, macdSignal, macdHistogram],
  bollinger: [rolling("mean"), band("add"), band("sub")],
  atr: [atr],
  donchian: [donchianUpper, donchianMiddle, donchianLower]
}

/**
 * The operations of an indicator's output of this position, or null where it has none.
 *
 * @category programs
 * @since 0.1.0
 */
export const lowerIndicator = (
  program: LaneProgram,
  name: IndicatorName,
  position: number,
  inputs: ReadonlyArray<LaneNode>,
  settings: ReadonlyArray<number>
): LaneNode | null => outputs[name]?.[position]?.(program, inputs, settings) ?? null
