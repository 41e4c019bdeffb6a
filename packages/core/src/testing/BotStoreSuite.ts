/**
 * The contract of `BotStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. Each duty is a test whose name says it. A test that
 * an adapter can't pass is named in `skip`, with a reason that is printed.
 *
 * The suite uses no store but the given layer, and leaves its records there.
 *
 * **Example** (The tests of an adapter)
 *
 * ```ts no-run
 * import { BotStoreSuite } from "@candlewick/core/testing"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * BotStoreSuite.suite("memory", MemoryStore.layer)
 * ```
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Option } from "effect"
import type { Bot, BotRef } from "../domain/Bot.ts"
import { BotMachine, restingStates } from "../domain/BotMachine.ts"
import type { BotPageRequest } from "../domain/listFilters.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { BotStore } from "../ports/BotStore.ts"
import { Transactor } from "../ports/Transactor.ts"
import { refusalOf, registerSuite, sideBySide, type SuiteOptions } from "./conformance.ts"
import { assertNarrowed } from "./narrowedTests.ts"
import { botRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { countTests, removalTests, versionedTests } from "./versionedTests.ts"

const make = (accountId: string) => botRecord({ account_id: accountId })

const tests = {
  ...versionedTests({
    store: BotStore,
    make,
    change: (bot, text) => ({ ...bot, name: text, status: "starting" as const })
  }),
  ...removalTests({ store: BotStore, make }),
  ...countTests({ store: BotStore, make }),

  "lists only what the filter leaves, page by page": Effect.gen(function* () {
    const { insert, list, update } = yield* BotStore
    const account_id = testId("account")
    const [one, other] = [testId("strategy"), testId("strategy")]
    const bots = [
      botRecord({ account_id, name: "Trend BTC", strategy_id: one, symbols: ["BTC/USD"] }),
      botRecord({ account_id, name: "%", strategy_id: other, symbols: ["ETH/USD", "BTC/USD"] }),
      botRecord({ account_id, name: "trend eth", strategy_id: one, symbols: ["ETH/USD"] }),
      botRecord({ account_id, name: "Éclair", strategy_id: other, symbols: ["XBTC/USD"] })
    ]
    yield* insert(botRecord({ strategy_id: one, symbols: ["BTC/USD"] }))
    for (const bot of bots) yield* insert(bot)
    const started = { ...bots[2]!, status: "running", desired_status: "running" } as const
    const live = { ...bots[3]!, mode: "live", exchange: "model" } as const
    const kept = [bots[0]!, bots[1]!, yield* update(started), yield* update(live)]
    yield* assertNarrowed<Bot, BotPageRequest, StoreError>((page) => list(account_id, page), kept, [
      [{}, [0, 1, 2, 3]],
      [{ status: "running" }, [2]],
      [{ status: "error" }, []],
      [{ desired_status: "stopped" }, [0, 1, 3]],
      [{ mode: "live" }, [3]],
      [{ strategy_id: one }, [0, 2]],
      [{ symbol: "BTC/USD" }, [0, 1]],
      [{ symbol: "ETH/USD", strategy_id: other }, [1]],
      [{ name: "TREND" }, [0, 2]],
      [{ name: "%" }, [1]],
      [{ name: "Éc" }, [3]],
      [{ name: "no \u0000" }, []],
      [{ name: "trend", status: "running", mode: "paper" }, [2]]
    ])
  }),

  "removes a bot at the version that is named, and not one that has changed since": Effect.gen(
    function* () {
      const { get, insert, remove, update } = yield* BotStore
      const { account_id: accountId, id, ...bot } = yield* insert(botRecord())
      const started = yield* update({ ...bot, account_id: accountId, id, status: "starting" })
      assert.strictEqual(yield* refusalOf(remove(accountId, id, 1)), "VersionConflict")
      assert.deepStrictEqual(yield* get(accountId, id), Option.some(started))
      assert.strictEqual(yield* refusalOf(remove(testId("account"), id, 2)), "NotFound")
      yield* remove(accountId, id, 2)
      assert.deepStrictEqual(yield* get(accountId, id), Option.none())
      assert.strictEqual(yield* refusalOf(remove(accountId, id, 2)), "NotFound")
    }
  ),

  "either changes a bot or removes it, where both want to at once": Effect.gen(function* () {
    const { get, insert, remove, update } = yield* BotStore
    for (let round = 0; round < 6; round++) {
      const bot = yield* insert(botRecord())
      const starting = Effect.asVoid(update({ ...bot, status: "starting" }))
      const removing = remove(bot.account_id, bot.id, bot.version)
      const writers = round % 2 === 0 ? [starting, removing] : [removing, starting]
      const { kept, refusals } = yield* sideBySide(writers)
      const isThere = Option.isSome(yield* get(bot.account_id, bot.id))
      assert.lengthOf(kept, 1)
      assert.deepStrictEqual(refusals, [isThere ? "VersionConflict" : "NotFound"])
    }
  }),

  "holds a bot until the transaction ends, so that others change it only then": Effect.gen(
    function* () {
      const { transact } = yield* Transactor
      const { get, hold, insert, update } = yield* BotStore
      const bot = yield* insert(botRecord())
      const { account_id: accountId, id } = bot
      assert.deepStrictEqual(yield* hold(accountId, id), Option.some(bot))
      assert.deepStrictEqual(yield* hold(testId("account"), id), Option.none())
      assert.deepStrictEqual(yield* hold(accountId, testId("bot")), Option.none())
      const isHeld = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(
        transact(
          Effect.gen(function* () {
            const held = Option.getOrThrow(yield* hold(accountId, id))
            yield* Deferred.succeed(isHeld, undefined)
            // Time enough for others, if they did not wait.
            yield* Effect.replicateEffect(get(accountId, id), 20)
            return yield* update({ ...held, name: "first" })
          })
        )
      )
      yield* Deferred.await(isHeld)
      const writer = yield* Effect.forkChild(Effect.flip(update({ ...bot, name: "second" })))
      const next = yield* Effect.forkChild(transact(hold(accountId, id)))
      const first = yield* Fiber.join(holder)
      assert.strictEqual((yield* Fiber.join(writer)).reason._tag, "VersionConflict")
      assert.deepStrictEqual(yield* Fiber.join(next), Option.some(first))
      assert.deepStrictEqual(yield* get(accountId, id), Option.some(first))
    }
  ),

  "lists the bots of every account that are not at rest, oldest first": Effect.gen(function* () {
    const { insert, listActive, update } = yield* BotStore
    const bots = BotMachine.states.map((status) =>
      botRecord({ account_id: testId("account"), exchange: "model", mode: "live", status })
    )
    for (const bot of bots.toReversed()) yield* insert(bot)
    const ids = new Set(bots.map(({ id }) => id))
    const listed = Effect.map(listActive, (active) => active.filter(({ id }) => ids.has(id)))
    const [first, ...active] = bots.filter(({ status }) => !restingStates.includes(status))
    const others = active.map(toRef)
    assert.deepStrictEqual(yield* listed, [toRef(first!), ...others])
    yield* update({ ...first!, status: "stopped" })
    assert.deepStrictEqual(yield* listed, others)
    const started = yield* update({ ...bots[0]!, status: "starting" })
    assert.deepStrictEqual(yield* listed, [toRef(started), ...others])
  }),

  "marks each change of the bots that are not at rest, and no other": Effect.gen(function* () {
    const { insert, markActive, remove, update } = yield* BotStore
    const account_id = testId("account")
    const marks: Array<string> = [yield* markActive]
    const note = Effect.map(markActive, (mark) => void marks.push(mark))
    const active = yield* insert(botRecord({ account_id, status: "running" }))
    yield* note
    const [one, other] = yield* Effect.all([
      insert(botRecord({ account_id, status: "stopped" })),
      insert(botRecord({ account_id, status: "paused" }))
    ])
    yield* note
    const changed = yield* update({ ...active, name: "another name" })
    yield* note
    const started = yield* update({ ...one, status: "starting" })
    yield* note
    yield* remove(account_id, other.id)
    yield* note
    const stopped = yield* update({ ...started, status: "stopped" })
    yield* note
    assert.lengthOf(new Set(marks), marks.length)
    const last = yield* markActive
    yield* update({ ...stopped, name: "at rest" })
    assert.strictEqual(yield* markActive, last)
    yield* remove(account_id, changed.id)
  }),

  "lists the live bots of every account that are at rest, oldest first": Effect.gen(function* () {
    const { insert, listLiveAtRest, update } = yield* BotStore
    const bots = BotMachine.states.map((status) =>
      botRecord({ account_id: testId("account"), exchange: "model", mode: "live", status })
    )
    const onPaper = botRecord({ account_id: testId("account"), status: "stopped" })
    for (const bot of [...bots.toReversed(), onPaper]) yield* insert(bot)
    const ids = new Set([...bots, onPaper].map(({ id }) => id))
    const listed = Effect.map(listLiveAtRest, (found) => found.filter(({ id }) => ids.has(id)))
    const [first, ...others] = bots
      .filter(({ status }) => restingStates.includes(status))
      .map(toRef)
    assert.deepStrictEqual(yield* listed, [first!, ...others])
    yield* update({ ...bots.find(({ id }) => id === first!.id)!, status: "starting" })
    assert.deepStrictEqual(yield* listed, others)
  })
}

const toRef = ({ account_id, exchange, id, mode, status, version }: Bot): BotRef => ({
  account_id,
  exchange,
  id,
  mode,
  status,
  version
})

/**
 * Registers the contract of `BotStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<BotStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
