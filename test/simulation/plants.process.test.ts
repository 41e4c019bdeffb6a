/**
 * Bugs that are planted are found: the simulation sees what it is for.
 */
import { assert, describe, it } from "@effect/vitest"
import { live } from "./history.ts"
import { plants } from "./plants.ts"
import { simulate } from "./simulate.ts"

const timeoutMs = 900_000

const kinds = [
  { name: "histories of all kinds", prefix: "" },
  { name: "histories of live bots", prefix: live }
]

describe("a bug that is planted", () => {
  for (const bug of Object.keys(plants)) {
    for (const { name, prefix } of kinds) {
      it(
        `is found within a thousand ${name}: ${bug}`,
        async () => {
          const { failures } = await simulate({
            from: 0,
            count: 1_000,
            prefix,
            threadCount: 2,
            failuresMax: 1,
            bug
          })
          assert.isNotEmpty(failures)
        },
        timeoutMs
      )
    }
  }
})
