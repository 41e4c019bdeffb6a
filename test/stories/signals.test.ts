/**
 * Alerts of a charting service that command a bot, and what its log says of them.
 */
import { Accounts, BotStore } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { refusal, setTheScene, symbol, world } from "./scene.ts"
import { eventually } from "./world.ts"

const script = { [symbol]: [99, 101, 102, 103] }

describe("a signal", () => {
  it.live("starts, closes and stops a bot, and stands in its log", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* setTheScene(script)
      const send = (action: "start" | "stop" | "close") =>
        bots.signal(accountId, { bot_id: bot.id, action, price: 101.5, comment: "EMA cross" })
      assert.deepInclude(yield* send("start"), { bot_id: bot.id, action: "start", changed: true })
      yield* eventually(bots.get(accountId, bot.id), ({ status }) => status === "running")
      yield* send("close")
      assert.isTrue((yield* send("stop")).changed)
      yield* eventually(bots.get(accountId, bot.id), ({ status }) => status === "stopped")
      assert.isFalse((yield* send("stop")).changed)
      const { items } = yield* bots.logs(accountId, bot.id, {
        limit: 100,
        event: "signal.received"
      })
      assert.deepStrictEqual(
        items.map(({ message }) => message),
        ["stop", "stop", "close", "start"].map(
          (action) => `a signal asked to ${action} (price 101.5, EMA cross)`
        )
      )
    }).pipe(Effect.provide(layer))
  })

  it.live("that the state does not allow is told in the log, as nobody reads its answer", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* setTheScene(script)
      const request = { bot_id: bot.id, action: "pause", id: "alert 7" } as const
      assert.strictEqual(
        (yield* refusal(bots.signal(accountId, request))).code,
        "invalid_transition"
      )
      const page = { limit: 100, event: "signal.refused" }
      const [line] = (yield* bots.logs(accountId, bot.id, page)).items
      assert.deepInclude(line, {
        level: "warn",
        message: "a signal asked to pause (id alert 7): A bot that is created can't pause."
      })
    }).pipe(Effect.provide(layer))
  })

  it.live("that was refused before it came to the bot is told in the log of that bot alone", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* setTheScene(script)
      yield* bots.refuseSignal(accountId, bot.id, "1 field is not valid.")
      const other = "acc_01JZ0000000000000000000000"
      const refused = yield* refusal(bots.refuseSignal(other, bot.id, "Not mine."))
      assert.strictEqual(refused.code, "not_found")
      const page = { limit: 100, event: "signal.refused" }
      assert.deepStrictEqual(
        (yield* bots.logs(accountId, bot.id, page)).items.map(({ message }) => message),
        ["a signal was refused: 1 field is not valid."]
      )
    }).pipe(Effect.provide(layer))
  })

  it.live("starts no live bot", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* setTheScene(script)
      const store = yield* BotStore
      const kept = Option.getOrThrow(yield* store.get(accountId, bot.id))
      yield* store.update({ ...kept, mode: "live" })
      const refused = yield* refusal(bots.signal(accountId, { bot_id: bot.id, action: "start" }))
      assert.strictEqual(refused.errors?.[0]?.pointer, "/action")
      assert.strictEqual((yield* bots.get(accountId, bot.id)).status, "created")
    }).pipe(Effect.provide(layer))
  })

  it.live("has a key that whoever may command bots can make, and the owner's key is none", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const accounts = yield* Accounts
      const { account, key } = yield* accounts.create("trader")
      assert.notInclude(key.scopes, "signals:send")
      const request = { name: "TradingView", scopes: ["signals:send"] } as const
      const issued = yield* accounts.issueKey(account.id, request, ["keys:manage", "bots:execute"])
      assert.deepStrictEqual(issued.key.scopes, ["signals:send"])
      const refused = yield* refusal(accounts.issueKey(account.id, request, ["keys:manage"]))
      assert.strictEqual(refused.code, "insufficient_scope")
    }).pipe(Effect.provide(layer))
  })
})
