/**
 * Ends a test run with one line that counts it, so that a machine can read the outcome.
 */
import type { Reporter, TestModule } from "vitest/node"

/** Prints `Tests: N passed, N failed, N skipped`; a file that did not load counts as failed. */
export default class CountingReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      if (module.state() === "failed" && module.errors().length > 0) counts.failed += 1
      for (const test of module.children.allTests()) counts[test.result().state] += 1
    }
    console.log(
      `\nTests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`
    )
  }
}
