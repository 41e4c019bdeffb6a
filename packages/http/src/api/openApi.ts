/**
 * Completes the generated OpenAPI document with the headers and answers that the server adds to
 * every operation.
 *
 * Scopes come from the operations' annotations; refusals, headers and the alias prefix follow rules
 * that hold for all.
 *
 * @since 0.1.0
 */
import { strategyJsonSchema } from "@candlewick/core/domain"
import { Context } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { problemMediaType, refusalStatuses } from "./ApiProblem.ts"
import { IsFollowed, OperationBody, RequiredScopes, ServesRows } from "./Authorization.ts"
import { streamedEventNames } from "./EventsApi.ts"
import { webhooksSection } from "./notifications.ts"
import { aliasOf } from "./alias.ts"

type Json = any

const text = { type: "string" }

const parameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: "Makes a repetition harmless: it gets the first answer, for 24 hours.",
    schema: { type: "string", pattern: "^[!-~]{1,255}$" }
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
    description:
      "Names the request: 1 to 128 letters, digits, dots, hyphens and underscores. Without it, or " +
      "for another text, a name is made up.",
    schema: text
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

/** Operations that name their series in the query, and find none. */
const isOfSeries = ({ method, path }: { readonly method: string; readonly path: string }) =>
  path.endsWith("/candles/findings") || (path.endsWith("/candles") && method === "delete")

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
    ...(operation.path.includes("{") || operation.path.endsWith("/export") || isOfSeries(operation)
      ? [404]
      : []),
    ...(writes ? [] : [406]),
    ...(writes || operation.path.endsWith("/report") ? [409] : []),
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

const streamedName = `\\s*(${streamedEventNames.join("|").replaceAll(".", "\\.")})\\s*`

const wholePattern = "^[1-9][0-9]{0,14}$"

/** Texts that the server reads as something else, which a generated document can't see. */
const parameterSchemas: Readonly<Record<string, Json>> = {
  limit: { type: "string", pattern: "^([1-9][0-9]?|100)$" },
  days: { type: "string", pattern: "^([1-9]|[1-8][0-9]|90)$" },
  number: { type: "string", pattern: wholePattern },
  revision: { type: "string", pattern: wholePattern },
  cursor: { type: "string", pattern: "^[A-Za-z0-9_-]{15,512}$" },
  types: { type: "string", pattern: `^${streamedName}(,${streamedName})*$` }
}

const isRecord = (value: unknown): value is Record<string, Json> =>
  typeof value === "object" && value !== null

/** Shows every object and list within a value to a function, the outer ones first. */
const eachRecord = (value: unknown, visit: (record: Record<string, Json>) => void): void => {
  if (!isRecord(value)) return
  visit(value)
  for (const each of Object.values(value)) eachRecord(each, visit)
}

/** The character classes whose names generators of several languages do not know. */
const unicodeClasses: Readonly<Record<string, string>> = {
  "\\p{Cc}": "\\u0000-\\u001f\\u007f-\\u009f",
  "\\p{Zl}": "\\u2028",
  "\\p{Zp}": "\\u2029",
  "\\p{Z}": " \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
}

/** Writes classes of characters out in a pattern. */
const spellPattern = (value: Record<string, Json>): void => {
  if (typeof value["pattern"] === "string") {
    value["pattern"] = value["pattern"].replaceAll(
      /\\p\{\w+\}/g,
      (found: string) => unicodeClasses[found] ?? found
    )
  }
}

/** Lists that have an entry at least are written by their first entry and the others, too. */
const joinEntries = (value: Record<string, Json>): void => {
  const { items, prefixItems } = value
  if (JSON.stringify(prefixItems) === JSON.stringify([items])) delete value["prefixItems"]
}

/** Texts with the pattern of a timestamp are dates that the calendar has, besides. */
const nameDate = (value: Record<string, Json>): void => {
  if (
    typeof value["pattern"] === "string" &&
    /^\^(?:\[0-9\]|\\d)\{4\}-(?:\[0-9\]|\\d)\{2\}-(?:\[0-9\]|\\d)\{2\}T/.test(value["pattern"])
  ) {
    value["format"] = "date-time"
  }
}

/** Bounds of a range, of which the second is later than the first. */
const ranges = [
  ["from", "to"],
  ["since", "until"]
] as const

const laterThan = (schema: Json, first: string): Json => {
  const said = schema.description === undefined ? "" : `${schema.description} `
  return { ...schema, description: `${said}Later than \`${first}\`.` }
}

const idPattern = (prefix: string): string => `^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`

/** Fields of bodies that name a record of the account. */
const idPatterns: Readonly<Record<string, string>> = {
  strategy_id: idPattern("str"),
  bot_id: idPattern("bot")
}

const isPlainText = (schema: Json): boolean =>
  schema.type === "string" &&
  !["pattern", "enum", "format", "allOf"].some((keyword) => keyword in schema)

