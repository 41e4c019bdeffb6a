/**
 * The entries that a bot lost, and the backtests that lose them too.
 *
 * @since 0.1.0
 */
import { type BarredCloses, indexAt, type LostOrder } from "@candlewick/engine/kernel"
import type { Comparison, LosingBacktest, Stretch } from "../../domain/expected/Comparison.ts"
import { type ExpectedBacktest, simulateExpected, type Worked } from "./expectedBacktest.ts"
import { type CooldownEnd, expectedBy } from "./expectedSide.ts"

/** The entries that a bot lost for one cause, as the backtest has them. */
export interface Loss {
  readonly cause: LosingBacktest["cause"]
  readonly lost: ReadonlyArray<LostOrder>
  readonly barred: ReadonlyArray<BarredCloses>
}

/** The entries that ended for a cause without a fill. */
const lostOf = (
  markets: ReadonlyArray<Worked>,
  unfilled: Comparison["unfilled"],
  cause: Loss["cause"]
): Loss["lost"] =>
  unfilled.flatMap(({ cause: own, decision, filledTime, leg, market, overTime, time }) => {
    if (own !== cause || leg !== "entry" || decision === null || filledTime !== null) return []
    const { columns, from } = markets[market]!
    const orderId = decision.replace(/\d+/, String(indexAt(columns, time) - from))
    return [{ market, orderId, time: overTime ?? time + 1 }]
  })

const closesOf = (stretches: ReadonlyArray<Stretch>): Loss["barred"] =>
  stretches.map(({ after, until }) => ({ from: after, until }))

/** The entries that a live bot lost, by their causes. */
export const lossesOf = (
  markets: ReadonlyArray<Worked>,
  { barred, heldBack, isOnPaper, missed, unfilled }: Omit<Comparison, "lasting" | "losing">
): ReadonlyArray<Loss> => {
  if (isOnPaper) return []
  const stretches = { refusal: barred, command: heldBack, part: [], missed_candle: missed }
  return (["refusal", "command", "part", "missed_candle"] as const).flatMap((cause) => {
    const lost = lostOf(markets, unfilled, cause)
    const closes = closesOf(stretches[cause])
    return lost.length + closes.length === 0 ? [] : [{ cause, lost, barred: closes }]
  })
}

/** The backtests that lose the same entries as a bot, each for one cause. */
export const losingOf = (
  backtest: ExpectedBacktest,
  losses: ReadonlyArray<Loss>,
  coolsUntil: CooldownEnd
): Comparison["losing"] =>
  losses.map(({ cause, ...loss }) => {
    const simulation = simulateExpected(backtest, backtest.bot.capital_allocation, loss)
    const { expected, lacking } = expectedBy(backtest.markets, simulation, coolsUntil)
    return { cause, expected, lacking }
  })
