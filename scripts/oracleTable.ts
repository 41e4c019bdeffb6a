/**
 * Counts the cases of other software that the engine is held to, by the tests that hold it: how
 * many there are, how many pass, and which are left out and why.
 *
 *   CANDLEWICK_ORACLES=… node scripts/oracleTable.ts [--write]
 *
 * With `--write` the table goes to docs/oracles.md.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))
const kernel = "packages/core/test/kernel"

interface Group {
  readonly title: string
  readonly source: string
  readonly file: string
  /** Tests whose full name matches are cases; the others are our own. */
  readonly cases: RegExp
}

const groups: ReadonlyArray<Group> = [
  {
    title: "Order cases and scripts",
    source: "backtesting.py",
    file: `${kernel}/orders/scripts.test.ts`,
    cases: /fills/
  },
  {
    title: "Whole backtests on real candles: trades, equity, statistics",
    source: "backtesting.py",
    file: `${kernel}/orders/backtests.test.ts`,
    cases: /trades/
  },
  {
    title: "Grids of parameters, every cell and the best",
    source: "backtesting.py",
    file: `${kernel}/orders/grids.test.ts`,
    cases: /cells/
  },
  {
    title: "Candle rules: stops, decaying targets, trailing, waiting orders",
    source: "freqtrade's published tests, and a re-implementation",
    file: `${kernel}/candleRules.test.ts`,
    cases: /candle rules against/
  },
  {
    title: "Signal arrays and runs on real candles",
    source: "vectorbt",
    file: `${kernel}/signals.test.ts`,
    cases: /against (published cases|runs)/
  },
  {
    title: "One unit at the next open: trades, optimisation, walk-forward",
    source: "grademark",
    file: `${kernel}/grademark.test.ts`,
    cases: /against results/
  },
  {
    title: "Indicator series",
    source: "TA-Lib and closed forms; Stock.Indicators' baselines",
    file: `${kernel}/indicators.test.ts`,
    cases: /against/
  },
  {
    title: "Metrics of return series and of positions",
    source: "empyrical-reloaded, quantstats, pypbo, published papers",
    file: `${kernel}/metrics.test.ts`,
    cases: /./
  },
  {
    title: "Longer candles",
    source: "pandas",
    file: `${kernel}/resample.test.ts`,
    cases: /computed by other software/
  }
]

/** Why a case is left out, by the beginning of its name; the test itself says more. */
const reasons: Readonly<Record<string, string>> = {
  "rand-110":
    "on the entry candle of a leveraged position the source reads the offset of a trailing stop as a " +
    "ratio of the price, though it is one of the margin; its order then lies outside the candle and slips to the next"
}

const reasonOf = (title: string): string =>
  Object.entries(reasons).find(([name]) => title.startsWith(name))?.[1] ?? title

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly assertionResults: ReadonlyArray<{
      readonly fullName: string
      readonly title: string
      readonly status: string
    }>
  }>
}

const runTests = (): Report => {
  const output = join(tmpdir(), `candlewick-oracles-${process.pid}.json`)
  const files = groups.map(({ file }) => file)
  try {
    const reporters = ["--reporter=json", `--outputFile=${output}`]
    execFileSync("vitest", ["run", ...reporters, ...files], { cwd: root, stdio: "ignore" })
  } catch {
    // Failures are in the report.
  }
  try {
    return JSON.parse(readFileSync(output, "utf8")) as Report
  } finally {
    rmSync(output, { force: true })
  }
}

const rowOf = (report: Report, group: Group) => {
  const tests = report.testResults
    .filter(({ name }) => name.endsWith(group.file))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ fullName }) => group.cases.test(fullName))
  const count = (status: string) => tests.filter((test) => test.status === status).length
  const failed = count("failed")
  const passed = count("passed")
  const leftOut = tests.filter(({ status }) => status !== "passed" && status !== "failed")
  return { group, failed, passed, leftOut: leftOut.map(({ title }) => title) }
}

if (process.env["CANDLEWICK_ORACLES"] === undefined) {
  throw new Error("CANDLEWICK_ORACLES must name the folder with the expected results")
}
const report = runTests()
const rows = groups.map((group) => rowOf(report, group))
const total = (of: (row: (typeof rows)[number]) => number) =>
  rows.reduce((sum, row) => sum + of(row), 0)
const lines = rows.map(
  ({ failed, group, leftOut, passed }) =>
    `| ${group.title} | ${group.source} | ${passed + failed + leftOut.length} | ${passed} | ${failed} | ${leftOut.length} | \`${basename(group.file)}\` |`
)
const leftOut = rows.flatMap((row) =>
  row.leftOut.map(
    (title) => `- \`${title.split(":")[0]}\` of "${row.group.title}": ${reasonOf(title)}.`
  )
)
const page = `# Results of other software

What the engine is held to that it did not compute itself: results of other, unrelated software, each reached through named,
documented options. Sources and licences are in \`test/golden/SOURCES.md\`; what may not be vendored runs where
\`CANDLEWICK_ORACLES\` names a folder with it. Made by \`node scripts/oracleTable.ts --write\`.

| what | source | tests | passed | failed | left out | held by |
| --- | --- | --- | --- | --- | --- | --- |
${lines.join("\n")}
| in all | | ${total(({ failed, leftOut, passed }) => failed + leftOut.length + passed)} | ${total(({ passed }) => passed)} | ${total(({ failed }) => failed)} | ${total(({ leftOut }) => leftOut.length)} | |

A test is one case, one series or one table of cells.

## Left out, and why

${leftOut.length === 0 ? "Nothing." : leftOut.join("\n")}

Longer candles of a month are not compared: a month has no fixed length, and is no timeframe here.
`
console.log(page)
if (process.argv.includes("--write")) writeFileSync(join(root, "docs/oracles.md"), page)
if (total(({ failed }) => failed) > 0) process.exitCode = 1
