/**
 * The steps after a streamed body.
 *
 * A request is known only when all of its body was read.
 *
 * @since 0.1.0
 */
import type { Problem, StoreError } from "@candlewick/core"
import { Context, type Effect } from "effect"
import type { HttpServerResponse } from "effect/http"

type Answer = HttpServerResponse.HttpServerResponse

/** The steps after a streamed body. @category models @since 0.1.0 */
export interface AfterBodySteps {
  /**
   * Executes the body's instructions, once where the request has an idempotency key. The operation
   * calls it when it has read the body to its end and has changed nothing yet.
   */
  readonly once: <E, R>(
    work: Effect.Effect<Answer, E, R>
  ) => Effect.Effect<Answer, E | Problem | StoreError, R>
}

/** The steps after the body of the request under way. @category references @since 0.1.0 */
export const AfterBody = Context.Reference<AfterBodySteps>("@candlewick/http/server/AfterBody", {
  defaultValue: () => ({ once: (work) => work })
})
