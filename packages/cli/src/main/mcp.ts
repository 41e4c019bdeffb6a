/**
 * `candlewick mcp`: the Model Context Protocol over standard input and output.
 *
 * @since 0.1.0
 */
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { Command } from "effect/cli"
import { type ConnectionTarget, targetOf } from "../terminal/Connections.ts"
import { wrongUse } from "../terminal/failures.ts"
import { say } from "../terminal/output.ts"
import { openHere } from "./connections.ts"

/** Nothing but the protocol goes to standard output. */
const toStandardError = Logger.layer([Logger.withConsoleError(Logger.formatSimple)])

const reach = Effect.fnUntraced(function* ({ directory, key, url }: ConnectionTarget) {
  if (url === null) {
    yield* say("This process runs no bots: a server on the same data takes commands to them up.")
    return yield* openHere({ directory })
  }
  if (!URL.canParse(url) || !/^https?:/.test(url)) return yield* wrongUse(`${url} is no URL.`)
  if (key === null) {
    return yield* wrongUse("A server wants a key: set CANDLEWICK_KEY, or give --key.")
  }
  return { baseUrl: url, apiKey: Redacted.value(key), fetch: globalThis.fetch }
})

/** `candlewick mcp`. @category commands @since 0.1.0 */
export const mcp = Command.make("mcp", {}, () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { apiKey, baseUrl, fetch } = yield* reach(yield* targetOf)
      const { stdioServer } = yield* Effect.promise(() => import("@candlewick/http/mcp"))
      const served = Layer.launch(
        stdioServer({ apiKey, baseUrl, fetch }).pipe(
          Layer.provide(Layer.merge(NodeStdio.layer, toStandardError))
        )
      )
      // The server interrupts its fiber where its input ends, which is how a client says goodbye.
      yield* Effect.flatMap(Effect.forkChild(served), Fiber.await)
    })
  )
).pipe(Command.withDescription("Speak the Model Context Protocol with an agent, over stdio"))
