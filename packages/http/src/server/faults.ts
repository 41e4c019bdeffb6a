/**
 * Says where a request is at fault: a JSON pointer, a code and a sentence for each fault.
 *
 * @since 0.1.0
 */
import type { Fault } from "@candlewick/core"
import { SchemaIssue } from "effect"

const codes: Record<string, string> = {
  MissingKey: "missing",
  UnexpectedKey: "unknown_field",
  InvalidType: "wrong_type",
  InvalidValue: "not_allowed",
  Forbidden: "not_allowed",
  OneOf: "not_allowed",
  Filter: "not_allowed"
}

// The formatter yields one text for each fault; the code travels in front of it.
const mark = "\u0000"
const sentences: Record<string, string> = {
  MissingKey: "This field is required",
  UnexpectedKey: "There is no such field"
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) =>
    `${issue._tag}${mark}${sentences[issue._tag] ?? SchemaIssue.defaultLeafHook(issue)}`
})

const roots: Record<string, string> = {
  Payload: "#",
  Query: "#/query",
  Headers: "#/headers"
}

const escape = (segment: string): string => segment.replaceAll("~", "~0").replaceAll("/", "~1")

/** A JSON pointer to a place below a root. @category conversions @since 0.1.0 */
export const pointerTo = (root: string, path: ReadonlyArray<string | number>): string =>
  [root, ...path.map((segment) => escape(String(segment)))].join("/")

/**
 * Every fault that a schema found in a part of the request, at most 100 of them.
 *
 * @category conversions
 * @since 0.1.0
 */
export const faultsOf = (issue: SchemaIssue.Issue, kind: string): ReadonlyArray<Fault> =>
  format(issue)
    .issues.slice(0, 100)
    .map(({ message, path = [] }) => {
      const cut = message.indexOf(mark)
      const segments = path.map((segment) =>
        String(typeof segment === "object" ? segment.key : segment)
      )
      return {
        pointer: pointerTo(roots[kind] ?? "#", segments),
        code: codes[cut === -1 ? "Filter" : message.slice(0, cut)] ?? "not_allowed",
        message: message.slice(cut + 1)
      }
    })
