/**
 * Orders from signals against results of other software, which are read from the folder in
 * CANDLEWICK_ORACLES.
 */
import { assert, describe, it, type TestContext } from "@effect/vitest"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { maxDrawdown } from "../../src/kernel/metrics/maxDrawdown.ts"
import { totalReturn } from "../../src/kernel/metrics/totalReturn.ts"
import type { EntryExitSignals, SignalOptions } from "../../src/kernel/signals/signalOptions.ts"
import type { SignalOrder, SignalRoundTrip } from "../../src/kernel/signals/signalResult.ts"
import { simulateEntriesAndExits } from "../../src/kernel/signals/simulateEntriesAndExits.ts"
import {
  type CaseData,
  casesIn,
  leaveOut,
  listsIn,
  noCases,
  readCaseCandles
} from "./oracleFolder.ts"
import { signalCandles, type SignalPrices } from "./signalCandles.ts"

/** A number as JSON has it: null is none, and infinities are words. */
type Encoded = number | "Infinity" | "-Infinity" | null

const decoded = (value: Encoded): number => (value === null ? Number.NaN : Number(value))

const series = (value: Encoded | ReadonlyArray<Encoded>): number | ReadonlyArray<number> =>
  typeof value === "object" && value !== null ? value.map(decoded) : decoded(value)

/** Another engine's words for an option, its own name first. */
const words: Readonly<
  Record<string, readonly [name: keyof SignalOptions, values: Readonly<Record<string, string>>]>
> = {
  direction: ["direction", { longonly: "long_only", shortonly: "short_only", both: "both" }],
  size_type: ["sizeType", { amount: "quantity", value: "notional", percent: "percent" }],
  allow_partial: ["canFillPartly", {}],
  accumulate: [
    "accumulation",
    {
      true: "both",
      false: "none",
      both: "both",
      disabled: "none",
      addonly: "add_only",
      removeonly: "remove_only"
    }
  ],
  upon_long_conflict: ["longConflict", {}],
  upon_short_conflict: ["shortConflict", {}],
  upon_dir_conflict: ["directionConflict", {}],
  upon_opposite_entry: [
    "oppositeEntry",
    { closereduce: "close_reduce", reversereduce: "reverse_reduce" }
  ],
  sl_trail: ["trailing", { true: "extreme", false: "none" }],
  stop_entry_price: ["stopBase", { fillprice: "fill_price", val_price: "value_price" }],
  stop_exit_price: ["stopFillPrice", { stoplimit: "stop_limit", stopmarket: "stop_market" }],
  upon_stop_exit: ["stopExit", { closereduce: "close_reduce", reversereduce: "reverse_reduce" }],
  upon_stop_update: ["stopUpdate", { override: "replace", overridenan: "replace_or_remove" }]
}

const numbers: Readonly<Record<string, keyof SignalOptions>> = {
  init_cash: "capital",
  size: "size",
  fees: "feeRate",
  fixed_fees: "feePerFill",
  slippage: "slippageRate",
  min_size: "quantityMin",
  max_size: "quantityMax",
  sl_stop: "stopLoss",
  tp_stop: "takeProfit",
  val_price: "valuePrice"
}

const candleFields = new Set(["open", "high", "low", "close", "entries", "exits"])

const translated = (input: Readonly<Record<string, unknown>>): Partial<SignalOptions> => {
  const entries = Object.entries(input).filter(([name]) => !candleFields.has(name))
  return Object.fromEntries(
    entries.map(([name, value]): [keyof SignalOptions, unknown] => {
      const word = words[name]
      if (word !== undefined) return [word[0], word[1][String(value)] ?? value]
      const coded = value as Encoded | ReadonlyArray<Encoded>
      if (name === "price") {
        const atClose = coded === "Infinity" ? "close" : "previous_close"
        return ["fillPrice", typeof coded === "object" && coded !== null ? series(coded) : atClose]
      }
      const number = numbers[name]
      assert.isDefined(number, `the option ${name} has a name of ours`)
      return [number, series(coded)]
    })
  )
}

interface WantedOrder {
  readonly bar: number
  readonly side: "buy" | "sell"
  readonly size: number
  readonly price: number
  readonly fees: number
}

const assertClose = (seen: number | undefined, wanted: number, what: string, rate: number): void =>
  assert.closeTo(seen ?? Number.NaN, wanted, rate * Math.max(1, Math.abs(wanted)), what)

const assertOrders = (
  seen: ReadonlyArray<SignalOrder>,
  wanted: ReadonlyArray<WantedOrder>,
  rate: number
): void => {
  assert.deepStrictEqual(
    seen.map(({ index, side }) => `${index} ${side}`),
    wanted.map(({ bar, side }) => `${bar} ${side}`)
  )
  wanted.forEach(({ size, price, fees }, nth) => {
    assertClose(seen[nth]?.quantity, size, `quantity of order ${nth}`, rate)
    assertClose(seen[nth]?.price, price, `price of order ${nth}`, rate)
    assertClose(seen[nth]?.fee, fees, `fee of order ${nth}`, rate)
  })
}

