import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { remember, rememberedMax, rememberSuccess } from "../src/remember.ts"

describe("remember", () => {
  it("finds out about a text once", () => {
    const asked: Array<string> = []
    const lengthOf = remember((text) => asked.push(text) && text.length)
    assert.deepStrictEqual(["ab", "abc", "ab"].map(lengthOf), [2, 3, 2])
    assert.deepStrictEqual(asked, ["ab", "abc"])
  })

  it.effect("asks again after a failure, and not after a success", () =>
    Effect.gen(function* () {
      let asked = 0
      const second = rememberSuccess(() =>
        Effect.suspend(() => (++asked === 1 ? Effect.fail("not yet") : Effect.succeed(asked)))
      )
      assert.strictEqual(yield* Effect.flip(second("a")), "not yet")
      assert.deepStrictEqual([yield* second("a"), yield* second("a")], [2, 2])
    })
  )

  it("forgets rather than grows", () => {
    let asked = 0
    const count = remember(() => ++asked)
    for (let text = 0; text <= rememberedMax; text++) count(String(text))
    assert.strictEqual(asked, rememberedMax + 1)
    assert.strictEqual(count(String(rememberedMax)), rememberedMax + 1)
    assert.strictEqual(count("0"), rememberedMax + 2)
  })
})
