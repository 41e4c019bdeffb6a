/**
 * The headers that a host may add to its notifications.
 *
 * None of them names the sender, frames the message, or opens a cloud's metadata.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

const reservedPrefixes = [
  "webhook-",
  "x-service-",
  "svix-",
  "content-",
  "proxy-",
  "x-forwarded-",
  "x-amz-",
  "x-goog-",
  "x-azure-"
] as const

const reservedNames: ReadonlySet<string> = new Set([
  "host",
  "accept-encoding",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "upgrade",
  "user-agent",
  "expect",
  "cookie",
  "forwarded",
  "metadata",
  "metadata-flavor",
  // No object of JavaScript keeps a value of this name.
  "__proto__"
])

const nameShape = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/
const valueShape = /^[\u0021-\u007e](?:[\u0020-\u007e]{0,1022}[\u0021-\u007e])?$/
const headersMax = 20

/** Whether a header's name is the sender's own, in any case. @category predicates @since 0.1.0 */
export const isReservedHeader = (name: string): boolean => {
  const lower = name.toLowerCase()
  return reservedNames.has(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix))
}

const isAddable = (headers: Readonly<Record<string, string>>): boolean => {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  return (
    names.length <= headersMax &&
    new Set(names).size === names.length &&
    names.every((name) => nameShape.test(name) && !isReservedHeader(name)) &&
    Object.values(headers).every((value) => valueShape.test(value))
  )
}

/** A text in any case, where a pattern has no flag for it. */
const inAnyCase = (text: string): string =>
  text.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)

const reserved = [...[...reservedNames].map((name) => `${name}$`), ...reservedPrefixes]
  .map(inAnyCase)
  .join("|")

/** This schema can't refuse two names that differ in their case alone. */
const publishedSchema = {
  maxProperties: headersMax,
  propertyNames: { pattern: `^(?!${reserved})[A-Za-z0-9!#$%&'*+.^_\`|~-]{1,64}$` },
  additionalProperties: { type: "string", pattern: valueShape.source }
} as const

/** Headers that are added to every notification of an endpoint. @category schemas @since 0.1.0 */
export const CustomHeaders = Schema.Record(Schema.String, Schema.String).check(
  Schema.makeFilter(isAddable, {
    expected: "at most 20 headers of visible ASCII, none of them reserved for the sender",
    toJsonSchema: () => publishedSchema
  })
)
