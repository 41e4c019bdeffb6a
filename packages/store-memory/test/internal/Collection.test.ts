import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { propertyDraws } from "../../../../test/draws.ts"
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

/** The records of a group, found by looking at every record. */
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

/** One change: a record as it is from now on, or its removal. */
const change = Schema.Struct({
  id: Schema.Int.check(Schema.isBetween({ minimum: 10, maximum: 30 })),
  isRemoval: Schema.Literals([false, false, false, true]),
  owner: Schema.Literals([0, 1, 2]),
  due: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: -5, maximum: 5 })))
})

const changes = Arbitrary.array(Arbitrary.schema(change), { maxLength: 120 })

describe("Collection", () => {
  it.prop(
    "has every record in the groups that it says it is in, and leaves earlier versions alone",
    [changes],
    ([all]) => {
      const model = new Map<string, Thing>()
      const versions: Array<readonly [Collection<Thing>, ReadonlyMap<string, Thing>]> = []
      let things = Collection.empty(indexing)
      for (const { due, id: number, isRemoval, owner } of all) {
        const id = `t${number}`
        if (isRemoval) model.delete(id)
        else model.set(id, { id, owner, due })
        things = isRemoval ? things.remove(id) : things.put({ id, owner, due })
        assertSame(things, model)
        versions.push([things, new Map(model)])
      }
      for (const [version, then] of versions) assertSame(version, then)
    },
    propertyDraws("collection", 400)
  )
})
