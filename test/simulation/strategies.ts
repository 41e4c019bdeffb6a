/**
 * Strategies that trade often on few candles, of each way in and out of a position.
 */
import {
  defaultValues,
  samplePoint,
  searchSpace,
  type StrategyDefinition,
  withDefaults
} from "@candlewick/core"
import { type CandleColumns, makeRandom } from "@candlewick/core/kernel"
import { randomLadder } from "../../packages/engine/src/testing/randomLadder.ts"
import { runOnMatcher } from "../../packages/engine/src/research/runBacktest.ts"
import type { BotPlan } from "./botHistory.ts"
import type { CandleTimes } from "./market.ts"
import { marketRecord } from "@candlewick/core/testing"
import { marketOf, toMarketSpec, toRiskLimits } from "@candlewick/engine"

/** The markets of all histories. */
export const symbols = ["SIMA/USD", "SIMB/USD"] as const

export const capital = 10_000

const close = { type: "price", field: "close" } as const
const average = { type: "sma", period: 3 } as const
const base = { format: 1, timeframe: "1h", parameters: {} } as const
const above = { type: "above", left: close, right: average } as const
const below = { type: "below", left: close, right: average } as const
const fraction = (value: number) => ({ type: "fraction", value }) as const

const definitions: Readonly<Record<string, StrategyDefinition>> = {
  signals: {
    ...base,
    symbols: [symbols[0]],
    long: { enter: above, exit: below },
    sizing: { type: "fixed_quantity", quantity: 10 }
  },
  "stops and targets": {
    ...base,
    symbols: [symbols[0]],
    long: { enter: above },
    exits: { stop_loss: fraction(0.01), take_profit: fraction(0.015) }
  },
  "limit entries": {
    ...base,
    symbols: [symbols[0]],
    long: { enter: above, exit: below },
    entry: { type: "limit", offset: 0.004, expires_after: 2 },
    exits: { trailing_stop: { distance: fraction(0.02) }, stop_loss: fraction(0.03) },
    sizing: { type: "risk_per_trade", fraction: 0.01 }
  },
  "two markets": {
    ...base,
    symbols: [...symbols],
    long: { enter: above, exit: below },
    exits: { break_even: { activation: fraction(0.01) }, stop_loss: fraction(0.02) },
    sizing: { type: "fixed_quantity", quantity: 5 }
  }
}

/** The names of all strategies; a ladder is drawn anew for each bot. */
export const strategyKinds = [...Object.keys(definitions), "ladder"]

const drawLadder = (seed: string): StrategyDefinition => {
  const random = makeRandom(seed)
  const drawn = randomLadder(random.next, { symbols: [symbols[0]], timeframe: "1h" })
  return withDefaults(drawn, samplePoint(searchSpace(drawn), random.next))
}

/** Strategies of bots that trade live besides. */
const liveDefinitions: Readonly<Record<string, StrategyDefinition>> = {
  shorts: {
    ...base,
    symbols: [symbols[0]],
    long: { enter: above, exit: below },
    short: { enter: below, exit: above },
    sizing: { type: "fixed_quantity", quantity: 10 }
  },
  "short stops": {
    ...base,
    symbols: [symbols[0]],
    short: { enter: below },
    exits: { stop_loss: fraction(0.01), take_profit: fraction(0.015) },
    sizing: { type: "equity_fraction", fraction: 0.5 }
  },
  "either entry": {
    ...base,
    symbols: [symbols[0]],
    long: { enter: above, exit: below },
    entry: {
      type: "one_cancels_other",
      orders: [
        { type: "stop", offset: 0.003, expires_after: 3 },
        { type: "limit", offset: 0.003 }
      ]
    },
    exits: { stop_loss: fraction(0.02) },
    sizing: { type: "equity_fraction", fraction: 0.4 }
  },
  "exits at odds": {
    ...base,
    symbols: [...symbols],
    long: { enter: above },
    sizing: { type: "equity_fraction", fraction: 0.45 },
    targets: [
      { at: fraction(0.006), portion: 0.5 },
      { at: fraction(0.012), portion: 0.5 }
    ],
    reductions: [{ when: below, portion: 0.6 }]
  },
  "several targets": {
    ...base,
    symbols: [symbols[0]],
    long: { enter: above, exit: below },
    sizing: { type: "equity_fraction", fraction: 0.5 },
    exits: { stop_loss: fraction(0.02) },
    targets: [
      { at: fraction(0.005), portion: 0.4, stop: "entry" },
      { at: fraction(0.01), portion: 0.3, stop: "previous_target" },
      { at: fraction(0.02), portion: 0.3 }
    ]
  }
}

