/**
 * Completes the generated OpenAPI document with what the server adds to every operation.
 *
 * Scopes come from the operations' annotations; refusals, headers and the twin prefix follow rules
 * that hold for all.
 *
 * @since 0.1.0
 */
import { Context } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { problemMediaType, refusalStatuses } from "./ApiProblem.ts"
import { IsFollowed, OperationBody, RequiredScopes, ServesRows } from "./Authorization.ts"
import { webhooksSection } from "./notifications.ts"
import { twinOf } from "./twin.ts"

type Json = any

const text = { type: "string" }

const parameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: "Makes a repetition harmless: it gets the first answer, for 24 hours.",
    schema: { type: "string", minLength: 1, maxLength: 255 }
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    required: false,
    description:
      "The version that is changed, as the `ETag` gives it; 412 if there is a newer one.",
    schema: text
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    required: false,
    description: "The last event that was seen, to go on after it.",
    schema: text
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description: "Names the request; without it one is made up.",
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" }
  }
}

const headers = {
  RequestId: { description: "Names the request, for support and logs.", schema: text },
  RateLimit: { description: "The rest of the quota, and when it is full again.", schema: text },
  RateLimitPolicy: { description: "The quota that the request counted against.", schema: text },
  RetryAfter: { description: "In how many seconds to try again.", schema: { type: "integer" } },
  Location: { description: "Where the new record is.", schema: text },
  ETag: { description: "The version of the record, for `If-Match`.", schema: text },
  Link: { description: 'The next page, as `rel="next"`.', schema: text },
  Allow: { description: "The methods that the path knows.", schema: text },
  WwwAuthenticate: { description: "How to authenticate.", schema: text }
}

