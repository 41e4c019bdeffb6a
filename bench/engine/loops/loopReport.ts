/**
 * The table of rows against a loop, for the terminal and for the documentation.
 */
import { formatNumber, formatRatio, formatTable } from "../format.ts"
import type { Timing } from "../measure.ts"
import type { Baseline, Baselines } from "./baseline.ts"
import { isSlower, judgeLoops, type Judgement, naiveOverOurs } from "./judgeLoops.ts"
import type { LoopRow } from "./LoopRow.ts"
import type { LoopOutcome } from "./runLoops.ts"

const timed = (one: Timing | null): string =>
  one === null
    ? "–"
    : `${formatNumber(one.nsPerUnit)} ns (${one.spread.map(formatNumber).join("–")})`

const judged = ({ goal, isMet, ratio }: Judgement): string => {
  const found = ratio === null ? "" : `, ${formatRatio(ratio)} of ${formatRatio(goal.times)}`
  return `${goal.text}: ${isMet ? "met" : "missed"}${found}`
}

/** The times of the rows, and whether they are enough. */
export const loopTable = (outcomes: ReadonlyArray<LoopOutcome>, baselines: Baselines): string =>
  formatTable(
    ["row", "ours", "naive", "naive / ours", "baseline", "others", "must", "aim"],
    outcomes.map(({ row, times }) => {
      const baseline = baselines[row.name]
      if (times === null) return [row.name, "differs", "", "", "", "", "missed", "missed"]
      const ratio = naiveOverOurs(times)
      const kept = baseline?.naiveOverOurs ?? null
      const { aim, must } = judgeLoops(row, times, baseline)
      return [
        row.name,
        timed(times.ours),
        timed(times.naive),
        ratio === null ? "–" : formatRatio(ratio),
        kept === null
          ? "–"
          : `${formatRatio(kept)}${isSlower(times, baseline) ? ", slower now" : ""}`,
        times.others.map((one) => `${one.name} ${timed(one)}`).join("; "),
        judged(must),
        judged(aim)
      ]
    })
  )

/** The compared results, and why a row counts as missed. */
export const loopNotes = (outcomes: ReadonlyArray<LoopOutcome>): string =>
  outcomes
    .flatMap(({ comparisons, row, times }) => [
      ...comparisons.map(
        ({ isEqual, largest, of, tolerance }) =>
          `- ${row.name}: ${isEqual ? "equal" : "DIFFERS"}, ${of}, ` +
          `${largest.toExponential(1)} of ${tolerance.toExponential(0)}`
      ),
      ...(times === null || times.refusal === null ? [] : [`- ${row.name}: ${times.refusal}`])
    ])
    .join("\n")

/** The heading under which the documentation has these rows. */
export const loopHeading = "## Against a loop written for it"

const keptCells = (baseline: Baseline | undefined): ReadonlyArray<string> => {
  if (baseline === undefined) return ["–", "–", "–"]
  const { naiveNs, naiveOverOurs, oursNs } = baseline
  return [
    oursNs === null ? "not sayable" : `${formatNumber(oursNs)} ns`,
    `${formatNumber(naiveNs)} ns`,
    naiveOverOurs === null ? "–" : formatRatio(naiveOverOurs)
  ]
}

/** The section of the documentation: rows, rules, and what the baseline says. */
export const loopSection = (rows: ReadonlyArray<LoopRow>, baselines: Baselines): string => {
  const measured = [...new Set(Object.values(baselines).map((one) => one.measured))].join("; ")
  const table = formatTable(
    ["row", "work", "calls", "ours", "naive", "naive / ours", "must", "aim"],
    rows.map((row) => [
      row.name,
      row.work,
      row.calls,
      ...keptCells(baselines[row.name]),
      row.must.text,
      row.aim.text
    ])
  )
  return `${loopHeading}

Each row holds a public call against a naive loop: a program for just that strategy, with typed arrays and no library (\`bench/engine/loops\`; the head of each file has its rules). Candles are generated from a seed, 262 144 of a minute; the last row has a million. A sweep has 20 sets, four in the rows that say so, and the loop computes each column once in a call.

\`\`\`sh
npm run bench:loops                                  # every row
npm run bench:loops -- --only dca,grid               # some of them
npm run bench:loops -- --strict                      # ends with 1 where a must is missed, or a row is slower than its baseline
npm run bench:loops -- --rounds 9                    # 5 rounds where nothing is said
npm run bench:loops -- --no-python                   # without vectorbt
npm run bench:loops -- --only dca --write-baseline   # keeps what was measured, and writes this section
\`\`\`

Results are equal first: return, Sharpe ratio and drawdown of every set and the equity at each day's end to 1e-9 of their value, numbers of entries and candles of trades exactly, prices of trades to 1e-12. A run ends with 1 where they differ. Then all sides take turns of at least 0.4 s in one process; the median of the rounds stands with the fastest and the slowest. Times are processor time of the process, ns a candle and set, and the loop is called often enough before that V8 has compiled it for good.

"3× naive" is met where ours takes at most three times as long as the loop; "3× faster than the baseline" where naive / ours is at least three times what it was when the row was built. Where vectorbt does not run, its time is that of the loop times what it took of the loop for the baseline. A row that the engine can't say, or that \`sweep\` refuses, is missed.

The baseline (\`bench/engine/loops/baseline.json\`) also keeps digests of each row's strategy, sets, options and loop, and the figures of its first set. A run ends with 1 where these are not what they were, and so does a test. Neither the work of a row nor its baseline changes in the change that needs it to pass: a row that is wrong is mended, measured and explained by itself, before. The baseline is measured again, on a machine that does nothing else, by \`--write-baseline\` and nothing by hand.

The baseline: ${measured}.

${table}
`
}
