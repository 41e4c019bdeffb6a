/**
 * Arrays of signals, whose orders other software computed, as code strategies of backtests that are
 * filled at the close. They are read from the folder in CANDLEWICK_ORACLES.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { dayMs } from "../../src/kernel/calendar.ts"
import { type CandleColumns, sliceColumns } from "../../src/kernel/columns.ts"
import {
  backtest,
  type BacktestResult,
  type CodeDecision,
  define
} from "../../src/research/index.ts"
import { assertNear } from "../kernel/orders/checkTrades.ts"
import { readCandles } from "../kernel/readCandles.ts"
import { signalCandles } from "../kernel/signalCandles.ts"
import { type SourceSignals, signalReason } from "./sourceReasons.ts"

interface WantedOrder {
  readonly bar: number
  readonly side: "buy" | "sell"
  readonly size: number
  readonly price: number
  readonly fees: number
}

interface PublishedCase {
  readonly id: string
  readonly input: SourceSignals & {
    readonly close: ReadonlyArray<number>
    readonly open?: ReadonlyArray<number>
    readonly high?: ReadonlyArray<number>
    readonly low?: ReadonlyArray<number>
    readonly entries: ReadonlyArray<boolean>
    readonly exits: ReadonlyArray<boolean>
  }
  readonly expected_orders: ReadonlyArray<WantedOrder>
}

interface RealRun {
  readonly id: string
  readonly data: { readonly file: string; readonly rows_used: readonly [number, number] | null }
  readonly options: SourceSignals
  readonly uses_ohlc: boolean
  readonly signals: {
    readonly entries: ReadonlyArray<number>
    readonly exits: ReadonlyArray<number>
  }
  readonly expected: {
    readonly orders: ReadonlyArray<WantedOrder>
    readonly value: ReadonlyArray<number>
  }
}

const oracles = process.env["CANDLEWICK_ORACLES"]
const readJson = <A>(path: string): A => JSON.parse(readFileSync(path, "utf8")) as A

const sizingOf = ({ size = "Infinity", size_type }: SourceSignals): CodeDecision["sizing"] => {
  const amount = Number(size)
  if (amount === Infinity) return { type: "equity_fraction", fraction: 1 }
  switch (size_type) {
    case "value":
      return { type: "fixed_notional", notional: amount }
    case "percent":
      return { type: "equity_fraction", fraction: amount }
    default:
      return { type: "fixed_quantity", quantity: amount }
  }
}

/** Its levels are fractions of the close, whatever the entry slipped. */
const exitsOf = (
  { sl_stop, sl_trail, tp_stop }: SourceSignals,
  close: number,
  side: 1 | -1
): CodeDecision["exits"] => {
  const has = (stop: unknown) => stop !== undefined && stop !== null
  const level = (away: 1 | -1, rate: unknown) =>
    ({ kind: "price", value: close * (1 + away * side * Number(rate)) }) as const
  const distance = { kind: "fraction", value: Number(sl_stop) } as const
  return {
    ...(has(sl_stop) && sl_trail !== true && { stopLoss: level(-1, sl_stop) }),
    ...(has(sl_stop) && sl_trail === true && { trailingStop: { distance, activation: null } }),
    ...(has(tp_stop) && { takeProfit: level(1, tp_stop) })
  }
}

const run = (
  columns: CandleColumns,
  timeframe: "1h" | "1d",
  options: SourceSignals,
  enters: (index: number) => boolean,
  exits: (index: number) => boolean
): BacktestResult => {
  const { direction = "longonly" } = options
  const indexOf = new Map(Array.from(columns.time, (time, index) => [time, index]))
  // The source takes a size of nothing for no order.
  const isSized = Number(options.size ?? Infinity) > 0
  const strategy = define({
    name: "signalled",
    symbols: ["A/B"],
    timeframe,
    onCandle: ({ candle }): CodeDecision => {
      const { close, time } = candle()
      const index = indexOf.get(time)!
      const [entry, exit] = [isSized && enters(index), isSized && exits(index)]
      return {
        ...(direction !== "shortonly" && { enterLong: entry, exitLong: exit }),
        ...(direction === "shortonly" && { enterShort: entry, exitShort: exit }),
        ...(direction === "both" && { enterShort: exit, exitShort: entry }),
        sizing: sizingOf(options),
        exits: exitsOf(options, close, direction === "shortonly" || (exit && !entry) ? -1 : 1)
      }
    }
  })
  const fee = Number(options.fees ?? 0)
  return backtest(columns, strategy, {
    capital: options.init_cash ?? 100,
    fees: { maker: fee, taker: fee },
    slippage: 0,
    market: {
      tick: 0,
      lot: 0,
      minNotional: 0,
      feePerFill: Number(options.fixed_fees ?? 0),
      slippageRate: Number(options.slippage ?? 0),
      canShort: true,
      leverage: 1
    },
    fill: "close",
    endOfData: "open"
  })
}

