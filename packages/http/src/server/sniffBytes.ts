/**
 * Looks at the first bytes of a stream, and leaves them in it.
 *
 * @since 0.1.0
 */
import { Effect, Pull, type Scope, Stream } from "effect"

const bytesLooked = 8

/** The first bytes, and the whole stream. @category models @since 0.1.0 */
export interface Sniffed<E> {
  readonly head: Uint8Array
  readonly bytes: Stream.Stream<Uint8Array, E>
}

/** Whether bytes begin with these. @category conversions @since 0.1.0 */
export const beginsWith = (bytes: Uint8Array, magic: ReadonlyArray<number>): boolean =>
  magic.every((byte, at) => bytes[at] === byte)

/** Looks at the first eight bytes, or at all where there are fewer. @category combinators */
export const sniffBytes = <E>(
  source: Stream.Stream<Uint8Array, E>
): Effect.Effect<Sniffed<E>, E, Scope.Scope> =>
  Effect.gen(function* () {
    const pull = yield* Stream.toPull(source)
    const chunks: Array<Uint8Array> = []
    let length = 0
    let isOver = false
    while (length < bytesLooked && !isOver) {
      const pulled = yield* pull.pipe(
        Pull.catchDone(() => Effect.succeed<ReadonlyArray<Uint8Array>>([]))
      )
      isOver = pulled.length === 0
      for (const chunk of pulled) {
        chunks.push(chunk)
        length += chunk.length
      }
    }
    const head = new Uint8Array(Math.min(bytesLooked, length))
    let at = 0
    for (const chunk of chunks) {
      const part = chunk.subarray(0, head.length - at)
      head.set(part, at)
      at += part.length
    }
    const rest: Stream.Stream<Uint8Array, E> = isOver
      ? Stream.empty
      : Stream.fromPull(Effect.succeed(pull))
    return { head, bytes: Stream.concat(Stream.fromIterable(chunks), rest) }
  })
