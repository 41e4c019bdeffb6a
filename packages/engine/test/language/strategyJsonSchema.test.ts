import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Result } from "effect"
import { readFileSync } from "node:fs"
import type { Fault } from "../../src/language/Fault.ts"
import { decodeStrategy } from "../../src/plan/decodeStrategy.ts"
import { type Random } from "../../src/kernel/random.ts"
import { randomLadder } from "../../src/testing/randomLadder.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const file = new URL("../../../../docs/strategy.schema.json", import.meta.url)
const accepts = new Ajv2020({ strictTuples: false, strictTypes: false }).compile(
  JSON.parse(readFileSync(file, "utf8"))
)

const plain = {
  format: 1,
  symbols: ["BTC/USD"],
  timeframe: "1h",
  parameters: {},
  long: {
    enter: {
      type: "above",
      left: { type: "price", field: "close" },
      right: { type: "sma", period: 20 }
    }
  }
}

const faultsOf = (input: unknown): ReadonlyArray<Fault> =>
  Result.match(decodeStrategy(input), { onFailure: (faults) => faults, onSuccess: () => [] })

type Json = Record<string, unknown> | Array<unknown>

/** Every array and object of a value, the value itself among them. */
const holdersIn = (value: unknown, found: Array<Json> = []): Array<Json> => {
  if (typeof value !== "object" || value === null) return found
  found.push(value as Json)
  for (const part of Object.values(value)) holdersIn(part, found)
  return found
}

const values = [null, true, "", "x", "BTC/USD", -1, 0, 0.5, 1, 1.5, 3, 2000, 1e9, 1e16, [], {}]

/** Puts one thing into a strategy that may not belong there. */
const spoil = (definition: unknown, random: Random): unknown => {
  const copy: unknown = structuredClone(definition)
  const holder = random.pick(holdersIn(copy))
  const value = random.pick(values)
  if (Array.isArray(holder)) {
    const way = random.integer(0, 3)
    if (way === 0) holder.pop()
    else if (way === 1) holder.push(holder[0])
    else holder[random.integer(0, holder.length)] = value
    return copy
  }
  const key = random.pick([...Object.keys(holder), "another"])
  if (random.next() < 0.25) delete holder[key]
  else holder[key] = value
  return copy
}

