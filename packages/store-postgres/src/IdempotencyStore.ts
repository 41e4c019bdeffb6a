/**
 * Idempotency keys in SQL.
 *
 * @since 0.1.0
 */
import { type IdempotencyClaim, IdempotencyStore, type RememberedAnswer } from "@candlewick/core"
import { Effect, Layer } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { createHash } from "node:crypto"
import { jsonText } from "./internal/jsonText.ts"
import { withTime } from "./internal/StoreTime.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface TakenRow {
  readonly fingerprint: string
  readonly outcome: string | null
  readonly answer: RememberedAnswer | null
}

type ClaimRequest = Parameters<IdempotencyStore["Service"]["claim"]>[0]

const longScope = 500

/** A scope has a path in it, of any length; a key of an index may have some 2 700 bytes. */
const indexable = (scope: string): string =>
  scope.length <= longScope ? scope : createHash("sha256").update(scope).digest("hex")

const claimOf = (
  { answer, fingerprint: taken, outcome }: TakenRow,
  fingerprint: string
): IdempotencyClaim => {
  if (taken !== fingerprint) return { type: "reused" }
  if (answer !== null) return { type: "answered", answer }
  return outcome === null ? { type: "in_progress" } : { type: "carried_out", outcome }
}

/** An `IdempotencyStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  IdempotencyStore,
  withTime((sql, presentMs) => makeStore(sql, presentMs))
)

// Two are forgotten for each that is taken, so that the table stays as small as a day's keys.
const takeKey = (
  sql: SqlClient.SqlClient,
  { fingerprint, keptForMs, key, scope }: ClaimRequest,
  now: Statement.Fragment
) =>
  sql`with forgotten as (
      delete from idempotency_keys where (scope, key) in (
        select scope, key from idempotency_keys
        where expires_at_ms <= ${now} and (scope, key) <> (${scope}, ${key})
        order by expires_at_ms limit 2 for update skip locked
      )
    )
    insert into idempotency_keys as taken (scope, key, fingerprint, expires_at_ms)
    values (${scope}, ${key}, ${fingerprint}, ${now} + ${keptForMs}::float8)
    on conflict (scope, key) do update
      set fingerprint = excluded.fingerprint,
        expires_at_ms = excluded.expires_at_ms,
        outcome = null,
        answer = null
      where taken.expires_at_ms <= ${now}
    returning key`

const makeStore = (
  sql: SqlClient.SqlClient,
  presentMs: Effect.Effect<Statement.Fragment>
): IdempotencyStore["Service"] => {
  const find = (scope: string, key: string) =>
    sql<TakenRow>`select fingerprint, outcome, answer from idempotency_keys
      where scope = ${scope} and key = ${key}`

  const claim = (given: ClaimRequest) =>
    toStoreError(
      Effect.gen(function* () {
        const request = { ...given, scope: indexable(given.scope) }
        while (true) {
          if ((yield* takeKey(sql, request, yield* presentMs)).length > 0)
            return { type: "claimed" } as const
          const [taken] = yield* find(request.scope, request.key)
          // Without one it was released in between: take it again.
          if (taken !== undefined) return claimOf(taken, request.fingerprint)
        }
      })
    )

  return IdempotencyStore.of({
    claim,
    keepOutcome: ({ before, fingerprint, keptForMs, key, outcome, scope }) =>
      toStoreError(
        Effect.map(
          Effect.flatMap(
            presentMs,
            (now) => sql`update idempotency_keys
            set outcome = ${outcome}, expires_at_ms = ${now} + ${keptForMs}::float8
            where scope = ${indexable(scope)} and key = ${key} and fingerprint = ${fingerprint}
              and answer is null and outcome is not distinct from ${before}::text
            returning key`
          ),
          (kept) => kept.length > 0
        )
      ),
    answer: (scope, key, answer, keptForMs) =>
      toStoreError(
        Effect.flatMap(
          presentMs,
          (now) => sql`update idempotency_keys
            set answer = ${jsonText(answer)}, outcome = null,
              expires_at_ms = ${now} + ${keptForMs}::float8
            where scope = ${indexable(scope)} and key = ${key}`
        ).pipe(Effect.asVoid)
      ),
    release: (scope, key) =>
      toStoreError(
        Effect.asVoid(
          sql`delete from idempotency_keys
            where scope = ${indexable(scope)} and key = ${key} and answer is null and outcome is null`
        )
      ),
    releaseAll: toStoreError(
      Effect.asVoid(sql`delete from idempotency_keys where answer is null and outcome is null`)
    ),
    nowMs: toStoreError(
      Effect.map(
        Effect.flatMap(
          presentMs,
          (now) => sql<{ readonly nowMs: number }>`select ${now} as "nowMs"`
        ),
        ([row]) => row!.nowMs
      )
    )
  })
}
