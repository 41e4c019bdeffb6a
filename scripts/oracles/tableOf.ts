/**
 * The outcome of a folder's cases, for a person. One table comes first. Then comes each case that
 * did not pass by its name, with the reason, and with its list where it failed.
 */
import type { Kind } from "./kinds.ts"
import type { CaseResult, KindResult } from "./runCases.ts"

const outcomes = ["passed", "failed", "refused", "unknown"] as const

const titles: Readonly<Record<CaseResult["outcome"], string>> = {
  passed: "Passed",
  failed: "Failed",
  refused: "Refused on purpose",
  unknown: "Not known here, and not run"
}

const cellsOf = (name: string, cases: ReadonlyArray<CaseResult>): ReadonlyArray<string> => [
  name,
  String(cases.length),
  ...outcomes.map((one) => String(cases.filter(({ outcome }) => outcome === one).length))
]

const aligned = (lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = lines[0]!.map((_, at) => Math.max(...lines.map((cells) => cells[at]!.length)))
  return lines
    .map((cells) =>
      cells
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
        .join("  ")
    )
    .join("\n")
}

/** Says where a case stands, by the names of its kind and itself. */
type Where = (kind: string, id: string) => string

const listOf = (
  rows: ReadonlyArray<KindResult>,
  outcome: CaseResult["outcome"],
  where?: Where
): string => {
  const lines = rows.flatMap(({ cases, kind }) =>
    cases
      .filter((one) => one.outcome === outcome)
      .map(({ id, reason }) => {
        const place = where === undefined ? "" : ` (${where(kind.name, id)})`
        return `  ${kind.name}: ${id}: ${reason}${place}`
      })
  )
  return lines.length === 0 ? "" : `\n\n${titles[outcome]}:\n${lines.join("\n")}`
}

/** The table of a folder, without the kinds that are not there, which are named under it. */
export const tableOf = (
  rows: ReadonlyArray<KindResult>,
  absent: ReadonlyArray<Kind>,
  strangers: ReadonlyArray<string>,
  where: Where
): string => {
  const head = ["kind", "cases", "passed", "failed", "refused on purpose", "not known"]
  const all = rows.flatMap(({ cases }) => cases)
  const body = rows.map(({ cases, kind }) => cellsOf(kind.name, cases))
  const skipped = absent.map(({ name }) => `\nSkipped: ${name}, of which the folder has no cases.`)
  const unknown = strangers.map((name) => `\nSkipped: ${name}, a kind that is not known here.`)
  return [
    aligned([head, ...body, cellsOf("in all", all)]),
    listOf(rows, "failed", where),
    listOf(rows, "refused"),
    listOf(rows, "unknown"),
    ...(absent.length + strangers.length === 0 ? [] : ["\n", ...skipped, ...unknown])
  ].join("")
}
