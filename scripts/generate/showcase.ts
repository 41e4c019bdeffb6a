/**
 * One whole strategy that uses most of the format, for the page that explains it.
 */
import {
  above,
  all,
  atrMultiple,
  crossesAbove,
  crossesBelow,
  ema,
  float,
  hours,
  integer,
  not,
  onTimeframe,
  onWeekdays,
  price,
  rising,
  rsi,
  sma,
  buildStrategy
} from "@candlewick/core"

/** A trend strategy with a filter on the day, a trailing stop and a limit entry. */
export const showcase = buildStrategy({
  symbols: ["GBP/USD"],
  timeframe: "1h",
  parameters: {
    fast: integer(12, 5, 40),
    slow: integer(48, 20, 200),
    stop: float(2, 1, 6, { step: 0.5 })
  },
  long: ({ fast, slow }) => ({
    enter: all(
      crossesAbove(ema(fast), ema(slow)),
      above(price.close, onTimeframe("1d", sma(20))),
      rising(rsi(14), 2),
      hours(7, 17),
      not(onWeekdays("friday"))
    ),
    exit: crossesBelow(ema(fast), ema(slow))
  }),
  entry: { type: "limit", offset: 0.0005, expires_after: 6 },
  exits: ({ stop }) => ({
    stop_loss: atrMultiple(stop),
    trailing_stop: { distance: atrMultiple(3), activation: atrMultiple(2) },
    break_even: { activation: atrMultiple(1.5) },
    time_limit: 120
  }),
  sizing: { type: "risk_per_trade", fraction: 0.01 },
  reentry: { cooldown_after_stop: 6 }
})
