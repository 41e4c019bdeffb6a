/**
 * The differences that entries make which a bot lost, as they were refused or taken back.
 *
 * Such an entry may rest in the backtest for long. It takes money there, and a place among the
 * positions, which the bot has for other entries. A backtest that loses the same entries shows
 * which fills come of that.
 *
 * @since 0.1.0
 */
import type { Cause } from "./Cause.ts"
import type { ComparedFill, Comparison } from "./Comparison.ts"
import { type Piece, purposeOf } from "./pairFills.ts"

type Side = Pick<Comparison, "expected" | "lacking">

const keyOf = ({ decision, leg, market, side }: ComparedFill): string =>
  `${market} ${side} ${purposeOf(leg)} ${decision}`

/** How much of an order a backtest fills, and whether it has the order at all. */
const readOrders = ({ expected, lacking }: Side) => {
  const quantities = new Map<string, number>()
  for (const fill of expected) {
    const key = keyOf(fill)
    quantities.set(key, (quantities.get(key) ?? 0) + fill.quantity)
  }
  const decisions = new Set(
    [...expected, ...lacking].map(({ decision, market }) => `${market} ${decision}`)
  )
  return {
    quantityOf: (fill: ComparedFill): number => quantities.get(keyOf(fill)) ?? 0,
    has: ({ decision, market }: ComparedFill): boolean => decisions.has(`${market} ${decision}`)
  }
}

/**
 * Finds the cause for which a bot lost entries, where a quantity without a counterpart comes of
 * that; or null.
 *
 * @category comparisons
 * @since 0.1.0
 */
export const readLosses = (comparison: Comparison): ((piece: Piece) => Cause | null) => {
  const plain = readOrders(comparison)
  const all = comparison.losing.map((one) => ({ cause: one.cause, orders: readOrders(one) }))
  return ({ expected, realized }) => {
    const fill = (expected ?? realized)!
    if (fill.decision === null) return null
    const found = all.find(({ orders }) => {
      const more = orders.quantityOf(fill) - plain.quantityOf(fill)
      if (expected !== null) return more < 0
      return more > 0 || (!plain.has(fill) && orders.has(fill))
    })
    return found?.cause ?? null
  }
}
