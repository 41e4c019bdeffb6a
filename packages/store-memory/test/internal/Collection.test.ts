import { makeRandom } from "@candlewick/core/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Collection, type Indexing, keyOf, sortable } from "../../src/internal/Collection.ts"

interface Thing {
  readonly id: string
  readonly owner: number
  /** Null where it waits for nothing. */
  readonly due: number | null
}

const indexing: Indexing<Thing> = {
  id: ({ id }) => id,
  groups: ({ due, id, owner }) => {
    const ofOwner = [keyOf("owner", String(owner)), id] as const
    if (due === null) return [ofOwner]
    const sort = `${sortable(due)} ${id}`
    return [ofOwner, ["due", sort], [keyOf("dueOf", String(owner)), sort]]
  }
}

const sortOf = (thing: Thing, group: string): string | undefined =>
  indexing.groups(thing).find(([name]) => name === group)?.[1]

/** What a group has, found by looking at every record. */
const expected = (model: ReadonlyMap<string, Thing>, group: string): ReadonlyArray<Thing> =>
  [...model.values()]
    .filter((thing) => sortOf(thing, group) !== undefined)
    .sort((one, other) => (sortOf(one, group)! < sortOf(other, group)! ? -1 : 1))

const groups = [
  "due",
  ...[0, 1, 2].flatMap((owner) => [keyOf("owner", String(owner)), keyOf("dueOf", String(owner))])
]

const assertSame = (things: Collection<Thing>, model: ReadonlyMap<string, Thing>): void => {
  const ids = [...model.keys()].sort()
  assert.deepStrictEqual(
    things.all(),
    ids.map((id) => model.get(id)!)
  )
  for (const group of groups) {
    const wanted = expected(model, group)
    assert.deepStrictEqual([...things.oldest(group)], wanted)
    assert.deepStrictEqual([...things.newest(group)], wanted.toReversed())
    assert.deepStrictEqual(things.first(group), wanted[0])
    assert.deepStrictEqual(things.last(group), wanted.at(-1))
    const middle = wanted[Math.floor(wanted.length / 2)]
    if (middle === undefined) continue
    const sort = sortOf(middle, group)!
    const at = wanted.indexOf(middle)
    assert.deepStrictEqual([...things.oldest(group, sort)], wanted.slice(at))
    assert.deepStrictEqual([...things.newest(group, sort)], wanted.slice(0, at).toReversed())
  }
  const firsts = groups
    .filter((group) => group.startsWith("dueOf"))
    .flatMap((group) => expected(model, group).slice(0, 1))
  assert.deepStrictEqual([...things.firstOfEach("dueOf")], firsts)
}

/** Changes a collection and a plain map alike, and calls back after each change. */
const changeBoth = (
  seed: number,
  look: (things: Collection<Thing>, model: ReadonlyMap<string, Thing>) => void
): void => {
  const random = makeRandom(`collection ${seed}`)
  const model = new Map<string, Thing>()
  let things = Collection.empty(indexing)
  for (let change = 0; change < 120; change++) {
    const id = `t${random.integer(10, 30)}`
    if (random.next() < 0.75) {
      const due = random.next() < 0.5 ? random.integer(-5, 5) : null
      const thing = { id, owner: random.integer(0, 2), due }
      model.set(id, thing)
      things = things.put(thing)
    } else {
      model.delete(id)
      things = things.remove(id)
    }
    look(things, model)
  }
}

describe("Collection", () => {
  it("has every record in the groups that it says it is in, after any changes", () => {
    for (let seed = 0; seed < 20; seed++) changeBoth(seed, assertSame)
  })

  it("leaves every earlier version as it was", () => {
    const versions: Array<readonly [Collection<Thing>, ReadonlyMap<string, Thing>]> = []
    changeBoth(99, (things, model) => void versions.push([things, new Map(model)]))
    for (const [things, model] of versions) assertSame(things, model)
  })
})
