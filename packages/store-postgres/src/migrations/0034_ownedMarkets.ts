/**
 * Owners of markets and candles, and every revision of a market.
 *
 * @since 0.1.0
 */
import { areUsual, makeRevision, Market, sharedOwner } from "@candlewick/core"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "../internal/decoderOf.ts"
import { jsonText } from "../internal/jsonText.ts"

const decode = decoderOf(Market)

/** Records of before a fill could cost a fixed fee have none. */
const readTerms = (record: unknown): Market => decode({ fee_per_fill: 0, ...(record as object) })

/**
 * Gives each series and market an owner, and each market its first revision. Their owners were not
 * recorded, and every account read them: they are shared.
 *
 * @category tables
 * @since 0.1.0
 */
export const ownedMarkets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table candle_chunks drop constraint candle_chunks_symbol_timeframe_fkey`
  for (const [table, key] of [
    ["candle_series", "owner, symbol, timeframe"],
    ["candle_chunks", "owner, symbol, timeframe, starts_ms"]
  ] as const) {
    yield* sql`alter table ${sql(table)}
      add column owner text not null collate "C" default ${sql.literal(`'${sharedOwner}'`)}`
    yield* sql`alter table ${sql(table)} alter column owner drop default,
      drop constraint ${sql(`${table}_pkey`)}, add primary key (${sql.literal(key)})`
  }
  yield* sql`alter table candle_chunks add foreign key (owner, symbol, timeframe)
    references candle_series on delete cascade`
  yield* sql`create table market_revisions (
    owner text not null collate "C",
    symbol text not null collate "C",
    revision integer not null,
    record json not null,
    primary key (owner, symbol, revision)
  )`
  const kept = yield* sql<{ readonly record: unknown }>`select record from markets`
  const at = new Date(yield* Clock.currentTimeMillis).toISOString()
  for (const { record } of kept) {
    const terms = readTerms(record)
    const source = areUsual(terms) ? "inferred" : "given"
    const first = yield* makeRevision({ owner: sharedOwner, terms, source, before: null, at })
    const { owner, revision, symbol } = first
    yield* sql`insert into market_revisions
      ${sql.insert({ owner, symbol, revision, record: jsonText(first) })}`
  }
  yield* sql`drop table markets`
})
