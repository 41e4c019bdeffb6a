/**
 * The duties of every store of an account's versioned records to its callers.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { Transactor } from "../ports/Transactor.ts"
import { refusalOf, overwrite, sideBySide, type SuiteTests } from "./conformance.ts"
import { testId } from "./testIds.ts"

interface Versioned {
  readonly id: string
  readonly account_id: string
  readonly version: number
}

/** The methods that such stores have in common. @category models @since 0.1.0 */
export interface VersionedStore<A> {
  readonly insert: (record: A) => Effect.Effect<A, StoreError>
  readonly get: (accountId: string, id: string) => Effect.Effect<Option.Option<A>, StoreError>
  readonly update: (record: A) => Effect.Effect<A, StoreError>
  readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<A>, StoreError>
}

/** One store, and how its records are made and changed. @category models @since 0.1.0 */
export interface VersionedSubject<A, R> {
  readonly store: Effect.Effect<VersionedStore<A>, never, R>
  /** A new record of this account. */
  readonly make: (accountId: string) => A
  /** The record with something else in it; different texts give different records. */
  readonly change: (record: A, text: string) => A
}

/** Every page of a list, one after the other. @category testing @since 0.1.0 */
export const pagesOf = <A, E>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, E>,
  limit: number
): Effect.Effect<ReadonlyArray<ReadonlyArray<A>>, E> =>
  Effect.gen(function* () {
    const pages: Array<ReadonlyArray<A>> = []
    let before: string | null | undefined
    while (before !== null) {
      const page: Page<A> = yield* list({ limit, before })
      pages.push(page.items)
      before = page.next
    }
    return pages
  })

/**
 * Fails where the writes before it were kept although the transaction was not.
 *
 * @category testing
 * @since 0.1.0
 */
export const rolledBack = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { transact } = yield* Transactor
    const exit = yield* Effect.exit(transact(Effect.andThen(effect, Effect.fail("undo" as const))))
    assert.deepStrictEqual(exit, Exit.fail("undo"))
  })

const insertTests = <A extends Versioned, R>({
  change,
  make,
  store
}: VersionedSubject<A, R>): SuiteTests<R> => ({
  "gives a record back as it was inserted": Effect.gen(function* () {
    const { get, insert } = yield* store
    const record = make(testId("account"))
    assert.deepStrictEqual(yield* insert(record), record)
    assert.deepStrictEqual(yield* get(record.account_id, record.id), Option.some(record))
  }),

  "inserts at version 1, whatever version is given": Effect.gen(function* () {
    const { get, insert } = yield* store
    const record = make(testId("account"))
    assert.deepStrictEqual(yield* insert({ ...record, version: 7 }), record)
    assert.deepStrictEqual(yield* get(record.account_id, record.id), Option.some(record))
  }),

  "finds nothing under an id that was never given": Effect.gen(function* () {
    const { get } = yield* store
    const { account_id, id } = make(testId("account"))
    // Callers may name anything where a request has an id in its body.
    for (const unknown of [id, "", `${id}\u0000`, "\ud800", id.repeat(200)]) {
      assert.deepStrictEqual(yield* get(account_id, unknown), Option.none())
    }
  }),

  "hides a record from every other account": Effect.gen(function* () {
    const { get, insert, list } = yield* store
    const { id } = yield* insert(make(testId("account")))
    const stranger = testId("account")
    assert.deepStrictEqual(yield* get(stranger, id), Option.none())
    assert.deepStrictEqual(yield* list(stranger, { limit: 10 }), { items: [], next: null })
  }),

  "refuses an id that is taken, and keeps the stored record": Effect.gen(function* () {
    const { get, insert } = yield* store
    const record = yield* insert(make(testId("account")))
    const other = { ...record, account_id: testId("account") }
    assert.strictEqual(yield* refusalOf(insert(change(record, "again"))), "AlreadyExists")
    assert.strictEqual(yield* refusalOf(insert(other)), "AlreadyExists")
    assert.deepStrictEqual(yield* get(record.account_id, record.id), Option.some(record))
    assert.deepStrictEqual(yield* get(other.account_id, record.id), Option.none())
  }),

  "lets exactly one of many inserts of one id win": Effect.gen(function* () {
    const { get, insert } = yield* store
    const record = make(testId("account"))
    const writers = Array.from({ length: 8 }, (_, index) => insert(change(record, `${index}`)))
    const { kept, refusals } = yield* sideBySide(writers)
    assert.lengthOf(kept, 1)
    assert.deepStrictEqual(
      refusals,
      Array.from({ length: 7 }, () => "AlreadyExists" as const)
    )
    assert.deepStrictEqual(yield* get(record.account_id, record.id), Option.some(kept[0]!))
  })
})

