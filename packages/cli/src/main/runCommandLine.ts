/**
 * A run of the command line, and the code with which its process exits.
 *
 * @since 0.1.0
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Fiber, Layer } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { readFileSync } from "node:fs"
import { exitCodes, reportFailure, type ExitCode } from "../terminal/failures.ts"
import { ProgressLine } from "../terminal/progress.ts"
import { Afterwards, command } from "./commands.ts"
import { connections } from "./connections.ts"

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8")
) as { readonly version: string }

const isTerminal = process.stderr.isTTY
const clearLine = "\r\u001B[K"
let isDrawn = false

const clear = Effect.sync(() => {
  if (isDrawn) process.stderr.write(clearLine)
  isDrawn = false
})

const progressLine = Layer.succeed(ProgressLine, {
  draw: (line) =>
    Effect.sync(() => {
      if (!isTerminal) return
      process.stderr.write(
        clearLine + line.slice(0, Math.max(20, (process.stderr.columns || 80) - 1))
      )
      isDrawn = true
    }),
  clear
})

/** Help goes to standard output. Faults of a command line go to standard error alone. */
const presenter = CliOutput.layerPresenter({
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const lines = event.errors.map((error) => error.message.trim())
    return Console.error([...lines, `See ${event.commandPath.join(" ")} --help.`].join("\n"))
  }
})

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") process.exit(exitCodes.done)
})

let afterwards: (() => void) | null = null
const afterwardsLayer = Layer.succeed(Afterwards, {
  run: (work) => {
    afterwards = work
  }
})

const isJson = process.argv.includes("--json")

const failureOf = (cause: Cause.Cause<unknown>): ExitCode => {
  if (Cause.hasInterruptsOnly(cause)) return exitCodes.refused
  const error = Cause.squash(cause)
  if (CliError.isCliError(error)) {
    // Help and its faults are printed already.
    const isAsked = error._tag === "ShowHelp" && error.errors.length === 0
    return isAsked ? exitCodes.done : exitCodes.wrongUse
  }
  const { exitCode, json, lines } = reportFailure(error)
  process.stderr.write(`${isJson ? JSON.stringify(json) : lines.join("\n")}\n`)
  return exitCode
}

const program = Command.run(command, { version }).pipe(
  Effect.provide([
    NodeServices.layer,
    connections,
    progressLine,
    presenter,
    afterwardsLayer,
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
  ])
)

/** Runs the arguments of this process as a command, and ends the process with it. */
export const runCommandLine = (): void => {
  const fiber = Effect.runFork(program)
  const giveUp = (): void => void Effect.runFork(Fiber.interrupt(fiber))
  process.once("SIGINT", giveUp)
  process.once("SIGTERM", giveUp)
  fiber.addObserver((exit) => {
    process.off("SIGINT", giveUp)
    process.off("SIGTERM", giveUp)
    process.exitCode = Exit.isSuccess(exit) ? exitCodes.done : failureOf(exit.cause)
    if (afterwards !== null) afterwards()
    // Connections that a client keeps open would hold the process for a while.
    else process.stdout.write("", () => process.exit())
  })
}
