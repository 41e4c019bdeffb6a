/**
 * Coins of a live bot that its exchange lacks, until their owner accepts that they are gone.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { holdLive, liveWorld, makeModel } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"

describe("a loss that its owner accepts", () => {
  it.effect("is taken out of the books once, and the gate is open again", () => {
    const model = makeModel()
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
      yield* model.act({ type: "deposit", coin: "STY", amount: "-4" })
      yield* Effect.sleep("2 minutes")
      yield* becomes(({ trading_state }) => trading_state !== "active")
      yield* bots.reconcile(accountId, bot.id, { accept: true })
      yield* Effect.sleep("5 minutes")
      const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
      const events = items
        .map(({ event }) => event)
        .filter((event) => event === "reconcile.mismatch" || event === "reconcile.accepted")
      assert.deepStrictEqual(events, ["reconcile.accepted", "reconcile.mismatch"])
      const status = yield* becomes(({ trading_state }) => trading_state === "active")
      assert.strictEqual(status.open_positions[0]?.quantity, 6)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
