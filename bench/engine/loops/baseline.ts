/**
 * The time of each row when it was built, as ratios for other machines, with digests of its work
 * and of its loop: `baseline.json`.
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import type { LoopRow } from "./LoopRow.ts"

/** The kept figures of a row. */
export interface Baseline {
  /** Nanoseconds a candle × set, on the machine that is named; null where ours can't say it. */
  readonly oursNs: number | null
  readonly naiveNs: number
  /** How many times ours the naive loop took. */
  readonly naiveOverOurs: number | null
  /** How many times the naive loop vectorbt took, where it ran. */
  readonly vectorbtOverNaive: number | null
  /** Return, Sharpe ratio, largest drawdown and entries of the first set. */
  readonly figures: ReadonlyArray<number>
  readonly workDigest: string
  readonly loopDigest: string
  readonly measured: string
}

/** Baselines by the names of their rows. */
export type Baselines = Readonly<Record<string, Baseline>>

const path = new URL("baseline.json", import.meta.url)

/** Figures may differ by so much where another Node computes other candles. */
const figuresTolerance = 1e-6

const digestOf = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16)

/** Code without comments, imports and white space, which change nothing that a loop does. */
export const bareCode = (source: string): string =>
  source
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/^\s*\/\/.*$/gm, "")
    .replaceAll(/^import\s[\s\S]*?from\s+"[^"]*"$/gm, "")
    .replaceAll(/\s+/g, "")

/** The sources that every loop uses. */
const sharedSources = ["market.ts", "LoopResult.ts", "TradeLog.ts", "../naive/columns.ts"]

/** The digest of a row's strategy, sets and options. */
export const workDigestOf = ({ candleCount, frozen }: LoopRow): string =>
  digestOf(JSON.stringify({ frozen, candleCount }))

/** The digest of a row's naive loop. */
export const loopDigestOf = ({ sources }: LoopRow): string =>
  digestOf(
    [...sources, ...sharedSources]
      .map((source) => bareCode(readFileSync(new URL(source, import.meta.url), "utf8")))
      .join("\n")
  )

/** All that was kept. */
export const readBaselines = (): Baselines =>
  (JSON.parse(readFileSync(path, "utf8")) as { readonly rows: Baselines }).rows

/** Keeps these in place of those of the same rows. */
export const writeBaselines = (measured: Baselines): Baselines => {
  const rows = { ...readBaselines(), ...measured }
  const comment =
    "Written by `npm run bench:loops -- --write-baseline`; docs/benchmarks.md says when."
  const text = JSON.stringify({ comment, rows }, null, 2)
  // The formatter has short arrays on one line.
  const inLine = text.replaceAll(/\[[^\]]*\]/g, (array) => array.replaceAll(/\s+/g, " "))
  writeFileSync(path, `${inLine.replaceAll("[ ", "[").replaceAll(" ]", "]")}\n`)
  return rows
}

/** The parts of a row that differ from the frozen ones. */
export const changesOf = (
  row: LoopRow,
  figures: ArrayLike<number>,
  baseline: Baseline | undefined
): ReadonlyArray<string> => {
  if (baseline === undefined) return ["it has no baseline"]
  const isSame = baseline.figures.every(
    (kept, nth) => Math.abs(kept - figures[nth]!) <= figuresTolerance * Math.max(1, Math.abs(kept))
  )
  return [
    ...(baseline.workDigest === workDigestOf(row) ? [] : ["its work has changed"]),
    ...(baseline.loopDigest === loopDigestOf(row) ? [] : ["its naive loop has changed"]),
    ...(isSame ? [] : ["its naive loop finds other figures"])
  ]
}
