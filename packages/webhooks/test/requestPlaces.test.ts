import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { makeRequestPlaces, requestCountDefault, requestCountMax } from "../src/requestPlaces.ts"

/** A page of the documentation, each number as its digits. */
const pageText = (name: string): string =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/(\d) (?=\d{3})/g, "$1")

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

  it("is what the pages say", () => {
    const all = requestCountMax(requestCountDefault)
    const slow = all - requestCountDefault
    const webhooks = pageText("webhooks.md")
    assert.include(
      webhooks,
      `none of the process's ${requestCountDefault}: there are ${slow} more for slow requests, ${all} together`
    )
    assert.include(webhooks, `These take all ${all} for the 15 s`)
    assert.include(pageText("operating.md"), `slow receivers have up to ${all} of them`)
    assert.include(
      pageText("limits.md"),
      `requests at once in all (${requestCountDefault}, and ${slow} more`
    )
  })
})
