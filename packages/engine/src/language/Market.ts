/**
 * A market: its symbol, its steps of price and quantity, and its costs.
 *
 * Rates are fractions of the notional. Prices are in the quote asset, quantities in the base asset.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * A symbol as `BASE/QUOTE` in upper case, as exchanges' unified interfaces write it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const MarketSymbol = Schema.String.check(
  Schema.isPattern(/^[A-Z0-9._-]{1,20}\/[A-Z0-9._-]{1,20}$/u, {
    expected: "a symbol as BASE/QUOTE in upper case"
  })
)

/** Symbols of a run or a bot, each once. @category schemas @since 0.1.0 */
export const MarketSymbols = Schema.NonEmptyArray(MarketSymbol).check(
  Schema.isMaxLength(50),
  Schema.isUnique({ expected: "each symbol once" })
)

const Rate = Schema.Finite.check(Schema.isBetween({ minimum: -0.01, maximum: 0.5 }))
const Positive = Schema.Finite.check(Schema.isGreaterThan(0))

/** The finest step of price or quantity. @category limits @since 0.1.0 */
export const stepMin = 1e-15

/** The coarsest step of price or quantity. @category limits @since 0.1.0 */
export const stepMax = 1e15

const Step = Schema.Finite.check(Schema.isBetween({ minimum: stepMin, maximum: stepMax }))

/**
 * A market with its rules and costs. `tick` and `lot` are null where no source names them, and
 * count as 1e-8 then.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Market = Schema.Struct({
  symbol: MarketSymbol,
  base: Schema.String,
  quote: Schema.String,
  tick: Schema.NullOr(Step),
  lot: Schema.NullOr(Step),
  min_notional: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
  maker_rate: Rate,
  taker_rate: Rate,
  /** The fixed fee of each fill, in the quote currency. */
  fee_per_fill: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
  slippage_rate: Rate,
  spread_rate: Rate,
  /**
   * The payment from longs to shorts at each interval, as a fraction of notional; 0 without
   * funding.
   */
  funding_rate: Rate,
  funding_interval_hours: Positive,
  /** Largest part of a candle's volume that one order gets, or null for any. */
  volume_share_max: Schema.NullOr(
    Schema.Finite.check(Schema.isBetween({ minimum: 0.0001, maximum: 1 }))
  ),
  /** Further slippage of an order as large as its candle's volume; smaller ones in proportion. */
  volume_slippage_rate: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.5 })),
  can_short: Schema.Boolean,
  max_leverage: Positive,
  /** Whether the candles of this market were made by a generator. */
  synthetic: Schema.Boolean
})

/** A market with its rules and costs. @category models @since 0.1.0 */
export type Market = typeof Market.Type

// The currencies that are traded against each other without a fee but with a spread.
const currencies = new Set(
  "USD EUR GBP JPY CHF AUD CAD NZD SEK NOK DKK SGD HKD CNH MXN ZAR TRY PLN CZK HUF".split(" ")
)

const exchangeCosts = { fee: 0.001, slippage_rate: 0.0005, spread_rate: 0 }
const currencyCosts = { fee: 0, slippage_rate: 0, spread_rate: 0.0001 }

/**
 * A market as it is where nothing better is known, in a backtest of the library as in the service.
 *
 * **Details**
 *
 * Two currencies (EUR/USD) cost no fee and a spread of 0.01 %; anything else a fee of 0.1 % and
 * 0.05 % slippage. Steps are 1e-8; nothing is short or borrowed.
 *
 * @category models
 * @since 0.1.0
 */
export const marketOf = (symbol: string, known: Partial<Market> = {}): Market => {
  const [base = symbol, quote = ""] = symbol.split("/")
  const isForeignExchange = currencies.has(base) && currencies.has(quote)
  const { fee, ...costs } = isForeignExchange ? currencyCosts : exchangeCosts
  return {
    base,
    quote,
    tick: null,
    lot: null,
    min_notional: 0,
    maker_rate: fee,
    taker_rate: fee,
    fee_per_fill: 0,
    ...costs,
    funding_rate: 0,
    funding_interval_hours: 8,
    volume_share_max: null,
    volume_slippage_rate: 0,
    can_short: false,
    max_leverage: 1,
    synthetic: false,
    ...known,
    symbol
  }
}
