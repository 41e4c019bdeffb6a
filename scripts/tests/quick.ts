/**
 * The checks of a change within a minute: types, lint and format of the changed files, the build of
 * changed kernels, the tests beside them, and some laws with few draws.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { changedFiles, testsBeside } from "./changed.ts"
import { isKernel, runChecks } from "./checks.ts"
import { cacheFolder } from "./files.ts"
import { type Ended, runCommand } from "./runCommand.ts"
import type { Summary } from "./summary.ts"

/** They hold the parts of the engine to one another, and take a few seconds together. */
const smoke = [
  "packages/engine/test/laws/strategyHasOneMeaning.test.ts",
  "packages/engine/test/laws/noLookAhead.test.ts",
  "packages/engine/test/laws/equityAddsUp.test.ts",
  "packages/engine/test/laws/costsNeverHelp.test.ts",
  "packages/engine/test/laws/sweepIsManyBacktests.test.ts"
]

const secondsMax = 30

/** How long each file took when it last ran. */
const knownSeconds = (): ReadonlyMap<string, number> => {
  const known = new Map<string, number>()
  for (const name of ["tests-all", "tests-test", "tests-quick"]) {
    try {
      const { files } = JSON.parse(
        readFileSync(join(cacheFolder, `${name}.json`), "utf8")
      ) as Summary
      for (const { path, seconds } of files) known.set(path, seconds)
    } catch {
      // That tier has not run here.
    }
  }
  return known
}

/** Tests that fit into a minute together, the shortest first; nobody knows a new one's seconds. */
const fitting = (tests: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = knownSeconds()
  const secondsOf = (path: string) => known.get(path) ?? 1
  let left = secondsMax
  return tests
    .toSorted((a, b) => secondsOf(a) - secondsOf(b))
    .filter((path, index) => {
      left -= secondsOf(path)
      return left >= 0 || index === 0
    })
}

/** The plan of `npm run quick`. */
export interface QuickPlan {
  readonly files: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
}

/** Plans it, and says which tests it leaves out. */
export const planQuick = (): QuickPlan => {
  const files = changedFiles()
  const beside = testsBeside(files)
  const tests = fitting(beside)
  console.log(`${files.length} files changed, ${beside.length} test files beside them`)
  const left = beside.filter((path) => !tests.includes(path))
  if (left.length > 0) console.log(`Left to npm test, for they take long: ${left.join(", ")}`)
  return { files, tests: [...new Set([...tests, ...smoke])] }
}

/** The checks of what changed. */
export const quickChecks = async ({
  files
}: QuickPlan): Promise<ReadonlyArray<Ended & { readonly name: string }>> => {
  const outcomes = [{ name: "types", ...(await runCommand(["node", "scripts/types.ts"])) }]
  const code = files.filter((path) => /\.[cm]?[jt]s$/.test(path))
  if (code.length > 0) {
    const lint = await runCommand(["oxlint", "--type-aware", "--deny-warnings", ...code])
    outcomes.push({ name: "lint of what changed", ...lint })
  }
  if (files.length > 0) {
    const format = await runCommand([
      "oxfmt",
      "--check",
      "--no-error-on-unmatched-pattern",
      ...files
    ])
    outcomes.push({ name: "format of what changed", ...format })
  }
  if (files.some(isKernel)) outcomes.push(...(await runChecks(["kernels"])))
  return outcomes
}
