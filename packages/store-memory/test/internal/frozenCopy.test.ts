import { assert, describe, it, vi } from "@effect/vitest"
import { frozenCopy } from "../../src/internal/frozenCopy.ts"

describe("frozenCopy", () => {
  it("copies what is not its own, and freezes all of it", () => {
    const record = { id: "a", tags: ["x", undefined], left: undefined, at: Number.NaN }
    const kept = frozenCopy(record)
    assert.deepStrictEqual(JSON.stringify(kept), '{"id":"a","tags":["x",null],"at":null}')
    assert.deepStrictEqual(Reflect.ownKeys(kept), ["id", "tags", "at"])
    assert.isTrue(Object.isFrozen(kept) && Object.isFrozen(kept.tags))
    record.tags.push("y")
    assert.lengthOf(kept.tags, 2)
  })

  it("gives its own copies back as they are, wherever they are in another record", () => {
    const kept = frozenCopy({ id: "a", tags: ["x"] })
    assert.strictEqual(frozenCopy(kept), kept)
    const changed = frozenCopy({ ...kept, id: "b" })
    assert.notStrictEqual(changed, kept)
    assert.strictEqual(changed.tags, kept.tags)
    const foreign = Object.freeze({ id: "a", tags: ["x"] })
    assert.notStrictEqual(frozenCopy(foreign), foreign)
  })

  it("keeps no list of its copies, whose growth would stop the process for long", () => {
    const adds = vi.spyOn(WeakSet.prototype, "add")
    const sets = vi.spyOn(WeakMap.prototype, "set")
    frozenCopy(frozenCopy({ id: "a", tags: ["x"] }))
    const counts = [adds.mock.calls.length, sets.mock.calls.length]
    vi.restoreAllMocks()
    assert.deepStrictEqual(counts, [0, 0])
  })
})
