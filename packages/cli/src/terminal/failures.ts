/**
 * How a command fails: the code that the process ends with, and the lines that say why.
 *
 * @since 0.1.0
 */
import { toFaults } from "@candlewick/engine"
import { ApiProblem } from "@candlewick/http/api"
import { Data, Schema } from "effect"
import { HttpClientError } from "effect/http"

/** The codes that a process ends with. @category tables @since 0.1.0 */
export const exitCodes = { done: 0, refused: 1, wrongUse: 2, unreachable: 3 } as const

/** A code that a process ends with. @category models @since 0.1.0 */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A command that ends with a reason. @category errors @since 0.1.0 */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly exitCode: ExitCode
  readonly message: string
}> {}

/** The command can't be understood as it was given. @category errors @since 0.1.0 */
export const wrongUse = (message: string): CommandFailed =>
  new CommandFailed({ exitCode: exitCodes.wrongUse, message })

/** The command was understood, and did not succeed. @category errors @since 0.1.0 */
export const refused = (message: string): CommandFailed =>
  new CommandFailed({ exitCode: exitCodes.refused, message })

/** The server or the store can't be reached. @category errors @since 0.1.0 */
export const unreachable = (message: string): CommandFailed =>
  new CommandFailed({ exitCode: exitCodes.unreachable, message })

/** A failure as it is reported. @category models @since 0.1.0 */
export interface FailureReport {
  readonly exitCode: ExitCode
  readonly lines: ReadonlyArray<string>
  /** The failure as `--json` prints it to standard error. */
  readonly json: Schema.Json
}

const failureOf = (exitCode: ExitCode, lines: ReadonlyArray<string>): FailureReport => ({
  exitCode,
  lines,
  json: { exit_code: exitCode, message: lines.join("\n") }
})

const ofProblem = (problem: ApiProblem): FailureReport => {
  const faults = problem.errors.map(({ message, pointer }) =>
    pointer === "" ? `  ${message}` : `  ${pointer.replace(/^#?\//, "")}: ${message}`
  )
  const { allowed, code, current_state: state, detail, errors, request_id, status } = problem
  return {
    exitCode: exitCodes.refused,
    lines: [
      `Refused (${code}): ${detail}`,
      ...faults,
      ...(state === undefined ? [] : [`  state: ${state}`]),
      ...(allowed === undefined ? [] : [`  allowed: ${allowed.join(", ")}`])
    ],
    json: {
      exit_code: exitCodes.refused,
      problem: { code, status, detail, request_id, errors: errors.map((one) => ({ ...one })) }
    }
  }
}

const ofRequest = ({ message, reason }: HttpClientError.HttpClientError): FailureReport =>
  reason._tag === "TransportError"
    ? failureOf(exitCodes.unreachable, [`Can't reach ${new URL(reason.request.url).origin}.`])
    : failureOf(exitCodes.refused, [`The answer can't be read: ${message}`])

/** The text of a failure, and the exit code of the process. @category conversions @since 0.1.0 */
export const reportFailure = (error: unknown): FailureReport => {
  if (error instanceof CommandFailed) return failureOf(error.exitCode, [error.message])
  if (error instanceof ApiProblem) return ofProblem(error)
  if (HttpClientError.isHttpClientError(error)) return ofRequest(error)
  if (Schema.isSchemaError(error)) {
    const lines = toFaults(error.issue).map(({ message, pointer }) =>
      pointer === "" ? message : `${pointer.slice(1)}: ${message}`
    )
    return failureOf(exitCodes.wrongUse, lines)
  }
  return failureOf(exitCodes.refused, [error instanceof Error ? error.message : String(error)])
}
