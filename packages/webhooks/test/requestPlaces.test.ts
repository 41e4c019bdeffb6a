import { assert, describe, it } from "@effect/vitest"
import { makeRequestPlaces } from "../src/requestPlaces.ts"

describe("requestPlaces", () => {
  it("has a place for each request, which comes back when it ends or is slow", () => {
    const places = makeRequestPlaces(2, 500)
    assert.strictEqual(places.free(0), 2)
    assert.strictEqual(places.nextSlowAt(0), Number.POSITIVE_INFINITY)
    places.begin("a", 0)
    places.begin("b", 100)
    assert.deepStrictEqual([places.free(499), places.nextSlowAt(499)], [0, 500])
    assert.deepStrictEqual([places.free(500), places.nextSlowAt(500)], [1, 600])
    places.end("b")
    assert.deepStrictEqual([places.free(500), places.free(499)], [2, 1])
    places.end("a")
    assert.strictEqual(places.free(500), 2)
  })

  it("has as many places for slow requests as for others, and no more", () => {
    const places = makeRequestPlaces(2, 500)
    for (const id of ["a", "b"]) places.begin(id, 0)
    assert.strictEqual(places.free(500), 2)
    for (const id of ["c", "d"]) places.begin(id, 500)
    assert.strictEqual(places.free(5_000), 0)
    places.end("a")
    assert.strictEqual(places.free(5_000), 1)
  })
})
