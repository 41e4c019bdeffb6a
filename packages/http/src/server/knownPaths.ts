/**
 * Which methods a path knows, for 404 and for 405 with `Allow`.
 *
 * @since 0.1.0
 */
import { FindMyWay } from "effect/http"
import { HttpApi } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { twinOf } from "../api/twin.ts"

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

/** One path, one spelling: case and slashes count. @category tables @since 0.1.0 */
export const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false
} as const

const makeFinder = (): FindMyWay.Router<true> => {
  const finder = FindMyWay.make<true>(routerConfig)
  const add = (method: string, path: string) => {
    if (!finder.has(method, path)) finder.on(method, path as FindMyWay.PathInput, true)
  }
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      add(endpoint.method, endpoint.path)
      const twin = twinOf(endpoint.path)
      if (twin !== undefined) add(endpoint.method, twin)
    }
  })
  add("GET", "/openapi.json")
  add("GET", "/docs")
  add("GET", "/")
  return finder
}

const finder = makeFinder()

/**
 * The methods that a path knows; none where the path is unknown.
 *
 * @category conversions
 * @since 0.1.0
 */
export const methodsOf = (path: string): ReadonlyArray<string> =>
  methods
    .filter((method) => finder.find(method, path) !== undefined)
    .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
