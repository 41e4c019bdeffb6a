import { assert } from "@effect/vitest"
import { Problem } from "../../src/domain/Problem.ts"

/** The problem that a call throws. */
export const refusal = (call: () => unknown): Problem => {
  try {
    call()
  } catch (error) {
    assert.instanceOf(error, Problem)
    return error
  }
  return assert.fail("it was not refused")
}
