/**
 * Flags that several commands take, and requests made of them.
 *
 * @since 0.1.0
 */
import { Effect, Option, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { readFile } from "node:fs/promises"
import { wrongUse } from "../terminal/failures.ts"
import { pathOf } from "./paths.ts"

/** A flag with a text that may be left out. @category flags @since 0.1.0 */
export const textFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** A flag with a number that may be left out. @category flags @since 0.1.0 */
export const amount = (name: string, description: string) =>
  Flag.Finite(name).pipe(Flag.withDescription(description), Flag.optional)

/** A flag that is there or not. @category flags @since 0.1.0 */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** How many items of a list are shown. @category flags @since 0.1.0 */
export const limitFlag = Flag.Int("limit").pipe(
  Flag.withDescription("How many to show, at most 100"),
  Flag.withDefault(20)
)

/** Markets, with commas between. @category flags @since 0.1.0 */
export const symbolsFlag = textFlag("symbols", "Markets, with commas between: BTC/USD,ETH/USD")

/** The values of parameters. @category flags @since 0.1.0 */
export const parameters = Flag.KeyValuePair("set").pipe(
  Flag.withDescription("A parameter's value; once for each: --set fast=12"),
  Flag.optional
)

/** From when on. @category flags @since 0.1.0 */
export const from = textFlag("from", "From this day or moment on: 2024-01-01")

/** Until when. @category flags @since 0.1.0 */
export const to = textFlag("to", "Up to this day or moment: 2024-06-30")

/** Starts a run and leaves it to the server. @category flags @since 0.1.0 */
export const detach = toggle("detach", "Start the run and leave it to the server")

/** An id that a command works on. @category arguments @since 0.1.0 */
export const idArgument = (description: string) =>
  Argument.String("id").pipe(Argument.withDescription(description))

/** A path of a file. @category arguments @since 0.1.0 */
export const file = (description: string) =>
  Argument.String("file").pipe(Argument.withDescription(description))

/** Splits the text of a flag at its commas. @category conversions @since 0.1.0 */
export const splitList = (value: Option.Option<string>): ReadonlyArray<string> | undefined =>
  Option.getOrUndefined(Option.map(value, (one) => one.split(",").map((part) => part.trim())))

/** A day or a moment as the API wants it. @category conversions @since 0.1.0 */
export const moment = (value: Option.Option<string>): string | undefined =>
  Option.getOrUndefined(
    Option.map(value, (one) => (/^\d{4}-\d{2}-\d{2}$/.test(one) ? `${one}T00:00:00Z` : one))
  )

/** Parameters with numbers where they are numbers. @category conversions @since 0.1.0 */
export const parametersOf = (
  given: Option.Option<Readonly<Record<string, string>>>
): Readonly<Record<string, number | string>> | undefined =>
  Option.getOrUndefined(
    Option.map(given, (values) =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          value !== "" && Number.isFinite(Number(value)) ? Number(value) : value
        ])
      )
    )
  )

/** Drops the fields whose flags are missing. @category conversions @since 0.1.0 */
export const dropMissing = (
  fields: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => [name, Option.isOption(value) ? Option.getOrUndefined(value) : value])
      .filter(([, value]) => value !== undefined)
  )

/** Decodes flags as a request. @category conversions @since 0.1.0 */
export const request = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  fields: Readonly<Record<string, unknown>>
): Effect.Effect<S["Type"], Schema.SchemaError> =>
  Schema.decodeUnknownEffect(schema, { errors: "all" })(dropMissing(fields))

/** The text of a file. @category conversions @since 0.1.0 */
export const textOf = (path: string) =>
  Effect.tryPromise({
    try: () => readFile(pathOf(path), "utf8"),
    catch: (error) => wrongUse(`${path} can't be read: ${(error as Error).message}`)
  })

/** The content of a JSON file. @category conversions @since 0.1.0 */
export const jsonOf = Effect.fnUntraced(function* (path: string) {
  const content = yield* textOf(path)
  return yield* Effect.try({
    try: (): unknown => JSON.parse(content),
    catch: (error) => wrongUse(`${path} is not JSON: ${(error as Error).message}`)
  })
})
