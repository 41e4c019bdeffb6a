/**
 * Candle rules of other software, as code strategies of backtests: stops, targets, trailing stops
 * and exit signals of one position. They are read from the folder in CANDLEWICK_ORACLES.
 */
import { assert, describe, it } from "@effect/vitest"
import { hourMs, minuteMs } from "../../src/kernel/calendar.ts"
import { type CandleColumns, indexAt } from "../../src/kernel/columns.ts"
import {
  backtest,
  type BacktestResult,
  type CodeDecision,
  define,
  sweep
} from "../../src/research/index.ts"
import { assertNear } from "../kernel/orders/checkTrades.ts"
import {
  readRuleCases,
  type RuleCase,
  type RuleSettings,
  type RuleTrade
} from "../kernel/ruleCases.ts"
import { signalCandles } from "../kernel/signalCandles.ts"
import { candleRuleReasons } from "./sourceReasons.ts"

const fraction = (value: number) => ({ kind: "fraction", value }) as const

/** Its ratios are of the margin, ours of the price; an entry's target is the one of its first age. */
const exitsOf = (settings: RuleSettings, side: "long" | "short"): CodeDecision["exits"] => {
  const { leverage, roi, stop_loss, trailing_stop, trailing_stop_positive: positive } = settings
  const target = (roi["0"] ?? Number.NaN) / leverage
  const waits = settings.trailing_only_offset_is_reached
  return {
    stopLoss: fraction(-stop_loss / leverage),
    ...(target > 0 && !(side === "short" && target >= 1) && { takeProfit: fraction(target) }),
    ...(trailing_stop && {
      trailingStop: {
        distance: fraction((waits && positive !== null ? positive : -stop_loss) / leverage),
        activation: waits ? fraction(settings.trailing_stop_positive_offset / leverage) : null
      }
    })
  }
}

/** The age from which on a position is left whatever it made; Infinity where there is none. */
const oldestOf = ({ roi }: RuleSettings): number =>
  Number(Object.entries(roi).find(([, profit]) => profit === -1)?.[0] ?? Infinity)

/**
 * A position held at the end is closed at the last open there: here at the last close, which is
 * that.
 */
const candlesOf = ({ candles, expected }: RuleCase): CandleColumns => {
  const isHeld = expected.trades.at(-1)?.exit_reason === "force_exit"
  const told = candles.map((one, index) =>
    isHeld && index === candles.length - 1 ? { ...one, h: one.o, l: one.o, c: one.o } : one
  )
  return signalCandles({
    open: told.map(({ o }) => o),
    high: told.map(({ h }) => h),
    low: told.map(({ l }) => l),
    close: told.map(({ c }) => c)
  })
}

/** A limit order at a price of its own, where there is but one entry, is a fraction of its close. */
const entryOf = ({ candles, settings }: RuleCase) => {
  const price = settings.custom_entry_price
  const entering = candles.find((one) => one.enter_long === 1 || one.enter_short === 1)
  if (price === null || entering === undefined) return {}
  const offset = Math.abs(1 - price / entering.c)
  return { entry: { type: "limit", offset, expires_after: 1 } } as const
}

const strategyOf = (one: RuleCase) => {
  const { candles, settings } = one
  const oldest = oldestOf(settings)
  return define({
    name: "candle_rules",
    symbols: ["A/B"],
    timeframe: "1h",
    sizing: { type: "fixed_quantity", quantity: 1 },
    ...entryOf(one),
    onCandle: ({ candle, position }): CodeDecision | null => {
      const index = candle().time / hourMs
      const flags = candles[index]!
      if (position !== null) {
        const isLong = position.direction === "long"
        const exits = isLong ? flags.exit_long : flags.exit_short
        const enters = isLong ? flags.enter_long : flags.enter_short
        const isOld = (position.heldCount + 1) * hourMs >= oldest * minuteMs
        const leaves = isOld || (settings.use_exit_signal && exits === 1 && enters === 0)
        return { exitLong: leaves, exitShort: leaves }
      }
      // It enters nothing on its last candle.
      if (index >= candles.length - 2 || flags.enter_long === flags.enter_short) return null
      if (flags.enter_long === 1) {
        return { enterLong: flags.exit_long === 0, exits: exitsOf(settings, "long") }
      }
      return { enterShort: flags.exit_short === 0, exits: exitsOf(settings, "short") }
    }
  })
}

const options = {
  capital: 1e9,
  fees: { maker: 0, taker: 0 },
  slippage: 0,
  market: { tick: 0, lot: 0, minNotional: 0, canShort: true, leverage: 1 }
} as const

const words: Readonly<Record<string, string>> = {
  signal: "exit_signal",
  stop_loss: "stop_loss",
  trailing_stop: "trailing_stop_loss",
  take_profit: "roi",
  end_of_data: "force_exit"
}

/** Positions as that software tells trades. */
const tradesOf = (
  { positions }: BacktestResult,
  columns: CandleColumns,
  { settings }: RuleCase
): ReadonlyArray<RuleTrade> =>
  Array.from(positions, (one) => {
    const { direction, entryPrice, entryTime, exitPrice, exitReason, exitTime } = one
    const age = (exitTime - entryTime) / minuteMs
    const isAged = exitReason === "signal" && age >= oldestOf(settings)
    const loss = (Math.abs(exitPrice / entryPrice - 1) * settings.leverage) / -settings.stop_loss
    // A stop that never moved is no trailing one there.
    const isUnmoved = exitReason === "trailing_stop" && Math.abs(loss - 1) < 1e-9
    const told = isAged ? "take_profit" : isUnmoved ? "stop_loss" : exitReason
    return {
      entry_bar: indexAt(columns, entryTime),
      exit_bar: indexAt(columns, exitTime),
      exit_reason: words[told] ?? told,
      side: direction
    }
  })

/** Its prices are rounded to eight digits. */
const assertClose = (seen: number, wanted: number, what: string): void =>
  assert.closeTo(seen, wanted, 1e-8 * Math.max(1, Math.abs(wanted)), what)

const cases = readRuleCases()

describe("candle rules of other software, as code strategies of backtests", () => {
  if (cases.length === 0) {
    it("trade as there", (ctx) => ctx.skip("CANDLEWICK_ORACLES names no folder"))
  }
  for (const one of cases) {
    if (one.id in candleRuleReasons) continue
    it(`trades ${one.id} as there`, () => {
      const { derived_prices, trades } = one.expected
      const columns = candlesOf(one)
      const strategy = strategyOf(one)
      const result = backtest(columns, strategy, options)
      assert.deepStrictEqual(
        tradesOf(result, columns, one),
        trades.map(({ entry_bar, exit_bar, exit_reason, side }) => {
          return { entry_bar, exit_bar, exit_reason, side }
        })
      )
      derived_prices.forEach((wanted, nth) => {
        assertClose(result.positions.entryPrice[nth]!, wanted.entry_price, `entry price ${nth}`)
        assertClose(result.positions.exitPrice[nth]!, wanted.exit_price, `exit price ${nth}`)
      })
      const swept = sweep(columns, strategy, [{}], options)
      assert.strictEqual(swept.positionCount[0], trades.length)
      assertNear(swept.totalReturn[0]!, result.metrics.total_return!, "return of the sweep")
    })
  }
})
