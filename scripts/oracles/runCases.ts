/**
 * Runs the tests of some kinds on a folder, and says of each of its cases what became of it.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../tests/files.ts"
import type { Kind } from "./kinds.ts"

interface Assertion {
  readonly title: string
  readonly status: string
  readonly failureMessages?: ReadonlyArray<string> | null
  readonly meta: {
    readonly from?: number
    readonly except?: ReadonlyArray<number>
    readonly inPart?: string
    readonly refused?: string
    readonly unknown?: string
  }
}

export interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly message?: string
    readonly assertionResults: ReadonlyArray<Assertion>
  }>
}

/** The environment without what an outer test run says of itself. */
const environmentOf = (folder: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST$|NODE_ENV$)/.test(name))
  ),
  CANDLEWICK_ORACLES: folder
})

/** The report of the test files of a run on a folder. */
export const runFiles = (folder: string, files: ReadonlyArray<string>): Report => {
  const output = join(tmpdir(), `candlewick-oracles-${process.pid}.json`)
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const reporters = ["--reporter=json", `--outputFile=${output}`]
  const { stderr, stdout } = spawnSync(
    process.execPath,
    [vitest, "run", "--project=oracle", ...reporters, ...new Set(files)],
    { cwd: root, encoding: "utf8", env: environmentOf(folder), maxBuffer: 2 ** 28 }
  )
  // Failures are in the report.
  if (!existsSync(output)) throw new Error(`The tests did not run:\n${stdout}\n${stderr}`)
  try {
    return JSON.parse(readFileSync(output, "utf8")) as Report
  } finally {
    rmSync(output, { force: true })
  }
}

/** The outcome of a case, and why where it did not pass. */
export interface CaseResult {
  readonly id: string
  readonly outcome: "passed" | "failed" | "refused" | "unknown"
  readonly reason: string
  /** The compared part of it, where not all was. */
  readonly part: string | null
}

/** Cases of a kind with what became of them. */
export interface KindResult {
  readonly kind: Pick<Kind, "name" | "title" | "source" | "files">
  readonly cases: ReadonlyArray<CaseResult>
}

const spaced = (text: string): string => ` ${text} `.replaceAll(/[:,] /g, " ")

/** Whether a title names a case, and not only one whose name begins or ends alike. */
const names = (title: string, id: string): boolean => spaced(title).includes(spaced(id))

const partOf = ({ meta }: Assertion): string | null => {
  if (meta.inPart === undefined) return null
  const rows = meta.from === undefined ? "" : `from row ${meta.from} on; `
  const except =
    meta.except === undefined
      ? ""
      : `without ${meta.except.length === 1 ? "row" : "rows"} ${meta.except.join(" and ")}; `
  return `${rows}${except}${meta.inPart}`
}

const resultOf = (id: string, tests: ReadonlyArray<Assertion>, broken: string): CaseResult => {
  const part = tests.map(partOf).find((one) => one !== null) ?? null
  const failed = tests.find(({ status }) => status === "failed")
  if (failed !== undefined) {
    const [first = ""] = failed.failureMessages?.[0]?.split("\n") ?? []
    return { id, outcome: "failed", reason: first, part }
  }
  if (tests.some(({ status }) => status === "passed")) {
    return { id, outcome: "passed", reason: "", part }
  }
  if (broken !== "") return { id, outcome: "failed", reason: broken, part }
  const told = tests.map(({ meta }) => meta)
  const refused = told.find((meta) => meta.refused !== undefined)?.refused
  if (refused !== undefined) return { id, outcome: "refused", reason: refused, part }
  const unknown = told.find((meta) => meta.unknown !== undefined)?.unknown
  return { id, outcome: "unknown", reason: unknown ?? "no test here runs it", part }
}

/** The part of a report on the cases of a kind. */
export const resultsOf = (
  report: Report,
  kind: KindResult["kind"],
  ids: ReadonlyArray<string>
): KindResult => {
  const files = report.testResults.filter(({ name }) =>
    kind.files.some((file) => name.endsWith(file))
  )
  const tests = files.flatMap(({ assertionResults }) => assertionResults)
  // A file that can't be loaded has no tests, and says why.
  const broken = files
    .filter(({ assertionResults }) => assertionResults.length === 0)
    .map(({ message = "" }) => message.split("\n")[0])
    .join("; ")
  const cases = ids.map((id) =>
    resultOf(
      id,
      tests.filter(({ title }) => names(title, id)),
      broken
    )
  )
  return { kind, cases }
}
