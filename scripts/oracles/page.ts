/**
 * The page docs/oracles.md: what became of the cases of the folder that the repository is held to.
 */
import { basename } from "node:path"
import type { CaseResult, KindResult } from "./runCases.ts"

interface Reasoned {
  readonly id: string
  readonly reason: string
}

const ofOutcome = (row: KindResult, ...outcomes: ReadonlyArray<CaseResult["outcome"]>) =>
  row.cases.filter(({ outcome }) => outcomes.includes(outcome))

const leftOutOf = (row: KindResult) => ofOutcome(row, "refused", "unknown")

/** The cases that passed in part, each with what of it was compared. */
const partsOf = (row: KindResult): ReadonlyArray<Reasoned> =>
  ofOutcome(row, "passed").flatMap(({ id, part }) => (part === null ? [] : [{ id, reason: part }]))

const countsOf = (row: KindResult): ReadonlyArray<number> =>
  [row.cases, ofOutcome(row, "passed"), partsOf(row), ofOutcome(row, "failed"), leftOutOf(row)].map(
    ({ length }) => length
  )

const filesOf = ({ kind }: KindResult): string =>
  kind.files.map((file) => `\`${basename(file)}\``).join(", ")

const lineOf = (row: KindResult): string =>
  `| ${row.kind.title} | ${row.kind.source} | ${countsOf(row).join(" | ")} | ${filesOf(row)} |`

const totalCells = (rows: ReadonlyArray<KindResult>): string => {
  const counts = rows.map(countsOf)
  const sums = counts[0]?.map((_, nth) => counts.reduce((sum, row) => sum + row[nth]!, 0)) ?? []
  return sums.join(" | ")
}

const simulatedLineOf = (row: KindResult): string => {
  const parts = partsOf(row).length
  const whole = ofOutcome(row, "passed").length - parts
  const counts = [row.cases.length, whole, parts, leftOutOf(row).length]
  const failed = ofOutcome(row, "failed").length
  return `| ${row.kind.title} | ${counts.join(" | ")} | ${failed} | ${filesOf(row)} |`
}

/** Lines of reasons, each with the cases that it is given for. */
const byReason = (
  cases: ReadonlyArray<Reasoned>
): ReadonlyArray<readonly [reason: string, ids: ReadonlyArray<string>]> => {
  const all = new Map<string, Array<string>>()
  for (const { id, reason } of cases) all.set(reason, [...(all.get(reason) ?? []), `\`${id}\``])
  return [...all]
}

/** Few cases are named, many are counted. */
const reasonLines = (cases: ReadonlyArray<Reasoned>): string =>
  byReason(cases)
    .map(([reason, ids]) => {
      const named = ids.length > 8 ? `${ids.length} cases, as ${ids[0]}` : ids.join(", ")
      return `- ${named}: ${reason}.`
    })
    .join("\n")

const leftOutLines = (rows: ReadonlyArray<KindResult>): string => {
  const lines = rows.flatMap((row) =>
    leftOutOf(row).map(({ id, reason }) => `- \`${id}\` of "${row.kind.title}": ${reason}.`)
  )
  return lines.length === 0 ? "Nothing." : lines.join("\n")
}

const inPartLines = (rows: ReadonlyArray<KindResult>): string =>
  byReason(rows.flatMap(partsOf))
    .map(([part, ids]) => `- ${ids.join(", ")}: ${part}.`)
    .join("\n")

/** The page of what tests of the engines, and of the simulator, made of the cases. */
export const pageOf = (
  rows: ReadonlyArray<KindResult>,
  simulated: ReadonlyArray<KindResult>
): string => `# Results of other software

What the library is held to that it did not compute itself: results of other, unrelated software. Sources and licences are in
\`test/golden/SOURCES.md\`; what may not be vendored runs where \`CANDLEWICK_ORACLES\` names a folder with it. Made by
\`npm run oracles -- FOLDER --write\`, which counts the cases in that folder's own lists, used or not; \`--check\` in place of
\`--write\` says whether the totals here are still those.

One core fills the orders of simulated backtests, paper bots, \`simulateOrders\` and \`simulateSignals\`: the desk of
\`match/Desk.ts\`. Its rules of price, time and size are named, documented options (\`match/deskRules.ts\`). On the fast path, runs of
several markets have a desk too. The loops of one market (\`fast/kernels/\`) keep cash and position of their own. They inline the
desk's rules of price and cost (\`match/fillRules.ts\`), and laws hold them to the desk: \`backtest\` gives its figures to the bit,
sweeps give its positions and figures within 1e-9. Order scripts are placed on
this desk by the rules of their software. Candle rules, signals and units are rules about signals: they decide when to trade and
which level comes first, and the desk fills their direct orders (\`match/DirectDesk.ts\`). The second table says how much of the cases backtests reach by their own rules, those of \`docs/simulation.md\`, with
strategies in the language and in code. The rows of indicators, metrics and candles hold parts that all runs have in common.

| what | source | cases | passed | of them in part | failed | left out | held by |
| --- | --- | --- | --- | --- | --- | --- | --- |
${rows.map(lineOf).join("\n")}
| in all | | ${totalCells(rows)} | |

A case is one script, one backtest, one series or one table of cells; our own tests are not counted. Series of indicators that
the catalogue does not have are written in the strategy language, which is held to them so.

## By the simulator that backtests, sweeps and bots run on

| what | cases | whole | in part | not sayable | failed | held by |
| --- | --- | --- | --- | --- | --- | --- |
${simulated.map(simulatedLineOf).join("\n")}

Whole backtests and cells of grids are compared by trades (candles, prices, quantities, results, fees), equity at each candle,
the other software's statistics, and those of our metrics that mean the same. Grids go through \`sweep\`, and so does every whole
backtest in the language. Order scripts are placed on the desk by its rules; those of one position, ordered at the market or by
one order at rest, are code strategies of backtests too. Candle rules and trades of one unit are code strategies of backtests and
sweeps, for rules of the language can't wait with an exit until the candle after the entry; LEAN's algorithms are in the language.

Not sayable, and why:

${reasonLines(simulated.flatMap(leftOutOf))}

In part, and what:

${reasonLines(simulated.flatMap(partsOf))}

## Left out, and why

${leftOutLines(rows)}

## Compared in part, and why

Rows count from 0.

${inPartLines(rows)}
`

/** The rows of tables, which hold all that is counted. */
const totalsIn = (page: string): ReadonlyArray<string> =>
  page
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.replaceAll(/ *\| */g, "|"))

/** The rows of a page whose totals are no longer those of another. */
export const changedTotals = (before: string, after: string): ReadonlyArray<string> => {
  const known = new Set(totalsIn(before))
  return totalsIn(after).filter((line) => !known.has(line))
}
