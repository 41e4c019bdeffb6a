/**
 * Bugs that are planted are found: the simulation sees what it is for.
 */
import { assert, describe, it } from "@effect/vitest"
import { live } from "./history.ts"
import { plants } from "./plants.ts"
import { simulate } from "./simulate.ts"

const timeoutMs = 900_000

describe("a bug that is planted", () => {
  for (const bug of Object.keys(plants)) {
    it(
      `is found within a thousand histories of a kind: ${bug}`,
      async () => {
        const found = (prefix: string) =>
          simulate({ from: 0, count: 1_000, prefix, threadCount: 2, failuresMax: 1, bug })
        const { failures } = await found("")
        // Live bots are a part of all, and some bugs are theirs alone.
        const more = failures.length > 0 ? failures : (await found(live)).failures
        assert.isNotEmpty(more)
      },
      timeoutMs
    )
  }
})
