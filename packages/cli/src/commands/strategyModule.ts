/**
 * Strategies in code, as modules of JavaScript or TypeScript.
 *
 * @since 0.1.0
 */
import type { CodedStrategy } from "@candlewick/engine"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { refused, wrongUse } from "../terminal/failures.ts"
import { pathOf } from "./paths.ts"

/** Whether an argument names a module. @category conversions @since 0.1.0 */
export const isModule = (argument: string): boolean => /\.[cm]?[jt]s$/.test(argument)

const isCoded = (value: unknown): value is CodedStrategy =>
  typeof value === "object" && value !== null && "rules" in value && "definition" in value

/**
 * The strategy that a module exports as its default. The module runs in this process.
 *
 * @category conversions
 * @since 0.1.0
 */
export const loadStrategy = Effect.fnUntraced(function* (path: string) {
  const file = pathOf(path)
  if (!existsSync(file)) return yield* wrongUse(`The file ${path} does not exist.`)
  const loaded = yield* Effect.tryPromise({
    try: () => import(pathToFileURL(file).href) as Promise<{ readonly default?: unknown }>,
    catch: (error) => refused(`${path} can't be loaded: ${(error as Error).message}`)
  })
  const { default: found } = loaded
  return isCoded(found)
    ? found
    : yield* refused(`${path} exports no strategy of \`define\` as its default.`)
})
