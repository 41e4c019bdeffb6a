/**
 * Carries out the steps of the Dockerfile in a temporary folder, and waits until the server that
 * they end with is healthy. It needs no Docker, and shows that what the image has is enough.
 *
 *   npm run image:check
 */
import { execFileSync, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, matchesGlob } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "./examples.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const healthyWithinMs = 120_000

/** A line of a Dockerfile: what it asks for, and with what. */
export interface Step {
  readonly instruction: string
  readonly rest: string
}

/** The steps of a Dockerfile of one line each. */
export const stepsOf = (text: string): ReadonlyArray<Step> =>
  text
    .split("\n")
    .filter((line) => /^[A-Z]+ /.test(line))
    .map((line) => ({
      instruction: line.slice(0, line.indexOf(" ")),
      rest: line.slice(line.indexOf(" ") + 1).trim()
    }))

/** The files that a build gets: those that a line with `!` takes back from the ignored rest. */
export const contextOf = (ignore: string, files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = ignore
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1))
  return files.filter((file) =>
    taken.some((pattern) => matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`))
  )
}

const run = (command: string, cwd: string, env: NodeJS.ProcessEnv): void => {
  execFileSync("sh", ["-c", command], { cwd, env, stdio: ["ignore", "ignore", "inherit"] })
}

/** Waits until a command ends with 0. */
const waitFor = async (command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const untilMs = Date.now() + healthyWithinMs
  for (;;) {
    try {
      run(command, cwd, env)
      return
    } catch (error) {
      if (Date.now() > untilMs) throw error
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
}

const main = async (): Promise<void> => {
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  const steps = stepsOf(read("Dockerfile"))
  const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n")
  const folder = mkdtempSync(join(tmpdir(), "candlewick-image-"))
  const [app, data] = [join(folder, "candlewick"), join(folder, "data")]
  mkdirSync(data)
  try {
    for (const file of contextOf(read(".dockerignore"), files)) {
      cpSync(join(root, file), join(app, file))
    }
    const env: NodeJS.ProcessEnv = { ...process.env, PORT: String(await freePort()) }
    for (const { instruction, rest } of steps) {
      if (instruction === "RUN" && !rest.startsWith("mkdir /data")) run(rest, app, env)
      if (instruction === "ENV") {
        const [name = "", value = ""] = rest.split("=")
        env[name] = value.replace(/^\/data/, data)
      }
    }
    const health = steps.find(({ instruction }) => instruction === "HEALTHCHECK")!.rest
    const [program, ...args] = JSON.parse(
      steps.find(({ instruction }) => instruction === "CMD")!.rest
    ) as [string, ...Array<string>]
    const server = spawn(program, args, { cwd: app, env, stdio: ["ignore", "ignore", "inherit"] })
    const ended = new Promise<number | null>((resolve) => server.once("exit", resolve))
    try {
      await waitFor(health.slice(health.indexOf("CMD ") + 4), app, env)
    } finally {
      server.kill("SIGTERM")
    }
    const code = await ended
    if (code !== 0) throw new Error(`the server ended with ${code}`)
    console.log("ok    the steps of the Dockerfile end with a healthy server")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
