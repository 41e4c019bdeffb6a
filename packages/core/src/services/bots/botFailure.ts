/**
 * The failures of a bot's fibre, whether a new try may help, and their words in its record.
 *
 * @since 0.1.0
 */
import { wordsOfCodeError } from "@candlewick/engine"
import { Cause, Effect, Option } from "effect"
import { BotMachine } from "../../domain/BotMachine.ts"
import type { BooksError } from "../../domain/BooksError.ts"
import type { MarketDataError } from "../../domain/MarketDataError.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { nowTimestamp } from "../events/announce.ts"
import { type BotPorts, log } from "./botPorts.ts"
import { fireErrorAlerts } from "./fireAlerts.ts"
import { isConflict, untilKept } from "../untilKept.ts"

/** The failures of a runner. */
export type RunnerError = Problem | StoreError | BooksError | MarketDataError

const describeError = (error: RunnerError): { readonly code: string; readonly message: string } => {
  switch (error._tag) {
    case "Problem":
      return { code: error.code, message: error.detail }
    case "StoreError":
      return {
        code: "store",
        // The database's own words are for the log.
        message: error.isContentRefused
          ? "the store refuses the bot's records"
          : error.isDamage
            ? "the store's records of the bot are damaged"
            : error.message
      }
    case "BooksError":
      return { code: "broker", message: error.reason._tag }
    case "MarketDataError":
      return { code: "market_data", message: error.reason._tag }
  }
}

/**
 * The failure of a broker or a source of candles as a refusal that callers know, and the deletion
 * of a bot under a change.
 */
export const refusing = <A>(
  effect: Effect.Effect<A, RunnerError>
): Effect.Effect<A, Problem | StoreError> =>
  Effect.catchTags(effect, {
    BooksError: (error) =>
      Effect.fail(problem("unavailable", `The broker can't do this now: ${error.reason._tag}.`)),
    MarketDataError: (error) =>
      Effect.fail(problem("no_market_data", `The bot's market has no data: ${error.reason._tag}.`))
  }).pipe(
    Effect.catchReasons("StoreError", {
      NotFound: ({ entity, id }) =>
        Effect.fail(problem("not_found", `The ${entity} ${id} does not exist.`))
    })
  )

/** Whether another try from the kept state may help. */
export const isRetryable = (error: RunnerError): boolean =>
  error._tag !== "Problem" && (error.isRetryable || isConflict(error))

/** For how long a bot waits after so many failures, in milliseconds. */
export const retryWaitMs = (failureCount: number): number =>
  Math.min(10_000, 100 * 2 ** failureCount)

/**
 * Reports that a bot tries again. As a share moves, many of its bots find that their last owner was
 * quicker: that is worth no line of the log.
 */
export const reportRetry = (
  botId: string,
  error: RunnerError,
  { failureCount, waitMs }: { readonly failureCount: number; readonly waitMs: number }
): Effect.Effect<void> => {
  const message = `bot ${botId} tries again in ${waitMs} ms`
  return failureCount === 1 && isConflict(error)
    ? Effect.logDebug(message)
    : Effect.logWarning(message, error)
}

/** The words about a defect: those of the strategy's code, if it has failed, and no others. */
const describeDefect = (
  cause: Cause.Cause<RunnerError>
): { readonly code: string; readonly message: string } => {
  const defects = cause.reasons.filter(Cause.isDieReason).map(({ defect }) => defect)
  const words = defects.map(wordsOfCodeError).find((found) => found !== null)
  return words === undefined
    ? { code: "internal", message: "an unexpected error" }
    : { code: "strategy_code", message: words }
}

/** Tells the log why a bot can't go on. Code may throw an error that can't be read. */
const reportDeath = (
  botId: string,
  cause: Cause.Cause<RunnerError>,
  error: RunnerError | null
): Effect.Effect<void> =>
  error === null
    ? Effect.catchCause(Effect.logError(`bot ${botId} died`, cause), () =>
        Effect.logError(`bot ${botId} died of an error that can't be read`)
      )
    : Effect.logWarning(`bot ${botId} can't go on`, error)

/**
 * Says in the bot's record why it can't go on, unless `isOwned` says that another process has it.
 */
export const failBot = Effect.fnUntraced(function* (
  ports: BotPorts,
  accountId: string,
  botId: string,
  isOwned: Effect.Effect<boolean, StoreError>,
  cause: Cause.Cause<RunnerError>
): Effect.fn.Return<void, StoreError> {
  const error = Option.getOrNull(Cause.findErrorOption(cause))
  yield* reportDeath(botId, cause, error)
  const { code, message } = error === null ? describeDefect(cause) : describeError(error)
  const put = ports.transactor.transact(
    Effect.gen(function* () {
      const bot = Option.getOrNull(yield* ports.bots.hold(accountId, botId))
      // Each step of the bot takes this lock first, so that the answer holds until the end.
      if (bot === null || !(yield* isOwned)) return
      const at = yield* nowTimestamp
      const isRetried = error !== null && isRetryable(error)
      yield* ports.bots.update({
        ...bot,
        // A bot that came to rest before its fibre failed stays at rest, and its error is reported.
        status: Option.getOrElse(
          StateTable.moveIfLegal(BotMachine, bot.status, "failed"),
          () => bot.status
        ),
        error: { code, message, at, retryable: isRetried },
        updated_at: at
      })
      yield* log(ports, botId, "error", "bot.error", message, { code })
      yield* fireErrorAlerts(ports, bot)
    })
  )
  yield* untilKept(put)
})
