/**
 * What a bot does while its host says that nothing may be opened.
 */
import { ExposureGuard } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { setTheScene, symbol, world } from "./scene.ts"

describe("a host that can't rely on its store", () => {
  it.live("has bots close what they hold and open nothing, until it can again", () => {
    const closes = [99, 101, 101, 101, 99, 99, 101, 101, 99, 99, 101, 101, 101]
    const script = { [symbol]: closes }
    const { layer, tellUntil } = world(script)
    let mayEnter = true
    const guard = Layer.succeed(
      ExposureGuard,
      Effect.sync(() => mayEnter)
    )
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      const heldAt = Effect.fnUntraced(function* (index: number) {
        yield* tellUntil(index + 1)
        yield* reaches(index)
        return (yield* bots.status(accountId, bot.id)).open_positions.length
      })
      yield* bots.command(accountId, bot.id, "start")
      assert.strictEqual(yield* heldAt(2), 1)
      mayEnter = false
      assert.strictEqual(yield* heldAt(5), 0)
      assert.strictEqual(yield* heldAt(9), 0)
      mayEnter = true
      assert.strictEqual(yield* heldAt(12), 1)
    }).pipe(Effect.provide(layer.pipe(Layer.provide(guard))), Effect.scoped)
  })
})
