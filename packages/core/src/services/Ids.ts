/**
 * Makes ids: a prefix that says what it is, and a ULID that sorts by creation.
 *
 * @since 0.1.0
 */
import { Clock, Context, Effect, Layer } from "effect"
import { type IdKind, idPrefixes } from "../domain/Identifier.ts"

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const encode = (value: bigint, length: number): string => {
  let text = ""
  let rest = value
  for (let index = 0; index < length; index++) {
    text = alphabet[Number(rest & 31n)]! + text
    rest >>= 5n
  }
  return text
}

/**
 * A maker of ids.
 *
 * **Details**
 *
 * Ids of one process rise strictly, even within a millisecond and when the clock steps back.
 *
 * @category services
 * @since 0.1.0
 */
export class Ids extends Context.Service<
  Ids,
  {
    /** A new id of this kind. */
    readonly make: (kind: IdKind) => Effect.Effect<string>
  }
>()("@candlewick/core/services/Ids") {
  /** Ids from the clock and the host's secure randomness. */
  static readonly layer = Layer.sync(Ids, () => {
    let lastMs = 0
    let tail = 0n
    return {
      make: (kind) =>
        Clock.currentTimeMillis.pipe(
          Effect.map((nowMs) => {
            if (nowMs > lastMs) {
              lastMs = nowMs
              tail = 0n
              for (const byte of crypto.getRandomValues(new Uint8Array(10))) {
                tail = (tail << 8n) | BigInt(byte)
              }
              // Room to count upwards within the millisecond.
              tail &= (1n << 79n) - 1n
            } else tail += 1n
            return `${idPrefixes[kind]}_${encode(BigInt(lastMs), 10)}${encode(tail, 16)}`
          })
        )
    }
  })
}
