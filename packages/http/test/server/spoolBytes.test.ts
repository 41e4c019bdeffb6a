/**
 * Bodies in temporary files: what all of them may take together.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { readSync } from "node:fs"
import { spoolBytes } from "../../src/server/spoolBytes.ts"

const bytesOf = (length: number) => Stream.make(new Uint8Array(length).fill(7))

describe("spoolBytes", () => {
  it.effect("keeps what comes as long as there is room, and gives the room back", () =>
    Effect.gen(function* () {
      const room = { free: 100 }
      const isKept = yield* Deferred.make<void>()
      const isOver = yield* Deferred.make<void>()
      const first = yield* Effect.gen(function* () {
        const { byteLength, fd } = yield* spoolBytes(bytesOf(70), room)
        assert.strictEqual(byteLength, 70)
        const read = new Uint8Array(80)
        assert.strictEqual(readSync(fd, read, 0, 80, 0), 70)
        assert.isTrue(read.subarray(0, 70).every((byte) => byte === 7))
        yield* Deferred.succeed(isKept, undefined)
        yield* Deferred.await(isOver)
      }).pipe(Effect.scoped, Effect.forkChild)
      yield* Deferred.await(isKept)
      assert.strictEqual(room.free, 30)
      const refused = yield* Effect.flip(Effect.scoped(spoolBytes(bytesOf(31), room)))
      assert.strictEqual(refused.code, "unavailable")
      yield* Effect.scoped(spoolBytes(bytesOf(30), room))
      yield* Deferred.succeed(isOver, undefined)
      yield* Fiber.join(first)
      assert.strictEqual(room.free, 100)
      yield* Effect.scoped(spoolBytes(bytesOf(100), room))
    })
  )
})
