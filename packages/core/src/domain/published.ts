/**
 * Rules of published schemas that another part checks, where a record is made.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

type Json =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<Json>
  | { readonly [name: string]: Json }

type Keywords = { readonly [name: string]: Json }

/**
 * Adds keywords to the JSON Schema of a value, and checks nothing here. The service that makes a
 * record of the value refuses it in its own words.
 *
 * @category schemas
 * @since 0.1.0
 */
export const published = (keywords: Keywords) =>
  Schema.makeFilter<unknown>(() => true, { toJsonSchema: () => keywords })

const named = (name: string, values: ReadonlyArray<string>) => ({
  properties: { [name]: { enum: values } },
  required: [name]
})

/** Keywords for objects whose field has one of these values. @category schemas @since 0.1.0 */
export const whenField = (name: string, values: ReadonlyArray<string>, keywords: Keywords) => ({
  anyOf: [{ not: named(name, values) }, keywords]
})

/** Keywords for objects whose field has none of these values. @category schemas @since 0.1.0 */
export const unlessField = (name: string, values: ReadonlyArray<string>, keywords: Keywords) => ({
  anyOf: [named(name, values), keywords]
})
