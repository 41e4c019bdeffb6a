/**
 * A bot whose fibre fails again and again, as its status, log, metrics and alerts have it.
 *
 * - Failing: the status and the metrics report the reason from the first failure on.
 * - Told: the bot failed for ten seconds, and its log and an alert say so.
 * - Well: the fibre has done the work that failed, and what was told is taken back. A source of
 *   candles is well once a candle has come, or its stream has stayed open: candles may be rare.
 *
 * Where the store fails for the whole process, a bot writes nothing: the store could not keep it.
 * The next step of the bot says afterwards that it has waited.
 *
 * It never ends a fibre, and writes nothing for a failure that passes.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Exit, Option, Stream } from "effect"
import { fromTimestamp, toTimestamp } from "@candlewick/engine"
import type { Hindrance } from "../../domain/Hindrance.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { atCandle } from "./atCandle.ts"
import type { RunnerError } from "./botFailure.ts"
import { type BotPorts, log } from "./botPorts.ts"
import { readSnapshot } from "./botSession.ts"
import { fireHindranceAlerts } from "./fireAlerts.ts"

/** How long a bot fails until its log says so. */
const toldAfterMs = 10_000

/** The work of a fibre; the source of its candles keeps a stream open. */
export type BotWork = "opening" | "candles" | "other" | "stream"

/** The work by which the source of candles is seen to be well. */
const ofSource: ReadonlyArray<BotWork> = ["candles", "stream"]

/** How long a stream has to stay open at least until it is well. */
const steadyMinMs = 10_000

/** A stream that has stayed open for so long was well, also where no candle came. */
const steadyMaxMs = 60_000

/** How long a stream has to stay open after another one, which failed after some time. */
const steadyAfterMs = (lastedMs: number): number =>
  lastedMs < steadyMaxMs ? Math.max(steadyMinMs, 2 * lastedMs) : steadyMinMs

/** The failures of one fibre. */
export interface FailingBot {
  /** Notes the work that the fibre begins. */
  readonly begin: (work: BotWork) => void
  /** Notes a failure after which the fibre tries again, and when the work began, where known. */
  readonly note: (error: RunnerError, sinceMs: number | null) => Effect.Effect<void>
  /** Notes that the fibre has done some work. */
  readonly done: (work: BotWork) => Effect.Effect<void>
  /** Whether the source of candles fails, and that work does not show that it is well again. */
  readonly lacksSource: (work: BotWork) => boolean
  /**
   * Follows the stream of candles that is being opened. It emits once the stream has been open for
   * longer than the last one took to fail, and nothing where none has failed.
   */
  readonly steadying: Stream.Stream<void>
}

/** The kind and the words of a failure; null for one that is no hindrance. */
const reasonOf = (error: RunnerError): Pick<Hindrance, "kind" | "message"> | null => {
  if (error._tag === "StoreError" && error.reason._tag === "StoreUnavailable") {
    return { kind: "slow_store", message: `the store did not keep its step: ${error.reason.cause}` }
  }
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
      const { hasHindranceAlert, hindrances = [] } = state === null ? {} : readSnapshot(state)
      // Its steps have told of the same, and take it back.
      if (isOver && hindrances.some((one) => one.kind === kind)) return
      const place = { ...atCandle({ cursor: state?.cursor ?? null }), is_between: true }
      yield* log(ports, botId, level, event, text, { kind, since, ...place })
      const now = isOver ? [] : [{ kind, message, since }]
      yield* fireHindranceAlerts(ports, bot, { hindrances: now, hasHindranceAlert }, now)
    })
  )

/** Follows the failures of one fibre. */
export const makeFailingBot = (ports: BotPorts, accountId: string, botId: string): FailingBot => {
  const { hindered } = ports
  let told: Hindrance | null = null
  let now: BotWork = "opening"
  let failed: BotWork | null = null
  /** When the stream was opened; null once a candle of it shows that it is well. */
  let openedMs: number | null = null
  let lastedMs = 0
  // A bot can be opened and woken again and again, though no candle comes or no step is kept.
  const isMendedBy = (work: BotWork): boolean => {
    if (failed === "candles") return work === failed
    return failed === "stream" ? ofSource.includes(work) : failed !== null
  }
  const end = Effect.suspend(() => {
    const over = told
    told = null
    failed = null
    lastedMs = 0
    const hide = hindered.showFailure(botId, null)
    if (over === null) return hide
    hindered.takeWait(botId)
    return Effect.andThen(hide, Effect.ignoreCause(tell(ports, accountId, botId, over, true)))
  })
  return {
    begin: (work) => void (now = work),
    note: Effect.fnUntraced(function* (error, sinceMs): Effect.fn.Return<void> {
      const reason = reasonOf(error)
      if (reason === null) return
      const nowMs = yield* Clock.currentTimeMillis
      failed = error._tag === "MarketDataError" ? "stream" : now
      if (openedMs !== null) lastedMs = nowMs - openedMs
      openedMs = null
      const since = hindered.failureOf(botId)?.since ?? toTimestamp(sinceMs ?? nowMs)
      const failure = { ...reason, since }
      yield* hindered.showFailure(botId, failure)
      const failedMs = nowMs - fromTimestamp(since)
      if (told !== null || failedMs < toldAfterMs) return
      if (reason.kind === "slow_store" && (yield* ports.hindranceOfHost) !== null) {
        return hindered.noteWait(botId, failure)
      }
      const telling = yield* Effect.exit(tell(ports, accountId, botId, failure, false))
      if (Exit.isSuccess(telling)) told = failure
      else hindered.noteWait(botId, failure)
    }),
    done: (work) => {
      if (work === "candles") openedMs = null
      return isMendedBy(work) ? end : Effect.void
    },
    lacksSource: (work) => failed === "stream" && !isMendedBy(work),
    steadying: Stream.unwrap(
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        openedMs = nowMs
        return failed === "stream"
          ? Stream.fromEffect(Effect.sleep(steadyAfterMs(lastedMs)))
          : Stream.empty
      })
    )
  }
}