const at = (input: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((value, token) => (value as Record<string, unknown>)[token], input)

/** Whether a fault can be seen where it stands, without looking at another place. */
const isLocal =
  (input: unknown) =>
  ({ code, pointer }: Fault): boolean => {
    switch (code) {
      case "missing":
      case "unknown_field":
      case "wrong_type":
      case "not_allowed":
      case "unknown_format":
      case "no_direction":
      case "exactly_one":
      case "at_most_one":
        return !pointer.startsWith("/parameters/")
      case "duplicate":
        // A name is another addition's.
        return !pointer.startsWith("/parameters/") && !pointer.endsWith("/name")
      case "out_of_bounds":
      case "not_an_integer":
        return typeof at(input, pointer) === "number" && !pointer.startsWith("/parameters/")
      default:
        return false
    }
  }

const addition = { name: "second", against: 0.1 }
const target = { at: { type: "fraction", value: 0.1 }, portion: 0.5 }
const sale = { when: plain.long.enter, portion: 0.5 }
const grid = { lower: 10, upper: 20, lines: 5 }
const rebalance = { weight: 0.5, band: 0.1 }
const safetyOrders = { count: 2, distance: 0.1, distance_factor: 1, size_factor: 1 }
const logarithmic = (more: object) => ({
  kind: "float",
  default: 1,
  min: 0,
  max: 2,
  log: true,
  ...more
})

/** A fault of parameters, or of parts together: the schema sees some of these. */
const isOfParts = ({ code, pointer }: Fault): boolean =>
  pointer.startsWith("/parameters") ||
  ["contradiction", "limit_required", "reserved_name", "unknown_parameter"].includes(code)

describe("docs/strategy.schema.json", () => {
  it("accepts every strategy that is drawn", () => {
    for (const { random } of draws("schema", 300)) {
      const draw = random.next() < 0.5 ? randomDefinition : randomLadder
      const definition = draw(random.next)
      assert.isTrue(accepts(definition), JSON.stringify([accepts.errors, definition]))
    }
  })

  it("refuses what decodeStrategy refuses for what stands in one place, and nothing else", () => {
    let refusedCount = 0
    let acceptedCount = 0
    for (const { random } of draws("spoilt", 2400)) {
      const draw = random.next() < 0.5 ? randomDefinition : randomLadder
      const spoilt = spoil(draw(random.next, { depth: 2 }), random)
      const faults = faultsOf(spoilt)
      const isRefused = faults.some(isLocal(spoilt))
      const told = JSON.stringify({ faults, errors: accepts.errors, spoilt })
      if (isRefused) assert.isFalse(accepts(spoilt), told)
      else if (!faults.some(isOfParts)) {
        assert.isTrue(accepts(spoilt), told)
      }
      refusedCount += isRefused ? 1 : 0
      acceptedCount += faults.length === 0 ? 1 : 0
    }
    assert.isAbove(refusedCount, atLeast(800))
    assert.isAbove(acceptedCount, atLeast(100))
  })

  it.each<readonly [string, unknown]>([
    ["nothing", {}],
    ["a number", 5],
    ["another format", { ...plain, format: 2 }],
    ["no symbols", { ...plain, symbols: [] }],
    ["a symbol in lower case", { ...plain, symbols: ["btc/usd"] }],
    ["a symbol twice", { ...plain, symbols: ["A/B", "A/B"] }],
    ["a timeframe that there is not", { ...plain, timeframe: "7m" }],
    ["no direction", { ...plain, long: undefined }],
    ["a field that there is not", { ...plain, another: 1 }],
    ["half a position", { ...plain, max_positions: 1.5 }],
    ["a parameter with a space", { ...plain, parameters: { "a b": integer(1) } }],
    ["a parameter of half a step", { ...plain, parameters: { a: integer(1.5) } }],
    ["a stop beyond everything", { ...plain, exits: { stop_loss: fraction(2) } }],
    ["a stop at no distance", { ...plain, exits: { stop_loss: fraction(0) } }],
    ["no time", { ...plain, exits: { time_limit: 0 } }],
    ["hours past midnight", { ...plain, long: { enter: { type: "hours", from: 25, to: 3 } } }],
    ["a market traded twice", { ...plain, trades: ["BTC/USD", "BTC/USD"] }],
    ["a grid with additions", { ...plain, long: undefined, grid, additions: [addition] }],
    ["a grid that takes profit", { ...plain, long: undefined, grid, exits: { time_limit: 3 } }],
    ["rebalancing with exits", { ...plain, long: undefined, rebalance, exits: { time_limit: 3 } }],
    ["overlap without a limit", { ...plain, overlap: true }],
    ["overlap with a ladder", { ...plain, overlap: true, max_positions: 2, targets: [target] }],
    ["exits of lots that are one", { ...plain, exits_of: "lot" }],
    [
      "a lot that is sold by name and has none",
      { ...plain, reductions: [{ ...sale, lot: "base" }] }
    ],
    ["safety orders of lots apart", { ...plain, lots: "by_name", safety_orders: safetyOrders }],
    ["own exits of one lot", { ...plain, additions: [{ ...addition, exits: { time_limit: 3 } }] }],
    [
      "exits that no side uses",
      { ...plain, exits: { time_limit: 3 }, long: { ...plain.long, exits: { time_limit: 4 } } }
    ],
    ["a count of additions without a rule", { ...plain, additions: [{ ...addition, times: 2 }] }],
    [
      "an addition by the name of a line",
      { ...plain, additions: [{ ...addition, name: "line1" }] }
    ],
    [
      "a first target after another",
      { ...plain, targets: [{ ...target, stop: "previous_target" }] }
    ],
    ["a logarithmic scale from zero", { ...plain, parameters: { a: logarithmic({}) } }],
    [
      "a logarithmic scale with steps",
      { ...plain, parameters: { a: logarithmic({ min: 0.5, step: 0.1 }) } }
    ],
    ["a parameter by a name that none has", withPeriod({ parameter: "No name" })],
    ["hours that are none", { ...plain, long: { enter: { type: "hours", from: 9, to: 9 } } }],
    ["hours from midnight on", { ...plain, long: { enter: { type: "hours", from: 24, to: 0 } } }],
    [
      "an option twice",
      { ...plain, parameters: { a: { kind: "choice", default: 1, options: [1, 1] } } }
    ],
    ["a period of 0", withPeriod(0)],
    ["a period of half a candle", withPeriod(1.5)],
    ["a period without end", withPeriod(1e9)]
  ])("refuses %s", (_, input) => {
    const text: unknown = JSON.parse(JSON.stringify(input))
    assert.isFalse(accepts(text))
    assert.isNotEmpty(faultsOf(text))
    assert.isTrue(accepts(plain))
  })
})

function integer(value: number) {
  return { kind: "integer", default: value, min: 1, max: 3 }
}

function fraction(value: number) {
  return { type: "fraction", value }
}

function withPeriod(period: number | { readonly parameter: string }) {
  return { ...plain, long: { enter: { ...plain.long.enter, right: { type: "sma", period } } } }
}
