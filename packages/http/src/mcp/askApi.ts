/**
 * Asks operations of the API by their names, as any caller of HTTP does.
 *
 * So the server's keys, scopes, limits and checks hold, and no tool can do more than the key of its
 * caller. Names and paths come from the API value.
 *
 * @since 0.1.0
 */
import { Context, Effect, Schema } from "effect"
import { Api } from "../api/Api.ts"
import { ToolRefusal } from "./ToolRefusal.ts"

/** How requests reach the server: within its process, or over the network. @category models */
export type Transport = (request: Request) => Effect.Effect<Response, ToolRefusal>

/** The key of the caller whose tool is run. @category references @since 0.1.0 */
export const CallerKeyText = Context.Reference<string>("@candlewick/http/mcp/CallerKeyText", {
  defaultValue: () => ""
})

/** An object of JSON. @category models @since 0.1.0 */
export type JsonObject = { readonly [key: string]: Schema.Json }

type Groups = (typeof Api)["groups"]

/** The arguments of an operation. */
interface Asked {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
}

/** Asks an operation of the API. @category models @since 0.1.0 */
export type Ask = <Group extends keyof Groups, Name extends keyof Groups[Group]["endpoints"]>(
  group: Group,
  name: Name,
  asked?: Asked
) => Effect.Effect<JsonObject, ToolRefusal>

interface Endpoint {
  readonly method: string
  readonly path: string
}

const endpointOf = (group: keyof Groups, name: PropertyKey): Endpoint => {
  const endpoints: Readonly<Record<PropertyKey, Endpoint>> = Api.groups[group].endpoints
  return endpoints[name]!
}

/** Any name will do: a transport sends the request where its server is. */
const anyOrigin = "http://candlewick.invalid"

const urlOf = ({ path }: Endpoint, { params = {}, query = {} }: Asked): string => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? "")
  )
  const url = new URL(filled, anyOrigin)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url.href
}

const ProblemText = Schema.Struct({
  code: Schema.String,
  detail: Schema.String,
  errors: Schema.optionalKey(
    Schema.Array(Schema.Struct({ pointer: Schema.String, message: Schema.String }))
  ),
  required_scopes: Schema.optionalKey(Schema.Array(Schema.String)),
  allowed: Schema.optionalKey(Schema.Array(Schema.String))
})

const decodeProblem = Schema.decodeUnknownOption(ProblemText)
const faultsShownCount = 20

/** A refusal of the API in words, with every place that is at fault. */
const refusalOf = (status: number, body: unknown): ToolRefusal => {
  const decoded = decodeProblem(body)
  if (decoded._tag === "None") {
    return new ToolRefusal({ detail: `The server answered with status ${status}.` })
  }
  const { allowed, code, detail, errors = [], required_scopes } = decoded.value
  const parts = [
    `${code}: ${detail}`,
    ...errors.slice(0, faultsShownCount).map(({ message, pointer }) => `${pointer}: ${message}`),
    ...(allowed === undefined ? [] : [`Allowed: ${allowed.join(", ")}.`]),
    ...(required_scopes === undefined ? [] : [`The key needs ${required_scopes.join(", ")}.`])
  ]
  return new ToolRefusal({ detail: parts.join("\n") })
}

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Makes the function that calls operations over a transport.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeAsk = (transport: Transport): Ask =>
  Effect.fnUntraced(function* (group, name, asked = {}) {
    const endpoint = endpointOf(group, name)
    const key = yield* CallerKeyText
    const hasBody = asked.body !== undefined
    const request = new Request(urlOf(endpoint, asked), {
      method: endpoint.method,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${key}`,
        ...(hasBody && { "content-type": "application/json" })
      },
      ...(hasBody && { body: JSON.stringify(asked.body) })
    })
    const response = yield* transport(request)
    const text = yield* Effect.tryPromise({
      try: () => response.text(),
      catch: () => new ToolRefusal({ detail: "The answer of the server broke off." })
    })
    const decoded = decodeJson(text)
    const body = decoded._tag === "Some" ? decoded.value : null
    if (!response.ok) return yield* refusalOf(response.status, body)
    return isObject(body) ? body : { done: true }
  })
