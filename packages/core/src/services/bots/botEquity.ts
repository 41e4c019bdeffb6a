/**
 * A bot's equity.
 *
 * Its measures are kept with its state and its points in the journal: all points for some days, and
 * then the last point of each day.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { EquityPoint } from "../../domain/Backtest.ts"
import type { Bot } from "../../domain/Bot.ts"
import { fromTimestamp, timeframeMs, toRunningMeasurement, toTimestamp } from "@candlewick/engine"
import { Limits } from "../../domain/Limits.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import {
  dayMs,
  dayOf,
  equityOf,
  makeRunningEquity,
  observeCandle,
  type RunningEquity
} from "@candlewick/engine/kernel"
import type { BotJournal } from "../../ports/BotJournal.ts"
import type { BotPorts } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"

/** Where points are read. */
interface EquityReads {
  readonly journal: Pick<BotJournal["Service"], "equityAt" | "listEquity">
}

const pageLimit = 10_000

/** The measures of points that were kept before measures were; a page at a time. */
const measureKept = Effect.fnUntraced(function* (
  { journal }: EquityReads,
  bot: Bot
): Effect.fn.Return<RunningEquity, StoreError> {
  const running = makeRunningEquity(bot.capital_allocation)
  let page: ReadonlyArray<EquityPoint>
  do {
    const after = running.lastTime ?? undefined
    page = yield* journal.listEquity(bot.id, { after, limit: pageLimit })
    for (const { equity, time } of page) observeCandle(running, fromTimestamp(time), equity)
  } while (page.length === pageLimit)
  return running
})

/** The measures with one candle more; those before it are left as they were. */
const withCandle = (before: RunningEquity, time: number, equity: number): RunningEquity => {
  const running = { ...before }
  observeCandle(running, time, equity)
  return running
}

/** Keeps equity at a candle's close, and thins the older points. */
export const keepEquity = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  time: number
): Effect.fn.Return<void, StoreError> {
  const { journal } = ports
  const equity = session.gate.lastEquity
  session.runningBefore = session.running ?? (yield* measureKept(ports, bot))
  session.running = withCandle(session.runningBefore, time, equity)
  yield* journal.appendEquity(bot.id, { time: toTimestamp(time), equity })
  const before = (dayOf(time) - Limits.botEquityDays) * dayMs
  if (session.thinnedUntil !== null && before <= session.thinnedUntil) return
  yield* journal.thinEquity(bot.id, { from: session.thinnedUntil ?? undefined, before })
  session.thinnedUntil = before
})

/**
 * Values the account anew after bookings between candles. The value replaces the equity at the
 * newest candle's close. The risk gate looks at it with the next candle.
 */
export const reviseEquity = Effect.fnUntraced(function* (
  { journal }: BotPorts,
  bot: Bot,
  session: BotSession
): Effect.fn.Return<void, StoreError> {
  const equity = equityOf(session.account)
  session.gate.lastEquity = equity
  const { running, runningBefore } = session
  // Before its first candle a bot has no point that could be another.
  if (running === null || running.lastTime === null) return
  yield* journal.appendEquity(bot.id, { time: toTimestamp(running.lastTime), equity })
  if (runningBefore === null) return
  session.running = withCandle(runningBefore, running.lastTime, equity)
})

/** The last moment of each UTC day with a candle, or of the days between, up to the last candle. */
const dayEnds = (firstTime: number, lastTime: number): ReadonlyArray<number> => {
  const first = dayOf(firstTime) + 1
  const count = dayOf(lastTime) + 2 - first
  return Array.from({ length: count }, (_, day) => Math.min((first + day) * dayMs - 1, lastTime))
}

/** `count` candles' open times, as evenly as candles allow; the first and the last among them. */
const evenTimes = (first: number, last: number, candleMs: number, count: number) => {
  const candles = (last - first) / candleMs
  return Array.from(
    { length: count },
    (_, index) => first + Math.round((index * candles) / (count - 1)) * candleMs
  )
}

/** The source of a bot's metrics, and its curve, which has a limited number of points. */
export const measureEquity = Effect.fnUntraced(function* (
  ports: EquityReads,
  bot: Bot,
  kept: RunningEquity | null
) {
  const { journal } = ports
  const running = kept ?? (yield* measureKept(ports, bot))
  const { count, firstTime, lastTime } = running
  const candleMs = timeframeMs(bot.timeframe)
  const initial = bot.capital_allocation
  if (firstTime === null || lastTime === null) {
    return { measurement: toRunningMeasurement(running, [], initial, candleMs), curve: [] }
  }
  const ends = yield* journal.equityAt(bot.id, dayEnds(firstTime, lastTime))
  const most = Limits.reportEquityMaxCount
  const curve =
    count <= most
      ? yield* journal.listEquity(bot.id, { limit: count })
      : yield* journal.equityAt(bot.id, evenTimes(firstTime, lastTime, candleMs, most))
  return { measurement: toRunningMeasurement(running, ends, initial, candleMs), curve }
})
