/**
 * Trades of one unit, decided at a close and filled at the next open, against results of other
 * software. The test reads them from the folder in CANDLEWICK_ORACLES.
 *
 * Options reach all of its cases: a position is held for a candle before its exit rule counts, and
 * an exit's own candle gives no entry. A stop fills at its level whatever the open. Its conditional
 * entry fills at the open of the candle whose high comes to a price, so its signal has to know that
 * high beforehand. The test does, and the engine needs no option for it.
 */
import { assert, describe, it } from "@effect/vitest"
import { type CandleColumns, sliceColumns } from "../../src/kernel/columns.ts"
import type { SignalOptions } from "../../src/kernel/signals/signalOptions.ts"
import type { SignalRoundTrip } from "../../src/kernel/signals/signalResult.ts"
import { simulateEntriesAndExits } from "../../src/kernel/signals/simulateEntriesAndExits.ts"
import { leaveOut, noCases } from "./oracleFolder.ts"
import {
  assertFields,
  assertTraded,
  averageOf,
  candlesOf,
  cases,
  casesOf,
  profitPct,
  strangers,
  toWanted,
  valuesOf,
  type WalkForwardCase,
  type WantedTrade
} from "./unitCases.ts"
import { readUnitRule, type UnitRule } from "./unitRules.ts"

/** One unit at the next open, with its rules of when to look. */
const oneUnit: Partial<SignalOptions> = {
  capital: 1e9,
  size: 1,
  fillPrice: "next_open",
  stopBase: "fill_price",
  gapFill: "level",
  holdMin: 1,
  cooldown: 1
}

type Side = "below" | "above" | "none"

/** The further rules of a case besides entering below the average and leaving above it. */
interface Variant {
  readonly entry?: Side
  readonly exit?: Side
  /** Factor of the average that an entry's close has to pass. */
  readonly margin?: number
  readonly options?: (candles: CandleColumns) => Partial<SignalOptions>
}

const variantOf = ({ hold, isShort, margin, stop, target, trail }: UnitRule): Variant => ({
  entry: isShort ? "above" : "below",
  exit: hold !== null ? "none" : isShort ? "below" : "above",
  margin,
  options: ({ close }) => ({
    ...(isShort && { direction: "short_only" }),
    ...(stop !== null && { stopLoss: stop }),
    ...(target !== null && { takeProfit: target }),
    ...(hold !== null && { timeLimit: hold }),
    ...(trail !== null && {
      stopLoss: close.map((price) => price * trail),
      stopUnit: "distance",
      trailing: "close",
      trailingDistance: "each_candle"
    })
  })
})

/** Signals of a close on a side of its average. */
const signalsOf = (candles: CandleColumns, period: number, side: Side, margin = 1): Uint8Array => {
  const average = averageOf(candles, period)
  return Uint8Array.from(candles.close, (close, index) => {
    const level = average[index]! * margin
    return Number((side === "below" && close < level) || (side === "above" && close > level))
  })
}

const tradesOf = (
  candles: CandleColumns,
  period: number,
  { entry = "below", exit = "above", margin = 1, options }: Variant = {}
): ReadonlyArray<SignalRoundTrip> => {
  const entries = signalsOf(candles, period, entry, margin)
  const exits = signalsOf(candles, period, exit)
  return simulateEntriesAndExits(candles, { entries, exits }, { ...oneUnit, ...options?.(candles) })
    .trades
}

/**
 * When flat, a price above the close is waited for; the candle that comes to it is entered at its
 * open. Whether the position is flat is asked of the engine.
 */
