/**
 * The choices that a JSON Schema leaves open, and the choices that a value makes. A test can so
 * find the ones that a generator of values never draws.
 *
 * A choice is named after its place. Alternatives of objects go by their `type` or `kind`, words by
 * themselves, settings by whether they are a `number` or an `object`. An optional part goes by
 * whether it is `there` or `absent`. The content of a definition is named after that definition
 * wherever it stands.
 */
import type { JsonSchema } from "effect"

/** As much of a schema as is looked at here. */
interface Shape {
  readonly type?: string
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Shape>>
  readonly anyOf?: ReadonlyArray<Shape>
  readonly enum?: ReadonlyArray<string>
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly required?: ReadonlyArray<string>
}

/** The content of a value, or nothing where only the schema is asked. */
type Given = { readonly value: unknown } | null

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {}

/** The word that tells an alternative from the others. */
const wordOf = ({ properties }: Shape): string | undefined =>
  (properties?.type ?? properties?.kind)?.enum?.[0]

/** Whether a value is of an alternative, as far as it takes to tell alternatives apart. */
const isOf = (shape: Shape, value: unknown): boolean => {
  if (shape.type !== "object") return typeof value !== "object"
  const word = wordOf(shape)
  const { kind, type, ...others } = membersOf(value)
  const isNamed = word === undefined || word === (type ?? kind)
  const isWhole = (shape.required ?? []).every(
    (name) => name === "type" || name === "kind" || name in others
  )
  return typeof value === "object" && isNamed && isWhole
}

class Choices {
  readonly found = new Set<string>()
  readonly #definitions: Readonly<Record<string, Shape>>
  readonly #entered = new Set<string>()

  constructor(definitions: Readonly<Record<string, Shape>>) {
    this.#definitions = definitions
  }

  /** Names the choices below a schema, or those that a value makes where there is one. */
  add(shape: Shape, place: string, given: Given): void {
    if (shape.$ref !== undefined) return this.#addDefinition(shape.$ref.split("/").at(-1)!, given)
    if (shape.anyOf !== undefined) return this.#addAlternatives(shape.anyOf, place, given)
    const words = given === null ? shape.enum : [given.value]
    if (shape.enum !== undefined && shape.enum.length > 1) {
      for (const word of words ?? []) this.found.add(`${place}=${String(word)}`)
    }
    for (const one of this.#parts(given)) {
      if (shape.items !== undefined) this.add(shape.items, `${place}[]`, one)
      for (const each of Object.values(shape.patternProperties ?? {})) {
        this.add(each, `${place}.*`, one)
      }
    }
    this.#addMembers(shape, place, given)
  }

  /** Each part of a list or a record of things alike. */
  #parts(given: Given): ReadonlyArray<Given> {
    return given === null
      ? [null]
      : Object.values(membersOf(given.value)).map((value) => ({ value }))
  }

  #addDefinition(name: string, given: Given): void {
    if (given === null && this.#entered.has(name)) return
    this.#entered.add(name)
    this.add(this.#definitions[name]!, name, given)
  }

  #addAlternatives(alternatives: ReadonlyArray<Shape>, place: string, given: Given): void {
    for (const one of alternatives) {
      if (given !== null && !isOf(one, given.value)) continue
      const name = wordOf(one) ?? one.type!
      if (alternatives.length > 1) this.found.add(`${place}:${name}`)
      this.add(one, one.properties === undefined ? place : `${place}.${name}`, given)
    }
  }

  #addMembers({ properties = {}, required = [] }: Shape, place: string, given: Given): void {
    const members = membersOf(given?.value)
    for (const [name, shape] of Object.entries(properties)) {
      const inside = `${place}.${name}`
      const isThere = given === null || members[name] !== undefined
      if (!required.includes(name)) {
        if (isThere) this.found.add(`${inside} there`)
        if (given === null || !isThere) this.found.add(`${inside} absent`)
      }
      if (isThere) this.add(shape, inside, given === null ? null : { value: members[name] })
    }
  }
}

const collect = (schema: JsonSchema.JsonSchema, given: Given): ReadonlySet<string> => {
  const shape = schema as Shape
  const choices = new Choices(shape.$defs ?? {})
  choices.add(shape, "", given)
  return choices.found
}

/** Every choice that a schema leaves. */
export const choicesOf = (schema: JsonSchema.JsonSchema): ReadonlySet<string> =>
  collect(schema, null)

/** The choices that a value makes. */
export const choicesMade = (schema: JsonSchema.JsonSchema, value: unknown): ReadonlySet<string> =>
  collect(schema, { value })
