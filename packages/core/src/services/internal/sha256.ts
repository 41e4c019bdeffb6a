/**
 * SHA-256 from the host's Web Crypto, and a comparison that tells nothing by how long it takes.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"

const encoder = new TextEncoder()

/** The digest of bytes or of UTF-8 text, in lower-case hex. */
export const sha256Hex = (
  content: Uint8Array<ArrayBuffer> | Float64Array<ArrayBuffer> | string
): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() =>
      crypto.subtle.digest(
        "SHA-256",
        typeof content === "string" ? encoder.encode(content) : content
      )
    ),
    (digest) =>
      Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
  )

/** Whether two digests in hex are equal, in a time that depends on their length alone. */
export const areDigestsEqual = (left: string, right: string): boolean => {
  let difference = left.length ^ right.length
  for (let index = 0; index < left.length; index++) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  }
  return difference === 0
}
