import { assert, describe, it } from "@effect/vitest"
import { makeRequestPlaces, requestCountMax } from "../src/requestPlaces.ts"

describe("requestPlaces", () => {
  it("has a place for each request, which comes back when it ends or is slow", () => {
    const places = makeRequestPlaces(2, 500)
    assert.strictEqual(places.free(0), 2)
    assert.strictEqual(places.nextSlowAt(0), Number.POSITIVE_INFINITY)
    const endFirst = places.begin(0)
    const endSecond = places.begin(100)
    assert.deepStrictEqual([places.free(499), places.nextSlowAt(499)], [0, 500])
    assert.deepStrictEqual([places.free(500), places.nextSlowAt(500)], [1, 600])
    endSecond()
    assert.deepStrictEqual([places.free(500), places.free(499)], [2, 1])
    endFirst()
    endFirst()
    assert.strictEqual(places.free(500), 2)
  })

  it("has four times as many places for slow requests as for others, and no more", () => {
    const places = makeRequestPlaces(2, 500)
    const [endFirst] = [places.begin(0), places.begin(0)]
    for (let nowMs = 500; nowMs <= 2_000; nowMs += 500) {
      assert.strictEqual(places.free(nowMs), 2)
      for (let more = 0; more < 2; more++) places.begin(nowMs)
    }
    assert.strictEqual(places.free(10_000), 0)
    endFirst()
    assert.strictEqual(places.free(10_000), 1)
    assert.strictEqual(requestCountMax(2), 10)
  })
})
