/**
 * SHA-256 from the host's Web Crypto, and a comparison that tells nothing by how long it takes.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { sha256Of } from "./sha256Of.ts"

const encoder = new TextEncoder()

/** Longer ones are left to the host's own digest. */
const shortBytes = 1024

/** The digest of bytes or of UTF-8 text, in lower-case hex. */
export const sha256Hex = (
  content: Uint8Array<ArrayBuffer> | Float64Array<ArrayBuffer> | string
): Effect.Effect<string> =>
  Effect.suspend(() => {
    const bytes = typeof content === "string" ? encoder.encode(content) : content
    if (bytes instanceof Uint8Array && bytes.length <= shortBytes) {
      return Effect.succeed(sha256Of(bytes))
    }
    return Effect.map(
      Effect.promise(() => crypto.subtle.digest("SHA-256", bytes)),
      (digest) =>
        Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
    )
  })

/** Whether two digests in hex are equal, in a time that depends on their length alone. */
export const areDigestsEqual = (left: string, right: string): boolean => {
  let difference = left.length ^ right.length
  for (let index = 0; index < left.length; index++) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  }
  return difference === 0
}
