/**
 * The checks that need no test runner: types, lint, format, dead code, generated files and kernels.
 *
 * A check that passed is not repeated while the files that it reads stay the same.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cacheFolder, digestOf, repositoryFiles } from "./files.ts"
import { type Ended, runCommand } from "./runCommand.ts"
import type { CheckName } from "./tiers.ts"

/** A check, and which files decide its outcome. */
interface Check {
  readonly name: CheckName
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly environment?: Readonly<Record<string, string>>
  /** Without it the check keeps a record of its own, and always runs. */
  readonly reads?: (path: string) => boolean
}

const isCode = (path: string): boolean => /\.[cm]?[jt]s$/.test(path)
const isSetting = (path: string): boolean =>
  /(?:^|\/)(?:package|tsconfig[\w.]*|knip|\.oxlintrc|\.oxfmtrc)\.json$/.test(path) ||
  path.startsWith("pnpm-")
const isTest = (path: string): boolean => /(?:^|\/)(?:test|bench)\//.test(path)

/** The sources of WebAssembly, what is built of them, and the builder. */
export const isKernel = (path: string): boolean =>
  /\/(?:kernels|vectors|assembly|match)\//.test(path) || path === "scripts/kernels.ts"

const checks: ReadonlyArray<Check> = [
  { name: "types", command: ["node", "scripts/types.ts"] },
  {
    name: "lint",
    command: ["oxlint", "--deny-warnings"],
    reads: (path) => isCode(path) || isSetting(path)
  },
  {
    name: "lint by types",
    command: ["oxlint", "--type-aware", "--deny-warnings"],
    // Threads of the linter resolve the same types again, and tests have the other processors.
    environment: { GOMAXPROCS: "1" },
    reads: (path) => isCode(path) || isSetting(path)
  },
  { name: "format", command: ["oxfmt", "--check", "."], reads: () => true },
  {
    name: "dead code",
    command: ["knip"],
    reads: (path) => isCode(path) || isSetting(path)
  },
  {
    name: "generated files",
    command: ["node", "scripts/generate.ts", "--check"],
    reads: (path) => !isTest(path)
  },
  {
    name: "kernels",
    command: ["node", "scripts/kernels.ts", "--check"],
    reads: (path) => isKernel(path) || path.startsWith("pnpm-")
  }
]

/** The outcome of a check. */
export interface CheckOutcome extends Pick<Ended, "isSuccess" | "output" | "seconds"> {
  readonly name: string
  readonly isRemembered?: boolean
}

type Passed = Readonly<Record<string, string>>

const recordPath = join(cacheFolder, "checks.json")

const readRecord = (): Passed => {
  try {
    return JSON.parse(readFileSync(recordPath, "utf8")) as Passed
  } catch {
    return {}
  }
}

const remember = (name: string, digest: string): void => {
  mkdirSync(cacheFolder, { recursive: true })
  writeFileSync(recordPath, JSON.stringify({ ...readRecord(), [name]: digest }))
}

const runCheck = async (
  { command, environment = {}, name, reads }: Check,
  files: ReadonlyArray<string>
): Promise<CheckOutcome> => {
  const digest = reads === undefined ? null : `${process.version} ${digestOf(files.filter(reads))}`
  if (digest !== null && readRecord()[name] === digest) {
    return { name, isSuccess: true, output: "", seconds: 0, isRemembered: true }
  }
  const ended = await runCommand(command, { environment })
  if (digest !== null && ended.isSuccess) remember(name, digest)
  return { ...ended, name }
}

/** The names of all checks. */
export const checkNames: ReadonlyArray<CheckName> = checks.map(({ name }) => name)

/** Runs checks one after another, so that tests beside them keep a processor. */
export const runChecks = async (
  names: ReadonlyArray<CheckName> = checkNames
): Promise<ReadonlyArray<CheckOutcome>> => {
  if (names.length === 0) return []
  const files = repositoryFiles()
  const outcomes: Array<CheckOutcome> = []
  for (const check of checks) {
    if (names.includes(check.name)) outcomes.push(await runCheck(check, files))
  }
  return outcomes
}

/** Says what came of checks, with all that the failed ones printed. */
export const reportChecks = (outcomes: ReadonlyArray<CheckOutcome>): void => {
  for (const { isSuccess, name, output } of outcomes) {
    if (!isSuccess) console.log(`\n${name} failed:\n${output.trimEnd()}`)
  }
  const words = outcomes.map(({ isRemembered, isSuccess, name, seconds }) => {
    if (!isSuccess) return `${name} FAILED`
    return isRemembered === true ? `${name} (unchanged)` : `${name} ${seconds.toFixed(0)} s`
  })
  console.log(`\nChecks: ${words.join(", ")}`)
}