/** Fills as that software tells orders: one that turns a position is one order there. */
const ordersOf = ({ fills, time }: BacktestResult): ReadonlyArray<WantedOrder> => {
  const orders: Array<WantedOrder> = []
  const indexOf = new Map(Array.from(time, (at, index) => [at, index]))
  for (const { fee, leg, price, quantity, side, time: at } of fills) {
    const bar = indexOf.get(at)!
    const last = orders.at(-1)
    const told = side === 1 ? "buy" : "sell"
    if (leg === "entry" && last?.bar === bar && last.side === told) {
      const size = last.size + quantity
      orders[orders.length - 1] = { ...last, size, fees: last.fees + fee }
    } else orders.push({ bar, side: told, size: quantity, price, fees: fee })
  }
  return orders
}

const checkOrders = (
  seen: ReadonlyArray<WantedOrder>,
  wanted: ReadonlyArray<WantedOrder>
): void => {
  assert.deepStrictEqual(
    seen.map(({ bar, side }) => `${bar} ${side}`),
    wanted.map(({ bar, side }) => `${bar} ${side}`)
  )
  wanted.forEach(({ fees, price, size }, nth) => {
    assertNear(seen[nth]!.size, size, `size of order ${nth}`, 1e-7)
    assertNear(seen[nth]!.price, price, `price of order ${nth}`, 1e-7)
    assertNear(seen[nth]!.fees, fees, `fees of order ${nth}`, 1e-7)
  })
}

const withTimes = (columns: CandleColumns): CandleColumns => ({
  ...columns,
  time: columns.close.map((_, index) => index * dayMs)
})

describe("signals of other software, as code strategies of backtests", () => {
  if (oracles === undefined) {
    it("are ordered as there", (ctx) => ctx.skip("CANDLEWICK_ORACLES names no folder"))
    return
  }
  const folder = join(oracles, "signals_engine")
  const { cases } = readJson<{ readonly cases: ReadonlyArray<PublishedCase> }>(
    join(folder, "cases.json")
  )
  for (const { id, input, expected_orders } of cases) {
    if (signalReason(id, input) !== null) continue
    it(`orders ${id} as there`, () => {
      const columns = withTimes(signalCandles(input))
      const enters = (index: number) => input.entries[index] === true
      const exits = (index: number) => input.exits[index] === true
      checkOrders(ordersOf(run(columns, "1d", input, enters, exits)), expected_orders)
    })
  }
  for (const file of readdirSync(join(folder, "runs"))) {
    const one = readJson<RealRun>(join(folder, "runs", file))
    if (signalReason(one.id, one.options) !== null) continue
    it(`orders ${one.id} as there`, () => {
      const { data, expected, options, signals, uses_ohlc } = one
      const all = readCandles(join(oracles, data.file))
      const candles = sliceColumns(all, ...(data.rows_used ?? ([0, all.length] as const)))
      const { close, time } = candles
      const columns = uses_ohlc ? candles : { ...signalCandles({ close }), time }
      const [entries, exits] = [new Set(signals.entries), new Set(signals.exits)]
      const timeframe = time[1]! - time[0]! < dayMs ? "1h" : "1d"
      const result = run(
        columns,
        timeframe,
        options,
        (at) => entries.has(at),
        (at) => exits.has(at)
      )
      checkOrders(ordersOf(result), expected.orders)
      expected.value.forEach((value, index) => {
        assertNear(result.equity[index]!, value, `equity ${index}`)
      })
    })
  }
})
