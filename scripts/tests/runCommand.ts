/**
 * Runs a command of the workspace, and keeps what it prints or shows it.
 */
import { spawn } from "node:child_process"
import { delimiter, join } from "node:path"
import { root } from "./files.ts"

/** How a command ended. */
export interface Ended {
  readonly isSuccess: boolean
  /** The output, where it was kept. */
  readonly output: string
  readonly seconds: number
}

/** A variable that a tier sets to nothing is not there: tests ask whether it is. */
const withoutEmpty = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""))

/** Runs a command with the workspace's own programs first; shown commands print as they go. */
export const runCommand = (
  command: readonly [string, ...ReadonlyArray<string>],
  options: {
    readonly isShown?: boolean
    readonly environment?: Readonly<Record<string, string>>
  } = {}
): Promise<Ended> => {
  const [program, ...args] = command
  const bin = join(root, "node_modules", ".bin")
  const child = spawn(program, args, {
    cwd: root,
    stdio: options.isShown === true ? "inherit" : ["ignore", "pipe", "pipe"],
    env: withoutEmpty({
      ...process.env,
      ...options.environment,
      PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`
    })
  })
  const begun = performance.now()
  let output = ""
  const keep = (bytes: Buffer) => (output += String(bytes))
  child.stdout?.on("data", keep)
  child.stderr?.on("data", keep)
  return new Promise((resolve) => {
    const end = (isSuccess: boolean) =>
      resolve({ isSuccess, output, seconds: (performance.now() - begun) / 1_000 })
    child.once("error", (error) => {
      output += String(error)
      end(false)
    })
    child.once("close", (code) => end(code === 0))
  })
}
