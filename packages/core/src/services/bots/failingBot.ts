/**
 * A bot whose fibre fails again and again, as its status, log, metrics and alerts have it.
 *
 * - Failing: the status and the metrics report the reason from the first failure on.
 * - Told: the bot failed for ten seconds, and its log and an alert say so.
 * - Well: the fibre has opened the bot, and what was told is taken back.
 *
 * It never ends a fibre, and writes nothing for a failure that passes.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Option } from "effect"
import { toTimestamp } from "@candlewick/engine"
import type { Hindrance } from "../../domain/Hindrance.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { atCandle } from "./atCandle.ts"
import type { RunnerError } from "./botFailure.ts"
import { type BotPorts, log } from "./botPorts.ts"
import { readSnapshot } from "./botSession.ts"
import { fireHindranceAlerts } from "./fireAlerts.ts"

/** How long a bot fails until its log says so. */
const toldAfterMs = 10_000

/** The failures of one fibre. */
export interface FailingBot {
  /** Notes a failure after which the fibre tries again. */
  readonly note: (error: RunnerError) => Effect.Effect<void>
  /** Notes that the fibre has opened the bot. */
  readonly end: Effect.Effect<void>
}

/** The kind and the words of a failure; null for one that the process reports for all its bots. */
const reasonOf = (error: RunnerError): Pick<Hindrance, "kind" | "message"> | null => {
  if (error._tag === "BooksError" && error.reason._tag === "BooksUnavailable") {
    return { kind: "venue", message: error.reason.cause }
  }
  if (error._tag === "MarketDataError" && error.reason._tag === "SourceUnavailable") {
    return { kind: "stale_data", message: error.reason.cause }
  }
  return null
}

/** Writes that a bot fails, or that it does so no more. */
const tell = (
  ports: BotPorts,
  accountId: string,
  botId: string,
  { kind, message, since }: Hindrance,
  isOver: boolean
): Effect.Effect<void, StoreError> =>
  ports.transactor.transact(
    Effect.gen(function* () {
      const bot = Option.getOrNull(yield* ports.bots.hold(accountId, botId))
      if (bot === null) return
      const [level, event, text] = isOver
        ? (["info", "bot.unhindered", `no longer kept from acting because ${message}`] as const)
        : (["warn", "bot.hindered", `kept from acting: ${message}`] as const)
      const state = Option.getOrNull(yield* ports.botStates.get(botId))
      const place = { ...atCandle({ cursor: state?.cursor ?? null }), is_between: true }
      yield* log(ports, botId, level, event, text, { kind, since, ...place })
      const now = isOver ? [] : [{ kind, message, since }]
      const hasHindranceAlert = state === null ? undefined : readSnapshot(state).hasHindranceAlert
      yield* fireHindranceAlerts(ports, bot, { hindrances: now, hasHindranceAlert }, now)
    })
  )

/** Follows the failures of one fibre. */
export const makeFailingBot = (ports: BotPorts, accountId: string, botId: string): FailingBot => {
  const { hindered } = ports
  let told: Hindrance | null = null
  return {
    note: Effect.fnUntraced(function* (error): Effect.fn.Return<void> {
      const reason = reasonOf(error)
      if (reason === null) return
      const nowMs = yield* Clock.currentTimeMillis
      const since = hindered.failureOf(botId)?.since ?? toTimestamp(nowMs)
      const failure = { ...reason, since }
      yield* hindered.showFailure(botId, failure)
      if (told !== null || nowMs - Date.parse(since) < toldAfterMs) return
      yield* Effect.ignoreCause(tell(ports, accountId, botId, failure, false))
      told = failure
    }),
    end: Effect.suspend(() => {
      const over = told
      told = null
      const hide =
        hindered.failureOf(botId) === null ? Effect.void : hindered.showFailure(botId, null)
      if (over === null) return hide
      return Effect.andThen(hide, Effect.ignoreCause(tell(ports, accountId, botId, over, true)))
    })
  }
}
