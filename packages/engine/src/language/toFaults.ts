/**
 * The findings of a schema as faults: a JSON pointer, a code and a sentence for each.
 *
 * @since 0.1.0
 */
import { SchemaIssue } from "effect"
import { engineLimits } from "./engineLimits.ts"
import type { Fault } from "./Fault.ts"
import { inWords } from "./inWords.ts"

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
  if (issue._tag === "InvalidType") {
    const words = inWords(issue.ast)
    if (words !== null) return `Expected ${words}`
  }
  if (issue._tag !== "UnexpectedKey") return SchemaIssue.defaultLeafHook(issue)
  const fields = issue.ast._tag === "Objects" ? issue.ast.propertySignatures : []
  if (fields.length === 0) return "This field is unknown; the object takes none"
  return `This field is unknown; the fields are ${fields.map(({ name }) => String(name)).join(", ")}`
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

/** Where a value is none of several kinds, by pointer. */
const unionsOf = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<readonly [pointer: string, union: SchemaIssue.AnyOf]> => {
  switch (issue._tag) {
    case "Pointer":
      return unionsOf(issue.issue, [...path, ...issue.path])
    case "Filter":
    case "Encoding":
      return unionsOf(issue.issue, path)
    case "AnyOf":
      return [[toPointer(path), issue], ...issue.issues.flatMap((one) => unionsOf(one, path))]
    case "Composite":
      return issue.issues.flatMap((one) => unionsOf(one, path))
    default:
      return []
  }
}

/** As many faults as are listed at once. @category faults @since 0.1.0 */
export const faultsMax = engineLimits.faultsMaxCount

/**
 * The issue with its first leaves alone, so that only shown faults are worded. `room` says how many
 * leaves there is room for, and is used up.
 */
const firstOf = (issue: SchemaIssue.Issue, room: { left: number }): SchemaIssue.Issue => {
  switch (issue._tag) {
    case "Pointer":
      return new SchemaIssue.Pointer(issue.path, firstOf(issue.issue, room))
    case "Composite": {
      const [first, ...rest] = issue.issues
      const kept: [SchemaIssue.Issue, ...Array<SchemaIssue.Issue>] = [firstOf(first, room)]
      for (const one of rest) {
        if (room.left <= 0) break
        kept.push(firstOf(one, room))
      }
      return new SchemaIssue.Composite(issue.ast, kept)
    }
    default:
      room.left--
      return issue
  }
}

/**
 * Every fault that a schema found, at most `faultsMax` of them.
 *
 * @category faults
 * @since 0.1.0
 */
export const toFaults = (whole: SchemaIssue.Issue): ReadonlyArray<Fault> => {
  const issue = firstOf(whole, { left: faultsMax })
  // Codes that schemas name for their faults, in the annotation `faultCode`.
  const named = new Map<string, string>()
  // The formatter asks no hook about a value that is none of several kinds.
  const expected = new Map<string, string>()
  for (const [pointer, { ast, issues }] of unionsOf(issue)) {
    const code = ast.annotations?.["faultCode"]
    if (typeof code === "string") named.set(pointer, code)
    const words = issues.length === 0 ? inWords(ast) : null
    if (words !== null) expected.set(pointer, `Expected ${words}`)
  }
  return format(issue)
    .issues.slice(0, faultsMax)
    .map(({ message, path = [] }) => {
      const cut = message.indexOf(mark)
      const pointer = toPointer(path.map((part) => (typeof part === "object" ? part.key : part)))
      const tag = cut === -1 ? "Filter" : message.slice(0, cut)
      const code = named.get(pointer) ?? codes[tag] ?? "not_allowed"
      const words = cut === -1 ? expected.get(pointer) : undefined
      return { pointer, code, message: words ?? message.slice(cut + 1) }
    })
}
