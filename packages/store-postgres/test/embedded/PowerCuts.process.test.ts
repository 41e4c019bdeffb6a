/**
 * The state of an embedded database after a loss of power. More cuts: `npm run power-cuts`.
 */
import { assert, describe, it } from "@effect/vitest"
import { powerCuts } from "./powerCuts.ts"

describe("power cuts", () => {
  it("lose nothing that was answered", { timeout: 240_000 }, async () => {
    const { answered, failures } = await powerCuts({ cuts: 8, steps: 60, seed: 7 })
    assert.strictEqual(answered, 61)
    assert.deepStrictEqual(failures, [])
  })

  it(
    "lose answers and files where nothing is synced, as PGlite runs by itself",
    {
      timeout: 240_000
    },
    async () => {
      const { failures } = await powerCuts({ cuts: 5, steps: 60, seed: 7, withoutSyncs: true })
      assert.isNotEmpty(failures)
    }
  )
})
