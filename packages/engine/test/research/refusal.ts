import { assert } from "@effect/vitest"
import { InvalidInput } from "../../src/language/Fault.ts"

/** The problem that a call throws. */
export const refusal = (call: () => unknown): InvalidInput => {
  try {
    call()
  } catch (error) {
    assert.instanceOf(error, InvalidInput)
    return error
  }
  return assert.fail("it was not refused")
}
