/**
 * The fate of additions and targets that rest, where the user pauses, stops or closes a bot of
 * positions in parts.
 */
import type { BotStatusView, StrategyDefinition } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { whileTimePasses } from "./passingTime.ts"
import { definition, setTheScene, symbol, world } from "./scene.ts"
import { eventually } from "./world.ts"

/** Ten units above 100, ten more a tenth below the first, and half sold a fifth above. */
const ladder: StrategyDefinition = {
  ...definition,
  exits: { stop_loss: { type: "fraction", value: 0.5 } },
  additions: [{ name: "dip", against: 0.1 }],
  targets: [{ at: { type: "fraction", value: 0.2 }, portion: 0.5 }]
}

/** Bought at 101, with an addition and a target at rest from the next close on. */
const closes = [99, 101, 101, 101, 101, 101, 101, 101]
const script = { [symbol]: closes }

const legs = ({ open_orders }: BotStatusView) => open_orders.map(({ leg }) => leg).toSorted()

/** A bot that holds ten units, with all that rests beside them. */
const holding = (told: ReturnType<typeof world>) =>
  Effect.gen(function* () {
    const scene = yield* setTheScene(script, { definition: ladder })
    const { accountId, bot, bots } = scene
    yield* bots.command(accountId, bot.id, "start")
    yield* told.tellUntil(4)
    yield* scene.reaches(3)
    const status = yield* eventually(
      bots.status(accountId, bot.id),
      (now) => now.open_orders.length === 3
    )
    assert.deepStrictEqual(legs(status), ["entry", "exit", "stop_loss"])
    assert.deepInclude(status.open_positions[0], { quantity: 10, entry_price: 101 })
    return scene
  })

describe("a bot of positions in parts", () => {
  it.effect("takes its additions back when it pauses, and keeps target and stop", () => {
    const told = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* holding(told)
      yield* bots.command(accountId, bot.id, "pause")
      const paused = yield* eventually(
        bots.status(accountId, bot.id),
        ({ status }) => status === "paused"
      )
      assert.deepStrictEqual(legs(paused), ["exit", "stop_loss"])
      yield* told.tellUntil(6)
      assert.deepStrictEqual(legs(yield* reaches(5)), ["exit", "stop_loss"])
    }).pipe(Effect.provide(told.layer), whileTimePasses)
  })

  it.effect("closes its position when it is stopped so, and nothing rests any more", () => {
    const told = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* holding(told)
      const outcome = yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
      assert.lengthOf(outcome.positions_closing, 1)
      yield* told.tellUntil(6)
      const stopped = yield* eventually(
        bots.status(accountId, bot.id),
        ({ status }) => status === "stopped"
      )
      assert.deepInclude(stopped, { open_positions: [], open_orders: [] })
      const { positions_closed } = yield* bots.performance(accountId, bot.id)
      assert.strictEqual(positions_closed, 1)
    }).pipe(Effect.provide(told.layer), whileTimePasses)
  })

  it.effect("keeps its position and the target when it is stopped so, without additions", () => {
    const told = world({ [symbol]: [...closes.slice(0, 4), 130, 130, 130, 130] })
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* holding(told)
      const outcome = yield* bots.command(accountId, bot.id, "stop")
      assert.deepInclude(outcome, { positions_closing: [], unprotected: false })
      assert.strictEqual(outcome.orders_cancelled, 1)
      const stopped = yield* eventually(
        bots.status(accountId, bot.id),
        ({ status }) => status === "stopped"
      )
      assert.deepStrictEqual(legs(stopped), ["exit", "stop_loss"])
      assert.lengthOf(stopped.open_positions, 1)
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(8)
      // The first candle after the start comes to the target.
      const status = yield* reaches(7)
      assert.deepInclude(status.open_positions[0], { quantity: 5, entry_price: 101 })
    }).pipe(Effect.provide(told.layer), whileTimePasses)
  })

  it.effect("closes its position when somebody forces it, though a target rests", () => {
    const told = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* holding(told)
      yield* bots.closePositions(accountId, bot.id)
      yield* told.tellUntil(5)
      const status = yield* reaches(4)
      assert.deepStrictEqual(status.open_positions, [])
      const { items } = yield* bots.trades(accountId, bot.id, { limit: 10 })
      assert.deepInclude(items[0], { leg: "exit", amount: 10, position_effect: "close" })
    }).pipe(Effect.provide(told.layer), whileTimePasses)
  })
})