interface PublishedCase {
  readonly id: string
  readonly group: string
  readonly input: SignalPrices & EntryExitSignals & Readonly<Record<string, unknown>>
  readonly expected_orders: ReadonlyArray<WantedOrder>
}

const published = casesIn<PublishedCase>("signals_engine")

/** Skips a case with an option that has no name here. */
const skipUnknown = (ctx: TestContext, options: Readonly<Record<string, unknown>>): void => {
  const stranger = Object.keys(options).find(
    (name) => name !== "price" && !(name in words) && !(name in numbers) && !candleFields.has(name)
  )
  if (stranger !== undefined) leaveOut(ctx, "unknown", `the option ${stranger} isn't known here`)
}

describe("orders from signals against published cases", () => {
  if (published.length === 0) {
    it("are theirs", (ctx) => ctx.skip(noCases("signals_engine")))
  }

  it.for(published)("$id", ({ group, input, expected_orders }, ctx) => {
    skipUnknown(ctx, input)
    const options = { capital: 100, ...translated(input) }
    const { orders } = simulateEntriesAndExits(signalCandles(input), input, options)
    // This table is published with eight digits.
    assertOrders(orders, expected_orders, group === "stop_exit_price" ? 1e-7 : 1e-9)
  })
})

interface WantedTrade {
  readonly size: number
  readonly entry_bar: number
  readonly entry_price: number
  readonly entry_fees: number
  readonly exit_bar: number
  readonly exit_price: number
  readonly exit_fees: number
  readonly pnl: number
  readonly return_frac: number
  readonly direction: "long" | "short"
  readonly status: "open" | "closed"
}

interface RealRun {
  readonly id: string
  readonly data: CaseData
  readonly options: Readonly<Record<string, unknown>>
  readonly uses_ohlc: boolean
  readonly signals: {
    readonly entries: ReadonlyArray<number>
    readonly exits: ReadonlyArray<number>
  }
  readonly expected: {
    readonly orders: ReadonlyArray<WantedOrder>
    readonly trades: ReadonlyArray<WantedTrade>
    readonly value: ReadonlyArray<number>
    readonly final_value: number
    readonly total_return: number
    readonly max_drawdown: number
  }
}

const realRuns = listsIn<RealRun>("signals_engine/runs")

const candlesOf = ({ data, uses_ohlc }: RealRun): CandleColumns => {
  const candles = readCaseCandles(data)
  return uses_ohlc ? candles : { ...signalCandles({ close: candles.close }), time: candles.time }
}

const column = (length: number, at: ReadonlyArray<number>): Uint8Array => {
  const signals = new Uint8Array(length)
  for (const index of at) signals[index] = 1
  return signals
}

const assertTrades = (
  seen: ReadonlyArray<SignalRoundTrip>,
  wanted: ReadonlyArray<WantedTrade>
): void => {
  assert.deepStrictEqual(
    seen.map((trade) => [trade.status, trade.direction, trade.entryIndex, trade.exitIndex]),
    wanted.map((trade) => [trade.status, trade.direction, trade.entry_bar, trade.exit_bar])
  )
  wanted.forEach((trade, nth) => {
    const ours = seen[nth]
    assertClose(ours?.quantity, trade.size, `quantity of trade ${nth}`, 1e-9)
    assertClose(ours?.entryPrice, trade.entry_price, `entry price of trade ${nth}`, 1e-9)
    assertClose(ours?.exitPrice, trade.exit_price, `exit price of trade ${nth}`, 1e-9)
    assertClose(ours?.fees, trade.entry_fees + trade.exit_fees, `fees of trade ${nth}`, 1e-9)
    assertClose(ours?.pnl, trade.pnl, `pnl of trade ${nth}`, 1e-9)
    assertClose(ours?.returnRate, trade.return_frac, `return of trade ${nth}`, 1e-9)
  })
}

describe("orders from signals against runs of other software on real candles", () => {
  if (realRuns.length === 0) {
    it("are theirs", (ctx) => ctx.skip(noCases("signals_engine/runs")))
  }

  it.for(realRuns)("$id", (real, ctx) => {
    skipUnknown(ctx, real.options)
    const { expected, signals } = real
    const candles = candlesOf(real)
    const options = translated(real.options)
    const entries = column(candles.length, signals.entries)
    const exits = column(candles.length, signals.exits)
    const { orders, trades, equity } = simulateEntriesAndExits(candles, { entries, exits }, options)
    assertOrders(orders, expected.orders, 1e-9)
    assertTrades(trades, expected.trades)
    assert.lengthOf(equity, expected.value.length)
    expected.value.forEach((value, index) =>
      assertClose(equity[index], value, `equity at ${index}`, 1e-9)
    )
    const capital = options.capital ?? Number.NaN
    const final = equity.at(-1) ?? Number.NaN
    assertClose(final, expected.final_value, "final equity", 1e-9)
    assertClose(totalReturn(capital, final), expected.total_return, "return", 1e-9)
    assertClose(-maxDrawdown(capital, equity).rate, expected.max_drawdown, "drawdown", 1e-9)
  })
})
