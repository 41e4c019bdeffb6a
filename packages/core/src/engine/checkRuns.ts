/**
 * What would go wrong far from where it was asked for, or be nonsense that nobody notices, is
 * refused by name: hosts without types call the engine too.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../kernel/columns.ts"
import type { EngineOptions, EngineRun } from "./Run.ts"

const describe = (value: unknown): string => {
  if (Array.isArray(value)) return "an array"
  return typeof value === "object" && value !== null ? "an object" : String(value)
}

const check = (isRight: boolean, name: string, expected: string, value: unknown): void => {
  if (!isRight) throw new RangeError(`${name}: expected ${expected}, found ${describe(value)}`)
}

const checkAmong = (name: string, value: unknown, among: ReadonlyArray<unknown>): void =>
  check(among.includes(value), name, among.join(" or "), value)

const checkNumber = (name: string, value: unknown): void =>
  check(Number.isFinite(value), name, "a number", value)

const checkPositive = (name: string, value: unknown): void =>
  check(typeof value === "number" && value > 0, name, "a number above 0", value)

const checkOptions = (options: EngineOptions): void => {
  check(typeof options === "object" && options !== null, "options", "an object", options)
  const { capital, endOfData, exposureMax, fill, from = 0, periodsPerYear, returns } = options
  const { riskMax, spec } = options
  check(typeof spec === "object" && spec !== null, "spec", "the steps and costs of a market", spec)
  const { feePerFill, leverage, lot, makerRate, minNotional, slippageRate, takerRate, tick } = spec
  const costs = { feePerFill, makerRate, slippageRate, takerRate }
  for (const [name, value] of Object.entries(costs)) checkNumber(`spec.${name}`, value)
  for (const [name, value] of Object.entries({ lot, minNotional, tick })) {
    check(value >= 0 && value < Infinity, `spec.${name}`, "a number, 0 for none", value)
  }
  checkPositive("spec.leverage", leverage)
  check(Number.isFinite(capital) && capital > 0, "capital", "a number above 0", capital)
  checkAmong("fill", fill, ["next_open", "close"])
  checkAmong("endOfData", endOfData, ["close", "open"])
  checkAmong("returns", returns, ["candle", "day"])
  checkPositive("periodsPerYear", periodsPerYear)
  for (const [name, value] of Object.entries({ exposureMax, riskMax })) {
    check(value === undefined || value >= 0, name, "a fraction of equity", value)
  }
  check(Number.isInteger(from) && from >= 0, "from", "the index of a candle", from)
}

/**
 * Throws where candles are no columns, an option is none, a run has no definition, or a parameter
 * has no value. What is in the columns and in the definitions is not looked at.
 */
export const checkRuns = (
  candles: CandleColumns,
  runs: ReadonlyArray<EngineRun>,
  options: EngineOptions
): void => {
  const hasLength = !Array.isArray(candles) && Number.isInteger(candles?.length)
  check(hasLength, "candles", "columns with their length", candles)
  check(Array.isArray(runs), "runs", "an array", runs)
  checkOptions(options)
  for (const [index, run] of runs.entries()) {
    const isRun = typeof run?.definition === "object" && typeof run.values === "object"
    check(isRun, `run ${index}`, "an object with a definition and its values", run)
    for (const name in run.definition.parameters) {
      const value = run.values[name]
      if (Number.isFinite(value)) continue
      throw new RangeError(
        `run ${index}: expected a number for parameter ${name}, found ${describe(value)}`
      )
    }
  }
}
