/**
 * Kinds of environment variables: each is a schema from text, and its bounds in words, made of the
 * same numbers.
 *
 * @since 0.1.0
 */
import { Result, Schema, SchemaTransformation } from "effect"

/** The kinds of value that a variable may hold. */
export interface SettingKind<A> {
  readonly kind: "integer" | "number" | "text" | "boolean" | "list"
  readonly bounds: string
  readonly schema: Schema.Codec<A, string>
  /** The kind of each item of a list; a fault names the wrong items. */
  readonly item?: Schema.Codec<unknown, string>
}

/** A variable: its accepted values, and its default. */
export interface SettingDefinition<A> {
  readonly variable: string
  readonly holds: SettingKind<A>
  readonly default: string
  readonly description: string
}

/** Whole numbers in a range. */
export const integerBetween = (minimum: number, maximum: number): Schema.Codec<number, string> =>
  Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum }))

/** Texts of which something is so. */
export const textWhere = (isFit: (text: string) => boolean): Schema.Codec<string, string> =>
  Schema.String.check(Schema.makeFilter(isFit))

/** A number, in digits and with a point at most. */
export const numberSetting = (minimum: number, maximum: number): SettingKind<number> => ({
  kind: "number",
  bounds: `${minimum} to ${maximum}`,
  schema: Schema.FiniteFromString.check(Schema.isBetween({ minimum, maximum }))
})

/** A whole number; a note says more of one of them. */
export const integerSetting = (
  minimum: number,
  maximum: number,
  note?: string
): SettingKind<number> => ({
  kind: "integer",
  bounds: `${minimum} to ${maximum}${note === undefined ? "" : `; ${note}`}`,
  schema: integerBetween(minimum, maximum)
})

/** A text. */
export const textSetting = (
  bounds: string,
  isFit: (text: string) => boolean = () => true
): SettingKind<string> => ({ kind: "text", bounds, schema: textWhere(isFit) })

/** Yes or no. */
export const booleanSetting: SettingKind<boolean> = {
  kind: "boolean",
  bounds: "true or false",
  schema: Schema.Literals(["true", "false"]).pipe(
    Schema.decodeTo(
      Schema.Boolean,
      SchemaTransformation.transform({
        decode: (word) => word === "true",
        encode: (isSo) => (isSo ? "true" : "false")
      })
    )
  )
}

const itemsIn = (list: string): ReadonlyArray<string> =>
  list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** Items between commas. */
export const listSetting = <A>(
  bounds: string,
  item: Schema.Codec<A, string>
): SettingKind<ReadonlyArray<A>> => ({
  kind: "list",
  bounds,
  item,
  schema: Schema.String.pipe(
    Schema.decodeTo(
      Schema.Array(item),
      SchemaTransformation.transform<ReadonlyArray<string>, string>({
        decode: itemsIn,
        encode: (items) => items.join(",")
      })
    )
  )
})

/** The same, or nothing: its default is the empty text. */
export const optionalSetting = <A>({
  schema,
  ...rest
}: SettingKind<A>): SettingKind<A | undefined> => ({
  ...rest,
  schema: Schema.Union([
    Schema.Literal("").pipe(
      Schema.decodeTo(
        Schema.Undefined,
        SchemaTransformation.transform({ decode: () => undefined, encode: () => "" as const })
      )
    ),
    schema
  ])
})

/**
 * A sentence that names the variable. Only lists show the given value: keys must not be printed.
 */
const faultOf = ({ description, holds, variable }: SettingDefinition<unknown>, given: string) => {
  const { bounds, item } = holds
  const isUnfit = (one: string) => Result.isFailure(Schema.decodeUnknownResult(item!)(one))
  const unfit = item === undefined ? undefined : itemsIn(given).find(isUnfit)
  const culprit = unfit === undefined ? "" : `, and ${JSON.stringify(unfit)} is not allowed`
  return `${variable} must be ${bounds}${culprit} (${description})`
}

/** Reads a variable; an empty one counts as not set. Fails with a sentence that names it. */
export const readSetting = <A>(
  definition: SettingDefinition<A>,
  given: string | undefined
): Result.Result<A, string> => {
  const trimmed = given?.trim() ?? ""
  const text = trimmed === "" ? definition.default : trimmed
  return Result.mapError(Schema.decodeUnknownResult(definition.holds.schema)(text), () =>
    faultOf(definition, text)
  )
}
