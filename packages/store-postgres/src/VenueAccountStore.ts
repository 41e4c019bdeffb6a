/**
 * Exchange accounts, attempts and facts in SQL.
 *
 * @since 0.1.0
 */
import {
  type KeptFact,
  openAttemptStates,
  OrderAttempt,
  toPage,
  type TradeFact,
  VenueAccount,
  VenueAccountStore,
  VenueFact
} from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { inTransaction } from "./internal/inTransaction.ts"
import { jsonText } from "./internal/jsonText.ts"
import { alreadyExists, notFound, versionConflict } from "./internal/refusals.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface RecordRow {
  readonly record: unknown
}

interface FactRow extends RecordRow {
  readonly sequence: number
}

const decodeAccount = decoderOf(VenueAccount)
const decodeAttempt = decoderOf(OrderAttempt)
const decodeFact = decoderOf(VenueFact)
const toAttempt = ({ record }: RecordRow): OrderAttempt => decodeAttempt(record)
const toKept = ({ record, sequence }: FactRow): KeptFact => ({
  sequence,
  fact: decodeFact(record)
})

/** The text of a payment; a quote within a value is escaped. */
const payments = '%"type":"funding"%'

const sequenceMax = 2_147_483_647
/** A key of a page is a sequence number as text; one that is none begins before all facts. */
const toSequence = (before: string | undefined): number =>
  before === undefined
    ? sequenceMax
    : Math.max(0, Math.min(sequenceMax, Math.ceil(Number(before)) || 0))

/** A `VenueAccountStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  VenueAccountStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    VenueAccountStore.of({
      ...accountsOf(sql),
      ...factsOf(sql),
      ...attemptsOf(sql),
      nowMs: toStoreError(
        Effect.map(
          sql<{ readonly nowMs: number }>`select
            floor(extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`,
          ([row]) => row!.nowMs
        )
      )
    })
  )
)

function accountsOf(sql: SqlClient.SqlClient): Pick<VenueAccountStore["Service"], "get" | "put"> {
  return {
    get: (key) =>
      toStoreError(
        Effect.map(sql<RecordRow>`select record from venue_accounts where key = ${key}`, ([row]) =>
          Option.map(Option.fromUndefinedOr(row), ({ record }) => decodeAccount(record))
        )
      ),
    put: Effect.fnUntraced(function* (account: VenueAccount) {
      const { key, version } = account
      const kept = { ...account, version: version + 1 }
      const written = yield* toStoreError(
        version === 0
          ? sql`insert into venue_accounts (key, version, record)
              values (${key}, 1, ${jsonText(kept)}) on conflict do nothing returning key`
          : sql`update venue_accounts set version = ${kept.version}, record = ${jsonText(kept)}
              where key = ${key} and version = ${version} returning key`
      )
      if (written.length === 0) return yield* versionConflict("exchange account", key, version)
      return kept
    })
  }
}

function factsOf(
  sql: SqlClient.SqlClient
): Pick<VenueAccountStore["Service"], "keepFacts" | "factsOf" | "listOutside"> {
  const keep = Effect.fnUntraced(function* (key: string, facts: ReadonlyArray<VenueFact>) {
    // The account's row is locked, so that a number that is seen is never followed by a lower one.
    const held = yield* sql`select key from venue_accounts where key = ${key} for update`
    if (held.length === 0) return yield* notFound("exchange account", key)
    const [last] = yield* sql<{ readonly sequence: number }>`select
      coalesce(max(sequence), 0) as sequence from venue_facts where account_key = ${key}`
    const kept: Array<KeptFact> = []
    for (const fact of facts) {
      const sequence = last!.sequence + kept.length + 1
      const inserted = yield* sql`insert into venue_facts
        (account_key, sequence, id, bot_id, record)
        values (${key}, ${sequence}, ${fact.id}, ${fact.bot_id}, ${jsonText(fact)})
        on conflict (account_key, id) do nothing returning id`
      if (inserted.length > 0) kept.push({ sequence, fact })
    }
    return kept
  })

  return {
    keepFacts: (key, facts) => toStoreError(inTransaction(sql, keep(key, facts))),
    factsOf: (botId, after) =>
      toStoreError(
        Effect.map(
          sql<FactRow>`select sequence, record from venue_facts
            where bot_id = ${botId} and sequence > ${after} order by sequence, account_key`,
          (rows) => rows.map(toKept)
        )
      ),
    listOutside: (key, { before, limit }) =>
      toStoreError(
        Effect.map(
          sql<FactRow>`select sequence, record from venue_facts
            where account_key = ${key} and bot_id is null and record::text not like ${payments}
              and sequence < ${toSequence(before)}
            order by sequence desc limit ${limit + 1}`,
          (rows) => {
            const page = toPage(rows.map(toKept), limit, ({ sequence }) => String(sequence))
            return { ...page, items: page.items.map(({ fact }) => fact as TradeFact) }
          }
        )
      )
  }
}

function attemptsOf(
  sql: SqlClient.SqlClient
): Pick<
  VenueAccountStore["Service"],
  "putAttempt" | "findAttempt" | "listOpenAttempts" | "attemptsOf"
> {
  const add = (attempt: OrderAttempt) =>
    sql`insert into order_attempts
      (account_key, id, bot_id, client_order_id, number, is_open, version, record)
      values (${attempt.account_key}, ${attempt.id}, ${attempt.bot_id}, ${attempt.client_order_id},
        ${attempt.number}, ${isOpen(attempt)}, 1, ${jsonText(attempt)})
      on conflict do nothing returning id`
  const replace = (attempt: OrderAttempt) =>
    sql`update order_attempts set is_open = ${isOpen(attempt)}, version = ${attempt.version},
        record = ${jsonText(attempt)}
      where account_key = ${attempt.account_key} and id = ${attempt.id}
        and version = ${attempt.version - 1} returning id`

  return {
    putAttempt: Effect.fnUntraced(function* (attempt: OrderAttempt) {
      const { id, version } = attempt
      const kept = { ...attempt, version: version + 1 }
      const written = yield* toStoreError(version === 0 ? add(kept) : replace(kept))
      if (written.length > 0) return kept
      return yield* version === 0
        ? alreadyExists("attempt", id)
        : versionConflict("attempt", id, version)
    }),
    findAttempt: (key, id) =>
      toStoreError(
        Effect.map(
          sql<RecordRow>`select record from order_attempts
            where account_key = ${key} and id = ${id}`,
          ([row]) => Option.map(Option.fromUndefinedOr(row), toAttempt)
        )
      ),
    listOpenAttempts: (key) =>
      toStoreError(
        Effect.map(
          sql<RecordRow>`select record from order_attempts
            where is_open ${key === null ? sql`` : sql`and account_key = ${key}`}
            order by account_key, place`,
          (rows) => rows.map(toAttempt)
        )
      ),
    attemptsOf: (botId, clientOrderId) =>
      toStoreError(
        Effect.map(
          sql<RecordRow>`select record from order_attempts
            where bot_id = ${botId} and client_order_id = ${clientOrderId}
            order by number, account_key, id`,
          (rows) => rows.map(toAttempt)
        )
      )
  }
}

function isOpen({ state }: OrderAttempt): boolean {
  return openAttemptStates.includes(state)
}
