import { assert, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Ids } from "../../src/services/Ids.ts"

it.effect(
  "ids of one process rise strictly, within a millisecond and when the clock steps back",
  () =>
    Effect.gen(function* () {
      const ids = yield* Ids
      const made: Array<string> = []
      for (const atMs of [1_000, 1_000, 1_001, 500, 500, 2_000]) {
        yield* TestClock.setTime(atMs)
        for (let index = 0; index < 50; index++) made.push(yield* ids.make("order"))
      }
      assert.deepStrictEqual(made, [...new Set(made)].sort())
      for (const id of made) assert.match(id, /^ord_0000000[0-9A-HJKMNP-TV-Z]{19}$/)
    }).pipe(Effect.provide(Ids.layer))
)

it.effect("counts on from one half of an id's random part to the other", () =>
  Effect.gen(function* () {
    const random = vi.spyOn(crypto, "getRandomValues")
    random.mockImplementation(<A>(bytes: A): A => {
      if (bytes instanceof Uint8Array) bytes.fill(0xff)
      return bytes
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => random.mockRestore()))
    const ids = yield* Ids
    yield* TestClock.setTime(1)
    const made = [yield* ids.make("order"), yield* ids.make("order")]
    assert.deepStrictEqual(made, [
      "ord_0000000001FZZZZZZZZZZZZZZZ",
      "ord_0000000001G000000000000000"
    ])
  }).pipe(Effect.provide(Ids.layer), Effect.scoped)
)
