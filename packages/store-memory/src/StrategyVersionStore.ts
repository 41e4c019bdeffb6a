/**
 * Keeps the versions of strategies in memory.
 *
 * @since 0.1.0
 */
import { StrategyVersionStore } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { keyOf, sortable } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { frozenCopy } from "./internal/frozenCopy.ts"
import { pageOf } from "./internal/pages.ts"

/** A key of a page is a number as text; one that is none begins where there are no versions. */
const sortOf = (before: string | undefined): string | undefined =>
  before === undefined ? undefined : sortable(Math.max(0, Number(before) || 0))

/**
 * `StrategyVersionStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<StrategyVersionStore, never, Database> = Layer.effect(
  StrategyVersionStore,
  Effect.map(Database, (database) => ({
    keep: (version) =>
      database.write((tables) => {
        const { strategyVersions } = tables
        const key = keyOf(version.strategy_id, String(version.version))
        if (strategyVersions.get(key) !== undefined) return
        tables.strategyVersions = strategyVersions.put(frozenCopy(version))
      }),
    get: (accountId, strategyId, number) =>
      database.read(({ strategyVersions }) =>
        Option.filter(
          Option.fromUndefinedOr(strategyVersions.get(keyOf(strategyId, String(number)))),
          ({ account_id }) => account_id === accountId
        )
      ),
    list: (accountId, strategyId, { before, limit }) =>
      database.read(({ strategyVersions }) =>
        pageOf(
          strategyVersions.newest(keyOf("strategy", accountId, strategyId), sortOf(before)),
          limit,
          ({ version }) => String(version)
        )
      )
  }))
)
