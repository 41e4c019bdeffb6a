/**
 * The backtest of a bot's own period, and how far its equity decides in it.
 *
 * @since 0.1.0
 */
import {
  defaultValues,
  fromTimestamp,
  type StrategyDefinition,
  toRiskLimits
} from "@candlewick/engine"
import {
  type CandleColumns,
  indexAt,
  type LimitChange,
  type MatchFill,
  type Simulation,
  sliceColumns,
  toSharedColumns
} from "@candlewick/engine/kernel"
import { Effect } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { Comparison } from "../../domain/expected/Comparison.ts"
import type { LogEntry } from "../../domain/LogEntry.ts"
import { Limits } from "../../domain/Limits.ts"
import { problem } from "../../domain/Problem.ts"
import type { Dataset } from "../../domain/operations/candleOperations.ts"
import { simulateTask, type TaskSetting } from "../runs/workers/simulateTask.ts"
import type { RunnerError } from "./botFailure.ts"
import type { BotSnapshot } from "./botSession.ts"
import type { BotServices } from "./changeBot.ts"

/** The part of a series that the bot has processed, and where its first candle is. */
export interface Worked {
  readonly columns: CandleColumns
  readonly hash: string
  readonly from: number
}

const workedOff = (
  { columns, quality }: Dataset,
  startedAfter: number | null,
  cursor: number
): Worked => {
  const worked = sliceColumns(columns, 0, indexAt(columns, cursor + 1))
  const from = startedAfter === null ? 0 : indexAt(worked, startedAfter + 1)
  return { columns: worked, hash: quality.hash, from }
}

/** The open times of all markets' candles that count, each once. */
export const timesOf = (markets: ReadonlyArray<Worked>): ReadonlyArray<number> => {
  const times = new Set<number>()
  for (const { columns, from } of markets) {
    for (let index = from; index < columns.length; index++) times.add(columns.time[index]!)
  }
  return [...times].toSorted((one, other) => one - other)
}

/** The limits that a bot has gone by. */
type KnownLimits = Pick<TaskSetting, "limits" | "limitChanges">

/** Reads the limits from the lines of a bot's account, oldest first, and its present ones. */
export const readLimits = (
  lines: ReadonlyArray<Pick<LogEntry, "data" | "event">>,
  risk: Bot["risk"]
): KnownLimits => {
  const limitChanges: Array<LimitChange> = []
  let limits = toRiskLimits(risk)
  for (const { data, event } of lines.toReversed()) {
    if (event !== "bot.updated" || !("risk_before" in data)) continue
    const { candle_time: time, risk_before: before } = data
    const after = typeof time === "string" ? fromTimestamp(time) : Number.NEGATIVE_INFINITY
    limitChanges.unshift({ after, limits })
    limits = toRiskLimits(before as Bot["risk"])
  }
  return { limits, limitChanges }
}

/** The backtest of a bot's period. */
export interface ExpectedBacktest extends KnownLimits {
  readonly bot: Bot
  readonly definition: StrategyDefinition
  readonly snapshot: BotSnapshot
  readonly markets: ReadonlyArray<Worked>
  readonly code: BotServices["ports"]["code"]
}

/** Simulates the period with a capital, and without what the bot lost in it. */
export const simulateExpected = (
  { bot, code, definition, limitChanges, limits, markets, snapshot: { specs } }: ExpectedBacktest,
  capital: number,
  losses: Pick<TaskSetting, "barred" | "lost"> = {}
) => {
  const setting = {
    markets: markets.map(({ columns, from, hash }, market) => ({
      symbol: bot.symbols[market]!,
      buffer: toSharedColumns(columns),
      hash: `${hash} ${columns.length}`,
      spec: specs[market]!,
      from,
      to: columns.length
    })),
    timeframe: definition.timeframe,
    capital,
    limits,
    limitChanges,
    ...losses,
    fill: "next_open",
    endOfData: "open"
  } as const
  return simulateTask(setting, definition, defaultValues(definition), () => false, code)
}

/** A fill without its quantity and its fee. */
const orderOf = ({ index, leg, market, orderId, price, side }: MatchFill): string =>
  `${market} ${index} ${orderId} ${leg} ${side} ${price}`

/**
 * The things that another equity changes: none, sizes, or orders as such. Half the capital shows
 * it, as it meets each cap and each least size sooner. Nothing shows how far code remembers.
 */
export const lastingOf = (
  backtest: ExpectedBacktest,
  { fills, gateChanges }: Pick<Simulation, "fills" | "gateChanges">
): Comparison["lasting"] => {
  const { bot, definition } = backtest
  if (definition.code !== undefined || gateChanges.length > 0) return "everything"
  const half = simulateExpected(backtest, bot.capital_allocation / 2)
  const isSame =
    half.gateChanges.length === 0 &&
    half.fills.length === fills.length &&
    fills.every((fill, index) => orderOf(fill) === orderOf(half.fills[index]!))
  if (!isSame) return "everything"
  const isEven = fills.every(({ quantity }, index) => quantity === half.fills[index]!.quantity)
  return isEven ? "nothing" : "sizes"
}

/** The markets of a bot as far as it has processed them; refuses more than one answer may take. */
export const loadWorked = Effect.fnUntraced(function* (
  { candles }: Pick<BotServices, "candles">,
  { account_id: accountId, symbols, timeframe }: Bot,
  { startedAfter }: BotSnapshot,
  cursor: number
): Effect.fn.Return<ReadonlyArray<Worked>, RunnerError> {
  const datasets = yield* Effect.forEach(symbols, (symbol) =>
    candles.dataset(accountId, { symbol, timeframe }, { to: cursor + 1 })
  )
  const markets = datasets.map((dataset) => workedOff(dataset, startedAfter, cursor))
  const candleCount = markets.reduce((count, { columns }) => count + columns.length, 0)
  const { expectedCandlesMaxCount: candlesMax } = Limits
  if (candleCount <= candlesMax) return markets
  return yield* problem(
    "unprocessable",
    `A bot is compared up to ${candlesMax} candles; this one has ${candleCount}.`
  )
})