/**
 * Gives each text of a body a pattern: of its record's id, or of texts without a zero character.
 * Values of parameters have the names that a definition can declare.
 */
const narrowTexts = (value: Record<string, Json>): void => {
  for (const [name, schema] of Object.entries(value)) {
    if (!isRecord(schema)) continue
    if (isPlainText(schema)) {
      value[name] = { ...schema, pattern: idPatterns[name] ?? "^[^\\u0000]*$" }
    } else if (name === "parameters" && schema["additionalProperties"]?.type === "number") {
      value[name] = { ...schema, propertyNames: { pattern: "^[a-z][a-z0-9_]{0,39}$" } }
    }
  }
}

const strategySchemas = (): Json => {
  const { $defs } = strategyJsonSchema()
  return JSON.parse(JSON.stringify($defs).replaceAll("#/$defs/", "#/components/schemas/"))
}

/** Says of the second bound of each range that it is later: no keyword compares two fields. */
const orderRange = (value: Record<string, Json>): void => {
  const fields = value["properties"]
  for (const [first, second] of ranges) {
    if (isRecord(fields) && first in fields && second in fields) {
      fields[second] = laterThan(fields[second], first)
    }
  }
}

/** Adds the accepted values to each parameter that is a mere text in the document. */
const narrowParameters = (operation: Json): void => {
  for (const parameter of operation.parameters) {
    const schema = parameterSchemas[parameter.name]
    if (schema !== undefined && parameter.schema?.type === "string") {
      parameter.schema = { ...parameter.schema, ...schema }
    }
    const [first] = ranges.find(([, second]) => second === parameter.name) ?? []
    if (operation.parameters.some(({ name }: Json) => name === first)) {
      parameter.schema = laterThan(parameter.schema, first!)
    }
  }
}

const cursorRefusal = "400 for a `cursor` that no page of this list gave."
const importRefusal =
  "400 for a `symbol` without a currency where `currency` is left out, and for a file without rows."
const definitionRefusal =
  "400 for a definition whose fields are valid one by one and contradict each other; `errors` lists them."

/** Refusals that no keyword of a schema says: none looks beside a value, or into records. */
const refusalNotes: Readonly<Record<string, string>> = {
  "strategies.write": definitionRefusal,
  "strategies.update": definitionRefusal,
  "strategyChecks.check": definitionRefusal,
  "strategies.generate": "400 for a range that ends before it begins.",
  "backtests.start":
    "400 for a version that the strategy lacks, for a range that ends before it begins, and for a " +
    "`detail_timeframe` that is no part of the strategy's.",
  "optimizations.start":
    "400 for a version that the strategy lacks, for a range that ends before it begins, and for a " +
    "grid over a parameter without a step.",
  "optimizations.trials": "400 for a `sort` that the trials lack.",
  "optimizations.exportTrials": "400 for a `sort` that the trials lack.",
  "optimizations.apply": "400 for a trial that the search lacks.",
  "candles.import": importRefusal,
  "candles.preview": importRefusal
}

/** Says of an operation its refusals that no schema can say. */
const noteRefusals = (operation: Json): void => {
  const hasCursor = operation.parameters.some(({ name }: Json) => name === "cursor")
  const notes = [
    operation.description,
    refusalNotes[operation.operationId],
    hasCursor ? cursorRefusal : undefined
  ].filter((note) => note !== undefined)
  if (notes.length > 0) operation.description = notes.join(" ").replaceAll("  ", " ")
}

const completeOperation = (
  operation: Json,
  about: { method: string; path: string; annotations: Context.Context<never>; isPublic: boolean }
): void => {
  const { annotations, isPublic, method, path } = about
  const scopes = Context.get(annotations, RequiredScopes)
  if (!isPublic) operation.security = [{ bearer: [...scopes] }]
  operation["x-required-scopes"] = [...scopes]
  const alias = aliasOf(path)
  if (alias !== undefined) operation["x-alias"] = alias
  if (operation.requestBody !== undefined) {
    operation.requestBody.required = Context.get(annotations, OperationBody) !== "optional"
  }
  for (const status of Object.keys(operation.responses)) {
    if (Number(status) >= 400) delete operation.responses[status]
    else completeSuccess(operation, status)
  }
  const hasBody = operation.requestBody !== undefined
  for (const visit of [orderRange, narrowTexts]) eachRecord(operation.requestBody, visit)
  const isScoped = scopes.length > 0
  for (const status of refusalsOf({ method, path, hasBody, isPublic, isScoped })) {
    operation.responses[status] = ref("responses", `Refusal${status}`)
  }
  narrowParameters(operation)
  noteRefusals(operation)
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
    // The schema of the format says which numbers and parts a definition may have.
    spec["components"].schemas = { ...schemas, ...strategySchemas(), ApiProblem: problem }
    for (const part of [spec["paths"], spec["components"].schemas]) {
      for (const visit of [spellPattern, joinEntries, nameDate]) eachRecord(part, visit)
    }
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
