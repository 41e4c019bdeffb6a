/**
 * Bugs that are planted are found: the simulation sees what it is for.
 */
import { assert, describe, it } from "@effect/vitest"
import { plants } from "./plants.ts"
import { simulate } from "./simulate.ts"

const timeoutMs = 900_000

describe("a bug that is planted", () => {
  for (const bug of Object.keys(plants)) {
    it(
      `is found within a thousand histories: ${bug}`,
      async () => {
        const { failures } = await simulate({
          from: 0,
          count: 1_000,
          prefix: "",
          threadCount: 2,
          failuresMax: 1,
          bug
        })
        assert.isNotEmpty(failures)
      },
      timeoutMs
    )
  }
})
