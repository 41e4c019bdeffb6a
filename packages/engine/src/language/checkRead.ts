/**
 * The markets that the rules of a strategy read besides their own.
 *
 * @since 0.1.0
 */
import type { Fault } from "./Fault.ts"
import { isObject } from "./isObject.ts"
import type { StrategyDefinition } from "./StrategyDefinition.ts"

const addSymbols = (part: unknown, into: Set<string>): void => {
  if (Array.isArray(part)) for (const inner of part) addSymbols(inner, into)
  if (!isObject(part)) return
  if (part["type"] === "symbol" && typeof part["symbol"] === "string") into.add(part["symbol"])
  for (const inner of Object.values(part)) addSymbols(inner, into)
}

/**
 * The faults of a run on these markets: a market that a rule reads is missing, or none of them is
 * traded.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkRead = (
  definition: StrategyDefinition,
  symbols: ReadonlyArray<string>,
  pointer: string
): ReadonlyArray<Fault> => {
  const read = new Set<string>()
  addSymbols(definition, read)
  const { code, trades } = definition
  // Code does not declare its reads, but a market that is not traded is there to be read.
  if (code !== undefined && trades !== undefined) {
    for (const symbol of definition.symbols) if (!trades.includes(symbol)) read.add(symbol)
  }
  const faults: Array<Fault> = []
  for (const symbol of read) {
    if (symbols.includes(symbol)) continue
    const reader = code === undefined ? "A rule" : "The strategy"
    const message = `${reader} reads ${symbol}, which is not among the symbols`
    faults.push({ pointer, code: "no_market_data", message })
  }
  if (trades !== undefined && !trades.some((symbol) => symbols.includes(symbol))) {
    const message = `The strategy trades ${trades.join(", ")}, none of which is among the symbols`
    faults.push({ pointer, code: "unknown_symbol", message })
  }
  return faults
}