const copyTests = <A extends Versioned, R>({
  make,
  store
}: VersionedSubject<A, R>): SuiteTests<R> => ({
  "keeps what it was given, whatever callers do to records later": Effect.gen(function* () {
    const { get, insert, list } = yield* store
    const record = make(testId("account"))
    const given = structuredClone(record)
    const returned = yield* insert(given)
    overwrite(given)
    overwrite(returned)
    overwrite(Option.getOrThrow(yield* get(record.account_id, record.id)))
    overwrite((yield* list(record.account_id, { limit: 10 })).items[0])
    assert.deepStrictEqual(yield* get(record.account_id, record.id), Option.some(record))
  })
})

const updateTests = <A extends Versioned, R>({
  change,
  make,
  store
}: VersionedSubject<A, R>): SuiteTests<R> => ({
  "replaces a record and returns it with the next version": Effect.gen(function* () {
    const { get, insert, update } = yield* store
    const record = yield* insert(make(testId("account")))
    const changed = change(record, "second")
    const second = yield* update(changed)
    assert.deepStrictEqual(second, { ...changed, version: 2 })
    assert.deepStrictEqual(yield* get(record.account_id, record.id), Option.some(second))
    assert.strictEqual((yield* update(second)).version, 3)
  }),

  "refuses a stale version and keeps the stored record": Effect.gen(function* () {
    const { get, insert, update } = yield* store
    const first = yield* insert(make(testId("account")))
    const second = yield* update(change(first, "second"))
    const late = change(first, "late")
    assert.strictEqual(yield* refusalOf(update(late)), "VersionConflict")
    assert.strictEqual(yield* refusalOf(update({ ...late, version: 3 })), "VersionConflict")
    assert.deepStrictEqual(yield* get(first.account_id, first.id), Option.some(second))
  }),

  "refuses to update what is not there, or is another account's": Effect.gen(function* () {
    const { get, insert, update } = yield* store
    const missing = make(testId("account"))
    assert.strictEqual(yield* refusalOf(update(missing)), "NotFound")
    const record = yield* insert(make(testId("account")))
    const other = { ...change(record, "taken over"), account_id: testId("account") }
    assert.strictEqual(yield* refusalOf(update(other)), "NotFound")
    assert.deepStrictEqual(yield* get(record.account_id, record.id), Option.some(record))
  }),

  "lets exactly one of many writers at the same version win": Effect.gen(function* () {
    const { get, insert, update } = yield* store
    const record = yield* insert(make(testId("account")))
    const writers = Array.from({ length: 8 }, (_, index) => update(change(record, `${index}`)))
    const { kept, refusals } = yield* sideBySide(writers)
    assert.lengthOf(kept, 1)
    assert.deepStrictEqual(
      refusals,
      Array.from({ length: 7 }, () => "VersionConflict" as const)
    )
    assert.strictEqual(kept[0]!.version, 2)
    assert.deepStrictEqual(yield* get(record.account_id, record.id), Option.some(kept[0]!))
  })
})

const listTests = <A extends Versioned, R>({
  change,
  make,
  store
}: VersionedSubject<A, R>): SuiteTests<R> => ({
  "lists an account's own records, newest first": Effect.gen(function* () {
    const { insert, list, update } = yield* store
    const account = testId("account")
    const first = yield* insert(make(account))
    yield* insert(make(testId("account")))
    const second = yield* insert(make(account))
    const changed = yield* update(change(first, "changed last"))
    assert.deepStrictEqual(yield* list(account, { limit: 10 }), {
      items: [second, changed],
      next: null
    })
  }),

  "sorts by id, in whatever order records were inserted": Effect.gen(function* () {
    const { insert, list } = yield* store
    const account = testId("account")
    const [first, second, third] = [make(account), make(account), make(account)]
    for (const record of [second, third, first]) yield* insert(record)
    const { items } = yield* list(account, { limit: 10 })
    assert.deepStrictEqual(items, [third, second, first])
  }),

  "pages through all records without a gap or a repetition": Effect.gen(function* () {
    const { insert, list } = yield* store
    const account = testId("account")
    const records = Array.from({ length: 6 }, () => make(account))
    for (const record of records) yield* insert(record)
    for (const limit of [1, 2, 3, 4, 6, 7]) {
      const pages = yield* pagesOf((page) => list(account, page), limit)
      assert.deepStrictEqual(pages.flat(), records.toReversed())
      assert.lengthOf(pages, Math.ceil(records.length / limit))
    }
  }),

  "keeps later pages as they were while newer records come in": Effect.gen(function* () {
    const { insert, list } = yield* store
    const account = testId("account")
    const records = Array.from({ length: 4 }, () => make(account))
    for (const record of records) yield* insert(record)
    const first = yield* list(account, { limit: 2 })
    yield* insert(make(account))
    const second = yield* list(account, { limit: 2, before: first.next ?? "" })
    assert.deepStrictEqual([...first.items, ...second.items], records.toReversed())
  })
})

