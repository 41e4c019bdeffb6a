/**
 * The contract of `Transactor`, as tests.
 *
 * It tries a transaction over every store that comes with the transactor.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, type Layer, Option } from "effect"
import type { Account } from "../domain/Account.ts"
import type { Bot } from "../domain/Bot.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { BotStore } from "../ports/BotStore.ts"
import { IdempotencyStore } from "../ports/IdempotencyStore.ts"
import { Outbox } from "../ports/Outbox.ts"
import type { StorePorts } from "../ports/StorePorts.ts"
import { Transactor } from "../ports/Transactor.ts"
import { refusalOf, registerSuite, seenMeanwhile, type SuiteOptions } from "./conformance.ts"
import { countAll, newRecords, writeAll } from "./everyTable.ts"
import { accountRecord, botRecord } from "./records.ts"
import { testId } from "./testIds.ts"

const insert = (bot: Bot) => Effect.flatMap(BotStore, (store) => store.insert(bot))
const isKept = (bot: Bot) =>
  Effect.flatMap(BotStore, ({ get }) => Effect.map(get(bot.account_id, bot.id), Option.isSome))

const outcomeTests = {
  "gives what the effect gives, and keeps what it wrote": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const bots = [botRecord(), botRecord()]
    const result = yield* transact(Effect.as(Effect.forEach(bots, insert), "done"))
    assert.strictEqual(result, "done")
    for (const bot of bots) assert.isTrue(yield* isKept(bot))
  }),

  "writes to every table together": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const records = newRecords()
    yield* transact(writeAll(records))
    const counts = yield* countAll(records)
    assert.deepStrictEqual(new Set(Object.values(counts)), new Set([1]))
    const claimed = yield* (yield* IdempotencyStore).claim(records.claim)
    assert.deepStrictEqual(claimed, { type: "in_progress" })
    yield* (yield* Outbox).acknowledge(records.event.id)
  }),

  "undoes every table when the effect fails, and fails as it did": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const records = newRecords()
    const exit = yield* Effect.exit(
      transact(
        Effect.gen(function* () {
          yield* writeAll(records)
          const inside = yield* countAll(records)
          assert.deepStrictEqual(new Set(Object.values(inside)), new Set([1]))
          return yield* Effect.fail({ reason: "changed my mind" })
        })
      )
    )
    assert.deepStrictEqual(exit, Exit.fail({ reason: "changed my mind" }))
    const counts = yield* countAll(records)
    assert.deepStrictEqual(new Set(Object.values(counts)), new Set([0]))
    const claimed = yield* (yield* IdempotencyStore).claim(records.claim)
    assert.deepStrictEqual(claimed, { type: "claimed" })
  }),

  "undoes what was written when the effect dies, and dies as it did": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const bot = botRecord()
    const defect = new Error("a fault of the program")
    const exit = yield* Effect.exit(transact(Effect.andThen(insert(bot), Effect.die(defect))))
    assert.deepStrictEqual(exit, Exit.die(defect))
    assert.isFalse(yield* isKept(bot))
  }),

  "undoes what was written when the effect is interrupted": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const [bot, next] = [botRecord(), botRecord()]
    const written = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkChild(
      transact(
        insert(bot).pipe(
          Effect.andThen(Deferred.succeed(written, undefined)),
          Effect.andThen(Effect.never)
        )
      )
    )
    yield* Deferred.await(written)
    yield* Fiber.interrupt(fiber)
    const exit = yield* Fiber.await(fiber)
    assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    assert.isFalse(yield* isKept(bot))
    yield* transact(insert(next))
    assert.isTrue(yield* isKept(next))
  })
}

const nestedTests = {
  "joins a transaction inside another, which decides over both": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const [outer, inner] = [botRecord(), botRecord()]
    const both = Effect.gen(function* () {
      yield* insert(outer)
      yield* transact(
        Effect.gen(function* () {
          assert.isTrue(yield* isKept(outer))
          yield* insert(inner)
        })
      )
      assert.isTrue(yield* isKept(inner))
    })
    yield* Effect.exit(transact(Effect.andThen(both, Effect.fail("outer"))))
    assert.deepStrictEqual([yield* isKept(outer), yield* isKept(inner)], [false, false])
    yield* transact(both)
    assert.deepStrictEqual([yield* isKept(outer), yield* isKept(inner)], [true, true])
  }),

  "undoes only its own writes when an inner transaction fails": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const { update } = yield* AccountStore
    const account = yield* Effect.flatMap(AccountStore, (store) => store.insert(accountRecord()))
    const [before, inner, deepest, after] = [botRecord(), botRecord(), botRecord(), botRecord()]
    const failing = Effect.gen(function* () {
      yield* insert(inner)
      yield* transact(insert(deepest))
      yield* update({ ...account, name: "Lost" })
      return yield* Effect.fail("inner" as const)
    })
    yield* transact(
      Effect.gen(function* () {
        yield* insert(before)
        assert.strictEqual(yield* Effect.flip(transact(failing)), "inner")
        assert.deepStrictEqual([yield* isKept(inner), yield* isKept(deepest)], [false, false])
        yield* update({ ...account, name: "Kept" })
        yield* insert(after)
      })
    )
    const kept = yield* Effect.forEach([before, inner, deepest, after], isKept)
    assert.deepStrictEqual(kept, [true, false, false, true])
    const stored = yield* Effect.flatMap(AccountStore, ({ get }) => get(account.id))
    assert.strictEqual(Option.getOrThrow(stored).name, "Kept")
  }),

  "goes on after a write that was refused, in an inner transaction or not": Effect.gen(
    function* () {
      const { transact } = yield* Transactor
      const [taken, before, after] = [botRecord(), botRecord(), botRecord()]
      yield* insert(taken)
      yield* transact(
        Effect.gen(function* () {
          yield* insert(before)
          assert.strictEqual(yield* refusalOf(insert(taken)), "AlreadyExists")
          assert.strictEqual(yield* refusalOf(transact(insert(taken))), "AlreadyExists")
          yield* insert(after)
        })
      )
      assert.deepStrictEqual([yield* isKept(before), yield* isKept(after)], [true, true])
    }
  ),

  "undoes an inner transaction that dies": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const [outer, inner] = [botRecord(), botRecord()]
    yield* transact(
      Effect.gen(function* () {
        yield* insert(outer)
        yield* Effect.exit(transact(Effect.andThen(insert(inner), Effect.die("fault"))))
      })
    )
    assert.deepStrictEqual([yield* isKept(outer), yield* isKept(inner)], [true, false])
  })
}

/** A transaction that has written a bot and waits for the order how to end. */
const openTransaction = Effect.gen(function* () {
  const { transact } = yield* Transactor
  const bot = botRecord()
  const written = yield* Deferred.make<void>()
  const end = yield* Deferred.make<void, "undo">()
  const fiber = yield* Effect.forkChild(
    transact(
      insert(bot).pipe(
        Effect.andThen(Deferred.succeed(written, undefined)),
        Effect.andThen(Deferred.await(end))
      )
    )
  )
  yield* Deferred.await(written)
  return { bot, end, fiber }
})

