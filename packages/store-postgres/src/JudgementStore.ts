/**
 * Judgements of stretches in SQL.
 *
 * @since 0.1.0
 */
import { JudgementStore, type SeriesStretch } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { toStoreError } from "./internal/toStoreError.ts"

interface CountRow {
  readonly found: number
}

const foundIn = ([row]: ReadonlyArray<CountRow>): number | undefined => row?.found

/** A `JudgementStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  JudgementStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const count = (accountId: string, { fromMs, symbol, timeframe, toMs }: SeriesStretch) =>
      sql<CountRow>`select count(*)::int as found from judgements
        where account_id = ${accountId} and symbol = ${symbol} and timeframe = ${timeframe}
          and to_ms > ${fromMs}::bigint and from_ms < ${toMs}::bigint
          and 2 * (least(to_ms, ${toMs}::bigint) - greatest(from_ms, ${fromMs}::bigint))
            >= ${toMs}::bigint - ${fromMs}::bigint`

    const keep = Effect.fnUntraced(function* (
      accountId: string,
      runId: string,
      stretch: SeriesStretch
    ) {
      const { fromMs, symbol, timeframe, toMs } = stretch
      const earlier = foundIn(yield* count(accountId, stretch)) ?? 0
      const inserted = yield* sql<CountRow>`insert into judgements
        (run_id, symbol, account_id, timeframe, from_ms, to_ms, earlier_count)
        values (${runId}, ${symbol}, ${accountId}, ${timeframe}, ${fromMs}::bigint,
          ${toMs}::bigint, ${earlier})
        on conflict (run_id, symbol) do nothing returning earlier_count as found`
      const kept = yield* sql<CountRow>`select earlier_count as found from judgements
        where run_id = ${runId} and symbol = ${symbol}`
      return foundIn(inserted) ?? foundIn(kept) ?? earlier
    })

    return JudgementStore.of({
      keep: (accountId, runId, stretch) =>
        toStoreError(sql.withTransaction(keep(accountId, runId, stretch))),
      count: (accountId, stretch) =>
        toStoreError(Effect.map(count(accountId, stretch), (rows) => foundIn(rows) ?? 0))
    })
  })
)