const transactionTests = <A extends Versioned, R>({
  change,
  make,
  store
}: VersionedSubject<A, R>): SuiteTests<R | Transactor> => ({
  "keeps nothing that a transaction wrote before it failed": Effect.gen(function* () {
    const { get, insert, list, update } = yield* store
    const account = testId("account")
    const kept = yield* insert(make(account))
    const lost = make(account)
    yield* rolledBack(Effect.andThen(insert(lost), update(change(kept, "lost"))))
    assert.deepStrictEqual(yield* get(account, lost.id), Option.none())
    assert.deepStrictEqual(yield* list(account, { limit: 10 }), { items: [kept], next: null })
    assert.strictEqual((yield* update(change(kept, "second"))).version, 2)
  }),

  "lets a transaction go on after a refusal": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const { get, insert, update } = yield* store
    const account = testId("account")
    const taken = yield* insert(make(account))
    const [before, after] = [make(account), make(account)]
    yield* transact(
      Effect.gen(function* () {
        yield* insert(before)
        assert.strictEqual(yield* refusalOf(insert(taken)), "AlreadyExists")
        assert.strictEqual(yield* refusalOf(update({ ...taken, version: 9 })), "VersionConflict")
        yield* insert(after)
      })
    )
    assert.deepStrictEqual(yield* get(account, before.id), Option.some(before))
    assert.deepStrictEqual(yield* get(account, after.id), Option.some(after))
  })
})

/** The tests of a store of versioned records. @category testing @since 0.1.0 */
export const versionedTests = <A extends Versioned, R>(
  subject: VersionedSubject<A, R>
): SuiteTests<R | Transactor> => ({
  ...insertTests(subject),
  ...copyTests(subject),
  ...updateTests(subject),
  ...listTests(subject),
  ...transactionTests(subject)
})

/** A store whose records can be removed. @category models @since 0.1.0 */
export interface RemovingStore<A> extends VersionedStore<A> {
  readonly remove: (accountId: string, id: string) => Effect.Effect<void, StoreError>
}

/** The tests of a store whose records can be removed. @category testing @since 0.1.0 */
export const removalTests = <A extends Versioned, R>({
  make,
  store
}: {
  readonly store: Effect.Effect<RemovingStore<A>, never, R>
  readonly make: (accountId: string) => A
}): SuiteTests<R | Transactor> => ({
  "removes a record": Effect.gen(function* () {
    const { get, insert, list, remove, update } = yield* store
    const account = testId("account")
    const [gone, left] = [yield* insert(make(account)), yield* insert(make(account))]
    yield* remove(account, gone.id)
    assert.deepStrictEqual(yield* get(account, gone.id), Option.none())
    assert.deepStrictEqual(yield* list(account, { limit: 10 }), { items: [left], next: null })
    assert.strictEqual(yield* refusalOf(update(gone)), "NotFound")
    assert.strictEqual(yield* refusalOf(remove(account, gone.id)), "NotFound")
  }),

  "refuses to remove what is another account's": Effect.gen(function* () {
    const { get, insert, remove } = yield* store
    const record = yield* insert(make(testId("account")))
    assert.strictEqual(yield* refusalOf(remove(testId("account"), record.id)), "NotFound")
    assert.deepStrictEqual(yield* get(record.account_id, record.id), Option.some(record))
  }),

  "has a removed record again once the removal is undone": Effect.gen(function* () {
    const { get, insert, list, remove } = yield* store
    const record = yield* insert(make(testId("account")))
    yield* rolledBack(remove(record.account_id, record.id))
    assert.deepStrictEqual(yield* get(record.account_id, record.id), Option.some(record))
    assert.lengthOf((yield* list(record.account_id, { limit: 10 })).items, 1)
  })
})

/** A store that counts an account's records. @category models @since 0.1.0 */
export interface CountingStore<A> extends RemovingStore<A> {
  readonly count: (accountId: string) => Effect.Effect<number, StoreError>
}

/** The tests of a store that counts an account's records. @category testing @since 0.1.0 */
export const countTests = <A extends Versioned, R>({
  make,
  store
}: {
  readonly store: Effect.Effect<CountingStore<A>, never, R>
  readonly make: (accountId: string) => A
}): SuiteTests<R | Transactor> => ({
  "counts an account's own records, and none that is gone or was never kept": Effect.gen(
    function* () {
      const { count, insert, remove, update } = yield* store
      const account = testId("account")
      assert.strictEqual(yield* count(account), 0)
      const first = yield* insert(make(account))
      yield* insert(make(testId("account")))
      yield* insert(make(account))
      yield* update(first)
      assert.strictEqual(yield* count(account), 2)
      yield* rolledBack(insert(make(account)))
      assert.strictEqual(yield* count(account), 2)
      yield* remove(account, first.id)
      assert.strictEqual(yield* count(account), 1)
    }
  )
})
