/** A bot's log says by which rule it decided, and what the series of the rule were. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { setTheScene, symbol, world } from "./scene.ts"

const script = { [symbol]: [99, 101, 102, 105, 99, 98, 101, 103] }

describe("a bot's log", () => {
  it.live("has the rule and its values beside an entry and an exit", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(6)
      yield* reaches(5)
      const { items } = yield* bots.logs(accountId, bot.id, {
        limit: 100,
        event: "order.placed"
      })
      const [entry, exit] = items.toReversed()
      const [opened, closed] = [entry!, exit!].map(({ data }) => data)
      assert.strictEqual(opened!["rule"], "the close is above 100")
      assert.deepStrictEqual(opened!["values"], { close: 101 })
      assert.match(entry!.message, /\(entry\): the close is above 100 \(close = 101\)$/)
      assert.strictEqual(closed!["rule"], "the close is below 100")
      assert.deepStrictEqual(closed!["values"], { close: 99 })
      assert.isString(closed!["client_order_id"])
    }).pipe(Effect.provide(layer))
  })
})
