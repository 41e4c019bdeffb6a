/**
 * A desk is its bytes: taken as a snapshot and restored after any candle, it goes on as though
 * nothing had happened, and how much room it began with changes nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { makeOrderContext } from "../../src/kernel/orders/orderContext.ts"
import type { OrderOptions } from "../../src/kernel/orders/orderOptions.ts"
import { makeOrderRun, shownCandle } from "../../src/kernel/orders/orderRun.ts"
import { Desk } from "../../src/match/Desk.ts"
import { draws } from "../../../../test/draws.ts"
import { drawCase } from "../match/drawnScripts.ts"

type Begin = (desk: Desk, options: OrderOptions) => Desk

/** The desk's bytes after each candle of a case; each candle begins with the desk that is given. */
const bytesOfCase = (
  seed: string,
  first: Begin,
  next: (desk: Desk) => Desk
): { readonly bytes: ReadonlyArray<Uint8Array>; readonly rows: ReadonlyArray<unknown> } => {
  const { candles, deed, options } = drawCase(seed)
  let run = makeOrderRun(candles, options)
  run = { ...run, desk: first(run.desk, options) }
  const bytes: Array<Uint8Array> = []
  const rows: Array<unknown> = []
  for (let index = 0; index < candles.length; index++) {
    run = { ...run, index, desk: next(run.desk) }
    run.desk.show([shownCandle(run)])
    deed(makeOrderContext(run, {}, new Map()))
    if (options.fill === "close") run.desk.matchClose(0)
    rows.push(...run.desk.drain(run.tags))
    bytes.push(run.desk.snapshot())
  }
  return { bytes, rows }
}

const restored = (desk: Desk): Desk => Desk.restore(desk.snapshot())

describe("a desk", () => {
  it("goes on after each candle from its bytes as from itself", () => {
    let rowCount = 0
    for (const { seed } of draws("desk snapshots", 150)) {
      const whole = bytesOfCase(
        seed,
        (desk) => desk,
        (desk) => desk
      )
      const again = bytesOfCase(seed, (desk) => desk, restored)
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
    for (const { seed } of draws("room of desks", 150)) {
      const least = { orders: 1, lots: 1, rows: 1 }
      const roomy = { orders: 4096, lots: 2048, rows: 8192 }
      const begin =
        (capacity: typeof least): Begin =>
        (_, options) =>
          Desk.open(options.capital, [options], options, capacity)
      const small = bytesOfCase(seed, begin(least), (desk) => desk)
      const large = bytesOfCase(seed, begin(roomy), (desk) => desk)
      assert.deepStrictEqual(small.rows, large.rows, seed)
      if (small.bytes.at(-1)!.length > small.bytes[0]!.length) grownCount += 1
    }
    assert.isAbove(grownCount, 0)
  })
})
