/**
 * The symbol of a market, as a caller may write it.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { type Problem, problem } from "../../../domain/Problem.ts"

const needs = (pointer: string, message: string) =>
  problem("validation_failed", message, { errors: [{ pointer, code: "not_valid", message }] })

/** The symbol with its currency; fails where the caller has named none, or two. */
export const marketSymbol = (
  symbol: string,
  currency: string | undefined
): Effect.Effect<string, Problem> => {
  const quote = symbol.split("/")[1]
  if (quote !== undefined) {
    return currency === undefined || currency === quote
      ? Effect.succeed(symbol)
      : Effect.fail(needs("/currency", `${symbol} is priced in ${quote}, not in ${currency}.`))
  }
  if (currency === undefined) {
    const message = `${symbol} does not say in which currency it is priced: add currency=USD, or whichever it is.`
    return Effect.fail(needs("/currency", message))
  }
  // Exchanges write BTCUSDT for BTC/USDT.
  const base = symbol.slice(0, -currency.length)
  if (symbol.endsWith(currency) && base.length > 1) {
    const message = `${symbol} ends with its currency: write ${base}/${currency}.`
    return Effect.fail(needs("/symbol", message))
  }
  return Effect.succeed(`${symbol}/${currency}`)
}
