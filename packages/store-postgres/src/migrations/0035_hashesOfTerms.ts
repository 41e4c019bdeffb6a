/**
 * Hashes of markets that go by their terms alone.
 *
 * @since 0.1.0
 */
import { makeRevision, MarketRevision } from "@candlewick/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "../internal/decoderOf.ts"
import { jsonText } from "../internal/jsonText.ts"

const decode = decoderOf(MarketRevision)

/**
 * Hashes each revision anew. A hash used to depend on the order of the record's fields, so that
 * equal terms could have two.
 *
 * @category tables
 * @since 0.1.0
 */
export const hashesOfTerms = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const kept = yield* sql<{ readonly record: unknown }>`select record from market_revisions`
  for (const { record } of kept) {
    const market = decode(record)
    const { owner, revision, source, symbol, updated_at: at } = market
    const { hash } = yield* makeRevision({ owner, terms: market, source, before: null, at })
    if (hash === market.hash) continue
    yield* sql`update market_revisions set record = ${jsonText({ ...market, hash })}
      where owner = ${owner} and symbol = ${symbol} and revision = ${revision}`
  }
})
