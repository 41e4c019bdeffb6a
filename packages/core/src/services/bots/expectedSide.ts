/**
 * The backtest's side of a comparison: its fills, the orders that it did not fill whole, and when
 * its gate was shut.
 *
 * @since 0.1.0
 */
import { defaultValues, resolveSetting, type StrategyDefinition } from "@candlewick/engine"
import {
  type EndedOrder,
  indexAt,
  type MatchFill,
  placedIndexOf,
  type Simulation
} from "@candlewick/engine/kernel"
import type {
  ComparedFill,
  Comparison,
  LackingOrder,
  Stretch
} from "../../domain/expected/Comparison.ts"
import type { Worked } from "./expectedBacktest.ts"

/** Until when the cooldown after a fill lets no entry fill; null where it begins none. */
export type CooldownEnd = (
  fill: Pick<MatchFill, "effect" | "leg" | "market" | "time">
) => number | null

/** Reads the cooldowns of a strategy. */
export const makeCooldownEnd = (
  definition: StrategyDefinition,
  markets: ReadonlyArray<Worked>
): CooldownEnd => {
  const { overlap, reentry } = definition
  const values = defaultValues(definition)
  const always = resolveSetting(reentry?.cooldown ?? 0, values)
  const afterStop = resolveSetting(reentry?.cooldown_after_stop ?? 0, values)
  return ({ effect, leg, market, time }) => {
    // Where positions may overlap, each of them begins its own.
    const isOver = effect === "close" || (effect === "reduce" && overlap === true)
    const isStop = leg === "stop_loss" || leg === "trailing_stop"
    const wait = isStop ? Math.max(always, afterStop) : always
    if (!isOver || wait === 0) return null
    const { columns } = markets[market]!
    return columns.time[indexAt(columns, time) + wait] ?? Number.POSITIVE_INFINITY
  }
}

/**
 * The decision of an order as both name it: a bot counts the candles of an account, and a backtest
 * those of a series. Null where the candle of the decision is unknown.
 */
export const decisionOf = (orderId: string, time: number | undefined): string | null =>
  time === undefined ? null : orderId.replace(/\d+/, String(time))

/** The fill of a backtest; an entry may have rested since the candle after that of its decision. */
const toExpected =
  (markets: ReadonlyArray<Worked>, coolsUntil: CooldownEnd) =>
  (fill: MatchFill): ComparedFill => {
    const { fee, index, leg, market, orderId, price, quantity, side, time } = fill
    const { columns } = markets[market]!
    const at = indexAt(columns, time)
    const placed = at - (index - placedIndexOf(orderId))
    const since = columns.time[leg === "entry" ? placed + 1 : at]!
    return {
      market,
      time,
      since,
      coolsUntil: coolsUntil(fill),
      decision: decisionOf(orderId, columns.time[placed]),
      side,
      leg,
      quantity,
      price,
      fee
    }
  }

/** The orders that the backtest did not fill whole, as far as their decision is known. */
const toLacking = (
  markets: ReadonlyArray<Worked>,
  { ended, fills, resting, withdrawn }: Simulation
): ReadonlyArray<LackingOrder> => {
  const keyOf = ({ market, orderId }: Pick<MatchFill, "market" | "orderId">) =>
    `${market} ${orderId}`
  const filled = new Set(fills.map(keyOf))
  const orderOf = (
    { market, orderId }: Pick<MatchFill, "market" | "orderId">,
    ends: Pick<LackingOrder, "isCut" | "overTime">
  ): ReadonlyArray<LackingOrder> => {
    const { columns, from } = markets[market]!
    const decision = decisionOf(orderId, columns.time[from + placedIndexOf(orderId)])
    return decision === null ? [] : [{ market, decision, ...ends }]
  }
  const endOf = ({ index, market }: Pick<EndedOrder, "index" | "market">): number | null => {
    const { columns, from } = markets[market]!
    return index === undefined ? null : columns.time[from + index]!
  }
  return [
    ...ended.flatMap((one) => {
      const isCut = one.outcome === "rejected" || filled.has(keyOf(one))
      return orderOf(one, { isCut, overTime: endOf(one) })
    }),
    ...withdrawn.flatMap((one) => orderOf(one, { isCut: false, overTime: endOf(one) })),
    ...resting.flatMap((one) => orderOf(one, { isCut: false, overTime: null }))
  ]
}

/** The stretches after a change that shut the gate, up to the one that opened it. */
const toShut = (gateChanges: Simulation["gateChanges"]): ReadonlyArray<Stretch> => {
  const shut: Array<Stretch> = []
  let after: number | null = null
  for (const { state, time } of gateChanges) {
    if (state !== "active") after ??= time
    else if (after !== null) {
      shut.push({ after, until: time })
      after = null
    }
  }
  return after === null ? shut : [...shut, { after, until: Number.POSITIVE_INFINITY }]
}

/** The side of the backtest; without one, nothing was to be expected. */
export const expectedBy = (
  markets: ReadonlyArray<Worked>,
  simulation: Simulation | null,
  coolsUntil: CooldownEnd
): Pick<Comparison, "expected" | "lacking" | "shut"> => {
  if (simulation === null) return { expected: [], lacking: [], shut: [] }
  return {
    expected: simulation.fills.map(toExpected(markets, coolsUntil)),
    lacking: toLacking(markets, simulation),
    shut: toShut(simulation.gateChanges)
  }
}
