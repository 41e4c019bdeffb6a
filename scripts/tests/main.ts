/**
 * Runs a tier of tests, or the checks alone:
 *
 *   node scripts/tests/main.ts quick|test|all|night [arguments of vitest]
 *   node scripts/tests/main.ts check
 *
 * Checks run beside the tests. The last lines name the tier and count its tests; a check that
 * failed counts as a failed test.
 */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { reportChecks, runChecks } from "./checks.ts"
import { cacheFolder, gitLines } from "./files.ts"
import { planQuick, quickChecks } from "./quick.ts"
import { runCommand } from "./runCommand.ts"
import { closingLine, type Summary } from "./summary.ts"
import { hasOracles, type Project, type TierName, tiers } from "./tiers.ts"

const readSummary = (path: string): Pick<Summary, "failed" | "passed" | "skipped"> => {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Summary
  } catch {
    // The runner itself did not come to its end.
    return { passed: 0, failed: 1, skipped: 0 }
  }
}

/** At night draws are those of the commit, unless somebody repeats those of another. */
const seedOf = (name: TierName): Readonly<Record<string, string>> => {
  if (name !== "night") return {}
  const seed = process.env["CANDLEWICK_SEED"] ?? gitLines("rev-parse", "HEAD")[0]!
  console.log(`CANDLEWICK_SEED=${seed}`)
  return { CANDLEWICK_SEED: seed }
}

const runTier = async (name: TierName, more: ReadonlyArray<string>): Promise<boolean> => {
  const { environment, projects, title } = tiers[name]
  const path = join(cacheFolder, `tests-${name}.json`)
  rmSync(path, { force: true })
  const present = projects.filter((project: Project) => project !== "oracle" || hasOracles())
  const begun = performance.now()
  const plan = name === "quick" ? planQuick() : null
  const checks = plan === null ? runChecks(tiers[name].checks) : quickChecks(plan)
  const tests = await runCommand(
    [
      "vitest",
      "run",
      ...(plan?.tests ?? []),
      ...present.flatMap((project) => ["--project", project]),
      ...more
    ],
    {
      isShown: true,
      environment: { ...environment, ...seedOf(name), CANDLEWICK_TEST_SUMMARY: path }
    }
  )
  const outcomes = await checks
  if (outcomes.length > 0) reportChecks(outcomes)
  const summary = readSummary(path)
  const failedChecks = outcomes.filter(({ isSuccess }) => !isSuccess).length
  const counts = { ...summary, failed: summary.failed + failedChecks }
  // It may have ended badly for another reason than a test.
  if (!tests.isSuccess && summary.failed === 0) counts.failed += 1
  console.log(`\n${title} (${((performance.now() - begun) / 1_000).toFixed(0)} s)`)
  console.log(closingLine(counts))
  return counts.failed === 0
}

const isTier = (name: string | undefined): name is TierName =>
  name !== undefined && Object.hasOwn(tiers, name)

const [what, ...more] = process.argv.slice(2)
if (what === "check") {
  const outcomes = await runChecks()
  reportChecks(outcomes)
  process.exitCode = outcomes.every(({ isSuccess }) => isSuccess) ? 0 : 1
} else if (isTier(what)) {
  process.exitCode = (await runTier(what, more)) ? 0 : 1
} else {
  throw new Error(`there is no tier "${what ?? ""}": ${Object.keys(tiers).join(", ")} or check`)
}
