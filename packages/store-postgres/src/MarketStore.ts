/**
 * Markets in SQL, every revision of each.
 *
 * @since 0.1.0
 */
import { MarketRevision, MarketStore, StoreError, toPage } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { jsonText } from "./internal/jsonText.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface RecordRow {
  readonly record: unknown
}

const decode = decoderOf(MarketRevision)
const toRevision = ({ record }: RecordRow): MarketRevision => decode(record)

const first = (rows: ReadonlyArray<RecordRow>): Option.Option<MarketRevision> =>
  Option.map(Option.fromUndefinedOr(rows[0]), toRevision)

/** No market has so many revisions. */
const afterEveryRevision = 2_147_483_647

/** A `MarketStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  MarketStore,
  Effect.map(SqlClient.SqlClient, (sql) => MarketStore.of(marketsOf(sql)))
)

function marketsOf(sql: SqlClient.SqlClient): MarketStore["Service"] {
  return {
    insert: Effect.fnUntraced(function* (market) {
      const { id, owner, revision, symbol } = market
      const row = { owner, symbol, revision, record: jsonText(market) }
      // A refused insert that raised would end the transaction around it.
      const inserted = yield* toStoreError(
        sql`insert into market_revisions ${sql.insert(row)}
          on conflict (owner, symbol, revision) do nothing returning revision`
      )
      if (inserted.length === 0)
        return yield* StoreError.alreadyExists("market", `${id} ${revision}`)
    }),
    newest: (owner, symbol) =>
      toStoreError(
        Effect.map(
          sql<RecordRow>`select record from market_revisions
            where owner = ${owner} and symbol = ${symbol} order by revision desc limit 1`,
          first
        )
      ),
    get: (owner, symbol, revision) =>
      // A whole number in SQL ends where one in a request does not.
      revision > afterEveryRevision
        ? Effect.succeedNone
        : toStoreError(
            Effect.map(
              sql<RecordRow>`select record from market_revisions
                where owner = ${owner} and symbol = ${symbol} and revision = ${revision}`,
              first
            )
          ),
    list: (owner) =>
      toStoreError(
        Effect.map(
          sql<RecordRow>`select distinct on (symbol) record from market_revisions
            where owner = ${owner} order by symbol, revision desc`,
          (rows) => rows.map(toRevision)
        )
      ),
    listRevisions: (owner, symbol, { before, limit }) =>
      toStoreError(
        Effect.map(
          sql<RecordRow>`select record from market_revisions
            where owner = ${owner} and symbol = ${symbol}
              and revision < ${Math.min(Number(before ?? afterEveryRevision), afterEveryRevision)}
            order by revision desc limit ${limit + 1}`,
          (rows) => toPage(rows.map(toRevision), limit, ({ revision }) => String(revision))
        )
      )
  }
}
