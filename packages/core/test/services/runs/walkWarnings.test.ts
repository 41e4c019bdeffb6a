import { assert, it } from "@effect/vitest"
import type { WalkForwardReport } from "../../../src/domain/Optimization.ts"
import { walkWarnings } from "../../../src/services/runs/optimize/walkForward.ts"

const span = { from: "2024-01-01T00:00:00.000Z", last_candle_at: "2024-01-02T00:00:00.000Z" }

const windowOf = (total_return: number | null): WalkForwardReport["windows"][number] => ({
  trained: span,
  tested: span,
  trial_index: 0,
  parameters: {},
  objective_in_sample: 1,
  objective_out_of_sample: null,
  out_of_sample:
    total_return === null
      ? null
      : { from: span.from, to: span.from, candle_count: 1, metrics: { total_return }, reasons: {} }
})

const walk = (
  total_return: number | null,
  ...returns: ReadonlyArray<number | null>
): WalkForwardReport => ({
  mode: "rolling",
  train_rate: 0.5,
  total_return,
  profitable_rate: null,
  retained_rate: null,
  windows: returns.map(windowOf)
})

it("says in a sentence that walking forward lost, and in how many windows it did not", () => {
  assert.deepStrictEqual(walkWarnings(walk(-0.2588, 0.1, -0.3, null)), [
    "Walking forward lost 25.9 % in all: 1 of 3 windows made money."
  ])
  assert.deepStrictEqual(walkWarnings(walk(0, 0.1, -0.1)), [])
  assert.deepStrictEqual(walkWarnings(walk(0.4, 0.4)), [])
  assert.deepStrictEqual(walkWarnings(walk(null)), [])
})
