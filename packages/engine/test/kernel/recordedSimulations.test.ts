/**
 * Simulations that were drawn, with the results that they are known to give. Fills, ended orders,
 * equity, open positions and all counts must agree to the digit.
 */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { crc32 } from "../../src/kernel/crc32.ts"
import { simulate, type Simulation } from "../../src/kernel/simulate.ts"
import { drawRun } from "./drawnRuns.ts"

const recorded: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL("recordedSimulations.json", import.meta.url), "utf8")
)

/** A number that is none in JSON says itself, and a column is its numbers. */
const inWords = (_: string, value: unknown): unknown => {
  if (ArrayBuffer.isView(value)) return [...(value as Float64Array)]
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value
}

/** The properties in one order, independent of the order in which they were written. */
const digestOf = (simulation: Simulation): number => {
  const { closed: _closed, enteredCount: _entered, ...given } = simulation
  const { resting: _resting, withdrawn: _withdrawn, ...rest } = given
  // The record is older than the candles in which orders ended.
  const ended = rest.ended.map(({ index: _index, ...order }) => order)
  const text = JSON.stringify(Object.entries({ ...rest, ended }).toSorted(byName), inWords)
  return crc32(new TextEncoder().encode(text))
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]): number =>
  one < other ? -1 : 1

const whatIsSeen = [
  "signal",
  "time_limit",
  "stop_loss",
  "take_profit",
  "trailing_stop",
  "break_even",
  "liquidation",
  "end_of_data",
  "there is no position to reduce",
  "there is not enough cash",
  "there is not enough cash for the rest",
  "the candle has too little volume",
  "there is not enough volume for the rest",
  "it is below the minimum notional"
]

describe("recorded simulations", () => {
  it("are given again, to the digit", () => {
    const seen = new Map<string, number>()
    const note = (what: string): void => {
      seen.set(what, (seen.get(what) ?? 0) + 1)
    }
    for (const [seed, wanted] of Object.entries(recorded)) {
      const simulation = simulate(drawRun(seed))
      assert.strictEqual(digestOf(simulation), wanted, seed)
      for (const { exitReason } of simulation.closed) note(exitReason)
      for (const { reason } of simulation.ended) note(reason)
    }
    for (const what of whatIsSeen) assert.isAbove(seen.get(what) ?? 0, 5, what)
  })
})
