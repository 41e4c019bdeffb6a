/**
 * The dashboard at `/`: built files, read once when the server starts.
 *
 * A browser that asks for HTML gets it, everyone else is sent to the page of the API as where there
 * are no files. Assets are named after their content and may be kept for ever.
 *
 * @since 0.1.0
 */
import { Problem } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { answerHeader, CurrentRequest } from "./CurrentRequest.ts"
import { toAnswer } from "./problemAnswers.ts"

/** Scripts, styles and requests are the server's own; nothing is inline, nothing is framed. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8"
}

interface Asset {
  readonly bytes: Uint8Array
  readonly packed: Uint8Array | undefined
  readonly type: string
}

const readAssets = (folder: string): ReadonlyMap<string, Asset> =>
  new Map(
    readdirSync(folder)
      .filter((name) => types[extname(name)] !== undefined)
      .map((name) => {
        const packed = join(folder, `${name}.gz`)
        return [
          name,
          {
            bytes: readFileSync(join(folder, name)),
            packed: existsSync(packed) ? readFileSync(packed) : undefined,
            type: types[extname(name)]!
          }
        ]
      })
  )

const acceptsGzip = (header = ""): boolean => /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(header)

const wantsPage = (header = ""): boolean => header.toLowerCase().includes("text/html")

const keptForever = "public, max-age=31536000, immutable"
// Its name says nothing of its content.
const keptShortly = "public, max-age=3600"

const noAsset = new Problem({ code: "not_found", detail: "The dashboard has no such file." })

const answerAsset = (assets: ReadonlyMap<string, Asset>) =>
  Effect.gen(function* () {
    const { headers, url } = yield* HttpServerRequest.HttpServerRequest
    // Names of assets are plain, so that nothing has to be decoded.
    const name = url.split("?")[0]!.split("/").at(-1)!
    const asset = assets.get(name)
    if (asset === undefined) return toAnswer(noAsset, yield* CurrentRequest)
    const isPacked = asset.packed !== undefined && acceptsGzip(headers["accept-encoding"])
    yield* answerHeader("cache-control", name.endsWith(".txt") ? keptShortly : keptForever)
    yield* answerHeader("vary", "accept-encoding")
    return HttpServerResponse.uint8Array(isPacked ? asset.packed : asset.bytes, {
      contentType: asset.type,
      ...(isPacked ? { headers: { "content-encoding": "gzip" } } : {})
    })
  })

const toDocs = HttpServerResponse.redirect("/docs")

/** Asked for without a slash, the page of a prefix would lead astray by relative addresses. */
const placed = (html: string, prefix: string): string =>
  prefix === "" ? html : html.replaceAll(/ (href|src)="assets\//g, ` $1="${prefix}/assets/`)

const answerPage = (html: string) =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    yield* answerHeader("vary", "accept")
    if (!wantsPage(headers["accept"])) return toDocs
    const { prefix } = yield* CurrentRequest
    return HttpServerResponse.text(placed(html, prefix), {
      contentType: "text/html; charset=utf-8",
      headers: { "content-security-policy": policy }
    })
  })

/**
 * The dashboard whose built files are in a folder; without one, `/` leads to `/docs`.
 *
 * @category layers
 * @since 0.1.0
 */
export const dashboardPages = (
  folder: string | undefined
): Layer.Layer<never, never, HttpRouter.HttpRouter> => {
  if (folder === undefined) return HttpRouter.add("GET", "/", toDocs)
  const html = readFileSync(join(folder, "index.html"), "utf8")
  const assets = readAssets(join(folder, "assets"))
  return Layer.mergeAll(
    HttpRouter.add("GET", "/", answerPage(html)),
    HttpRouter.add("GET", "/assets/:name", answerAsset(assets))
  )
}
