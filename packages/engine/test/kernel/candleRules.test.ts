/**
 * Stops, aged targets, trailing stops and waiting orders against results of other software, which
 * are read from the folder in CANDLEWICK_ORACLES.
 */
import { assert, describe, it } from "@effect/vitest"
import { minuteMs } from "../../src/kernel/calendar.ts"
import type { EntryExitSignals, SignalOptions } from "../../src/kernel/signals/signalOptions.ts"
import type { SignalRoundTrip } from "../../src/kernel/signals/signalResult.ts"
import { simulateEntriesAndExits } from "../../src/kernel/signals/simulateEntriesAndExits.ts"
import { leaveOut, noCases } from "./oracleFolder.ts"
import {
  type Flag,
  readRuleCases,
  type RuleCandle,
  type RuleCase,
  type RuleSettings
} from "./ruleCases.ts"
import { signalCandles } from "./signalCandles.ts"

const cases = readRuleCases()

const offsetOfPrice =
  "on the entry candle of a leveraged position the source reads the offset of a trailing stop as a " +
  "ratio of the price, though it is one of the margin; its order then lies outside the candle and " +
  "slips to the next"

/** Whether only a copy of the other engine gives a case's trades. */
const readsOffsetOfPrice = ({ settings, expected }: RuleCase): boolean =>
  settings.leverage !== 1 &&
  settings.trailing_only_offset_is_reached &&
  settings.trailing_stop_positive !== null &&
  expected.trades.some(
    (trade) => trade.exit_reason === "trailing_stop_loss" && trade.exit_bar === trade.entry_bar
  )

/** A setting that this test does not know would be left out silently. */
const knownSettings: ReadonlySet<string> = new Set<keyof RuleSettings>([
  "stop_loss",
  "roi",
  "trailing_stop",
  "trailing_stop_positive",
  "trailing_stop_positive_offset",
  "trailing_only_offset_is_reached",
  "use_exit_signal",
  "use_custom_stoploss",
  "leverage",
  "custom_entry_price",
  "custom_exit_price",
  "adjust_entry_price",
  "adjust_entry_mode",
  "entry_timeout_min",
  "exit_timeout_min"
])

/** The conventions of this engine beside its settings. */
const conventions: Partial<SignalOptions> = {
  capital: 1e9,
  size: 1,
  fillPrice: "next_open",
  oppositeEntry: "ignore",
  stopBase: "fill_price",
  stopsFrom: "entry_candle",
  gapFill: "inside",
  targetReach: "beyond",
  entryCandleTrail: "worst",
  entryCandleTarget: "after_entry",
  exitPriority: "unmoved_stop",
  endPrice: "open"
}

/** Its ratios are of the margin, ours of the price. */
const optionsOf = ({ settings, candles }: RuleCase): Partial<SignalOptions> => {
  const { leverage, trailing_stop_positive: positive } = settings
  const waitsForOffset = settings.trailing_only_offset_is_reached && !settings.use_custom_stoploss
  return {
    ...conventions,
    stopLoss: -settings.stop_loss / leverage,
    targets: Object.entries(settings.roi).map(([minutes, ratio]) => ({
      afterMs: Number(minutes) * minuteMs,
      profit: ratio === -1 ? -1 : ratio / leverage
    })),
    trailing: settings.trailing_stop || settings.use_custom_stoploss ? "same_candle" : "none",
    trailingStart: waitsForOffset ? "offset" : "entry",
    trailingOffset: settings.trailing_stop_positive_offset / leverage,
    offsetDistance: positive === null ? null : positive / leverage,
    entryPrices: entryPricesOf(settings, candles),
    exitPrices: settings.custom_exit_price,
    unfilledEntry: settings.adjust_entry_mode,
    entryTimeoutMs: settings.entry_timeout_min * minuteMs,
    exitTimeoutMs: settings.exit_timeout_min * minuteMs
  }
}

/** The first price of an order stands at its signal, those it moves to on other candles. */
const entryPricesOf = (
  { custom_entry_price: first, adjust_entry_price: next }: RuleSettings,
  candles: ReadonlyArray<RuleCandle>
): ReadonlyArray<number> | null => {
  if (first === null) return null
  return candles.map((candle) =>
    candle.enter_long === 1 || candle.enter_short === 1 ? first : (next ?? Number.NaN)
  )
}

/** It enters nothing on the last candle, and an entry does not go with an exit it would ignore. */
const signalsOf = ({ candles, settings }: RuleCase): Required<EntryExitSignals> => {
  const enters = (index: number, flag: Flag) => flag === 1 && index < candles.length - 2
  const exits = (entry: Flag, exit: Flag) => exit === 1 && (settings.use_exit_signal || entry === 1)
  return {
    entries: candles.map((candle, index) => enters(index, candle.enter_long)),
    exits: candles.map((candle) => exits(candle.enter_long, candle.exit_long)),
    shortEntries: candles.map((candle, index) => enters(index, candle.enter_short)),
    shortExits: candles.map((candle) => exits(candle.enter_short, candle.exit_short))
  }
}

const words: Readonly<Record<SignalRoundTrip["exitReason"], string>> = {
  signal: "exit_signal",
  stop_loss: "stop_loss",
  trailing_stop: "trailing_stop_loss",
  take_profit: "roi",
  time_limit: "time_limit",
  end_of_data: "force_exit"
}

const tradesOf = (one: RuleCase): ReadonlyArray<SignalRoundTrip> => {
  const candles = signalCandles({
    open: one.candles.map(({ o }) => o),
    high: one.candles.map(({ h }) => h),
    low: one.candles.map(({ l }) => l),
    close: one.candles.map(({ c }) => c)
  })
  return simulateEntriesAndExits(candles, signalsOf(one), optionsOf(one)).trades
}

const assertClose = (seen: number | undefined, wanted: number, what: string): void =>
  assert.closeTo(seen ?? Number.NaN, wanted, 1e-8 * Math.max(1, Math.abs(wanted)), what)

describe("candle rules against published cases", () => {
  if (cases.length === 0) {
    it("are theirs", (ctx) => ctx.skip(noCases("candle_rules")))
  }

  it.for(cases)("$id: $description", (one, ctx) => {
    if (readsOffsetOfPrice(one)) return leaveOut(ctx, "refused", offsetOfPrice)
    const { expected, settings } = one
    const stranger = Object.keys(settings).find((name) => !knownSettings.has(name))
    if (stranger !== undefined) {
      return leaveOut(ctx, "unknown", `the setting ${stranger} isn't known here`)
    }
    const trades = tradesOf(one)
    assert.deepStrictEqual(
      trades.map((trade) => [
        trade.direction,
        // Its trades begin with their order.
        trade.orderIndex,
        trade.exitIndex,
        words[trade.exitReason]
      ]),
      expected.trades.map((trade) => [
        trade.side,
        trade.entry_bar,
        trade.exit_bar,
        trade.exit_reason
      ])
    )
    expected.derived_prices.forEach((prices, nth) => {
      assertClose(trades[nth]?.entryPrice, prices.entry_price, `entry price ${nth}`)
      assertClose(trades[nth]?.exitPrice, prices.exit_price, `exit price ${nth}`)
      const ratio = (trades[nth]?.returnRate ?? Number.NaN) * settings.leverage
      assertClose(ratio, prices.profit_ratio, `profit ratio ${nth}`)
    })
    const sum = trades.reduce((total, { returnRate }) => total + returnRate, 0) * settings.leverage
    assert.closeTo(sum, expected.profit_ratio_sum_3dp, 0.0005 + 1e-9)
  })
})
