/** Lines of the process's log have the fields of lines of requests. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"
import { jsonLine } from "../../src/main/jsonLog.ts"

const linesOf = (work: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const lines: Array<Record<string, unknown>> = []
    const kept = Logger.map(jsonLine, (line) => void lines.push(JSON.parse(line)))
    yield* Effect.provide(work, Logger.layer([kept]))
    return lines.map(({ timestamp, ...rest }) => {
      assert.match(String(timestamp), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      return rest
    })
  })

describe("a line of the log", () => {
  it.effect("has a level in small letters and its message as a text", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(
        Effect.andThen(Effect.logWarning("the store refuses writes", "disk full"), Effect.log("so"))
      )
      assert.deepStrictEqual(lines, [
        { level: "warn", message: "the store refuses writes", detail: "disk full" },
        { level: "info", message: "so" }
      ])
    })
  )

  it.effect("tells a failure's cause and its annotations beside the message", () =>
    Effect.gen(function* () {
      const told = Effect.logError("request failed", Cause.fail(new Error("no such table"))).pipe(
        Effect.annotateLogs({ request_id: "req_1", level: "mine" })
      )
      const [line] = yield* linesOf(told)
      assert.include(String(line?.["cause"]), "no such table")
      assert.deepStrictEqual(
        [line?.["request_id"], line?.["annotated_level"], line?.["level"]],
        ["req_1", "mine", "error"]
      )
    })
  )

  it.effect("is written of what JSON can't hold too", () =>
    Effect.gen(function* () {
      const circle: Record<string, unknown> = { size: 12n }
      circle["self"] = circle
      const [line] = yield* linesOf(Effect.logInfo(circle, new Error("why")))
      assert.include(String(line?.["message"]), "12")
      assert.include(String(line?.["detail"]), "why")
    })
  )
})
