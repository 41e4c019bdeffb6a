/**
 * Strategies as files: the definition alone, or with a name and a tolerance of risk beside it.
 *
 * @since 0.1.0
 */
import { decodeStrategy, type StrategyDefinition } from "@candlewick/engine"
import { Effect, Result } from "effect"
import { basename } from "node:path"
import { refused } from "../terminal/failures.ts"
import { jsonOf } from "./options.ts"

/** A strategy of a file. @category models @since 0.1.0 */
export interface StrategyFile {
  readonly name: string
  readonly definition: StrategyDefinition
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether an argument names a file, and no strategy that is kept. @category conversions */
export const isFile = (argument: string): boolean => !/^str_\w+$/.test(argument)

/**
 * Reads and checks a strategy; all of its faults are reported. @category conversions @since 0.1.0
 */
export const readStrategy = Effect.fnUntraced(function* (path: string) {
  const content = yield* jsonOf(path)
  const isNamed = isRecord(content) && "definition" in content
  const name = isNamed && typeof content["name"] === "string" ? content["name"] : null
  const decoded = decodeStrategy(isNamed ? content["definition"] : content)
  if (Result.isFailure(decoded)) {
    const lines = decoded.failure.map(({ message, pointer }) => `  ${pointer || "/"}: ${message}`)
    return yield* refused([`${path} is no strategy that can run:`, ...lines].join("\n"))
  }
  const found: StrategyFile = {
    name: name ?? basename(path).replace(/\.json$/, ""),
    definition: decoded.success
  }
  return found
})
