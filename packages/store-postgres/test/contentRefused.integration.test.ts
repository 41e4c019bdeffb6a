/**
 * A database refuses a content by a typed error that no repetition mends, whatever else the store
 * may do meanwhile.
 */
import {
  AccountStore,
  BotStateStore,
  BotStore,
  RunCheckpoints,
  type StoreError,
  type StorePorts,
  Transactor
} from "@candlewick/core"
import { accountRecord, botRecord, botStateRecord, keyRecord } from "@candlewick/core/testing"
import { makeRandom } from "@candlewick/core/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { toStoreError } from "../src/internal/toStoreError.ts"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

/** More than an index holds, of what can't be compressed. */
const endless = () => {
  const { next } = makeRandom("endless")
  return Array.from({ length: 3_000 }, () => next().toString(36)).join("")
}

type Write = Effect.Effect<unknown, StoreError, StorePorts>

const zeroCharacter: Write = Effect.flatMap(RunCheckpoints, ({ keep }) =>
  keep("run", [{ step: "a\u0000b", value: 1 }])
)

const writes: Readonly<Record<string, Write>> = {
  "a text with a zero character": zeroCharacter,
  "a number that its column can't hold": Effect.flatMap(BotStateStore, ({ put }) =>
    put(botStateRecord({ bot_id: "bot_large", cursor: 1e300 }))
  ),
  "a state that the table does not know": Effect.flatMap(BotStore, ({ insert }) =>
    insert(botRecord({ status: "asleep" as "stopped" }))
  ),
  "nothing where something must be": Effect.flatMap(AccountStore, ({ insertKey }) =>
    insertKey(keyRecord({ lookup: null as unknown as string }))
  ),
  "an id that no index can hold": Effect.suspend(() =>
    Effect.flatMap(AccountStore, ({ insert }) => insert(accountRecord({ id: endless() })))
  )
}

onEveryStore("content that is refused", (name, layer) => {
  describe(name, () => {
    for (const [content, write] of Object.entries(writes)) {
      it.live(`says so of ${content}`, () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(write)
          assert.strictEqual(error._tag, "StoreError")
          assert.strictEqual(error.reason._tag, "ContentRefused")
          assert.isFalse(error.isRetryable)
        }).pipe(Effect.provide(layer))
      )
    }

    it.live("undoes the transaction around it, and the next one is kept", () =>
      Effect.gen(function* () {
        const { transact } = yield* Transactor
        const { get, insert } = yield* BotStore
        const bot = botRecord()
        const error = yield* Effect.flip(transact(Effect.andThen(insert(bot), zeroCharacter)))
        assert.strictEqual(error.reason._tag, "ContentRefused")
        assert.isTrue(Option.isNone(yield* get(bot.account_id, bot.id)))
        yield* transact(insert(bot))
        assert.isTrue(Option.isSome(yield* get(bot.account_id, bot.id)))
      }).pipe(Effect.provide(layer))
    )

    it.live("is not said of what the content has no part in", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const raised = (state: string) =>
          sql.unsafe(`do $$ begin raise exception 'a test' using errcode = '${state}'; end $$`)
        // A deadlock, no room, a shutdown, a lock that another holds, a file that can't be written,
        // and a table of another version of the schema.
        for (const state of ["40P01", "53100", "57P03", "55P03", "58030", "42P01"]) {
          const error = yield* Effect.flip(toStoreError(raised(state)))
          assert.strictEqual(error.reason._tag, "StoreUnavailable", state)
          assert.isTrue(error.isRetryable)
        }
      }).pipe(Effect.provide(layer))
    )
  })
})
