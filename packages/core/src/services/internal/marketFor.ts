/**
 * The market record that a symbol gets where nothing better is known.
 *
 * @since 0.1.0
 */
import { type Market, marketOf } from "../../domain/Market.ts"

// The currencies that are traded against each other without a fee but with a spread.
const currencies = new Set(
  "USD EUR GBP JPY CHF AUD CAD NZD SEK NOK DKK SGD HKD CNH MXN ZAR TRY PLN CZK HUF".split(" ")
)

/**
 * Two currencies: no fee and a spread of 0.01 %. Anything else: a fee of 0.1 % and 0.05 % slippage.
 */
export const marketFor = (symbol: string, known: Partial<Market> = {}): Market => {
  const market = marketOf(symbol)
  const isForeignExchange = currencies.has(market.base) && currencies.has(market.quote)
  return {
    ...market,
    ...(isForeignExchange && {
      maker_rate: 0,
      taker_rate: 0,
      slippage_rate: 0,
      spread_rate: 0.0001
    }),
    ...known,
    symbol
  }
}
