/**
 * The words of errors that a strategy's code throws.
 */
import { assert, describe, it } from "@effect/vitest"
import { asCodeError, wordsOfCodeError } from "../../src/plan/codeError.ts"

const wordsOf = (thrown: unknown): string | null =>
  wordsOfCodeError(asCodeError(thrown))?.replace("the strategy's code failed: ", "") ?? null

const unreadable = () => {
  throw new Error("no")
}

describe("an error of code", () => {
  it("goes on as it was thrown", () => {
    const thrown = new TypeError("no Sunday")
    assert.strictEqual(asCodeError(thrown), thrown)
    assert.strictEqual(wordsOf(thrown), "no Sunday")
  })

  it("is known by its words, whatever was thrown", () => {
    const nameless = Object.assign(new Error("lost"), { message: { code: 7 } })
    const hostile = Object.defineProperty(new Error("lost"), "message", { get: unreadable })
    const rows: ReadonlyArray<readonly [thrown: unknown, words: string]> = [
      ["no Sunday", "no Sunday"],
      [7, "7"],
      [{ message: "no Sunday" }, "no Sunday"],
      [undefined, "an error without words"],
      [null, "an error without words"],
      [new Error("two\nlines\u0000 \u001b[31m"), "two lines [31m"],
      [new Error(`${"x".repeat(499)}🙂`), `${"x".repeat(499)}\uFFFD`],
      [nameless, "an error without words"],
      [Object.create(null), "an error without words"],
      [hostile, "an error that can't be read"],
      [{ message: Symbol("no Sunday") }, "an error without words"]
    ]
    for (const [thrown, words] of rows) assert.strictEqual(wordsOf(thrown), words)
  })

  it("is another one with its words where logs can't read it", () => {
    for (const part of ["cause", "name", "stack"]) {
      const thrown = Object.defineProperty(new Error("no Sunday"), part, { get: unreadable })
      const error = asCodeError(thrown)
      assert.strictEqual(error.message, "no Sunday")
      assert.doesNotThrow(() => Reflect.get(error, part))
      assert.strictEqual(wordsOf(thrown), "no Sunday")
    }
    let readCount = 0
    const get = () => (readCount++ === 0 ? "no Sunday" : unreadable())
    const once = asCodeError(Object.defineProperty(new Error("lost"), "message", { get }))
    assert.strictEqual(once.message, "no Sunday")
  })

  it("is no other error", () => {
    assert.isNull(wordsOfCodeError(new Error("a fault of the engine")))
    assert.isNull(wordsOfCodeError("text"))
  })
})
