/**
 * Refuses wrong arguments by name, before they fail far from their call or give results that look
 * right: hosts without types call the engine too.
 *
 * @since 0.1.0
 */
import { notAmong } from "../language/notAmong.ts"
import { valueFault } from "../language/valueFault.ts"
import { type CandleColumns, columnNames } from "../kernel/columns.ts"
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

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** A fee, which may be a rebate, or the slippage of a fill. */
const checkRate = (name: string, value: unknown, min: number): void => {
  const isRate = typeof value === "number" && value >= min && value < 1
  check(isRate, name, `a fraction from ${min} to below 1`, value)
}

const checkOptions = (options: EngineOptions, candleCount: number): void => {
  check(isObject(options), "options", "an object", options)
  const { capital, endOfData, exposureMax, fill, from = 0, periodsPerYear, returns } = options
  const { riskMax, spec } = options
  check(isObject(spec), "spec", "the steps and costs of a market", spec)
  const { canShort, feePerFill, leverage, lot, makerRate, minNotional } = spec
  const { slippageRate, takerRate, tick } = spec
  checkNumber("spec.feePerFill", feePerFill)
  for (const [name, value] of Object.entries({ makerRate, takerRate })) {
    checkRate(`spec.${name}`, value, -0.01)
  }
  checkRate("spec.slippageRate", slippageRate, 0)
  check(typeof canShort === "boolean", "spec.canShort", "true or false", canShort)
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
  const isIndex = Number.isInteger(from) && from >= 0 && from <= candleCount
  check(isIndex, "from", "the index of a candle", from)
}

/** Throws where a column is none of doubles, or has not one of them for each candle. */
export const checkColumn = (column: unknown, name: string, length: number): void => {
  const found = column instanceof Float64Array ? `${column.length} of them` : describe(column)
  const isWhole = column instanceof Float64Array && column.length === length
  check(isWhole, `candles.${name}`, `${length} doubles`, found)
}

const checkCandles = (candles: CandleColumns): void => {
  const hasLength = !Array.isArray(candles) && Number.isInteger(candles?.length)
  check(hasLength, "candles", "columns with their length", candles)
  for (const name of columnNames) {
    if (!(name in candles)) throw new RangeError(`candles: expected a column ${name}, found none`)
    // A column behind a getter may be costly; it is looked at when somebody needs it.
    const column: unknown = Object.getOwnPropertyDescriptor(candles, name)?.value
    if (column !== undefined) checkColumn(column, name, candles.length)
  }
}

const checkRun = ({ definition, values }: EngineRun, index: number): void => {
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(definition.parameters, name)) continue
    const known = notAmong(`parameter "${name}"`, Object.keys(definition.parameters))
    throw new RangeError(`run ${index}: ${known}`)
  }
  for (const [name, parameter] of Object.entries(definition.parameters)) {
    const value = values[name]
    const parameterName = `run ${index}: parameter ${name}`
    check(Number.isFinite(value), parameterName, "a number", value)
    const fault = valueFault(name, parameter, value!)
    if (fault === null) continue
    throw new RangeError(
      `${parameterName}: ${fault.message.replace("Expected", "expected")}, found ${value}`
    )
  }
}

/**
 * Throws where candles are no columns, an option is unknown, or a run has no definition. Throws
 * where a parameter lacks a value, or has one outside its bounds. The contents of columns and
 * definitions are not checked.
 */
export const checkRuns = (
  candles: CandleColumns,
  runs: ReadonlyArray<EngineRun>,
  options: EngineOptions
): void => {
  checkCandles(candles)
  check(Array.isArray(runs), "runs", "an array", runs)
  checkOptions(options, candles.length)
  for (const [index, run] of runs.entries()) {
    const isRun = isObject(run) && isObject(run.definition) && isObject(run.values)
    check(isRun, `run ${index}`, "an object with a definition and its values", run)
    const { parameters, symbols } = run.definition
    const isWhole = isObject(parameters) && Array.isArray(symbols)
    check(isWhole, `run ${index}`, "a definition that checkStrategy has passed", run.definition)
    const { length } = symbols
    check(length === 1, `run ${index}`, "a strategy of one symbol, as there is one series", length)
    checkRun(run, index)
  }
}
