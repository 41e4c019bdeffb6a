/**
 * Ends a test run with one line that counts it, so that a machine can read the outcome. Keeps the
 * time of each file, and shows the slowest.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Reporter, TestModule } from "vitest/node"
import { cacheFolder } from "./files.ts"
import { closingLine, type FileSummary, type Summary } from "./summary.ts"

const slowestMax = 10

/** A handful of files is somebody's own choice, who knows which they are. */
const filesMin = 30

const fileOf = (module: TestModule): FileSummary => {
  const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } =
    module.diagnostic()
  const ms = collectDuration + duration + environmentSetupDuration + prepareDuration + setupDuration
  const tests = [...module.children.allTests()]
  return {
    path: module.relativeModuleId,
    project: module.project.name,
    seconds: Math.round(ms) / 1_000,
    tests: tests.length,
    failures: tests.filter((test) => test.result().state === "failed").map((test) => test.fullName)
  }
}

const summarize = (modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): Summary => {
  const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
  for (const module of modules) {
    if (module.state() === "failed" && module.errors().length > 0) counts.failed += 1
    for (const test of module.children.allTests()) counts[test.result().state] += 1
  }
  const files = modules.map(fileOf).toSorted((a, b) => b.seconds - a.seconds)
  return { ...counts, files }
}

/** Prints `Tests: N passed, N failed, N skipped`; a file that did not load counts as failed. */
export default class CountingReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const summary = summarize(modules, errors)
    if (summary.files.length >= filesMin) {
      console.log("\nThe slowest files:")
      for (const { path, seconds, tests } of summary.files.slice(0, slowestMax)) {
        console.log(`${seconds.toFixed(1).padStart(7)} s  ${path} (${tests} tests)`)
      }
    }
    const wanted = process.env["CANDLEWICK_TEST_SUMMARY"]
    const path = wanted ?? join(cacheFolder, "tests.json")
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${JSON.stringify(summary, null, 1)}\n`)
    // The caller of the summary prints the line, after all else that it runs.
    if (wanted === undefined) console.log(`\n${closingLine(summary)}`)
  }
}
