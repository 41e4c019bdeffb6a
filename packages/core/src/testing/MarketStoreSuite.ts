/**
 * The contract of `MarketStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import type { MarketRevision } from "../domain/Market.ts"
import { sharedOwner, termEntries } from "../domain/Market.ts"
import { MarketStore } from "../ports/MarketStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import {
  refusalOf,
  registerSuite,
  overwrite,
  sideBySide,
  type SuiteOptions
} from "./conformance.ts"
import { marketRecord } from "./records.ts"
import { testId, testSymbol } from "./testIds.ts"
import { pagesOf, rolledBack } from "./versionedTests.ts"

const next = (market: MarketRevision, fields: Partial<MarketRevision> = {}): MarketRevision => ({
  ...market,
  ...fields,
  revision: market.revision + 1
})

const tests = {
  "gives back each revision as it was kept, and the newest": Effect.gen(function* () {
    const { get, insert, newest } = yield* MarketStore
    const first = marketRecord({ lot: 1e-8, maker_rate: -0.0002, min_notional: 0.1 + 0.2 })
    const { owner, symbol } = first
    assert.deepStrictEqual(yield* newest(owner, symbol), Option.none())
    assert.deepStrictEqual(yield* get(owner, symbol, 1), Option.none())
    yield* insert(first)
    const second = next(first, { can_short: true, funding_rate: -0 })
    yield* insert(second)
    assert.deepStrictEqual(yield* newest(owner, symbol), Option.some(second))
    assert.deepStrictEqual(yield* get(owner, symbol, 1), Option.some(first))
    assert.deepStrictEqual(yield* get(owner, symbol, 2), Option.some(second))
    for (const unknown of [0, 3, -1, Number.MAX_SAFE_INTEGER]) {
      assert.deepStrictEqual(yield* get(owner, symbol, unknown), Option.none())
    }
  }),

  "gives the same terms back, in whatever order they were kept": Effect.gen(function* () {
    const { insert, newest } = yield* MarketStore
    const owner = testId("account")
    const market = marketRecord({ owner, lot: 0.5, can_short: true })
    const fields = Object.entries(market)
    for (const order of [
      fields,
      fields.toReversed(),
      fields.toSorted(([one], [other]) => (one < other ? -1 : 1))
    ]) {
      const symbol = testSymbol()
      yield* insert({ ...(Object.fromEntries(order) as unknown as MarketRevision), symbol })
      const kept = Option.getOrThrow(yield* newest(owner, symbol))
      // Hashes are of the entries as text.
      const [before, after] = [{ ...market, symbol }, kept].map(termEntries)
      assert.strictEqual(JSON.stringify(after), JSON.stringify(before))
    }
  }),

  "refuses a revision that is there, and keeps the stored one": Effect.gen(function* () {
    const { insert, newest } = yield* MarketStore
    const first = marketRecord()
    yield* insert(first)
    assert.strictEqual(yield* refusalOf(insert({ ...first, tick: 5 })), "AlreadyExists")
    assert.deepStrictEqual(yield* newest(first.owner, first.symbol), Option.some(first))
  }),

  "lets exactly one of many writers of a revision win": Effect.gen(function* () {
    const { insert, newest } = yield* MarketStore
    const first = marketRecord()
    const writers = Array.from({ length: 8 }, (_, index) =>
      Effect.as(insert({ ...first, tick: 1 + index }), 1 + index)
    )
    const { kept, refusals } = yield* sideBySide(writers)
    assert.lengthOf(kept, 1)
    assert.lengthOf(refusals, 7)
    const stored = Option.getOrThrow(yield* newest(first.owner, first.symbol))
    assert.strictEqual(stored.tick, kept[0])
  }),

  "keeps the markets of owners apart": Effect.gen(function* () {
    const { get, insert, list, listRevisions, newest } = yield* MarketStore
    const shared = marketRecord()
    const own = { ...shared, owner: testId("account"), can_short: true }
    for (const market of [shared, own, next(own)]) yield* insert(market)
    assert.deepStrictEqual(yield* newest(sharedOwner, shared.symbol), Option.some(shared))
    assert.deepStrictEqual(yield* newest(own.owner, own.symbol), Option.some(next(own)))
    assert.deepStrictEqual(yield* get(sharedOwner, own.symbol, 2), Option.none())
    assert.deepStrictEqual(yield* list(own.owner), [next(own)])
    assert.deepStrictEqual(yield* list(testId("account")), [])
    const { items } = yield* listRevisions(sharedOwner, shared.symbol, { limit: 9 })
    assert.deepStrictEqual(items, [shared])
  }),

  "lists the newest revision of each market, by symbol": Effect.gen(function* () {
    const { insert, list } = yield* MarketStore
    const owner = testId("account")
    const [first, second, third] = [
      marketRecord({ owner }),
      marketRecord({ owner }),
      marketRecord({ owner })
    ] as const
    for (const market of [third, second, first]) yield* insert(market)
    const changed = next(second)
    yield* insert(changed)
    assert.deepStrictEqual(yield* list(owner), [first, changed, third])
  }),

  "pages through the revisions of a market, newest first": Effect.gen(function* () {
    const { insert, listRevisions } = yield* MarketStore
    const revisions = [marketRecord()]
    for (let count = 1; count < 12; count++) revisions.push(next(revisions.at(-1)!))
    for (const revision of revisions) yield* insert(revision)
    const { owner, symbol } = revisions[0]!
    for (const limit of [1, 5, 11, 12, 13]) {
      const pages = yield* pagesOf((page) => listRevisions(owner, symbol, page), limit)
      assert.deepStrictEqual(pages.flat(), revisions.toReversed())
    }
    const none = yield* listRevisions(owner, testSymbol(), { limit: 3 })
    assert.deepStrictEqual(none, { items: [], next: null })
  }),

  "keeps what it was given, whatever callers do to records later": Effect.gen(function* () {
    const { insert, list, newest } = yield* MarketStore
    const market = marketRecord({ owner: testId("account") })
    const given = structuredClone(market)
    yield* insert(given)
    overwrite(given)
    overwrite(Option.getOrThrow(yield* newest(market.owner, market.symbol)))
    overwrite((yield* list(market.owner))[0])
    assert.deepStrictEqual(yield* list(market.owner), [market])
  }),

  "keeps no revision of a transaction that failed": Effect.gen(function* () {
    const { insert, newest } = yield* MarketStore
    const [kept, lost] = [marketRecord(), marketRecord()]
    yield* insert(kept)
    yield* rolledBack(Effect.andThen(insert(lost), insert(next(kept))))
    assert.deepStrictEqual(yield* newest(kept.owner, kept.symbol), Option.some(kept))
    assert.deepStrictEqual(yield* newest(lost.owner, lost.symbol), Option.none())
  })
}

/**
 * Registers the contract of `MarketStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<MarketStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
