/**
 * One JSON line for a request, written off the request's path.
 *
 * Failures are always written; of the successes at most so many a second, and how many were left
 * out is said. Paths
 * are written without their query, and nothing of headers or bodies is.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer } from "effect"
import type { RequestFacts } from "./CurrentRequest.ts"
import { redact } from "./redact.ts"

/** How the log is written. @category models @since 0.1.0 */
export interface AccessLogOptions {
  /** Writes lines; standard output by default. */
  readonly write?: (lines: string) => void
  /** How many successes a second are written; 50 by default. */
  readonly successesPerSecond?: number
}

const flushMs = 200

/** The log of requests. @category services @since 0.1.0 */
export class AccessLog extends Context.Service<
  AccessLog,
  {
    /** Notes a request that was answered. */
    readonly note: (facts: RequestFacts, status: number, nowMs: number) => void
  }
>()("@candlewick/http/server/AccessLog") {
  /** A log that writes to standard output, or to where the options say. */
  static readonly layer = (options: AccessLogOptions = {}): Layer.Layer<AccessLog> =>
    Layer.effect(
      AccessLog,
      Effect.gen(function* () {
        const write = options.write ?? ((lines) => void process.stdout.write(lines))
        const allowance = Math.ceil(((options.successesPerSecond ?? 50) * flushMs) / 1000)
        let lines: Array<() => string> = []
        let left = allowance
        let omitted = 0
        const flush = Effect.sync(() => {
          left = allowance
          if (lines.length === 0) return
          const batch = lines
          lines = []
          write(batch.map((line) => `${line()}\n`).join(""))
        })
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(flushMs), flush)))
        yield* Effect.addFinalizer(() => flush)
        return {
          note: (facts, status, nowMs) => {
            if (status < 400 && left <= 0) {
              omitted += 1
              return
            }
            if (status < 400) left -= 1
            const since = omitted
            omitted = 0
            lines.push(() => toLine(facts, status, nowMs, since))
          }
        }
      })
    )
}

const toLine = (facts: RequestFacts, status: number, nowMs: number, omitted: number): string =>
  JSON.stringify({
    timestamp: new Date(nowMs).toISOString(),
    level: status >= 500 ? "error" : status >= 400 ? "warn" : "info",
    message: "request",
    request_id: facts.id,
    trace_id: facts.traceparent.slice(3, 35),
    method: facts.method,
    path: redact(facts.path),
    route: facts.route ?? null,
    status,
    duration_ms: nowMs - facts.startedAtMs,
    account_id: facts.accountId ?? null,
    key_id: facts.keyId ?? null,
    ...(omitted === 0 ? {} : { omitted })
  })
