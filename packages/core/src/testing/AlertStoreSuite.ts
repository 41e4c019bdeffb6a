/**
 * The contract of `AlertStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import type { AlertPageRequest } from "../domain/listFilters.ts"
import { AlertStore } from "../ports/AlertStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { refusalOf, registerSuite, sideBySide, type SuiteOptions } from "./conformance.ts"
import { assertNarrowed } from "./narrowedTests.ts"
import { alertRecord } from "./records.ts"
import { testId, testSymbol } from "./testIds.ts"
import { countTests, removalTests, rolledBack, versionedTests } from "./versionedTests.ts"

const make = (accountId: string) => alertRecord({ account_id: accountId })

const tests = {
  ...versionedTests({
    store: AlertStore,
    make,
    change: (alert, text) => ({
      ...alert,
      threshold: alert.threshold + text.length,
      symbol: `${text.toUpperCase().replaceAll(" ", "_")}/USD`
    })
  }),
  ...removalTests({ store: AlertStore, make }),
  ...countTests({ store: AlertStore, make }),

  "lists only what the filter leaves, page by page": Effect.gen(function* () {
    const { insert, keepState, list } = yield* AlertStore
    const account_id = testId("account")
    const bot_id = testId("bot")
    const alerts = [
      alertRecord({ account_id, symbol: "BTC/USD" }),
      alertRecord({ account_id, bot_id, kind: "performance", metric: "drawdown", symbol: null }),
      alertRecord({ account_id, bot_id, symbol: "ETH/USD" }),
      alertRecord({ account_id, bot_id, symbol: "BTC/USD" })
    ]
    for (const alert of alerts) yield* insert(alert)
    // It has fired once, as was asked of it.
    const spent = { ...alerts[3]!, is_enabled: false }
    yield* keepState(spent, alerts[3]!)
    const kept = [...alerts.slice(0, 3), spent]
    yield* assertNarrowed((page: AlertPageRequest) => list(account_id, page), kept, [
      [{}, [0, 1, 2, 3]],
      [{ bot_id }, [1, 2, 3]],
      [{ kind: "performance" }, [1]],
      [{ metric: "price" }, [0, 2, 3]],
      [{ symbol: "BTC/USD" }, [0, 3]],
      [{ is_enabled: false }, [3]],
      [{ is_enabled: true, symbol: "BTC/USD" }, [0]],
      [{ bot_id: testId("bot") }, []]
    ])
  }),

  "lists the enabled alerts of bots, oldest first": Effect.gen(function* () {
    const { insert, listOfBots } = yield* AlertStore
    const bot = { account_id: testId("account"), bot_id: testId("bot") }
    const records = [
      alertRecord({ ...bot, kind: "performance", metric: "drawdown", symbol: null }),
      alertRecord({ ...bot, is_enabled: false }),
      alertRecord(bot),
      alertRecord({ ...bot, bot_id: testId("bot") }),
      alertRecord({ ...bot, bot_id: null }),
      alertRecord({ ...bot, account_id: testId("account") })
    ] as const
    for (const record of records.toReversed()) yield* insert(record)
    const [first, , second, other] = records
    const listed = (...ids: ReadonlyArray<string>) => listOfBots(bot.account_id, ids)
    assert.deepStrictEqual(yield* listed(bot.bot_id), [first, second])
    const ids = [other.bot_id!, bot.bot_id, testId("bot"), bot.bot_id]
    assert.deepStrictEqual(yield* listed(...ids), [first, second, other])
    assert.deepStrictEqual(yield* listed(), [])
  }),

  "lists the enabled price alerts of a symbol that belong to no bot": Effect.gen(function* () {
    const { insert, listOfSymbol } = yield* AlertStore
    const symbol = testSymbol()
    const records = [
      alertRecord({ symbol }),
      alertRecord({ symbol, is_enabled: false }),
      alertRecord({ symbol, bot_id: testId("bot") }),
      alertRecord({ symbol: testSymbol() }),
      alertRecord({ symbol, kind: "performance", metric: "error" }),
      alertRecord({ symbol })
    ] as const
    for (const record of records.toReversed()) yield* insert(record)
    assert.deepStrictEqual(yield* listOfSymbol(symbol), [records[0], records[5]])
  }),

  "keeps what was seen of an alert, without a new version and without what callers change":
    Effect.gen(function* () {
      const { get, insert, keepState, listOfSymbol, update } = yield* AlertStore
      const symbol = testSymbol()
      const made = yield* insert(alertRecord({ symbol }))
      const seen = {
        is_armed: false,
        last_value: 101.5,
        last_candle_at: "2026-01-15T09:00:00.000Z",
        fired_count: 3,
        last_fired_at: "2026-01-15T09:30:00.000Z"
      }
      yield* rolledBack(keepState({ ...made, ...seen }, made))
      assert.deepStrictEqual(Option.getOrNull(yield* get(made.account_id, made.id)), made)
      yield* keepState({ ...made, ...seen, threshold: made.threshold + 1, version: 7 }, made)
      const kept = Option.getOrThrow(yield* get(made.account_id, made.id))
      assert.deepStrictEqual(kept, { ...made, ...seen })
      const changed = yield* update({ ...kept, threshold: 9 })
      assert.strictEqual(changed.version, made.version + 1)
      yield* keepState({ ...changed, is_enabled: false }, changed)
      assert.deepStrictEqual(yield* listOfSymbol(symbol), [])
      const unknown = alertRecord({ symbol })
      yield* keepState(unknown, unknown)
      const stranger = { ...changed, account_id: testId("account"), fired_count: 99 }
      yield* keepState(stranger, stranger)
      const last = Option.getOrNull(yield* get(made.account_id, made.id))
      assert.strictEqual(last?.fired_count, 3)
    }),

  "keeps what one of many has seen of an alert, and tells the others": Effect.gen(function* () {
    const { get, insert, keepState } = yield* AlertStore
    let alert = yield* insert(alertRecord())
    for (const last_candle_at of ["2026-01-15T09:00:00.000Z", "2026-01-15T10:00:00.000Z"]) {
      const fired = { ...alert, last_candle_at, fired_count: alert.fired_count + 1 }
      const writers = Array.from({ length: 5 }, () => keepState(fired, alert))
      const { kept, refusals } = yield* sideBySide(writers)
      assert.lengthOf(kept, 1)
      assert.deepStrictEqual(
        refusals,
        Array.from({ length: 4 }, () => "VersionConflict" as const)
      )
      alert = Option.getOrThrow(yield* get(alert.account_id, alert.id))
      assert.deepStrictEqual(alert, fired)
    }
  }),

  "leaves an alert as its owner has changed it, whatever was seen of it before": Effect.gen(
    function* () {
      const { get, insert, keepState, update } = yield* AlertStore
      const made = yield* insert(alertRecord())
      const disabled = yield* update({ ...made, is_enabled: false })
      const seen = { ...made, is_armed: false, last_value: 7 }
      assert.strictEqual(yield* refusalOf(keepState(seen, made)), "VersionConflict")
      assert.deepStrictEqual(yield* get(made.account_id, made.id), Option.some(disabled))
    }
  ),

  "counts on where its owner changes an alert that has fired since": Effect.gen(function* () {
    const { get, insert, keepState, update } = yield* AlertStore
    const made = yield* insert(alertRecord({ last_value: -0 }))
    const counted = {
      last_candle_at: "2026-01-15T09:00:00.000Z",
      fired_count: 4,
      last_fired_at: "2026-01-15T09:30:00.000Z"
    }
    yield* keepState({ ...made, ...counted, is_armed: false, last_value: 101.5 }, made)
    // As its owner knew it before it fired.
    const changed = yield* update({ ...made, threshold: 3 })
    assert.deepStrictEqual(changed, { ...made, ...counted, threshold: 3, version: 2 })
    assert.deepStrictEqual(yield* get(made.account_id, made.id), Option.some(changed))
  }),

  "stops listing an alert that was disabled or removed": Effect.gen(function* () {
    const { insert, listOfBots, listOfSymbol, remove, update } = yield* AlertStore
    const symbol = testSymbol()
    const account = testId("account")
    const first = yield* insert(alertRecord({ account_id: account, symbol }))
    const second = yield* insert(alertRecord({ account_id: account, symbol }))
    yield* rolledBack(update({ ...first, is_enabled: false }))
    assert.deepStrictEqual(yield* listOfSymbol(symbol), [first, second])
    const disabled = yield* update({ ...first, is_enabled: false })
    assert.deepStrictEqual(yield* listOfSymbol(symbol), [second])
    yield* remove(account, second.id)
    assert.deepStrictEqual(yield* listOfSymbol(symbol), [])
    const botId = testId("bot")
    const given = yield* update({ ...disabled, is_enabled: true, bot_id: botId })
    assert.deepStrictEqual(yield* listOfSymbol(symbol), [])
    assert.deepStrictEqual(yield* listOfBots(account, [botId]), [given])
  })
}

/**
 * Registers the contract of `AlertStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<AlertStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
