/**
 * Carries replays out: every process takes a page of each in turn, for as long as its scope lives.
 *
 * @since 0.1.0
 */
import { type Cause, Clock, Effect, Exit, Queue, type Scope } from "effect"
import { firstIdAt } from "../../domain/Identifier.ts"
import { Limits } from "../../domain/Limits.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { dayMs } from "@candlewick/engine/kernel"
import { isConflict } from "../untilKept.ts"
import { replayPage } from "./replayDeliveries.ts"
import type { WebhookPorts } from "./views.ts"

/** How soon a replay of an ended process is taken up. */
const idle = "30 seconds"
const removalLimit = 1_000

/**
 * Looks through a page of every running replay. A replay that can't be read stops no other. Fails
 * where none can: then it is likely to be the store.
 */
const onePageOfEach = Effect.fnUntraced(function* (
  ports: WebhookPorts,
  failing: Set<string>
): Effect.fn.Return<boolean, StoreError> {
  const running = yield* ports.replays.listRunning
  let lookedCount = 0
  let fault: Cause.Cause<StoreError> | null = null
  for (const replay of running) {
    const page = replayPage(ports, replay).pipe(
      // Another process has looked through this page.
      Effect.catchIf(isConflict, () => Effect.void),
      Effect.andThen(ports.transport.wake)
    )
    const ended = yield* Effect.exit(page)
    if (Exit.isSuccess(ended)) {
      lookedCount++
      failing.delete(replay.id)
      continue
    }
    fault = ended.cause
    if (!failing.has(replay.id)) yield* Effect.logError(`${replay.id} can't go on`, fault)
    failing.add(replay.id)
  }
  return fault !== null && lookedCount === 0 ? yield* Effect.failCause(fault) : running.length > 0
})

const forgetOld = Effect.fnUntraced(function* ({ replays }: WebhookPorts) {
  const nowMs = yield* Clock.currentTimeMillis
  const before = firstIdAt("replay", nowMs - Limits.webhookRetentionDays * dayMs)
  let removed = removalLimit
  while (removed === removalLimit) {
    removed = yield* replays.removeFinished({ before, limit: removalLimit })
  }
})

/**
 * Starts the loop. An offer to the queue that it returns makes it look at once.
 *
 * A page that fails is looked through again after a while, with any fault: it has left nothing.
 */
export const replayLoop = Effect.fnUntraced(function* (
  ports: WebhookPorts
): Effect.fn.Return<Queue.Queue<void>, never, Scope.Scope> {
  const wake = yield* Queue.sliding<void>(1)
  const rest = Effect.asVoid(Effect.timeoutOption(Queue.take(wake), idle))
  /** The replays that the log shows since they last went on. */
  const failing = new Set<string>()
  const round = Effect.flatMap(onePageOfEach(ports, failing), (isBusy) =>
    isBusy ? Effect.yieldNow : rest
  )
  yield* round.pipe(
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logWarning("replays wait for the store", cause),
        Effect.sleep("1 second")
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )
  yield* forgetOld(ports).pipe(
    Effect.catchCause((cause) => Effect.logWarning("old replays are kept for now", cause)),
    Effect.andThen(Effect.sleep("1 hour")),
    Effect.forever,
    Effect.forkScoped
  )
  return wake
})
