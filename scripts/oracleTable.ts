/**
 * Counts the cases of other software, by the folder's own lists, and finds the tests that hold the
 * engine to them: how many there are, how many pass, and which are left out or compared in part and
 * why.
 *
 *   CANDLEWICK_ORACLES=… node scripts/oracleTable.ts [--write]
 *
 * With `--write` the table goes to docs/oracles.md.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  candleRuleReasons,
  publishedReasons,
  scriptReason,
  signalReason,
  type SourceSignals,
  unitReasons,
  unsayable
} from "../packages/engine/test/research/sourceReasons.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const kernel = "packages/engine/test/kernel"
const research = "packages/engine/test/research"
const composed = "packages/engine/test/language/composedIndicators.test.ts"

const oracles = process.env["CANDLEWICK_ORACLES"]
if (oracles === undefined) {
  throw new Error("CANDLEWICK_ORACLES must name the folder with the expected results")
}

const readText = (file: string): string => readFileSync(join(oracles, file), "utf8")
const readJson = <A>(file: string): A => JSON.parse(readText(file)) as A
const namesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(oracles, folder))
    .filter((name) => name !== "index.json")
    .map((name) => basename(name, ".json"))
const idsIn = (cases: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> =>
  cases.map(({ id }) => id)
const casesIn = (file: string): ReadonlyArray<string> =>
  idsIn(readJson<{ readonly cases: ReadonlyArray<{ readonly id: string }> }>(file).cases)
const linesIn = (file: string): ReadonlyArray<string> =>
  idsIn(
    readText(file)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly id: string })
  )
/** The deflated Sharpe ratio of a matrix of returns, and each number of blocks it is split in. */
const resultsIn = (matrix: string): ReadonlyArray<string> => {
  const { pbo } = readJson<{ readonly pbo: { readonly results: object } }>(
    `overfitting/${matrix}.json`
  )
  return ["deflated_sharpe", ...Object.keys(pbo.results).map((blocks) => `pbo/${blocks}`)].map(
    (result) => `${matrix}/${result}`
  )
}
const filesIn = (file: string): ReadonlyArray<string> =>
  readJson<ReadonlyArray<{ readonly file: string }>>(file).map((one) => one.file)

/** The options of a case of signals. */
const signalsOf = (id: string): SourceSignals => {
  const { cases } = readJson<{
    readonly cases: ReadonlyArray<{ readonly id: string; readonly input: SourceSignals }>
  }>("signals_engine/cases.json")
  const published = cases.find((one) => one.id === id)
  if (published !== undefined) return published.input
  return readJson<{ readonly options: SourceSignals }>(`signals_engine/runs/${id}.json`).options
}

interface Group {
  readonly title: string
  readonly source: string
  /** The tests that hold the cases: each names the case that it is of in its title. */
  readonly files: ReadonlyArray<string>
  /** Every case that is in the folder, used or not. */
  readonly cases: ReadonlyArray<string>
  /** What holds the simulator of backtests, sweeps and bots to them, where there is something. */
  readonly simulator?: {
    readonly files: ReadonlyArray<string>
    /** Why a case can't be said, or null where it can. */
    readonly reasonOf: (id: string) => string | null
  }
}

