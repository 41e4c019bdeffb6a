/**
 * Versions of strategies in SQL.
 *
 * @since 0.1.0
 */
import { StrategyVersion, StrategyVersionStore, toPage } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { jsonText } from "./internal/jsonText.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface RecordRow {
  readonly record: unknown
}

const decode = decoderOf(StrategyVersion)

const versionMax = 2_147_483_647

/** A key of a page is a number as text; one that is none begins where there are no versions. */
const toNumber = (before: string | undefined): number =>
  before === undefined ? versionMax : Math.max(0, Math.min(versionMax, Number(before) || 0))

/** A `StrategyVersionStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  StrategyVersionStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    StrategyVersionStore.of({
      keep: (version) =>
        Effect.asVoid(
          toStoreError(
            sql`insert into strategy_versions (strategy_id, version, account_id, record)
              values (${version.strategy_id}, ${version.version}, ${version.account_id},
                ${jsonText(version)})
              on conflict (strategy_id, version) do nothing`
          )
        ),
      get: (accountId, strategyId, number) =>
        // A text in SQL has no NUL character; a caller's text may have one.
        strategyId.includes("\0") || !Number.isInteger(number) || Math.abs(number) > versionMax
          ? Effect.succeedNone
          : toStoreError(
              Effect.map(
                sql<RecordRow>`select record from strategy_versions
                  where strategy_id = ${strategyId} and version = ${number}
                    and account_id = ${accountId}`,
                ([row]) => Option.map(Option.fromUndefinedOr(row), ({ record }) => decode(record))
              )
            ),
      list: (accountId, strategyId, { before, limit }) =>
        strategyId.includes("\0")
          ? Effect.succeed({ items: [], next: null })
          : toStoreError(
              Effect.map(
                sql<RecordRow>`select record from strategy_versions
                  where strategy_id = ${strategyId} and account_id = ${accountId}
                    and version < ${toNumber(before)}
                  order by version desc limit ${limit + 1}`,
                (rows) =>
                  toPage(
                    rows.map(({ record }) => decode(record)),
                    limit,
                    ({ version }) => String(version)
                  )
              )
            )
    })
  )
)
