/**
 * SHA-256 from the host, and a comparison that reveals nothing by how long it takes.
 *
 * Web Crypto hashes in another thread. For every request, asking that thread costs more than the
 * digest of a key. So short contents are hashed at once (decision 0013 has the figures). Long ones
 * go there, so that the event loop stays free.
 *
 * @since 0.1.0
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { Effect } from "effect"

const encoder = new TextEncoder()

/**
 * Longer ones are left to the host's other thread. The rules of a strategy are shorter: they are
 * hashed in transactions, which must not wait for a thread.
 */
const shortBytes = 16_384

/** The digest of bytes or of UTF-8 text, in lower-case hex. */
export const sha256Hex = (
  content: Uint8Array<ArrayBuffer> | Float64Array<ArrayBuffer> | string
): Effect.Effect<string> =>
  Effect.suspend(() => {
    const bytes = typeof content === "string" ? encoder.encode(content) : content
    if (bytes.byteLength <= shortBytes) {
      return Effect.succeed(createHash("sha256").update(bytes).digest("hex"))
    }
    return Effect.map(
      Effect.promise(() => crypto.subtle.digest("SHA-256", bytes)),
      (digest) => Buffer.from(digest).toString("hex")
    )
  })

/** Whether two digests in hex are equal, in a time that depends on their length alone. */
export const areDigestsEqual = (left: string, right: string): boolean => {
  const [one, other] = [encoder.encode(left), encoder.encode(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}
