/**
 * The address of a signal, `POST /signals/{key}`, for services that can send no header.
 *
 * The key goes from the path into the header before anything looks at the request. So no log, trace
 * or store of ours has it.
 *
 * @since 0.1.0
 */
import { Headers, type HttpServerRequest } from "effect/http"

const shape = /^(?:\/api\/v1|\/v1)?\/signals\/([^/?#]{1,256})(\?.*)?$/

const target = "/api/v1/signals"

/** The media types that charting services give a JSON body. */
const isText = (type: string | undefined): boolean =>
  type === undefined || /^text\/plain\s*(?:;|$)/i.test(type)

/**
 * The request as the operation takes it; every other request stays as it is.
 *
 * @category conversions
 * @since 0.1.0
 */
export const fromSignalAddress = (
  request: HttpServerRequest.HttpServerRequest
): HttpServerRequest.HttpServerRequest => {
  const found = request.method === "POST" ? shape.exec(request.url) : null
  if (found === null) return request
  const [, key = "", query = ""] = found
  const given = Headers.set(request.headers, "authorization", `Bearer ${key}`)
  const headers = isText(given["content-type"])
    ? Headers.set(given, "content-type", "application/json")
    : given
  return request.modify({ url: `${target}${query}`, headers })
}
