/**
 * Thins the equity points of a bot.
 *
 * @since 0.1.0
 */
import { type EquityRange, fromTimestamp } from "@candlewick/core"
import { dayOf } from "@candlewick/core/kernel"
import { keyOf, sortable } from "./Collection.ts"
import type { Tables } from "./tables.ts"

/** Leaves the last point of each UTC day of a range. @category models @since 0.1.0 */
export const thinPoints = (tables: Tables, botId: string, { before, from }: EquityRange): void => {
  const begin = from === undefined ? undefined : sortable(from)
  const points = tables.equityPoints.oldest(keyOf("bot", botId), begin)
  let last: number | null = null
  for (const { point } of points) {
    const time = fromTimestamp(point.time)
    if (time >= before) break
    if (last !== null && dayOf(last) === dayOf(time)) {
      tables.equityPoints = tables.equityPoints.remove(keyOf(botId, sortable(last)))
    }
    last = time
  }
}
