/**
 * Whether the server will be able to listen, before a database is made for it.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { HttpServerError } from "effect/http"
import { createServer } from "node:net"

/**
 * Fails as the server would where it can't listen. Another process may still be quicker: the server
 * that listens for good says it then.
 *
 * @category models
 * @since 0.1.0
 */
export const portIsFree = (where: {
  readonly host: string
  readonly port: number
}): Effect.Effect<void, HttpServerError.ServeError> =>
  Effect.callback((resume) => {
    const probe = createServer()
    probe.once("error", (cause) => resume(Effect.fail(new HttpServerError.ServeError({ cause }))))
    probe.listen(where, () => probe.close(() => resume(Effect.void)))
  })
