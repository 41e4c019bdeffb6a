/**
 * Refuses query parameters that an operation does not have, as bodies refuse unknown fields.
 *
 * A filter that is misspelt would otherwise be a list of everything.
 *
 * @since 0.1.0
 */
import { Limits, Problem } from "@candlewick/core"
import { Effect, type Schema, SchemaAST } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { pointerTo } from "./faults.ts"

const shownLength = 40

const shown = (name: string): string =>
  name.length > shownLength ? `${name.slice(0, shownLength)}…` : name

const readNames = (query: Schema.Top): ReadonlyArray<string> => {
  const ast = SchemaAST.toEncoded(query.ast)
  return SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

const namesOfEndpoint = new WeakMap<HttpApiEndpoint.Top, ReadonlyArray<string>>()

/** The query parameters of an operation, as its contract has them. */
const namesOf = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<string> => {
  const known = namesOfEndpoint.get(endpoint)
  if (known !== undefined) return known
  const names = endpoint.query === undefined ? [] : readNames(endpoint.query).toSorted()
  namesOfEndpoint.set(endpoint, names)
  return names
}

/** How many letters are put in, left out, changed or swapped to make one text of another. */
const editsBetween = (one: string, other: string): number => {
  let [before, row] = [[] as Array<number>, Array.from({ length: other.length + 1 }, (_, to) => to)]
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let to = 1; to <= other.length; to++) {
      const changed = row[to - 1]! + (one[at - 1] === other[to - 1] ? 0 : 1)
      const isSwapped = one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1]
      const swapped = isSwapped ? before[to - 2]! + 1 : changed
      next.push(Math.min(changed, swapped, row[to]! + 1, next[to - 1]! + 1))
    }
    ;[before, row] = [row, next]
  }
  return row[other.length]!
}

/**
 * The name that is most like a misspelt one. At most a third of its letters differ, or else one of
 * the two begins or ends with the other.
 *
 * @category conversions
 * @since 0.1.0
 */
export const nearestName = (given: string, names: ReadonlyArray<string>): string | undefined => {
  const word = given.slice(0, shownLength).toLowerCase()
  const [best] = names
    .map((name) => ({ name, edits: editsBetween(word, name) }))
    .toSorted((one, other) => one.edits - other.edits)
  if (best !== undefined && best.edits <= best.name.length / 3) return best.name
  const holds = (whole: string, part: string) => whole.startsWith(part) || whole.endsWith(part)
  return word.length < 3
    ? undefined
    : names.find((name) => holds(name, word) || (name.length >= 3 && holds(word, name)))
}

const faultOf = (name: string, names: ReadonlyArray<string>) => {
  const nearest = nearestName(name, names)
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`
  return {
    pointer: pointerTo("#/query", [shown(name)]),
    code: "unknown_field",
    message: `The operation has no query parameter ${shown(name)}${hint}`
  }
}

const namedMax = 10

/** Two names or more in a sentence; of many, the first. */
const listed = (names: ReadonlyArray<string>): string => {
  const left = names.length - namedMax
  const first = names.slice(0, left > 0 ? namedMax : -1).map(shown)
  return `${first.join(", ")} and ${left > 0 ? `${left} more` : shown(names.at(-1)!)}`
}

/**
 * Fails with every query parameter that the operation does not have, and with those that it has.
 *
 * @category combinators
 * @since 0.1.0
 */
export const refuseUnknownQuery = (
  endpoint: HttpApiEndpoint.Top,
  search: string
): Effect.Effect<void, Problem> => {
  if (search.length <= 1) return Effect.void
  const names = namesOf(endpoint)
  const given = new Set(new URLSearchParams(search).keys())
  const unknown = [...given].filter((name) => !names.includes(name))
  if (unknown.length === 0) return Effect.void
  const allowed = names.length === 0 ? "it takes none" : `it takes ${names.join(", ")}`
  return Effect.fail(
    new Problem({
      code: "validation_failed",
      detail:
        unknown.length === 1
          ? `The operation has no query parameter ${shown(unknown[0]!)}: ${allowed}.`
          : `The operation has no query parameters ${listed(unknown)}: ${allowed}.`,
      errors: unknown.slice(0, Limits.faultsMaxCount).map((name) => faultOf(name, names)),
      allowed: [...names]
    })
  )
}
