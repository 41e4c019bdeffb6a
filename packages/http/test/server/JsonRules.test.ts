/** The rules for JSON bodies that a schema can't see. */
import { Limits } from "@candlewick/core"
import { assert, it } from "@effect/vitest"
import { faultsOfJson } from "../../src/server/jsonRules.ts"

const codesOf = (text: string): ReadonlyArray<string> | undefined =>
  faultsOfJson(text)?.faults.map(({ code, pointer }) => `${pointer} ${code}`)

it("finds duplicate keys at any depth, escaped or not, and points at them", () => {
  assert.deepStrictEqual(codesOf('{"a":1,"b":{"c":1,"c":2}}'), ["#/b/c duplicate_key"])
  assert.deepStrictEqual(codesOf('{"a":1,"\\u0061":2}'), ["#/a duplicate_key"])
  assert.deepStrictEqual(codesOf('[{"x":1},{"x":1,"x":{"x":1}}]'), ["#/1/x duplicate_key"])
  assert.deepStrictEqual(codesOf('{"a/b":1,"a/b":1}'), ["#/a~1b duplicate_key"])
})

it("is not misled by strings that look like JSON", () => {
  for (const text of [
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a":["a","a"],"b":"a"}',
    '{"a":"\\\\","b":"\\"a\\":"}',
    '{"a":{},"b":{},"c":[{},{}]}',
    '"just text"',
    "[]"
  ]) {
    assert.deepStrictEqual(codesOf(text), [], text)
  }
})

it("refuses endless numbers, half surrogate pairs and deep nesting", () => {
  assert.deepStrictEqual(codesOf('{"a":[1e999]}'), ["#/a/0 not_finite"])
  assert.deepStrictEqual(codesOf('{"a":"\\ud800"}'), ["#/a not_well_formed"])
  assert.deepStrictEqual(codesOf(`${"[".repeat(32)}${"]".repeat(32)}`), [])
  assert.strictEqual(codesOf(`${"[".repeat(33)}${"]".repeat(33)}`)?.length, 1)
  assert.strictEqual(codesOf(`${"[".repeat(10_000)}${"]".repeat(10_000)}`)?.length, 1)
})

it("tells what is not JSON at all", () => {
  for (const text of ["", "{", "{'a':1}", "NaN", '{"a":1,}'])
    assert.isUndefined(codesOf(text), text)
})

it("reports a hundred faults at most", () => {
  const text = `[${Array.from({ length: 5000 }, () => "1e999").join()}]`
  assert.strictEqual(codesOf(text)?.length, 100)
})

it("looks no further into a body of too many values, whatever they are", () => {
  const max = Limits.bodyValuesMaxCount
  const list = (count: number) => `[${Array.from({ length: count }, () => "1e999").join()}]`
  const fields = (count: number) =>
    `{${Array.from({ length: count }, (_, index) => `"f${index}":"a,[{\\"b"`).join()}}`
  assert.deepStrictEqual(codesOf(fields(1_000)), [])
  assert.deepStrictEqual(codesOf(fields(1_001)), ["# too_many_fields"])
  assert.strictEqual(codesOf(list(max - 1))?.length, 100)
  for (const text of [
    list(max),
    fields(max),
    `${"[".repeat(500_000)}${"]".repeat(500_000)}`,
    // Not even whether it is JSON.
    ",".repeat(max),
    `${"[".repeat(max)}"`
  ]) {
    assert.deepStrictEqual(codesOf(text), ["# too_many_values"], text.slice(0, 20))
  }
})