const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` })

const everyHeaders = { "X-Request-Id": ref("headers", "RequestId") }
const meteredHeaders = {
  ...everyHeaders,
  RateLimit: ref("headers", "RateLimit"),
  "RateLimit-Policy": ref("headers", "RateLimitPolicy")
}

const describeRefusal = (status: number, description: string): Json => ({
  description,
  headers: {
    ...everyHeaders,
    ...(status === 429 || status === 503 ? { "Retry-After": ref("headers", "RetryAfter") } : {}),
    ...(status === 401 ? { "WWW-Authenticate": ref("headers", "WwwAuthenticate") } : {}),
    ...(status === 405 ? { Allow: ref("headers", "Allow") } : {})
  },
  content: { [problemMediaType]: { schema: ref("schemas", "ApiProblem") } }
})

const refusalsOf = (operation: {
  readonly method: string
  readonly path: string
  readonly hasBody: boolean
  readonly isPublic: boolean
  readonly isScoped: boolean
}): ReadonlyArray<number> => {
  if (operation.isPublic) return operation.path === "/readyz" ? [429, 503] : [429]
  const writes = operation.method !== "get"
  return [
    400,
    401,
    ...(operation.isScoped ? [403] : []),
    ...(operation.path.includes("{") || operation.path.endsWith("/export") ? [404] : []),
    ...(writes ? [] : [406]),
    ...(writes ? [409] : []),
    ...(operation.method === "put" || operation.method === "patch" ? [412] : []),
    ...(operation.hasBody ? [413, 415] : []),
    ...(writes ? [422] : []),
    429,
    500,
    503,
    504
  ]
}

const completeSuccess = (operation: Json, status: string): void => {
  const response = operation.responses[status]
  const isList =
    operation.operationId.split(".")[1]?.startsWith("list") ||
    /\.(logs|trades|orders|equity|deliveries|replays)$/.test(operation.operationId)
  response.headers = {
    ...meteredHeaders,
    ...(status === "201" ? { Location: ref("headers", "Location") } : {}),
    ...(isList ? { Link: ref("headers", "Link") } : {}),
    ...(operation.operationId.endsWith(".results") && status === "202"
      ? { "Retry-After": ref("headers", "RetryAfter") }
      : {}),
    ...response.headers
  }
}

const wholePattern = "^[1-9][0-9]{0,14}$"

/** Texts that the server reads as something else, which a generated document can't see. */
const parameterSchemas: Readonly<Record<string, Json>> = {
  limit: { type: "string", pattern: "^([1-9][0-9]?|100)$" },
  days: { type: "string", pattern: "^([1-9]|[1-8][0-9]|90)$" },
  number: { type: "string", pattern: wholePattern },
  revision: { type: "string", pattern: wholePattern },
  cursor: { type: "string", pattern: "^[A-Za-z0-9_-]{1,512}$" }
}

const isRecord = (value: unknown): value is Record<string, Json> =>
  typeof value === "object" && value !== null

/** Texts with the pattern of a timestamp are dates that the calendar has, besides. */
const nameDates = (value: unknown): void => {
  if (!isRecord(value)) return
  if (
    typeof value["pattern"] === "string" &&
    value["pattern"].startsWith("^[0-9]{4}-[0-9]{2}-[0-9]{2}T")
  ) {
    value["format"] = "date-time"
  }
  for (const each of Object.values(value)) nameDates(each)
}

/** Says of each parameter that is a mere text in the document what the server takes. */
const narrowParameters = (operation: Json): void => {
  for (const parameter of operation.parameters) {
    const schema = parameterSchemas[parameter.name]
    if (schema !== undefined && parameter.schema?.type === "string") parameter.schema = schema
  }
}

const completeOperation = (
  operation: Json,
  about: { method: string; path: string; annotations: Context.Context<never>; isPublic: boolean }
): void => {
  const { annotations, isPublic, method, path } = about
  const scopes = Context.get(annotations, RequiredScopes)
  if (!isPublic) operation.security = [{ bearer: [...scopes] }]
  operation["x-required-scopes"] = [...scopes]
  const twin = twinOf(path)
  if (twin !== undefined) operation["x-alias"] = twin
  if (operation.requestBody !== undefined) {
    operation.requestBody.required = Context.get(annotations, OperationBody) !== "optional"
  }
  for (const status of Object.keys(operation.responses)) {
    if (Number(status) >= 400) delete operation.responses[status]
    else completeSuccess(operation, status)
  }
  const hasBody = operation.requestBody !== undefined
  const isScoped = scopes.length > 0
  for (const status of refusalsOf({ method, path, hasBody, isPublic, isScoped })) {
    operation.responses[status] = ref("responses", `Refusal${status}`)
  }
  narrowParameters(operation)
  operation.parameters.push(ref("parameters", "RequestId"))
  if (Context.get(annotations, IsFollowed)) {
    operation.parameters.push(ref("parameters", "LastEventId"))
    operation.responses["200"].content["text/event-stream"] = { schema: text }
  }
  if (Context.get(annotations, ServesRows) !== undefined) {
    operation.responses["200"].content["text/csv"] = { schema: text }
  }
  if (method === "post") operation.parameters.push(ref("parameters", "IdempotencyKey"))
  if (method === "put" || method === "patch")
    operation.parameters.push(ref("parameters", "IfMatch"))
}

/** Completes a generated OpenAPI document of this API. @category conversions @since 0.1.0 */
export const completeOpenApi =
  <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  (spec: Record<string, Json>): Record<string, Json> => {
    HttpApi.reflect(api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint, mergedAnnotations, middleware }) => {
        const path = endpoint.path.replace(/:([A-Za-z]+)/g, "{$1}")
        const method = endpoint.method.toLowerCase()
        const operation = spec["paths"][path]?.[method]
        if (operation === undefined) return
        const isPublic = middleware.size === 0
        completeOperation(operation, { method, path, annotations: mergedAnnotations, isPublic })
      }
    })
    const { ApiProblemEncoded: problem, ...schemas } = spec["components"].schemas
    spec["components"].schemas = { ...schemas, ApiProblem: problem }
    nameDates(spec["paths"])
    nameDates(spec["components"].schemas)
    spec["webhooks"] = webhooksSection
    spec["components"].parameters = parameters
    spec["components"].headers = headers
    spec["components"].responses = Object.fromEntries(
      Object.entries(refusalStatuses).map(([status, description]) => [
        `Refusal${status}`,
        describeRefusal(Number(status), description)
      ])
    )
    spec["components"].securitySchemes.bearer = {
      type: "http",
      // As registered: pages that show documents take `Bearer` for something else, and ask for a
      // name and a password.
      scheme: "bearer",
      description: "An API key of the account. The scopes that an operation needs stand beside it."
    }
    return spec
  }
