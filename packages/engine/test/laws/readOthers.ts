/**
 * Strategies that read another market, for the laws.
 */
import type { Random } from "../../src/kernel/random.ts"

const places = ["left", "right", "of", "low", "high", "source", "level", "series"]

/** The part with some of its series read from the other market; longer candles stay inside. */
export const withOther = (random: Random, part: unknown, other: string): unknown => {
  if (Array.isArray(part)) return part.map((inner) => withOther(random, inner, other))
  if (typeof part !== "object" || part === null || ("type" in part && part.type === "timeframe"))
    return part
  return Object.fromEntries(
    Object.entries(part).map(([name, inner]) => {
      const isSeries = places.includes(name) && typeof inner === "object"
      return isSeries && random.next() < 0.4
        ? [name, { type: "symbol", symbol: other, of: inner }]
        : [name, withOther(random, inner, other)]
    })
  )
}
