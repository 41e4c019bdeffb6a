/**
 * The methods that a path knows, for 404 and for 405 with `Allow`.
 *
 * @since 0.1.0
 */
import { FindMyWay } from "effect/http"
import { HttpApi } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { aliasOf } from "../api/alias.ts"

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

/** One path, one spelling: case and slashes count. @category tables @since 0.1.0 */
export const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false
} as const

/** The methods of each path that is written out. */
const writtenOut = new Map<string, Set<string>>()

/** Finds the pattern that a path of a method has. */
const makeFinder = (): FindMyWay.Router<string> => {
  const finder = FindMyWay.make<string>(routerConfig)
  const add = (method: string, path: string) => {
    if (!finder.has(method, path)) finder.on(method, path as FindMyWay.PathInput, path)
    if (path.includes(":")) return
    const known = writtenOut.get(path) ?? new Set()
    writtenOut.set(path, known.add(method))
  }
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      add(endpoint.method, endpoint.path)
      const alias = aliasOf(endpoint.path)
      if (alias !== undefined) add(endpoint.method, alias)
    }
  })
  for (const prefix of ["", "/v1", "/api/v1"]) add("POST", `${prefix}/signals/:key`)
  add("GET", "/openapi.json")
  add("GET", "/docs")
  add("GET", "/")
  add("GET", "/assets/:name")
  return finder
}

const finder = makeFinder()

/**
 * The methods that a path knows; none where the path is unknown. A path that is written out is
 * none of the things that a pattern stands for: `/webhooks/event-types` is no webhook.
 *
 * @category conversions
 * @since 0.1.0
 */
export const methodsOf = (path: string): ReadonlyArray<string> => {
  const found = methods.flatMap((method) => {
    const pattern = finder.find(method, path)?.handler
    return pattern === undefined ? [] : [{ method, isWrittenOut: pattern === path }]
  })
  const isWrittenOut = found.some((one) => one.isWrittenOut)
  return found
    .filter((one) => one.isWrittenOut === isWrittenOut)
    .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
}

/**
 * Whether a path is written out, and not for this method. No record has its name, and no route that
 * would take it for a record may answer.
 *
 * @category checks
 * @since 0.1.0
 */
export const isOfOtherMethods = (method: string, path: string): boolean => {
  const known = writtenOut.get(path)
  return known !== undefined && !known.has(method === "HEAD" ? "GET" : method)
}
