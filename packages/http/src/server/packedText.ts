/**
 * A text that is the same for every reader: packed once, and kept by browsers that have read it.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

const pack = promisify(gzip)

/** How a text is served. @category models @since 0.1.0 */
export interface PackedTextOptions {
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An hour in which a new version is not seen; after that, whether it has changed is asked. */
const cacheControl = "public, max-age=3600"

const takesGzip = (accepted: string | undefined): boolean =>
  /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))?/i.test(accepted ?? "") &&
  !/gzip\s*;\s*q=0(?:\.0*)?\s*(?:,|$)/i.test(accepted ?? "")

/** Answers with a text, as gzip where that is taken, or with 304 where the reader has it. */
export const servePacked = (
  text: string,
  { contentType, headers }: PackedTextOptions
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest
> => {
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`
  const common = { ...headers, "cache-control": cacheControl, etag, vary: "accept-encoding" }
  let packed: Promise<Uint8Array> | undefined
  return Effect.gen(function* () {
    const { headers: asked } = yield* HttpServerRequest.HttpServerRequest
    const known = (asked["if-none-match"] ?? "").split(",").map((one) => one.trim())
    if (known.includes(etag) || known.includes(`W/${etag}`)) {
      return HttpServerResponse.empty({ status: 304, headers: common })
    }
    if (!takesGzip(asked["accept-encoding"])) {
      return HttpServerResponse.text(text, { contentType, headers: common })
    }
    const bytes = yield* Effect.promise(() => (packed ??= pack(text)))
    return HttpServerResponse.uint8Array(bytes, {
      contentType,
      headers: { ...common, "content-encoding": "gzip" }
    })
  })
}
