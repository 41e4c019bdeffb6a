/**
 * Keeps exchange accounts, attempts and facts in memory.
 *
 * @since 0.1.0
 */
import {
  type KeptFact,
  type OrderAttempt,
  type Page,
  type StoreError,
  type TradeFact,
  type VenueAccount,
  VenueAccountStore,
  type VenueFact
} from "@candlewick/core"
import { Clock, Effect, Layer, Option } from "effect"
import { keyOf, sortable } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { pageOf } from "./internal/pages.ts"
import { alreadyExists, notFound, versionConflict } from "./internal/refusals.ts"
import type { KeptFactOf, Tables } from "./internal/tables.ts"

/**
 * `VenueAccountStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<VenueAccountStore, never, Database> = Layer.effect(
  VenueAccountStore,
  Effect.map(Database, (database) => ({
    ...accountsOf(database),
    ...factsOf(database),
    ...attemptsOf(database),
    nowMs: Clock.currentTimeMillis
  }))
)

function accountsOf(
  database: Database["Service"]
): Pick<VenueAccountStore["Service"], "get" | "put"> {
  return {
    get: (key) =>
      database.read(({ venueAccounts }) => Option.fromUndefinedOr(venueAccounts.get(key))),
    put: (account) =>
      database.write((tables): VenueAccount | StoreError => {
        const { key, version } = account
        if ((tables.venueAccounts.get(key)?.version ?? 0) !== version) {
          return versionConflict("exchange account", key, version)
        }
        const next = { ...account, version: version + 1 }
        tables.venueAccounts = tables.venueAccounts.put(next)
        return next
      })
  }
}

const keepFact = (tables: Tables, key: string, fact: VenueFact): ReadonlyArray<KeptFact> => {
  if (tables.venueFacts.get(keyOf(key, fact.id)) !== undefined) return []
  const last = tables.venueFacts.last(keyOf("account", key))
  const kept: KeptFactOf = { key, fact, sequence: (last?.sequence ?? 0) + 1 }
  tables.venueFacts = tables.venueFacts.put(kept)
  return [{ sequence: kept.sequence, fact }]
}

function* tradesIn(facts: Iterable<KeptFactOf>): Iterable<KeptFactOf> {
  for (const kept of facts) if (kept.fact.type === "trade") yield kept
}

function factsOf(
  database: Database["Service"]
): Pick<VenueAccountStore["Service"], "keepFacts" | "factsOf" | "listOutside"> {
  return {
    keepFacts: (key, facts) =>
      database.write((tables): ReadonlyArray<KeptFact> | StoreError =>
        tables.venueAccounts.get(key) === undefined
          ? notFound("exchange account", key)
          : facts.flatMap((fact) => keepFact(tables, key, fact))
      ),
    factsOf: (botId, after) =>
      database.read(({ venueFacts }) =>
        Array.from(
          venueFacts.oldest(keyOf("bot", botId), sortable(after + 1)),
          ({ fact, sequence }) => ({ sequence, fact })
        )
      ),
    listOutside: (key, { before, limit }) =>
      database.read(({ venueFacts }): Page<TradeFact> => {
        const below = before === undefined ? undefined : sortable(Number(before) || 0)
        const told = venueFacts.newest(keyOf("outside", key), below)
        const kept = tradesIn(told)
        const page = pageOf(kept, limit, ({ sequence }) => String(sequence))
        return { ...page, items: page.items.map(({ fact }) => fact as TradeFact) }
      })
  }
}

function attemptsOf(
  database: Database["Service"]
): Pick<
  VenueAccountStore["Service"],
  "putAttempt" | "findAttempt" | "listOpenAttempts" | "attemptsOf"
> {
  return {
    putAttempt: (attempt) =>
      database.write((tables): OrderAttempt | StoreError => {
        const { account_key: key, id, version } = attempt
        const stored = tables.orderAttempts.get(keyOf(key, id))
        if (version === 0 && stored !== undefined) return alreadyExists("attempt", id)
        if (version !== (stored?.attempt.version ?? 0)) {
          return versionConflict("attempt", id, version)
        }
        const last = tables.orderAttempts.last(keyOf("account", key))
        const place = stored?.place ?? (last?.place ?? 0) + 1
        const next = { ...attempt, version: version + 1 }
        tables.orderAttempts = tables.orderAttempts.put({ attempt: next, place })
        return next
      }),
    findAttempt: (key, id) =>
      database.read(({ orderAttempts }) =>
        Option.fromUndefinedOr(orderAttempts.get(keyOf(key, id))?.attempt)
      ),
    listOpenAttempts: (key) =>
      database.read(({ orderAttempts }) =>
        Array.from(
          orderAttempts.oldest(key === null ? keyOf("open") : keyOf("open", key)),
          ({ attempt }) => attempt
        )
      ),
    attemptsOf: (botId, clientOrderId) =>
      database.read(({ orderAttempts }) =>
        Array.from(
          orderAttempts.oldest(keyOf("order", botId, clientOrderId)),
          ({ attempt }) => attempt
        )
      )
  }
}
