/**
 * Whether markets can share an account.
 *
 * Results in one currency make no sum with results in another, as long as no rate between them is
 * known.
 *
 * @since 0.1.0
 */
import { marketOf } from "./Market.ts"
import type { Fault } from "./Fault.ts"

/**
 * The fault of markets in several quote currencies, which names each of them; none otherwise.
 *
 * **Gotchas**
 *
 * A currency is its name: USD and USDT are two, also where their prices are equal.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkQuotes = (
  symbols: ReadonlyArray<string>,
  pointer: string
): ReadonlyArray<Fault> => {
  const byQuote = Map.groupBy(symbols, (symbol) => marketOf(symbol).quote)
  if (byQuote.size < 2) return []
  const list = [...byQuote].map(([quote, markets]) => `${markets.join(", ")} in ${quote}`)
  const message =
    "Markets that share an account need one quote currency, for there are no exchange rates: " +
    list.join("; ")
  return [{ pointer, code: "mixed_quotes", message }]
}
