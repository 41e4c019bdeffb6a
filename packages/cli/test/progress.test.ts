/** The line that tells how far a run is. */
import { assert, it } from "@effect/vitest"
import { lineOf } from "../src/terminal/progress.ts"

const run = { progress: 0.25, step: "search", eta_seconds: 95.2, queue_position: null }

it("has a bar, the step, and how long it will take", () => {
  assert.strictEqual(
    lineOf("generation", run),
    "generation  [#####...............] 25 %  search  1 min 36 s left"
  )
  assert.match(lineOf("generation", { ...run, eta_seconds: 4.1 }), /search {2}5 s left$/)
  assert.match(lineOf("generation", { ...run, eta_seconds: null }), /25 % {2}search$/)
})

it("says how many wait before a run", () => {
  const waiting = { ...run, step: "queue", queue_position: 2 }
  assert.strictEqual(lineOf("backtest", waiting), "backtest  waits, 2 before it")
  assert.strictEqual(lineOf("backtest", { ...waiting, queue_position: null }), "backtest  waits")
})
