/**
 * The contract of `VenueAccountStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Option } from "effect"
import { AttemptMachine, openAttemptStates } from "../domain/AttemptMachine.ts"
import { OrderStore } from "../ports/OrderStore.ts"
import { Transactor } from "../ports/Transactor.ts"
import { VenueAccountStore } from "../ports/VenueAccountStore.ts"
import {
  refusalOf,
  registerSuite,
  overwrite,
  seenMeanwhile,
  sideBySide,
  type SuiteOptions
} from "./conformance.ts"
import { testId, testName } from "./testIds.ts"
import {
  endFactRecord,
  fundingFactRecord,
  priceFactRecord,
  orderAttemptRecord,
  tradeFactRecord,
  venueAccountRecord
} from "./venueRecords.ts"
import { pagesOf, rolledBack } from "./versionedTests.ts"

const newAccount = Effect.flatMap(VenueAccountStore, ({ put }) => put(venueAccountRecord()))

const accountTests = {
  "gives an account back as it was put, with the next version": Effect.gen(function* () {
    const { get, put } = yield* VenueAccountStore
    const account = venueAccountRecord({ book: { bots: { a: ["0.1", null, -1.5] }, "": {} } })
    assert.deepStrictEqual(yield* get(account.key), Option.none())
    const first = yield* put(account)
    assert.deepStrictEqual(first, { ...account, version: 1 })
    const second = yield* put({ ...first, cursor: "ü \u0000", epoch: 1 })
    assert.deepStrictEqual(second, { ...first, cursor: "ü \u0000", epoch: 1, version: 2 })
    assert.deepStrictEqual(yield* get(account.key), Option.some(second))
  }),

  "refuses an account that changed, or is there already": Effect.gen(function* () {
    const { get, put } = yield* VenueAccountStore
    const account = yield* newAccount
    assert.strictEqual(yield* refusalOf(put({ ...account, version: 0 })), "VersionConflict")
    const second = yield* put({ ...account, epoch: 1 })
    assert.strictEqual(yield* refusalOf(put({ ...account, epoch: 2 })), "VersionConflict")
    const missing = venueAccountRecord({ version: 3 })
    assert.strictEqual(yield* refusalOf(put(missing)), "VersionConflict")
    assert.deepStrictEqual(yield* get(account.key), Option.some(second))
    assert.deepStrictEqual(yield* get(missing.key), Option.none())
  }),

  "lets exactly one of many owners of an account win": Effect.gen(function* () {
    const { get, put } = yield* VenueAccountStore
    for (const account of [venueAccountRecord(), yield* newAccount]) {
      const owners = Array.from({ length: 6 }, (_, index) => put({ ...account, epoch: index + 1 }))
      const { kept, refusals } = yield* sideBySide(owners)
      assert.lengthOf(kept, 1)
      assert.deepStrictEqual(new Set(refusals), new Set(["VersionConflict" as const]))
      assert.deepStrictEqual(yield* get(account.key), Option.some(kept[0]!))
    }
  }),

  "lets transactions that put one account follow one another": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const { get, put } = yield* VenueAccountStore
    const { key } = yield* newAccount
    const raise = transact(
      Effect.gen(function* () {
        const account = Option.getOrThrow(yield* get(key))
        return yield* put({ ...account, epoch: account.epoch + 1 })
      })
    )
    const { kept } = yield* sideBySide(Array.from({ length: 6 }, () => raise))
    assert.strictEqual(Option.getOrThrow(yield* get(key)).epoch, kept.length)
  }),

  "tells a time that never falls": Effect.gen(function* () {
    const { nowMs } = yield* VenueAccountStore
    const { transact } = yield* Transactor
    const [before, within, after] = [yield* nowMs, yield* transact(nowMs), yield* nowMs]
    assert.isTrue(Number.isInteger(before))
    assert.isTrue(before <= within && within <= after)
  })
}

const factTests = {
  "keeps each fact once, in the order in which it was given": Effect.gen(function* () {
    const { factsOf, keepFacts } = yield* VenueAccountStore
    const { key } = yield* newAccount
    const owner = { bot_id: testId("bot") }
    const [one, two, three] = [
      tradeFactRecord(owner),
      endFactRecord(owner),
      priceFactRecord({ ...owner, price: "0.10" })
    ]
    const first = yield* keepFacts(key, [one, two, one])
    assert.deepStrictEqual(
      first.map(({ fact }) => fact),
      [one, two]
    )
    const second = yield* keepFacts(key, [{ ...two, reason: "again" }, three, one])
    assert.deepStrictEqual(
      second.map(({ fact }) => fact),
      [three]
    )
    const sequences = [...first, ...second].map(({ sequence }) => sequence)
    assert.isTrue(sequences.every((sequence, index) => sequence > (sequences[index - 1] ?? 0)))
    assert.deepStrictEqual(yield* factsOf(owner.bot_id, 0), [...first, ...second])
    assert.deepStrictEqual(yield* factsOf(owner.bot_id, first[0]!.sequence), [first[1]!, ...second])
    assert.deepStrictEqual(yield* factsOf(owner.bot_id, sequences[2]!), [])
    assert.deepStrictEqual(yield* factsOf(testId("bot"), 0), [])
  }),

  "keeps the same fact of two accounts": Effect.gen(function* () {
    const { keepFacts } = yield* VenueAccountStore
    const fact = tradeFactRecord()
    for (const { key } of [yield* newAccount, yield* newAccount]) {
      assert.lengthOf(yield* keepFacts(key, [fact]), 1)
    }
  }),

  "refuses facts of an account that is not there": Effect.gen(function* () {
    const { factsOf, keepFacts } = yield* VenueAccountStore
    const fact = tradeFactRecord()
    assert.strictEqual(yield* refusalOf(keepFacts(testName(), [fact])), "NotFound")
    assert.deepStrictEqual(yield* factsOf(fact.bot_id!, 0), [])
  }),

  "keeps a fact once, however many tell it at once": Effect.gen(function* () {
    const { factsOf, keepFacts } = yield* VenueAccountStore
    const { transact } = yield* Transactor
    const { key } = yield* newAccount
    const facts = Array.from({ length: 4 }, () => tradeFactRecord({ bot_id: testId("bot") }))
    const tellers = facts.map((_, index) =>
      transact(keepFacts(key, [...facts.slice(index), ...facts.slice(0, index)]))
    )
    const { kept } = yield* sideBySide(tellers)
    assert.deepStrictEqual(
      kept
        .flat()
        .map(({ fact }) => fact.id)
        .toSorted(),
      facts.map(({ id }) => id).toSorted()
    )
    for (const { bot_id } of facts) assert.lengthOf(yield* factsOf(bot_id!, 0), 1)
  }),

  "shows no fact before one that a transaction is still keeping": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const { factsOf, keepFacts } = yield* VenueAccountStore
    const { key } = yield* newAccount
    const owner = { bot_id: testId("bot") }
    const [early, late] = [tradeFactRecord(owner), tradeFactRecord(owner)]
    const [written, looked] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const keepEarly = Effect.gen(function* () {
      yield* keepFacts(key, [early])
      yield* Deferred.succeed(written, undefined)
      yield* Deferred.await(looked)
    })
    const fiber = yield* Effect.forkChild(transact(keepEarly))
    yield* Deferred.await(written)
    // A reader who saw the later one alone would go on after it and never see the earlier one.
    const others = Effect.andThen(keepFacts(key, [late]), factsOf(owner.bot_id, 0))
    const seen = Option.getOrElse(yield* seenMeanwhile(others), () => [])
    assert.deepStrictEqual(seen, [])
    yield* Deferred.succeed(looked, undefined)
    yield* Fiber.join(fiber)
    yield* keepFacts(key, [late])
    const kept = yield* factsOf(owner.bot_id, 0)
    assert.deepStrictEqual(
      kept.map(({ fact }) => fact.id),
      [early.id, late.id]
    )
  }),

  "keeps no fact and no cursor of a transaction that failed": Effect.gen(function* () {
    const { factsOf, get, keepFacts, put } = yield* VenueAccountStore
    const account = yield* newAccount
    const fact = tradeFactRecord()
    yield* rolledBack(
      Effect.all([keepFacts(account.key, [fact]), put({ ...account, cursor: "next" })])
    )
    assert.deepStrictEqual(yield* factsOf(fact.bot_id!, 0), [])
    assert.deepStrictEqual(yield* get(account.key), Option.some(account))
    assert.lengthOf(yield* keepFacts(account.key, [fact]), 1)
  }),

  "lists trades that no bot owns in pages, newest first": Effect.gen(function* () {
    const { keepFacts, listOutside } = yield* VenueAccountStore
    const { key } = yield* newAccount
    const outside = Array.from({ length: 5 }, () =>
      tradeFactRecord({ bot_id: null, client_order_id: null })
    )
    for (const fact of outside) {
      const funding = fundingFactRecord({ bot_id: null })
      yield* keepFacts(key, [fact, tradeFactRecord(), funding])
    }
    const pages = yield* pagesOf((page) => listOutside(key, page), 2)
    assert.deepStrictEqual(pages.flat(), outside.toReversed())
    assert.lengthOf(pages, 3)
    assert.deepStrictEqual(yield* listOutside((yield* newAccount).key, { limit: 9 }), {
      items: [],
      next: null
    })
  })
}

const attemptTests = {
  "gives an attempt back as it was put, with the next version": Effect.gen(function* () {
    const { findAttempt, putAttempt } = yield* VenueAccountStore
    const attempt = orderAttemptRecord({ reason: "no \u0000 \ud800" })
    assert.deepStrictEqual(yield* findAttempt(attempt.account_key, attempt.id), Option.none())
    const first = yield* putAttempt(attempt)
    assert.deepStrictEqual(first, { ...attempt, version: 1 })
    const second = yield* putAttempt({ ...first, state: "sending", sent_at_ms: 1 })
    assert.deepStrictEqual(second, { ...first, state: "sending", sent_at_ms: 1, version: 2 })
    const found = yield* findAttempt(attempt.account_key, attempt.id)
    assert.deepStrictEqual(found, Option.some(second))
    assert.deepStrictEqual(yield* findAttempt(testName(), attempt.id), Option.none())
  }),

  "refuses an id that its account has, and lets another account have it": Effect.gen(function* () {
    const { findAttempt, putAttempt } = yield* VenueAccountStore
    const attempt = yield* putAttempt(orderAttemptRecord())
    const again = orderAttemptRecord({ account_key: attempt.account_key, id: attempt.id })
    assert.strictEqual(yield* refusalOf(putAttempt(again)), "AlreadyExists")
    const found = yield* findAttempt(attempt.account_key, attempt.id)
    assert.deepStrictEqual(found, Option.some(attempt))
    const other = yield* putAttempt(orderAttemptRecord({ id: attempt.id }))
    assert.strictEqual(other.version, 1)
  }),

  "refuses a stale version, so that one of two senders goes on": Effect.gen(function* () {
    const { findAttempt, putAttempt } = yield* VenueAccountStore
    const attempt = yield* putAttempt(orderAttemptRecord())
    const senders = Array.from({ length: 6 }, (_, index) =>
      putAttempt({ ...attempt, state: "sending", sent_at_ms: index })
    )
    const { kept, refusals } = yield* sideBySide(senders)
    assert.lengthOf(kept, 1)
    assert.deepStrictEqual(new Set(refusals), new Set(["VersionConflict" as const]))
    const found = yield* findAttempt(attempt.account_key, attempt.id)
    assert.deepStrictEqual(found, Option.some(kept[0]!))
    const missing = orderAttemptRecord({ version: 2 })
    assert.strictEqual(yield* refusalOf(putAttempt(missing)), "VersionConflict")
  }),

  "lists the attempts that a venue has or may get, oldest first": Effect.gen(function* () {
    const { listOpenAttempts, putAttempt } = yield* VenueAccountStore
    const { account_id } = orderAttemptRecord()
    const attempts = AttemptMachine.states.map((state) => orderAttemptRecord({ account_id, state }))
    const { account_key: key } = attempts[0]!
    const put = yield* Effect.forEach(attempts, putAttempt)
    yield* putAttempt(orderAttemptRecord())
    const open = put.filter(({ state }) => openAttemptStates.includes(state))
    assert.deepStrictEqual(yield* listOpenAttempts(key), open)
    const changed = yield* putAttempt({ ...open[0]!, is_cancel_wanted: true })
    assert.deepStrictEqual(yield* listOpenAttempts(key), [changed, ...open.slice(1)])
    yield* rolledBack(putAttempt({ ...changed, state: "over" }))
    assert.deepStrictEqual(yield* listOpenAttempts(key), [changed, ...open.slice(1)])
    yield* putAttempt({ ...changed, state: "over" })
    assert.deepStrictEqual(yield* listOpenAttempts(key), open.slice(1))
  }),

  "lists the open attempts of all accounts, one account after the other": Effect.gen(function* () {
    const { listOpenAttempts, putAttempt } = yield* VenueAccountStore
    const first = orderAttemptRecord()
    const { account_id } = first
    const given = [first, orderAttemptRecord(), orderAttemptRecord({ account_id })]
    const put = yield* Effect.forEach(given, putAttempt)
    yield* putAttempt(orderAttemptRecord({ account_id, state: "over" }))
    const ids = new Set(put.map(({ id }) => id))
    const own = (yield* listOpenAttempts(null)).filter(({ id }) => ids.has(id))
    const wanted = put.toSorted((one, other) => (one.account_key < other.account_key ? -1 : 1))
    assert.deepStrictEqual(
      own.map(({ account_key, id }) => [account_key, id]),
      wanted.map(({ account_key, id }) => [account_key, id])
    )
  }),

  "lists the attempts of an order, the first one first": Effect.gen(function* () {
    const { attemptsOf, putAttempt } = yield* VenueAccountStore
    const first = orderAttemptRecord({ state: "absent" })
    const { account_id, bot_id, client_order_id } = first
    const order = { account_id, bot_id, client_order_id }
    const attempts = [first, ...[2, 3].map((number) => orderAttemptRecord({ ...order, number }))]
    const put = yield* Effect.forEach(attempts.toReversed(), putAttempt)
    yield* putAttempt(orderAttemptRecord({ account_id, bot_id }))
    yield* putAttempt(orderAttemptRecord({ account_id, client_order_id }))
    assert.deepStrictEqual(yield* attemptsOf(bot_id, client_order_id), put.toReversed())
  }),

  "lets a transaction go on after a refused attempt": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const { listOpenAttempts, putAttempt } = yield* VenueAccountStore
    const taken = yield* putAttempt(orderAttemptRecord())
    const { account_id, account_key: key } = taken
    const next = orderAttemptRecord({ account_id })
    yield* transact(
      Effect.gen(function* () {
        assert.strictEqual(yield* refusalOf(putAttempt({ ...taken, version: 0 })), "AlreadyExists")
        assert.strictEqual(
          yield* refusalOf(putAttempt({ ...taken, version: 9 })),
          "VersionConflict"
        )
        yield* putAttempt(next)
      })
    )
    assert.deepStrictEqual(yield* listOpenAttempts(key), [taken, { ...next, version: 1 }])
  }),

  "keeps records as they were given, whatever callers do to theirs": Effect.gen(function* () {
    const { factsOf, findAttempt, get, keepFacts, put, putAttempt } = yield* VenueAccountStore
    const [account, attempt] = [venueAccountRecord({ book: { a: ["1"] } }), orderAttemptRecord()]
    const fact = tradeFactRecord()
    const given = structuredClone({ account, attempt, fact })
    yield* put(given.account)
    yield* putAttempt(given.attempt)
    yield* keepFacts(account.key, [given.fact])
    overwrite(given)
    const read = Effect.all([
      get(account.key),
      findAttempt(attempt.account_key, attempt.id),
      factsOf(fact.bot_id!, 0)
    ])
    const before = structuredClone(yield* read)
    for (const record of yield* read) overwrite(record)
    const [keptAccount, keptAttempt, facts] = yield* read
    assert.deepStrictEqual(structuredClone([keptAccount, keptAttempt, facts]), [...before])
    assert.deepStrictEqual(Option.getOrThrow(keptAccount), { ...account, version: 1 })
    assert.deepStrictEqual(Option.getOrThrow(keptAttempt), { ...attempt, version: 1 })
    assert.deepStrictEqual(facts[0]!.fact, fact)
  })
}

const removalTests = {
  "keeps of a bot whose books are removed only what its venue may have still": Effect.gen(
    function* () {
      const { attemptsOf, factsOf, findAttempt, keepFacts, listOutside, putAttempt } =
        yield* VenueAccountStore
      const { removeOfBot } = yield* OrderStore
      const account = yield* newAccount
      const owner = { bot_id: testId("bot") }
      const order = { ...owner, account_key: account.key, client_order_id: testName() }
      const attempts = yield* Effect.forEach(AttemptMachine.states, (state, index) =>
        putAttempt(orderAttemptRecord({ ...order, number: index + 1, state }))
      )
      const other = yield* putAttempt(
        orderAttemptRecord({ account_key: account.key, state: "over" })
      )
      const outside = tradeFactRecord({ bot_id: null, client_order_id: null })
      const facts = [tradeFactRecord(owner), outside, endFactRecord(owner)]
      const [kept] = yield* keepFacts(account.key, [tradeFactRecord(), ...facts])
      yield* removeOfBot(owner.bot_id)
      const left = yield* attemptsOf(owner.bot_id, order.client_order_id)
      assert.deepStrictEqual(
        left,
        attempts.filter(({ state }) => openAttemptStates.includes(state))
      )
      assert.deepStrictEqual(yield* findAttempt(account.key, other.id), Option.some(other))
      assert.deepStrictEqual(yield* factsOf(owner.bot_id, 0), [])
      assert.deepStrictEqual(yield* factsOf(kept!.fact.bot_id!, 0), [kept!])
      assert.deepStrictEqual((yield* listOutside(account.key, { limit: 9 })).items, [outside])
      // Numbers of facts still rise for readers that have seen some.
      const [next] = yield* keepFacts(account.key, [tradeFactRecord()])
      assert.isAbove(next!.sequence, kept!.sequence)
    }
  )
}

/**
 * Registers the contract of `VenueAccountStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<VenueAccountStore | OrderStore | Transactor, E>,
  options?: SuiteOptions
): void =>
  registerSuite(
    name,
    layer,
    { ...accountTests, ...factTests, ...attemptTests, ...removalTests },
    options
  )
