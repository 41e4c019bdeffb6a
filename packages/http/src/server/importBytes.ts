/**
 * The bytes of an import, no more than an import may have.
 *
 * @since 0.1.0
 */
import { Limits, Problem } from "@candlewick/core"
import { Effect, Stream } from "effect"

/** That an import is larger than it may be. @category tables @since 0.1.0 */
export const importTooLarge = new Problem({
  code: "payload_too_large",
  detail: `An import may have at most ${Limits.candleImportMaxBytes} bytes.`
})

/** The bytes, until there are more than allowed. @category combinators @since 0.1.0 */
export const limitImport = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  maxBytes: number
): Stream.Stream<Uint8Array, E | Problem> => {
  let total = 0
  return Stream.mapEffect(bytes, (chunk) => {
    total += chunk.length
    return total > maxBytes ? Effect.fail(importTooLarge) : Effect.succeed(chunk)
  })
}
