/**
 * A matcher is its bytes. Taken as a snapshot and restored after any candle, it goes on as though
 * nothing had happened, and the room at its beginning changes nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { makeOrderContext } from "../../src/kernel/orders/orderContext.ts"
import type { OrderOptions } from "../../src/kernel/orders/orderOptions.ts"
import { makeOrderRun, shownCandle } from "../../src/kernel/orders/orderRun.ts"
import { Matcher } from "../../src/match/Matcher.ts"
import { draws } from "../../../../test/draws.ts"
import { drawCase } from "../match/drawnScripts.ts"

type Begin = (matcher: Matcher, options: OrderOptions) => Matcher

/**
 * The matcher's bytes after each candle of a case; each candle begins with the matcher that is
 * given.
 */
const bytesOfCase = (
  seed: string,
  first: Begin,
  next: (matcher: Matcher) => Matcher
): { readonly bytes: ReadonlyArray<Uint8Array>; readonly rows: ReadonlyArray<unknown> } => {
  const { candles, deed, options } = drawCase(seed)
  let run = makeOrderRun(candles, options)
  run = { ...run, matcher: first(run.matcher, options) }
  const bytes: Array<Uint8Array> = []
  const rows: Array<unknown> = []
  for (let index = 0; index < candles.length; index++) {
    run = { ...run, index, matcher: next(run.matcher) }
    run.matcher.show([shownCandle(run)])
    deed(makeOrderContext(run, {}, new Map()))
    if (options.fill === "close") run.matcher.matchClose(0)
    rows.push(...run.matcher.drain(run.tags))
    bytes.push(run.matcher.snapshot())
  }
  return { bytes, rows }
}

const restored = (matcher: Matcher): Matcher => Matcher.restore(matcher.snapshot())

describe("a matcher", () => {
  it("goes on after each candle from its bytes as from itself", () => {
    let rowCount = 0
    for (const { seed } of draws("matcher snapshots", 150)) {
      const whole = bytesOfCase(
        seed,
        (matcher) => matcher,
        (matcher) => matcher
      )
      const again = bytesOfCase(seed, (matcher) => matcher, restored)
      assert.deepStrictEqual(again.rows, whole.rows, seed)
      whole.bytes.forEach((bytes, index) => {
        assert.isTrue(Buffer.compare(bytes, again.bytes[index]!) === 0, `${seed}, candle ${index}`)
      })
      rowCount += whole.rows.length
    }
    assert.isAbove(rowCount, 100)
  })

  it("does the same whatever room it began with", () => {
    let grownCount = 0
    for (const { seed } of draws("room of matchers", 150)) {
      const least = { orders: 1, lots: 1, rows: 1 }
      const roomy = { orders: 4096, lots: 2048, rows: 8192 }
      const begin =
        (capacity: typeof least): Begin =>
        (_, options) =>
          Matcher.open(options.capital, [options], options, capacity)
      const small = bytesOfCase(seed, begin(least), (matcher) => matcher)
      const large = bytesOfCase(seed, begin(roomy), (matcher) => matcher)
      assert.deepStrictEqual(small.rows, large.rows, seed)
      if (small.bytes.at(-1)!.length > small.bytes[0]!.length) grownCount += 1
    }
    assert.isAbove(grownCount, 0)
  })
})
