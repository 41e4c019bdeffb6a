/**
 * What a schema found wrong, as faults: a JSON pointer, a code and a sentence for each.
 *
 * @since 0.1.0
 */
import { SchemaIssue } from "effect"
import type { Fault } from "../domain/Problem.ts"
import { notAmong } from "./notAmong.ts"

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

const sentenceOf: SchemaIssue.LeafHook = (issue) => {
  if (issue._tag === "MissingKey") return "This field is required"
  if (issue._tag !== "UnexpectedKey") return SchemaIssue.defaultLeafHook(issue)
  const fields = issue.ast._tag === "Objects" ? issue.ast.propertySignatures : []
  return notAmong(
    "such field",
    fields.map(({ name }) => String(name))
  )
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => `${issue._tag}${mark}${sentenceOf(issue)}`
})

/**
 * The JSON pointer of a path.
 *
 * @category faults
 * @since 0.1.0
 */
export const toPointer = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((token) => `/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** The codes that schemas name for what fails them, in the annotation `faultCode`, by pointer. */
const namedCodes = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<readonly [string, string]> => {
  switch (issue._tag) {
    case "Pointer":
      return namedCodes(issue.issue, [...path, ...issue.path])
    case "Filter":
    case "Encoding":
      return namedCodes(issue.issue, path)
    case "Composite":
      return issue.issues.flatMap((one) => namedCodes(one, path))
    case "AnyOf": {
      const code = issue.ast.annotations?.["faultCode"]
      return typeof code === "string"
        ? [[toPointer(path), code]]
        : issue.issues.flatMap((one) => namedCodes(one, path))
    }
    default:
      return []
  }
}

/** As many faults as are told at once. @category faults @since 0.1.0 */
export const faultsMax = 100

/**
 * Every fault that a schema found, at most `faultsMax` of them.
 *
 * @category faults
 * @since 0.1.0
 */
export const toFaults = (issue: SchemaIssue.Issue): ReadonlyArray<Fault> => {
  const named = new Map(namedCodes(issue))
  return format(issue)
    .issues.slice(0, faultsMax)
    .map(({ message, path = [] }) => {
      const cut = message.indexOf(mark)
      const pointer = toPointer(path.map((part) => (typeof part === "object" ? part.key : part)))
      const tag = cut === -1 ? "Filter" : message.slice(0, cut)
      const code = named.get(pointer) ?? codes[tag] ?? "not_allowed"
      return { pointer, code, message: message.slice(cut + 1) }
    })
}
