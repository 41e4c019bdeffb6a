import { makeRandom } from "@candlewick/core/kernel"
import { assert, describe, it } from "@effect/vitest"
import { SortedMap } from "../../src/internal/SortedMap.ts"

const sortedEntries = (model: ReadonlyMap<string, number>) =>
  [...model].sort(([one], [other]) => (one < other ? -1 : 1))

/** Changes a table and a plain map alike, and calls back after each change. */
const changeBoth = (
  seed: number,
  changeCount: number,
  keyCount: number,
  look: (table: SortedMap<number>, model: ReadonlyMap<string, number>) => void
) => {
  const random = makeRandom(seed)
  const model = new Map<string, number>()
  let table = SortedMap.empty<number>()
  for (let index = 0; index < changeCount; index++) {
    const key = `k${random.integer(1, keyCount)}`
    if (random.next() < 0.6) {
      model.set(key, index)
      table = table.put(key, index)
    } else {
      model.delete(key)
      table = table.remove(key)
    }
    look(table, model)
  }
}

describe("Table", () => {
  it("has the entries of a plain map after any changes, in order", () => {
    for (let seed = 0; seed < 40; seed++) {
      changeBoth(seed, 300, 1 + seed * 3, (table, model) => {
        const entries = sortedEntries(model)
        assert.strictEqual(table.size, model.size)
        assert.deepStrictEqual([...table.rising()], entries)
        assert.deepStrictEqual([...table.falling()], entries.toReversed())
      })
    }
  })

  it("gives the entries of any range, rising and falling", () => {
    const random = makeRandom("ranges")
    changeBoth(7, 500, 60, (table, model) => {
      const from = `k${random.integer(0, 70)}`
      const before = `k${random.integer(0, 70)}`
      const inside = sortedEntries(model).filter(([key]) => key >= from && key < before)
      assert.deepStrictEqual([...table.rising(from, before)], inside)
      assert.deepStrictEqual([...table.falling(from, before)], inside.toReversed())
    })
  })

  it("leaves every earlier version as it was", () => {
    const versions: Array<readonly [SortedMap<number>, ReadonlyArray<readonly [string, number]>]> =
      []
    changeBoth(3, 400, 50, (table, model) => {
      versions.push([table, sortedEntries(model)])
    })
    for (const [table, entries] of versions) assert.deepStrictEqual([...table.rising()], entries)
  })

  it("visits few entries to find one among many, in whatever order they came", () => {
    const count = 20_000
    const random = makeRandom("orders")
    const keys = Array.from({ length: count }, (_, index) => String(index).padStart(6, "0"))
    const shuffled = keys.toSorted(() => random.next() - 0.5)
    for (const order of [keys, keys.toReversed(), shuffled]) {
      let table = SortedMap.empty<string>()
      for (const key of order) table = table.put(key, key)
      // Half of them leave in order, which is what an outbox does.
      for (const key of keys.slice(0, count / 2)) table = table.remove(key)
      assert.strictEqual(table.size, count / 2)
      assert.isAtMost(table.depth, 2.5 * Math.log2(count))
      assert.strictEqual(table.get(keys[count - 1]!), keys[count - 1])
      assert.isUndefined(table.get(keys[0]!))
    }
  })
})
