/**
 * How often the stores are asked: as often for many bots as for one.
 */
import { AlertStore, AccountStore, BotStore } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { setTheScene, symbol } from "../stories/scene.ts"
import { makeScript } from "../stories/scripted.ts"
import { botsOnStores } from "../stories/world.ts"

const script = { [symbol]: [99, 101] }

/** The same store, which writes down which of its methods are called. */
const counted = <Store extends object>(name: string, store: Store, calls: Array<string>): Store =>
  new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== "function") return value
      return (...given: ReadonlyArray<unknown>): unknown => {
        calls.push(`${name}.${String(key)}`)
        return Reflect.apply(value, target, given)
      }
    }
  })

/** An account with one bot that has alerts, and the calls of its stores. */
const countedScene = Effect.gen(function* () {
  const calls: Array<string> = []
  const kept = yield* Layer.build(MemoryStore.layer)
  const [alerts, bots] = [Context.get(kept, AlertStore), Context.get(kept, BotStore)]
  const accounts = Context.get(kept, AccountStore)
  const watched = kept.pipe(
    Context.add(AlertStore, counted("alerts", alerts, calls)),
    Context.add(BotStore, counted("bots", bots, calls)),
    Context.add(AccountStore, counted("accounts", accounts, calls))
  )
  const services = yield* Layer.build(
    Layer.provideMerge(botsOnStores(makeScript(script).layer), Layer.succeedContext(watched))
  )
  const scene = yield* Effect.provide(setTheScene(script), services)
  const create = scene.bots.create(scene.accountId, {
    name: "another",
    strategy_id: scene.strategy.id,
    capital_allocation: 1_000,
    alerts: [
      { metric: "price", symbol, op: "gt", threshold: 100 },
      { metric: "drawdown", op: "gt", threshold: 0.1 }
    ]
  })
  /** The result of an effect, and the calls that it made. */
  const callsOf = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
    const before = calls.length
    const answer = yield* effect
    return { answer, made: calls.slice(before).toSorted() }
  })
  return { ...scene, callsOf, create }
})

describe("the calls of stores", () => {
  it.live("are as many for a list of twenty bots as for one of two, and none is a bot's own", () =>
    Effect.gen(function* () {
      const { accountId, bots, callsOf, create } = yield* countedScene
      const second = yield* create
      const listed = callsOf(bots.list(accountId, { limit: 50 }))
      const few = yield* listed
      assert.lengthOf(few.answer.items, 2)
      for (let count = 2; count < 20; count++) yield* create
      const many = yield* listed
      assert.lengthOf(many.answer.items, 20)
      assert.deepStrictEqual(many.made, few.made)
      assert.isAtMost(many.made.length, 4)
      // Each has its own alerts.
      const [first] = many.answer.items.slice(-1)
      assert.deepStrictEqual(first!.alerts, [])
      for (const bot of many.answer.items.slice(0, -1)) {
        assert.deepStrictEqual(
          bot.alerts.map(({ bot_id, kind }) => ({ bot_id, kind })),
          second.alerts.map(({ kind }) => ({ bot_id: bot.id, kind }))
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("read no bots to make one more", () =>
    Effect.gen(function* () {
      const { callsOf, create } = yield* countedScene
      const early = yield* callsOf(create)
      for (let count = 2; count < 120; count++) yield* create
      const late = yield* callsOf(create)
      assert.deepStrictEqual(late.made, early.made)
      assert.include(late.made, "bots.count")
      assert.include(late.made, "alerts.count")
      assert.notInclude(late.made, "bots.list")
      assert.notInclude(late.made, "alerts.list")
    }).pipe(Effect.scoped)
  )
})
