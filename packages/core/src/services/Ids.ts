/**
 * Makes ids: a prefix that names the kind of the record, and a ULID.
 *
 * Ids of one kind sort by their time of creation.
 *
 * @since 0.1.0
 */
import { Clock, Context, Effect, Layer } from "effect"
import { type IdKind, idPrefixes } from "../domain/Identifier.ts"

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const encode = (value: number, length: number): string => {
  let text = ""
  let rest = value
  for (let index = 0; index < length; index++) {
    text = alphabet[rest % 32]! + text
    rest = Math.floor(rest / 32)
  }
  return text
}

const halfBytes = 5
const half = 2 ** (8 * halfBytes)

/** Bytes as one whole number. */
const toNumber = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum * 256 + byte, 0)

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
    // The 80 bits below the time, as two numbers that doubles hold exactly.
    let high = 0
    let low = 0
    // Asking the host for a few bytes costs as much as asking for many.
    const pool = new Uint8Array(64 * 2 * halfBytes)
    let taken = pool.length
    const takeHalf = (): number => {
      if (taken === pool.length) {
        crypto.getRandomValues(pool)
        taken = 0
      }
      taken += halfBytes
      return toNumber(pool.subarray(taken - halfBytes, taken))
    }
    return {
      make: (kind) =>
        Clock.currentTimeMillis.pipe(
          Effect.map((nowMs) => {
            if (nowMs > lastMs) {
              lastMs = nowMs
              // Half of the numbers are left to count upwards within the millisecond.
              high = takeHalf() % (half / 2)
              low = takeHalf()
            } else {
              low += 1
              if (low === half) {
                low = 0
                high += 1
              }
            }
            return `${idPrefixes[kind]}_${encode(lastMs, 10)}${encode(high, 8)}${encode(low, 8)}`
          })
        )
    }
  })
}
