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

/** How many cases strategies of backtests hold as well, whole and in part. */
const strategiesCell = (row: KindResult | undefined): string => {
  if (row === undefined) return ""
  const parts = partsOf(row).length
  const whole = ofOutcome(row, "passed").length - parts
  const failed = ofOutcome(row, "failed").length
  return [
    `${whole} whole`,
    ...(parts > 0 ? [`${parts} in part`] : []),
    ...(failed > 0 ? [`${failed} failed`] : [])
  ].join(", ")
}

const lineOf = (row: KindResult, asStrategies: KindResult | undefined): string => {
  const files = [filesOf(row), ...(asStrategies === undefined ? [] : [filesOf(asStrategies)])]
  const cells = [...countsOf(row), strategiesCell(asStrategies), files.join(", ")]
  return `| ${row.kind.title} | ${row.kind.source} | ${cells.join(" | ")} |`
}

const totalCells = (rows: ReadonlyArray<KindResult>): string => {
  const counts = rows.map(countsOf)
  const sums = counts[0]?.map((_, nth) => counts.reduce((sum, row) => sum + row[nth]!, 0)) ?? []
  return sums.join(" | ")
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

/** The page of the cases, with the kinds that strategies of backtests hold as well. */
export const pageOf = (
  rows: ReadonlyArray<KindResult>,
  asStrategies: ReadonlyArray<KindResult>
): string => `# Results of other software

This page is for a reader who doubts the engine's figures. It compares the engine with results of other, unrelated software.
Sources and licences are in \`test/golden/SOURCES.md\`; what may not be vendored runs where \`CANDLEWICK_ORACLES\` names a folder
with it. Made by \`npm run oracles -- FOLDER --write\`, which counts the cases in that folder's own lists, used or not; \`--check\` in place of
\`--write\` says whether the totals here are still those.

One core fills the orders of simulated backtests, paper bots, \`simulateOrders\` and \`simulateSignals\`: the matcher of
\`match/Matcher.ts\`. Its rules of price, time and size are named, documented options (\`match/matcherRules.ts\`). On the fast path, runs of
several markets have a matcher too. The loops of one market (\`fast/kernels/\`) keep cash and position of their own. They inline the
matcher's rules of price and cost (\`match/fillRules.ts\`), and laws hold them to the matcher: \`backtest\` gives its figures to the bit,
sweeps give its positions and figures within 1e-9. Order scripts are placed on this matcher by the rules of their software. Candle
rules, signals and units are rules about signals: they decide when to trade and which level comes first, and the matcher fills their
direct orders (\`match/DirectMatcher.ts\`). The rows of indicators, metrics and candles hold parts that all runs have in common. The
column of strategies counts the cases that strategies of backtests, in the language or in code, reach by the default rules alone,
those of \`docs/simulation.md\`; order scripts count there once the matcher of backtests has filled them by the rules of their software.

| cases of | source | cases | passed | of them in part | failed | left out | as strategies | held by |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.map((row) => lineOf(row, sameKind(asStrategies, row))).join("\n")}
| in all | | ${totalCells(rows)} | | |

A case is one script, one backtest, one series or one table of cells; our own tests are not counted. Series of indicators that
the catalogue does not have are written in the strategy language, which is held to them so.

## Left out, and why

${leftOutLines(rows)}

## Compared in part, and why

Rows count from 0.

${inPartLines(rows)}

## As strategies of backtests

Whole backtests and cells of grids are compared by trades (candles, prices, quantities, results, fees), equity at each candle,
the other software's statistics, and those of our metrics that mean the same. Grids go through \`sweep\`, and so does every whole
backtest in the language. Order scripts are placed on the matcher by the rules of their software. Those of one position, ordered at
the market or by one order at rest, are code strategies of backtests too. Candle rules and trades of one unit are code strategies
of backtests and sweeps, for rules of the language can't wait with an exit until the candle after the entry. LEAN's algorithms
are in the language.

Not held by strategies under the default rules, and why:

${reasonLines(asStrategies.flatMap(leftOutOf))}

In part, and why:

${reasonLines(asStrategies.flatMap(partsOf))}
`

/** The row of a kind among others. */
const sameKind = (rows: ReadonlyArray<KindResult>, { kind }: KindResult): KindResult | undefined =>
  rows.find((row) => row.kind.name === kind.name)

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