const groups: ReadonlyArray<Group> = [
  {
    title: "Order cases and scripts",
    source: "backtesting.py",
    files: [`${kernel}/orders/scripts.test.ts`],
    cases: [
      ...casesIn("orders/micro.json"),
      ...["core", "market", "bracket", "pending", "costs", "full"].flatMap((tier) =>
        linesIn(`orders/fuzz_${tier}.jsonl`)
      )
    ],
    simulator: {
      files: [`${kernel}/orderScripts.test.ts`, `${research}/sourceScripts.test.ts`],
      reasonOf: scriptReason
    }
  },
  {
    title: "Whole backtests on real candles: trades, equity, statistics",
    source: "backtesting.py",
    files: [`${kernel}/orders/backtests.test.ts`],
    cases: namesIn("backtests"),
    simulator: {
      files: [`${research}/sourceBacktests.test.ts`],
      reasonOf: (id) => unsayable[id] ?? null
    }
  },
  {
    title: "Grids of parameters, every cell and the best",
    source: "backtesting.py",
    files: [`${kernel}/orders/grids.test.ts`],
    cases: namesIn("optimize"),
    simulator: { files: [`${research}/sourceGrids.test.ts`], reasonOf: () => null }
  },
  {
    title: "Candle rules: stops, decaying targets, trailing, waiting orders",
    source: "freqtrade's published tests, and a re-implementation",
    files: [`${kernel}/candleRules.test.ts`],
    cases: casesIn("candle_rules/cases.json"),
    simulator: {
      files: [`${research}/sourceCandleRules.test.ts`],
      reasonOf: (id) => candleRuleReasons[id] ?? null
    }
  },
  {
    title: "Signal arrays and runs on real candles",
    source: "vectorbt",
    files: [`${kernel}/signals.test.ts`],
    cases: [...casesIn("signals_engine/cases.json"), ...namesIn("signals_engine/runs")],
    simulator: {
      files: [`${research}/sourceSignals.test.ts`],
      reasonOf: (id) => signalReason(id, signalsOf(id))
    }
  },
  {
    title: "One unit at the next open: trades, optimisation, walk-forward",
    source: "grademark",
    files: [`${kernel}/grademark.test.ts`],
    cases: namesIn("grademark"),
    simulator: {
      files: [`${research}/sourceUnits.test.ts`],
      reasonOf: (id) => unitReasons[id] ?? null
    }
  },
  {
    title: "Indicator series, computed",
    source: "TA-Lib and closed forms",
    files: [`${kernel}/indicators.test.ts`, composed],
    cases: filesIn("indicators/index.json")
  },
  {
    title: "Indicator series, published",
    source: "Stock.Indicators' baselines",
    files: [`${kernel}/indicators.test.ts`, composed],
    cases: filesIn("indicators_published/index.json").map((file) => basename(file))
  },
  {
    title: "Metrics of return series and of positions",
    source: "empyrical-reloaded, quantstats, backtesting.py",
    files: [`${kernel}/metrics.test.ts`],
    cases: [
      ...namesIn("metrics").filter((name) => name !== "trade_metrics"),
      ...casesIn("metrics/trade_metrics.json")
    ]
  },
  {
    title: "Overfitting: deflated Sharpe ratios, splits in and out of sample, numbers of papers",
    source: "pypbo",
    files: [`${kernel}/backtestOverfitting.test.ts`],
    cases: [
      ...["goog_sma_matrix", "eurusd_sma_matrix"].flatMap(resultsIn),
      ...casesIn("overfitting/numeric_examples.json")
    ]
  },
  {
    title: "What other projects assert in their own tests",
    source: "backtesting.py, LEAN",
    files: [`${kernel}/orders/published.test.ts`, `${kernel}/orders/lean.test.ts`],
    cases: [
      ...casesIn("published/backtesting_py.json"),
      ...casesIn("published/lean_reference.json")
    ],
    simulator: {
      files: [`${research}/sourcePublished.test.ts`],
      reasonOf: (id) => publishedReasons[id] ?? null
    }
  },
  {
    title: "Longer candles",
    source: "pandas",
    files: [`${kernel}/resample.test.ts`],
    cases: casesIn("resample/index.json")
  }
]

/** Why a case is left out; one without a reason fails. */
const reasons: Readonly<Record<string, string>> = {
  "rand-110":
    "on the entry candle of a leveraged position the source reads the offset of a trailing stop as a " +
    "ratio of the price, though it is one of the margin; its order then lies outside the candle and slips to the next",
  "crsi.csv":
    "the language counts no streaks and no ranks; of the three parts of Connors' RSI only the RSI is compared",
  goog_1d__1mo: "a month has no fixed length, and is no timeframe here",
  TrailingStopOrderRegressionAlgorithm:
    "for reference only, as its file says; the minutes that it trades are not there",
  LimitFillRegressionAlgorithm:
    "for reference only, as its file says; the seconds that it trades are not there"
}

