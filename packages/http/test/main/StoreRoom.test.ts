/**
 * A disk that is nearly full: the server is not ready and says why, bots open nothing, and both end
 * when there is room again.
 */
import { StoreHealth } from "@candlewick/core"
import { serve } from "@candlewick/http"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { diskRoom } from "../../src/main/diskRoom.ts"
import { servicesOf } from "../../src/main/services.ts"
import { readSettings } from "../../src/main/settings.ts"

const reason = "less than 64 MB are free on its disk"

/** The health of a store on a disk of which the test says how many megabytes are free. */
const makeDisk = (directory: string) => {
  const disk = { free: 1_000, asked: new Set<string>() }
  const freeAt = (at: string) =>
    Effect.sync(() => {
      disk.asked.add(at)
      return disk.free
    })
  const health = StoreHealth.layer(diskRoom(directory, freeAt)).pipe(
    Layer.provide(MemoryStore.layer)
  )
  return { disk, health }
}

const found = Effect.flatMap(StoreHealth, ({ check }) =>
  Effect.match(check, { onFailure: ({ code, detail }) => [code, detail], onSuccess: () => "well" })
)
const isHealthy = Effect.flatMap(StoreHealth, ({ hindrance }) =>
  Effect.map(hindrance, (found) => found === null)
)

describe("a store whose disk is nearly full", () => {
  it.effect("can't be relied on below 64 MB, and can again from there on", () => {
    const { disk, health } = makeDisk("/kept/here")
    return Effect.gen(function* () {
      assert.strictEqual(yield* found, "well")
      for (const [free, isEnough] of [
        [63.9, false],
        [64, true],
        [0, false],
        [1_000, true]
      ] as const) {
        disk.free = free
        yield* TestClock.adjust("6 seconds")
        assert.deepStrictEqual(yield* found, isEnough ? "well" : ["unavailable", reason])
        assert.strictEqual(yield* isHealthy, isEnough)
      }
      assert.deepStrictEqual([...disk.asked], ["/kept/here"])
    }).pipe(Effect.provide(health), Effect.provideService(References.MinimumLogLevel, "None"))
  })

  it.live("makes the server answer 503 to /readyz with the reason until there is room", () => {
    const { disk, health } = makeDisk("/kept/here")
    return Effect.gen(function* () {
      const settings = readSettings({ CANDLEWICK_WORKERS: "1" })
      const services = yield* Layer.build(servicesOf({ ...settings, store: { type: "memory" } }))
      const { check } = yield* StoreHealth
      const served = serve({
        host: "127.0.0.1",
        port: 0,
        checks: { store: check },
        accessLog: { write: () => undefined }
      }).pipe(Layer.provide(Layer.succeedContext(services)))
      const { address } = yield* Effect.provide(HttpServer.HttpServer, yield* Layer.build(served))
      const port = "port" in address ? address.port : 0
      const ready = Effect.promise(async () => {
        const response = await fetch(`http://127.0.0.1:${port}/readyz`)
        return { status: response.status, text: await response.text() }
      })
      // The result is kept for a second.
      const later = Effect.andThen(Effect.sleep("1100 millis"), ready)
      assert.strictEqual((yield* ready).status, 200)
      disk.free = 10
      const refused = yield* later
      assert.strictEqual(refused.status, 503)
      assert.include(refused.text, `store (${reason})`)
      disk.free = 65
      assert.strictEqual((yield* later).status, 200)
    }).pipe(
      Effect.provide(health),
      Effect.scoped,
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  })
})
