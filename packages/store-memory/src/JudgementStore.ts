/**
 * Keeps judgements of stretches in memory.
 *
 * @since 0.1.0
 */
import { JudgementStore, type SeriesStretch } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { judgedGroup, type Tables } from "./internal/tables.ts"

const countIn = (
  { judgements }: Pick<Tables, "judgements">,
  accountId: string,
  stretch: SeriesStretch
): number => {
  const half = (stretch.toMs - stretch.fromMs) / 2
  return [...judgements.oldest(judgedGroup(accountId, stretch))].filter(({ fromMs, toMs }) => {
    const shared = Math.min(toMs, stretch.toMs) - Math.max(fromMs, stretch.fromMs)
    return shared >= half
  }).length
}

/**
 * `JudgementStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<JudgementStore, never, Database> = Layer.effect(
  JudgementStore,
  Effect.map(Database, (database) => ({
    keep: (accountId, runId, stretch) =>
      database.write((tables) => {
        const kept = tables.judgements.get(keyOf(runId, stretch.symbol))
        if (kept !== undefined) return kept.earlierCount
        const { fromMs, symbol, timeframe, toMs } = stretch
        const earlierCount = countIn(tables, accountId, stretch)
        const judgement = { accountId, runId, symbol, timeframe, fromMs, toMs, earlierCount }
        tables.judgements = tables.judgements.put(judgement)
        return earlierCount
      }),
    count: (accountId, stretch) => database.read((tables) => countIn(tables, accountId, stretch))
  }))
)
