/**
 * Decimal text: no exponents and no zeros too many, whatever the size of a number.
 */
import { assert, describe, it } from "@effect/vitest"
import { BigDecimal, Option } from "effect"
import {
  decimalOf,
  decimalOfUnsafe,
  decimalText,
  floorDecimalToStep,
  isWholeSteps
} from "../../src/domain/decimals.ts"

describe("decimals", () => {
  it.each([
    ["0", "0"],
    ["1.50", "1.5"],
    ["-0.00000000000000000001", "-0.00000000000000000001"],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
    ["100", "100"],
    ["-12.0", "-12"]
  ])("%s is written as %s", (text, written) => {
    assert.strictEqual(decimalText(decimalOfUnsafe(text)), written)
  })

  it.each(["", "1e5", "0x10", " 1", "1.", ".5", "01", "NaN", "+1", "1,0"])(
    "%j is no decimal",
    (text) => {
      assert.isTrue(Option.isNone(decimalOf(text)))
      assert.throws(() => decimalOfUnsafe(text), RangeError)
    }
  )

  it.each([
    ["1.239", "0.01", "1.23"],
    ["1.23", "0.01", "1.23"],
    ["-1.239", "0.01", "-1.24"],
    ["17", "5", "15"],
    ["1.5", "0", "1.5"]
  ])("%s in steps of %s is %s", (amount, step, floored) => {
    const result = floorDecimalToStep(decimalOfUnsafe(amount), decimalOfUnsafe(step))
    assert.strictEqual(decimalText(result), floored)
    assert.isTrue(isWholeSteps(result, decimalOfUnsafe(step)))
    assert.strictEqual(
      isWholeSteps(decimalOfUnsafe(amount), decimalOfUnsafe(step)),
      BigDecimal.equals(result, decimalOfUnsafe(amount))
    )
  })
})
