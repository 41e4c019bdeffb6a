/**
 * The contract of `AccountStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { AccountStore } from "../ports/AccountStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import {
  refusalOf,
  registerSuite,
  overwrite,
  sideBySide,
  type SuiteOptions
} from "./conformance.ts"
import { accountRecord, keyRecord } from "./records.ts"
import { testId, testName } from "./testIds.ts"
import { pagesOf, rolledBack } from "./versionedTests.ts"

const accountTests = {
  "gives an account back as it was inserted, at version 1": Effect.gen(function* () {
    const { get, insert } = yield* AccountStore
    const account = accountRecord()
    assert.deepStrictEqual(yield* get(account.id), Option.none())
    assert.deepStrictEqual(yield* insert({ ...account, version: 4 }), account)
    assert.deepStrictEqual(yield* get(account.id), Option.some(account))
  }),

  "refuses an account id that is taken, and keeps the stored account": Effect.gen(function* () {
    const { get, insert } = yield* AccountStore
    const account = yield* insert(accountRecord())
    assert.strictEqual(yield* refusalOf(insert({ ...account, name: "Other" })), "AlreadyExists")
    assert.deepStrictEqual(yield* get(account.id), Option.some(account))
  }),

  "replaces an account and returns it with the next version": Effect.gen(function* () {
    const { get, insert, update } = yield* AccountStore
    const account = yield* insert(accountRecord())
    const halted = { ...account, is_halted: true, halted_reason: "too hot" }
    const second = yield* update(halted)
    assert.deepStrictEqual(second, { ...halted, version: 2 })
    assert.deepStrictEqual(yield* get(account.id), Option.some(second))
  }),

  "refuses a stale version of an account and keeps the stored one": Effect.gen(function* () {
    const { get, insert, update } = yield* AccountStore
    const account = yield* insert(accountRecord())
    const second = yield* update({ ...account, name: "Second" })
    assert.strictEqual(yield* refusalOf(update({ ...account, name: "Late" })), "VersionConflict")
    assert.strictEqual(yield* refusalOf(update(accountRecord())), "NotFound")
    assert.deepStrictEqual(yield* get(account.id), Option.some(second))
  }),

  "lets exactly one of many writers of an account win": Effect.gen(function* () {
    const { get, insert, update } = yield* AccountStore
    const account = yield* insert(accountRecord())
    const writers = Array.from({ length: 8 }, (_, index) =>
      update({ ...account, name: `${index}` })
    )
    const { kept, refusals } = yield* sideBySide(writers)
    assert.lengthOf(kept, 1)
    assert.deepStrictEqual(
      refusals,
      Array.from({ length: 7 }, () => "VersionConflict" as const)
    )
    assert.deepStrictEqual(yield* get(account.id), Option.some(kept[0]!))
  }),

  "lists every account, oldest first": Effect.gen(function* () {
    const { insert, listAll } = yield* AccountStore
    const accounts = Array.from({ length: 3 }, () => accountRecord())
    for (const account of accounts.toReversed()) yield* insert(account)
    const ids = new Set(accounts.map(({ id }) => id))
    assert.deepStrictEqual(
      (yield* listAll).filter(({ id }) => ids.has(id)),
      accounts
    )
  }),

  "keeps no account and no key of a transaction that failed": Effect.gen(function* () {
    const { findKey, get, insert, insertKey, update, updateKey } = yield* AccountStore
    const account = yield* insert(accountRecord())
    const key = yield* insertKey(keyRecord({ account_id: account.id }))
    const lost = { account: accountRecord(), key: keyRecord({ account_id: account.id }) }
    yield* rolledBack(
      Effect.all([
        insert(lost.account),
        insertKey(lost.key),
        update({ ...account, is_halted: true }),
        updateKey({ ...key, lookup: testName() })
      ])
    )
    assert.deepStrictEqual(yield* get(lost.account.id), Option.none())
    assert.deepStrictEqual(yield* findKey(lost.key.lookup), Option.none())
    assert.deepStrictEqual(yield* get(account.id), Option.some(account))
    assert.deepStrictEqual(yield* findKey(key.lookup), Option.some(key))
  })
}

const keyTests = {
  "finds a key by its lookup text, whosever it is": Effect.gen(function* () {
    const { findKey, insertKey } = yield* AccountStore
    const key = keyRecord()
    assert.deepStrictEqual(yield* findKey(key.lookup), Option.none())
    assert.deepStrictEqual(yield* insertKey(key), key)
    assert.deepStrictEqual(yield* findKey(key.lookup), Option.some(key))
    assert.deepStrictEqual(yield* findKey(key.id), Option.none())
  }),

  "refuses a key whose id or lookup is taken": Effect.gen(function* () {
    const { findKey, insertKey, listKeys } = yield* AccountStore
    const key = yield* insertKey(keyRecord())
    const sameId = { ...keyRecord(), id: key.id }
    const sameLookup = keyRecord({ lookup: key.lookup })
    assert.strictEqual(yield* refusalOf(insertKey(sameId)), "AlreadyExists")
    assert.strictEqual(yield* refusalOf(insertKey(sameLookup)), "AlreadyExists")
    assert.deepStrictEqual(yield* findKey(key.lookup), Option.some(key))
    assert.deepStrictEqual(yield* findKey(sameId.lookup), Option.none())
    assert.deepStrictEqual((yield* listKeys(sameLookup.account_id, { limit: 5 })).items, [])
  }),

  "lets exactly one of many keys have a lookup text": Effect.gen(function* () {
    const { findKey, insertKey } = yield* AccountStore
    const lookup = testName()
    const writers = Array.from({ length: 6 }, () => insertKey(keyRecord({ lookup })))
    const { kept, refusals } = yield* sideBySide(writers)
    assert.lengthOf(kept, 1)
    assert.deepStrictEqual(
      refusals,
      Array.from({ length: 5 }, () => "AlreadyExists" as const)
    )
    assert.deepStrictEqual(yield* findKey(lookup), Option.some(kept[0]!))
  }),

  "replaces a key, and refuses one that is not there": Effect.gen(function* () {
    const { findKey, insertKey, updateKey } = yield* AccountStore
    const key = yield* insertKey(keyRecord())
    const changed = { ...key, name: "Renamed", revoked_at: "2026-02-01T00:00:00.000Z" }
    assert.deepStrictEqual(yield* updateKey(changed), changed)
    assert.deepStrictEqual(yield* findKey(key.lookup), Option.some(changed))
    assert.strictEqual(yield* refusalOf(updateKey(keyRecord())), "NotFound")
    const stranger = { ...changed, account_id: testId("account") }
    assert.strictEqual(yield* refusalOf(updateKey(stranger)), "NotFound")
  }),

  "notes the latest use of a key, whoever notes it last": Effect.gen(function* () {
    const { findKey, insertKey, markKeyUsed } = yield* AccountStore
    const key = yield* insertKey(keyRecord({ last_used_at: null }))
    const mark = (at: string) => markKeyUsed(key.account_id, key.id, at)
    const usedAt = Effect.map(findKey(key.lookup), (found) => Option.getOrThrow(found).last_used_at)
    yield* mark("2026-02-01T00:01:00.000Z")
    assert.strictEqual(yield* usedAt, "2026-02-01T00:01:00.000Z")
    yield* mark("2026-02-01T00:00:00.000Z")
    assert.strictEqual(yield* usedAt, "2026-02-01T00:01:00.000Z")
    yield* markKeyUsed(testId("account"), key.id, "2026-02-01T00:02:00.000Z")
    assert.strictEqual(yield* usedAt, "2026-02-01T00:01:00.000Z")
    yield* mark("2026-02-01T00:02:00.000Z")
    assert.strictEqual(yield* usedAt, "2026-02-01T00:02:00.000Z")
    const unknown = keyRecord()
    yield* markKeyUsed(unknown.account_id, unknown.id, "2026-02-01T00:02:00.000Z")
    assert.deepStrictEqual(yield* findKey(unknown.lookup), Option.none())
  }),

  "keeps a revocation and a use of one key, whichever is written last": Effect.gen(function* () {
    const { findKey, insertKey, markKeyUsed, updateKey } = yield* AccountStore
    const at = "2026-02-01T00:01:00.000Z"
    const key = yield* insertKey(keyRecord({ last_used_at: null }))
    // Both know the key as it was.
    const writers = [
      Effect.asVoid(updateKey({ ...key, revoked_at: at })),
      markKeyUsed(key.account_id, key.id, at)
    ]
    for (const inOrder of [writers, writers.toReversed()]) {
      yield* updateKey({ ...key, revoked_at: null })
      const { refusals } = yield* sideBySide(inOrder)
      assert.deepStrictEqual(refusals, [])
      const both = { ...key, revoked_at: at, last_used_at: at }
      assert.deepStrictEqual(yield* findKey(key.lookup), Option.some(both))
    }
  }),

  "lists an account's own keys in pages, newest first": Effect.gen(function* () {
    const { insertKey, listKeys } = yield* AccountStore
    const account = testId("account")
    const keys = Array.from({ length: 5 }, () => keyRecord({ account_id: account }))
    for (const key of keys) yield* insertKey(key)
    yield* insertKey(keyRecord())
    const pages = yield* pagesOf((page) => listKeys(account, page), 2)
    assert.deepStrictEqual(pages.flat(), keys.toReversed())
    assert.lengthOf(pages, 3)
  }),

  "keeps keys as they were given, whatever callers do to theirs": Effect.gen(function* () {
    const { findKey, insertKey } = yield* AccountStore
    const key = keyRecord()
    const given = structuredClone(key)
    yield* insertKey(given)
    overwrite(given)
    overwrite(Option.getOrThrow(yield* findKey(key.lookup)))
    assert.deepStrictEqual(yield* findKey(key.lookup), Option.some(key))
  })
}

const tests = { ...accountTests, ...keyTests }

/**
 * Registers the contract of `AccountStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<AccountStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