const drawLiveLadder = (seed: string, isLong: boolean): StrategyDefinition => {
  const random = makeRandom(seed)
  for (;;) {
    const options = { symbols: [symbols[0]], timeframe: "1h", hasStopLoss: !isLong } as const
    const drawn = randomLadder(random.next, options)
    if (isLong && drawn.short !== undefined) continue
    return withDefaults(drawn, samplePoint(searchSpace(drawn), random.next))
  }
}

const definitionOf = (kind: string, seed: string): StrategyDefinition => {
  if (kind === "long ladder") return drawLiveLadder(seed, true)
  if (kind === "ladder with stops") return drawLiveLadder(seed, false)
  return definitions[kind] ?? liveDefinitions[kind] ?? drawLadder(seed)
}

type Entry = NonNullable<StrategyDefinition["entry"]>

/** An entry that ends at a time, and not after a number of candles. */
const endingAt = (entry: Entry, until: string): Entry => {
  if (entry.type === "market") return entry
  if (entry.type !== "one_cancels_other") {
    const { expires_after: _candles, ...rest } = entry
    return { ...rest, until }
  }
  const orders = entry.orders.map(({ expires_after: _candles, ...rest }) => ({ ...rest, until }))
  return { ...entry, orders }
}

/** The strategy of a bot. */
export const strategyOf = (
  { entriesEndAfter, seed, strategy }: BotPlan,
  { candleMs, firstMs, timeframe }: Pick<CandleTimes, "candleMs" | "firstMs" | "timeframe">
): StrategyDefinition => {
  const definition = { ...definitionOf(strategy, seed), timeframe }
  const { entry } = definition
  if (entriesEndAfter === undefined || entry === undefined) return definition
  const until = new Date(firstMs + entriesEndAfter * candleMs).toISOString()
  return { ...definition, entry: endingAt(entry, until) }
}

/** A fill as a bot and a backtest tell of it alike. */
export interface Fill {
  readonly symbol: string
  readonly time: number
  readonly side: string
  readonly quantity: number
  readonly price: number
  readonly fee: number
  readonly leg: string
}

/** The one revision of a market. */
export const marketFor = (symbol: string, id: string) =>
  marketRecord({ ...marketOf(symbol, { tick: 0.01, can_short: true }), symbol, id })

/** The fills of a backtest over the first candles of each market. */
export const backtestFills = (
  definition: StrategyDefinition,
  columnsOf: (symbol: string) => CandleColumns
): ReadonlyArray<Fill> => {
  const markets = definition.symbols.map((symbol) => ({
    symbol,
    columns: columnsOf(symbol),
    spec: toMarketSpec(marketFor(symbol, "")),
    from: 0,
    detail: undefined
  }))
  const { details } = runOnMatcher({
    definition,
    code: new Map(),
    values: defaultValues(definition),
    markets,
    capital,
    limits: toRiskLimits(null),
    fill: "next_open",
    endOfData: "open",
    candleMs: 3_600_000
  })
  return details().fills.map(({ fee, leg, market: at, price, quantity, side, time }) => ({
    symbol: definition.symbols[at]!,
    time,
    side: side === 1 ? "buy" : "sell",
    quantity,
    price,
    fee,
    leg
  }))
}