interface Assertion {
  readonly title: string
  readonly status: string
  readonly meta: {
    readonly from?: number
    readonly except?: ReadonlyArray<number>
    readonly inPart?: string
  }
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly assertionResults: ReadonlyArray<Assertion>
  }>
}

const runTests = (): Report => {
  const output = join(tmpdir(), `candlewick-oracles-${process.pid}.json`)
  const files = [
    ...new Set(groups.flatMap((group) => [...group.files, ...(group.simulator?.files ?? [])]))
  ]
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

/** Whether a title names a case, and not only one whose name begins or ends alike. */
const names = (title: string, id: string): boolean =>
  ` ${title} `.replaceAll(/[:,] /g, " ").includes(` ${id} `)

type Outcome = "passed" | "failed" | "left out"

const outcomeOf = (tests: ReadonlyArray<Assertion>): Outcome => {
  if (tests.some(({ status }) => status === "failed")) return "failed"
  return tests.some(({ status }) => status === "passed") ? "passed" : "left out"
}

const partOf = ({ meta }: Assertion): string | null => {
  if (meta.inPart === undefined) return null
  const rows = meta.from === undefined ? "" : `from row ${meta.from} on; `
  const except =
    meta.except === undefined
      ? ""
      : `without ${meta.except.length === 1 ? "row" : "rows"} ${meta.except.join(" and ")}; `
  return `${rows}${except}${meta.inPart}`
}

const rowOf = (report: Report, group: Pick<Group, "title" | "source" | "files" | "cases">) => {
  const tests = report.testResults
    .filter(({ name }) => group.files.some((file) => name.endsWith(file)))
    .flatMap(({ assertionResults }) => assertionResults)
  const cases = group.cases.map((id) => {
    const held = tests.filter(({ title }) => names(title, id))
    return { id, outcome: outcomeOf(held), part: held.map(partOf).find((part) => part !== null) }
  })
  const of = (outcome: Outcome) => cases.filter((one) => one.outcome === outcome)
  return {
    group,
    cases,
    passed: of("passed").length,
    failed: of("failed"),
    leftOut: of("left out"),
    inPart: of("passed").filter(({ part }) => part !== undefined)
  }
}

const report = runTests()
const rows = groups.map((group) => rowOf(report, group))
const total = (of: (row: (typeof rows)[number]) => number) =>
  rows.reduce((sum, row) => sum + of(row), 0)
const cellsOf = (of: (count: (row: (typeof rows)[number]) => number) => number): string =>
  [
    of(({ cases }) => cases.length),
    of(({ passed }) => passed),
    of(({ inPart }) => inPart.length),
    of(({ failed }) => failed.length),
    of(({ leftOut }) => leftOut.length)
  ].join(" | ")
const lines = rows.map((row) => {
  const files = row.group.files.map((file) => `\`${basename(file)}\``).join(", ")
  const cells = cellsOf((count) => count(row))
  return `| ${row.group.title} | ${row.group.source} | ${cells} | ${files} |`
})
const leftOut = rows.flatMap((row) =>
  row.leftOut.map(({ id }) => `- \`${id}\` of "${row.group.title}": ${reasons[id] ?? "NO REASON"}.`)
)

/** Lines of reasons, each with the cases that it is given for. */
const byReason = (
  cases: ReadonlyArray<{ readonly id: string; readonly reason: string | null | undefined }>
): ReadonlyArray<readonly [reason: string, ids: ReadonlyArray<string>]> => {
  const all = new Map<string, Array<string>>()
  for (const { id, reason } of cases) {
    const known = reason ?? "NO REASON"
    all.set(known, [...(all.get(known) ?? []), `\`${id}\``])
  }
  return [...all]
}
const inPart = byReason(
  rows.flatMap((row) => row.inPart).map(({ id, part }) => ({ id, reason: part }))
)

const simulated = groups.flatMap(({ simulator, ...group }) => {
  if (simulator === undefined) return []
  const { files, reasonOf } = simulator
  const row = rowOf(report, { ...group, files })
  const unsaid = row.leftOut.map(({ id }) => ({ id, reason: reasonOf(id) }))
  return [{ ...row, files, unsaid }]
})
const simulatedLines = simulated.map((row) => {
  const { cases, failed, files, group, inPart: some, passed, unsaid } = row
  const cells = [cases, { length: passed - some.length }, some, unsaid, failed]
  const names = files.map((file) => `\`${basename(file)}\``).join(", ")
  return `| ${group.title} | ${cells.map(({ length }) => length).join(" | ")} | ${names} |`
})
/** Few cases are named, many are counted. */
const reasonLines = (
  cases: ReadonlyArray<{ readonly id: string; readonly reason: string | null | undefined }>
): string =>
  byReason(cases)
    .map(([reason, ids]) => {
      const named = ids.length > 8 ? `${ids.length} cases, as ${ids[0]}` : ids.join(", ")
      return `- ${named}: ${reason}.`
    })
    .join("\n")
const unsaid = simulated.flatMap((row) => row.unsaid)
const partly = simulated.flatMap((row) => row.inPart.map(({ id, part }) => ({ id, reason: part })))
const page = `# Results of other software

What the library is held to that it did not compute itself: results of other, unrelated software. Sources and licences are in
\`test/golden/SOURCES.md\`; what may not be vendored runs where \`CANDLEWICK_ORACLES\` names a folder with it. Made by
\`node scripts/oracleTable.ts --write\`, which counts the cases in that folder's own lists, used or not.

There are two tables, as there are two kinds of engine. \`simulateOrders\` and \`simulateSignals\` are for other engines' order
models, each of which they reach through named, documented options: the first six rows of the first table, and what other projects
assert in their own tests, hold them, and nothing else, to all of those cases. Backtests, sweeps and bots run on the simulator (\`simulate.ts\`, \`decide.ts\`, \`matching.ts\`,
\`booking.ts\`), which has one order model, that of \`docs/simulation.md\`: the second table says how much of the same cases it
reaches, by strategies in the language and in code. The other rows of the first table hold indicators, metrics and candles, which
all engines have in common.

| what | source | cases | passed | of them in part | failed | left out | held by |
| --- | --- | --- | --- | --- | --- | --- | --- |
${lines.join("\n")}
| in all | | ${cellsOf(total)} | |

A case is one script, one backtest, one series or one table of cells; our own tests are not counted. Series of indicators that
the catalogue does not have are written in the strategy language, which is held to them so.

## By the simulator that backtests, sweeps and bots run on

| what | cases | whole | in part | not sayable | failed | held by |
| --- | --- | --- | --- | --- | --- | --- |
${simulatedLines.join("\n")}

Whole backtests and cells of grids are compared by trades (candles, prices, quantities, results, fees), equity at each candle,
the other software's statistics, and those of our metrics that mean the same. Grids go through \`sweep\`, and so does every whole
backtest in the language. Order scripts are placed in the matching engine; those of one position, ordered at the market or by
one order at rest, are code strategies of backtests too. Candle rules and trades of one unit are code strategies of backtests and
sweeps, for rules of the language can't wait with an exit until the candle after the entry; LEAN's algorithms are in the language.

Not sayable, and why:

${reasonLines(unsaid)}

In part, and what:

${reasonLines(partly)}

## Left out, and why

${leftOut.length === 0 ? "Nothing." : leftOut.join("\n")}

## Compared in part, and why

Rows count from 0.

${inPart.map(([part, ids]) => `- ${ids.join(", ")}: ${part}.`).join("\n")}
`
const unreasoned = [
  ...rows.flatMap(({ leftOut }) => leftOut).filter(({ id }) => !(id in reasons)),
  ...unsaid.filter(({ reason }) => reason === null)
]
console.log(page)
if (process.argv.includes("--write")) writeFileSync(join(root, "docs/oracles.md"), page)
if (unreasoned.length > 0) {
  console.error(`No reason is given for ${unreasoned.map(({ id }) => id).join(", ")}`)
}
const failures = [...rows, ...simulated].flatMap(({ failed }) => failed)
if (failures.length + unreasoned.length > 0) process.exitCode = 1
