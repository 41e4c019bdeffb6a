/**
 * The differences that entries make which were refused of a bot.
 *
 * Such an entry may rest in the backtest for long. It takes money there, and a place among the
 * positions, which the bot has for other entries. A backtest that loses the same entries shows
 * which fills come of that.
 *
 * @since 0.1.0
 */
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
 * Finds whether a quantity that has no counterpart comes of the entries that were refused.
 *
 * @category comparisons
 * @since 0.1.0
 */
export const readRefused = (comparison: Comparison): ((piece: Piece) => boolean) => {
  const { ofRefused } = comparison
  if (ofRefused === null) return () => false
  const plain = readOrders(comparison)
  const refused = readOrders(ofRefused)
  return ({ expected, realized }) => {
    const fill = (expected ?? realized)!
    if (fill.decision === null) return false
    const more = refused.quantityOf(fill) - plain.quantityOf(fill)
    if (expected !== null) return more < 0
    return more > 0 || (!plain.has(fill) && refused.has(fill))
  }
}
