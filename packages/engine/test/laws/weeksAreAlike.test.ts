/**
 * A series is the same so many weeks earlier, also before 1970: rules of the clock, days and
 * weekends are told from the time alone.
 */
import { assert, describe, it } from "@effect/vitest"
import { riskProfiles } from "../../src/language/RiskProfile.ts"
import { dayMs, hourMs } from "../../src/kernel/calendar.ts"
import {
  above,
  all,
  any,
  backtest,
  below,
  hours,
  indicator,
  onWeekdays,
  price,
  sma,
  strategy,
  sweep
} from "../../src/research/index.ts"
import { randomCandles } from "../../src/testing/randomCandles.ts"

const rules = strategy({
  symbols: ["BTC/USD"],
  timeframe: "1h",
  long: {
    enter: all(
      above(price.close, sma(5)),
      any(hours(3, 9), hours(20, 2), onWeekdays("sunday", "tuesday"))
    ),
    exit: any(
      below(price.close, indicator("vwap")),
      all(hours(1, 4), onWeekdays("friday", "monday"))
    )
  }
})

describe("weeks", () => {
  it("are alike, before 1970 as after it", () => {
    for (let seed = 0; seed < 4; seed++) {
      const columns = randomCandles(seed, {
        count: 2_500,
        stepMs: hourMs,
        startMs: Date.UTC(2024, 0, 1 + seed)
      })
      const shift = (2_850 + seed) * 7 * dayMs
      const earlier = { ...columns, time: columns.time.map((time) => time - shift) }
      assert.isBelow(earlier.time.at(-1)!, 0)
      const risk = { ...riskProfiles.high, max_drawdown: 1, is_stop_loss_mandatory: false }
      const options = { risk }
      const [late, early] = [backtest(columns, rules, options), backtest(earlier, rules, options)]
      assert.isAbove(late.positions.length, 20)
      assert.deepStrictEqual(early.metrics, late.metrics)
      assert.deepStrictEqual(
        early.fills.map(({ time }) => time + shift),
        late.fills.map(({ time }) => time)
      )
      assert.deepStrictEqual(sweep(earlier, rules, [{}]), sweep(columns, rules, [{}]))
    }
  })
})