const conditionalTrades = (
  candles: CandleColumns,
  period: number,
  factor: number
): ReadonlyArray<SignalRoundTrip> => {
  const { length } = candles
  const entries = new Uint8Array(length)
  const exits = signalsOf(candles, period, "above")
  const upTo = (end: number) =>
    simulateEntriesAndExits(
      sliceColumns(candles, 0, end),
      { entries: entries.subarray(0, end), exits: exits.subarray(0, end) },
      { ...oneUnit, longConflict: "entry" }
    )
  let trigger: number | null = null
  for (let index = period; index < length; index++) {
    if (trigger !== null && candles.high[index]! >= trigger) {
      entries[index - 1] = 1
      trigger = null
    } else if (trigger === null) {
      const { trades } = upTo(index + 1)
      const isFlat = trades.every(({ exitIndex }) => exitIndex < index)
      if (isFlat) trigger = candles.close[index]! * factor
    }
  }
  return upTo(length).trades
}

const reasons: Readonly<Record<string, WantedTrade["exit_reason"]>> = {
  signal: "exit-rule",
  time_limit: "exit-rule",
  stop_loss: "stop-loss",
  trailing_stop: "stop-loss",
  take_profit: "profit-target",
  end_of_data: "finalize"
}

/** A trade in the terms of the other software. */
const told = (trade: SignalRoundTrip, offset = 0): WantedTrade =>
  toWanted({
    direction: trade.direction,
    entry_bar: trade.entryIndex + offset,
    exit_bar: trade.exitIndex + offset,
    entry_price: trade.entryPrice,
    exit_price: trade.exitPrice,
    exit_reason: reasons[trade.exitReason] ?? "finalize",
    stop_price: trade.entryStop,
    profit_target: trade.entryTarget
  })

/** Every cell of a grid, and the first of the best. */
const search = (candles: CandleColumns, grid: WalkForwardCase["grid"]) => {
  const cells = valuesOf(grid).map((period) => {
    const trades = tradesOf(candles, period)
    return {
      SMA: period,
      result: profitPct(trades.map((trade) => told(trade))),
      trades: trades.length
    }
  })
  const best = cells.reduce((first, cell) => (cell.result > first.result ? cell : first))
  return { cells, best }
}

describe("one unit at the next open, against results of other software", () => {
  if (cases.length === 0) {
    it("are theirs", (ctx) => ctx.skip(noCases("grademark")))
  }

  it.for(strangers)("$id", ({ kind }, ctx) =>
    leaveOut(ctx, "unknown", `the kind ${kind} isn't known here`)
  )

  it.for(casesOf("backtest"))("$id", (one, ctx) => {
    const { expected, parameters } = one
    const rule = readUnitRule(one.rule)
    if (rule === null) return leaveOut(ctx, "unknown", "its rule has words that aren't known here")
    const candles = candlesOf(one)
    const trades =
      rule.trigger === null
        ? tradesOf(candles, parameters.SMA, variantOf(rule))
        : conditionalTrades(candles, parameters.SMA, rule.trigger)
    assertTraded(
      trades.map((trade) => told(trade)),
      expected
    )
  })

  it.each(casesOf("optimize"))("$id", (one) => {
    const { expected, grid } = one
    const { best, cells } = search(candlesOf(one), grid)
    assert.lengthOf(cells, expected.all.length)
    expected.all.forEach((cell, nth) => assertFields(cells[nth] ?? {}, cell, `cell ${nth}`))
    const wanted = { SMA: expected.best_params.SMA, result: expected.best_value }
    assertFields(best, wanted, "the best cell")
  })

  it.each(casesOf("walk_forward"))("$id", (one) => {
    const { expected, grid } = one
    const candles = candlesOf(one)
    const traded = expected.windows.flatMap((window, nth) => {
      const { best } = search(sliceColumns(candles, ...window.in_sample), grid)
      const wanted = { SMA: window.best_params.SMA, result: window.best_value }
      assertFields(best, wanted, `window ${nth}`)
      const trades = tradesOf(sliceColumns(candles, ...window.out_sample), best.SMA)
      assert.lengthOf(trades, window.out_sample_trades)
      return trades.map((trade) => told(trade, window.out_sample[0]))
    })
    assertTraded(traded, expected)
  })
})
