/**
 * Holds the engine to a folder of other software's results. Any folder of the layout in
 * docs/oracles.md will do, whatever the names of its files and the number of its cases.
 *
 *   npm run oracles -- FOLDER [--write | --check]
 *
 * Without FOLDER it is that of CANDLEWICK_ORACLES. The cases are counted by the folder's own lists.
 * It ends with 0 where nothing failed, with 1 where a case did, and with 2 where FOLDER does not
 * have the layout. With --write, docs/oracles.md is written; with --check, it fails where the
 * totals there are others.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { type Kind, kinds } from "./oracles/kinds.ts"
import { missingIn, strangersIn } from "./oracles/missingIn.ts"
import { changedTotals, pageOf } from "./oracles/page.ts"
import { type KindResult, type Report, resultsOf, runFiles } from "./oracles/runCases.ts"
import { tableOf } from "./oracles/tableOf.ts"
import { whereIs } from "./oracles/whereIs.ts"
import { root } from "./tests/files.ts"

const pagePath = join(root, "docs/oracles.md")

interface Present {
  readonly kind: Kind
  readonly ids: ReadonlyArray<string>
}

/** The outcome of the cases as strategies of backtests. */
const simulatedOf = (report: Report, folder: string, present: ReadonlyArray<Present>) =>
  present.flatMap(({ ids, kind }): ReadonlyArray<KindResult> => {
    const { simulator } = kind
    if (simulator === undefined) return []
    const row = resultsOf(report, { ...kind, files: simulator.files }, ids)
    const cases = row.cases.map((one) => {
      const reason = one.outcome === "unknown" ? simulator.reasonOf(one.id, folder) : null
      return reason === null ? one : { ...one, outcome: "refused" as const, reason }
    })
    return [{ ...row, cases }]
  })

const run = (folder: string, options: { readonly write: boolean; readonly check: boolean }) => {
  const missing = missingIn(folder)
  if (missing.length > 0) {
    console.error(missing.map((sentence) => `${sentence}.`).join("\n"))
    return 2
  }
  const present = kinds
    .map((kind) => ({ kind, ids: kind.casesOf(folder) }))
    .filter(({ ids }) => ids.length > 0)
  const isForPage = options.write || options.check
  const files = present.flatMap(({ kind }) => [
    ...kind.files,
    ...(isForPage ? (kind.simulator?.files ?? []) : [])
  ])
  const report = runFiles(folder, files)
  const rows = present.map(({ ids, kind }) => resultsOf(report, kind, ids))
  const absent = kinds.filter((kind) => present.every((one) => one.kind !== kind))
  const where = (kind: string, id: string) => whereIs(folder, kind, id)
  console.log(tableOf(rows, absent, strangersIn(folder), where))
  const simulated = isForPage ? simulatedOf(report, folder, present) : []
  const cases = [...rows, ...simulated].flatMap((row) => row.cases)
  let isFailed = cases.some(({ outcome }) => outcome === "failed")
  if (cases.every(({ outcome }) => outcome === "refused" || outcome === "unknown")) {
    console.error("No case was run.")
    isFailed = true
  }
  if (isForPage) {
    const page = pageOf(rows, simulated)
    const changed = changedTotals(readFileSync(pagePath, "utf8"), page)
    if (options.write) writeFileSync(pagePath, page)
    else if (changed.length > 0) {
      console.error(`docs/oracles.md has other totals than these:\n${changed.join("\n")}`)
      isFailed = true
    }
  }
  return isFailed ? 1 : 0
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: "boolean", default: false },
    check: { type: "boolean", default: false }
  }
})
const [named = process.env["CANDLEWICK_ORACLES"] ?? ""] = positionals
if (named === "") {
  console.error("No folder is named: npm run oracles -- FOLDER, or CANDLEWICK_ORACLES=FOLDER.")
  process.exitCode = 2
} else {
  // A script of a package runs at its root, wherever it is called.
  process.exitCode = run(resolve(process.env["INIT_CWD"] ?? "", named), values)
}