const concurrencyTests = {
  "hides what an open transaction wrote from everyone outside": Effect.gen(function* () {
    const { bot, end, fiber } = yield* openTransaction
    const { list } = yield* BotStore
    const look = Effect.all([isKept(bot), list(bot.account_id, { limit: 9 })])
    const [isSeen, { items }] = Option.getOrElse(
      yield* seenMeanwhile(look),
      () => [false, { items: [] }] as const
    )
    assert.isFalse(isSeen)
    assert.lengthOf(items, 0)
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.join(fiber)
    assert.isTrue(yield* isKept(bot))
  }),

  "keeps a write outside when a transaction at the same time is undone": Effect.gen(function* () {
    const { bot, end, fiber } = yield* openTransaction
    const outside = botRecord()
    const writer = yield* Effect.forkChild(insert(outside))
    yield* Effect.yieldNow
    yield* Deferred.fail(end, "undo")
    yield* Fiber.await(fiber)
    yield* Fiber.join(writer)
    assert.deepStrictEqual([yield* isKept(bot), yield* isKept(outside)], [false, true])
  }),

  "loses no update when transactions change one record at once": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const { get, insert, update } = yield* AccountStore
    const account = yield* insert({ ...accountRecord(), name: "+" })
    const change = (stored: Account) => update({ ...stored, name: `${stored.name}+` })
    const append = transact(
      Effect.gen(function* () {
        const stored = Option.getOrThrow(yield* get(account.id))
        yield* Effect.yieldNow
        yield* change(stored)
      })
    ).pipe(
      Effect.retry({
        while: (error) => error._tag === "StoreError" && error.reason._tag === "VersionConflict"
      })
    )
    yield* Effect.all(
      Array.from({ length: 10 }, () => append),
      { concurrency: "unbounded" }
    )
    const stored = Option.getOrThrow(yield* get(account.id))
    assert.deepStrictEqual([stored.name.length, stored.version], [11, 11])
  }),

  "says truly that transactions follow one another": Effect.gen(function* () {
    const { isSerial, transact } = yield* Transactor
    const { bot, end, fiber } = yield* openTransaction
    const begun: Array<boolean> = []
    const next = yield* Effect.forkChild(
      transact(
        Effect.andThen(
          Effect.sync(() => begun.push(true)),
          isKept(bot)
        )
      )
    )
    for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
    assert.isFalse(isSerial && begun.length > 0)
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.join(fiber)
    const isSeen = yield* Fiber.join(next)
    assert.isTrue(isSeen || !isSerial)
  }),

  "keeps what succeeded of many transactions at once, and nothing else": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const bots = Array.from({ length: 20 }, () => botRecord({ account_id: testId("account") }))
    yield* Effect.forEach(
      bots,
      (bot, index) =>
        Effect.exit(
          transact(
            insert(bot).pipe(
              Effect.andThen(Effect.yieldNow),
              Effect.andThen(index % 3 === 0 ? Effect.fail("undo") : Effect.void)
            )
          )
        ),
      { concurrency: "unbounded" }
    )
    const kept = yield* Effect.forEach(bots, isKept)
    assert.deepStrictEqual(
      kept,
      bots.map((_, index) => index % 3 !== 0)
    )
  })
}

