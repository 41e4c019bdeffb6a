/**
 * The real program in a process of its own.
 */
import { spawn } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { vi } from "vitest"

/** The file that the program begins with. */
export const script = fileURLToPath(new URL("../src/main/candlewick.ts", import.meta.url))

/** A test starts many processes one after another, and a busy machine starts each of them slowly. */
export const commandsLimitMs = 1_800_000
vi.setConfig({ testTimeout: commandsLimitMs, hookTimeout: commandsLimitMs })

/** The sample candles of the repository. */
export const sample = fileURLToPath(new URL("../../../samples/bitcoin_1d.csv", import.meta.url))

/** The output of a command, and its end. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A folder of its own. */
export const makeFolder = (): string => mkdtempSync(join(tmpdir(), "candlewick-cli-"))

/** The environment without what would name another server. */
const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(CANDLEWICK_|DATABASE_URL|PORT|HOST)/.test(name)
    )
  )

/** Runs a command to its end; `until` says when SIGINT is sent: once it has printed that, or then. */
export const run = (
  args: ReadonlyArray<string>,
  {
    cwd,
    environment = {},
    input = [],
    until,
    untilAnswered
  }: {
    readonly cwd: string
    readonly environment?: Readonly<Record<string, string>>
    readonly until?: RegExp | Promise<unknown>
    /** Lines that the command reads, until it has printed `untilAnswered`. */
    readonly input?: ReadonlyArray<string>
    readonly untilAnswered?: RegExp
  }
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...plainEnvironment(), CANDLEWICK_WORKERS: "1", ...environment }
    })
    let stdout = ""
    let stderr = ""
    const look = (): void => {
      if (until instanceof RegExp && until.test(stdout + stderr)) child.kill("SIGINT")
      if (untilAnswered?.test(stdout)) child.stdin.end()
    }
    for (const line of input) child.stdin.write(`${line}\n`)
    if (untilAnswered === undefined) child.stdin.end()
    if (until instanceof Promise) until.then(() => child.kill("SIGINT"), reject)
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString()
      look()
    })
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString()
      look()
    })
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })

/** Runs a command on a terminal of its own, and gives all that it drew there. */
export const runOnTerminal = (
  args: ReadonlyArray<string>,
  {
    cwd,
    environment
  }: { readonly cwd: string; readonly environment: Readonly<Record<string, string>> }
): Promise<string> =>
  new Promise((resolve, reject) => {
    const line = [process.execPath, script, ...args].map((one) => `'${one}'`).join(" ")
    const child = spawn("script", ["-qec", line, "/dev/null"], {
      cwd,
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...plainEnvironment(), CANDLEWICK_WORKERS: "1", ...environment }
    })
    let drawn = ""
    child.stdout.on("data", (chunk: Buffer) => (drawn += chunk.toString()))
    child.once("error", reject)
    child.once("close", () => resolve(drawn))
  })

/** A text with each id as its kind alone: `bt_…`. */
export const withoutIds = (text: string): string =>
  text.replace(/\b([a-z]+)_[0-9A-HJKMNP-TV-Z]{26}\b/g, "$1_…")
