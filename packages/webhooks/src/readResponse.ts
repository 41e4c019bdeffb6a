/**
 * The part of a receiver's answer that is worth keeping: how long it is and how it begins.
 *
 * At most 64 KiB are read; then the connection is dropped, also where more would come. Nothing is
 * decompressed.
 *
 * @since 0.1.0
 */
import type { Dispatcher } from "undici"

/** How long an answer is and how it begins. @category models @since 0.1.0 */
export interface ResponseSample {
  /** How many bytes were read. */
  readonly bytes: number
  /** The beginning of a body of text, null for any other. */
  readonly text: string | null
}

const maximumBytes = 65_536
const keptBytes = 1024

const textTypes = /^(?:text\/|application\/(?:json|xml|[a-z0-9.-]+\+(?:json|xml))\b)/i

// Everything a log or a store could choke on, except tab and line ends.
// oxlint-disable-next-line no-control-regex -- these characters are looked for
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

const isText = (headers: Dispatcher.ResponseData["headers"]): boolean => {
  const encoding = headers["content-encoding"]
  const isPlain = encoding === undefined || encoding === "identity"
  return isPlain && textTypes.test(String(headers["content-type"] ?? ""))
}

const toText = (chunks: ReadonlyArray<Uint8Array>): string => {
  const kept = Buffer.concat(chunks).subarray(0, keptBytes)
  // A character that the cut splits is left out.
  return new TextDecoder().decode(kept, { stream: true }).replace(controls, "\uFFFD")
}

/** Reads the beginning of an answer and lets go of the rest. @category reading @since 0.1.0 */
export const readResponse = async ({
  body,
  headers
}: Pick<Dispatcher.ResponseData, "body" | "headers">): Promise<ResponseSample> => {
  const kept: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    if (bytes < keptBytes) kept.push(chunk)
    bytes += chunk.length
    // Leaving the loop destroys the body and its connection.
    if (bytes >= maximumBytes) break
  }
  return { bytes: Math.min(bytes, maximumBytes), text: isText(headers) ? toText(kept) : null }
}