const lockTests = {
  "lets those who lock a name count and add one after the other": Effect.gen(function* () {
    const { lock, transact } = yield* Transactor
    const { insert, list } = yield* BotStore
    const account_id = testId("account")
    const addUpToThree = transact(
      Effect.gen(function* () {
        yield* lock(`bots of ${account_id}`)
        // A name that is locked already is no obstacle to the transaction that locked it.
        yield* transact(lock(`bots of ${account_id}`))
        const { items } = yield* list(account_id, { limit: 9 })
        yield* Effect.yieldNow
        if (items.length >= 3) return false
        yield* insert(botRecord({ account_id }))
        return true
      })
    )
    const added = yield* Effect.all(
      Array.from({ length: 12 }, () => addUpToThree),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(added.filter(Boolean), 3)
    assert.lengthOf((yield* list(account_id, { limit: 9 })).items, 3)
  }),

  "unlocks a name when a transaction fails, and keeps names apart": Effect.gen(function* () {
    const { lock, transact } = yield* Transactor
    const name = testId("account")
    yield* Effect.exit(transact(Effect.andThen(lock(name), Effect.fail("undo"))))
    const bot = botRecord()
    yield* transact(Effect.andThen(Effect.all([lock(name), lock(`${name} more`)]), insert(bot)))
    assert.isTrue(yield* isKept(bot))
    yield* lock(name)
    yield* transact(lock(name))
  })
}

const tests = { ...outcomeTests, ...nestedTests, ...concurrencyTests, ...lockTests }

/**
 * Registers the contract of `Transactor` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<StorePorts, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
