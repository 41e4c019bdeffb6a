/**
 * Says where a request is at fault: a JSON pointer, a code and a sentence for each fault.
 *
 * @since 0.1.0
 */
import { type Fault, toFaults, toPointer, withTypes } from "@candlewick/core"
import type { SchemaIssue } from "effect"

const roots: Record<string, string> = {
  Payload: "#",
  Query: "#/query",
  Headers: "#/headers"
}

/** A JSON pointer to a place below a root. @category conversions @since 0.1.0 */
export const pointerTo = (root: string, path: ReadonlyArray<string | number>): string =>
  root + toPointer(path)

/**
 * Every fault that a schema found in a part of the request, at most 100 of them. A fault of the
 * body has the sent value, where that is given.
 *
 * @category conversions
 * @since 0.1.0
 */
export const faultsOf = (
  issue: SchemaIssue.Issue,
  kind: string,
  body?: unknown
): ReadonlyArray<Fault> => {
  const typed = withTypes(kind === "Payload" ? body : undefined)
  return toFaults(issue).map((fault) => ({
    ...typed(fault),
    pointer: (roots[kind] ?? "#") + fault.pointer
  }))
}
