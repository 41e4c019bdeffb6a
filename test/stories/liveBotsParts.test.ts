/**
 * Entries of live bots that fill in parts, and whose position is left meanwhile.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { liveWorld, makeModel, ordersWhere, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"

const spot = {}
const oneWay = { capabilities: { kind: "one_way", hasReduceOnly: true } } as const

describe("the rest of an entry that fills in parts", () => {
  const kinds = [
    ["spot", spot],
    ["positions", oneWay]
  ] as const

  it.effect.each(kinds)("ends with the part that was closed: %s", ([, terms]) => {
    const habits = { rejectChance: 0, fillDelayMs: 0, tellDelayMs: 0, repeatChance: 0 }
    const part = { random: 0.5 }
    const model = makeModel({
      ...terms,
      habits: { ...habits, partChance: 0.6 },
      random: () => part.random
    })
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive({
        ...definition,
        entry: { type: "limit", offset: 0.01 }
      })
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      const becomes = (isWanted: Parameters<typeof statusWhere>[3]) =>
        statusWhere(bots, accountId, bot.id, isWanted)
      yield* becomes(({ status }) => status === "running")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* ordersWhere(model, ([first]) => first?.status === "open")
      yield* model.moveTo(symbol, "99.9")
      yield* model.moveTo(symbol, "101")
      yield* becomes(({ open_positions }) => open_positions[0]?.quantity === 5)
      part.random = 0.99
      yield* bots.closePositions(accountId, bot.id)
      yield* becomes(({ open_positions }) => open_positions.length === 0)
      yield* ordersWhere(model, ([first]) => first?.status === "cancelled")
      yield* model.moveTo(symbol, "99.5")
      yield* Effect.sleep("5 seconds")
      const { items } = yield* bots.trades(accountId, bot.id, { limit: 10 })
      assert.deepStrictEqual(
        items.map(({ side }) => side),
        ["sell", "buy"]
      )
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
