/**
 * The arguments of `npm run simulate`, and the commands that run a failure again.
 */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { drawHistory, type History, seedOf, tellHistory } from "./history.ts"
import { type Failure, type Run, shrink } from "./shrink.ts"

/** The arguments of a command. */
export const readArguments = (args: ReadonlyArray<string>) =>
  parseArgs({
    args: [...args],
    options: {
      seed: { type: "string" },
      history: { type: "string" },
      bug: { type: "string" },
      live: { type: "boolean", default: false },
      count: { type: "string", default: "1000" },
      from: { type: "string", default: "0" },
      seconds: { type: "string" },
      threads: { type: "string", default: String(availableParallelism()) }
    }
  }).values

/** The one history that arguments ask for; null where they ask for many. */
export const historyAsked = ({
  history,
  seed
}: Pick<ReturnType<typeof readArguments>, "history" | "seed">): History | null => {
  if (history !== undefined) return JSON.parse(history) as History
  return seed === undefined ? null : drawHistory(seed)
}

/** A failure made short, in words, with a command for its seed and one for the short history. */
export const tellFailure = (failure: Failure, run?: Run): string => {
  const { history, violation } = shrink(failure, run)
  return [
    `\n${tellHistory(history)}\n\n${violation}\n`,
    `npm run simulate -- --seed ${JSON.stringify(seedOf(failure.history))}`,
    `npm run simulate -- --history '${JSON.stringify(history)}'`
  ].join("\n")
}
