/**
 * What strategies are written from in TypeScript, so that what can't be meant does not compile: a
 * parameter that is not declared, a fraction where candles are counted, an exit that there is not.
 *
 * @since 0.1.0
 */
import type { Parameter, Setting } from "./Parameter.ts"
import type { EntryOrder } from "./EntryOrder.ts"
import type { Distance } from "./Exits.ts"
import type { Sizing } from "./Sizing.ts"
import type { DirectionRules, Reentry, StrategyDefinition } from "./StrategyDefinition.ts"

declare const kind: unique symbol
declare const unit: unique symbol
declare const noSuchField: unique symbol

/**
 * A parameter whose kind the compiler knows, in the place of a number; at run time it is the plain
 * setting.
 *
 * @category models
 * @since 0.1.0
 */
export type ParameterIn<K extends Parameter["kind"] = Parameter["kind"]> = {
  readonly parameter: string
  readonly [kind]?: K
}

/** A setting that counts candles: no parameter with a fraction. @category models @since 0.1.0 */
export type WholeSetting = number | ParameterIn<"integer" | "choice">

/** Parameters as a strategy declares them, by name. @category models @since 0.1.0 */
export type Declared = Readonly<Record<string, Parameter>>

/** The parameters of a strategy as settings, by name. @category models @since 0.1.0 */
export type DeclaredSettings<P extends Declared> = {
  readonly [Name in keyof P]: ParameterIn<P[Name]["kind"]>
}

/** A distance whose level the compiler knows the unit of. @category models @since 0.1.0 */
export type DistanceIn<U extends "price" | "price_difference"> = Distance & {
  readonly [unit]?: U
}

/** Exits whose levels are in the right units. @category models @since 0.1.0 */
export type ExitParts = {
  readonly stop_loss?: DistanceIn<"price">
  readonly take_profit?: DistanceIn<"price">
  readonly trailing_stop?: {
    readonly distance: DistanceIn<"price_difference">
    readonly activation?: DistanceIn<"price">
  }
  readonly break_even?: { readonly activation: DistanceIn<"price">; readonly offset?: Setting }
  readonly time_limit?: WholeSetting
}

type Counting<T, Names> = T extends unknown
  ? { readonly [Name in keyof T]: Name extends Names ? WholeSetting : T[Name] }
  : never

/** How an entry is ordered; candles are counted. @category models @since 0.1.0 */
export type EntryParts = Counting<EntryOrder, "expires_after">

/** How large an entry is; candles are counted. @category models @since 0.1.0 */
export type SizingParts = Counting<Sizing, "period">

/** When to enter in one direction, and when to leave. @category models @since 0.1.0 */
export type DirectionParts = typeof DirectionRules.Type

/** How long to wait before entering again, in candles. @category models @since 0.1.0 */
export type ReentryParts = Counting<typeof Reentry.Type, "cooldown" | "cooldown_after_stop">

/** The type of a field that there is not. @category models @since 0.1.0 */
export interface NoSuchField {
  readonly [noSuchField]: never
}

/** The keys of every member of a union. @category models @since 0.1.0 */
export type KeysOf<T> = T extends unknown ? keyof T : never

/**
 * A type without fields that another has not: what a function gives is not looked at so closely.
 * A field that nobody writes keeps it from being `{}`, which takes an object of whatever fields.
 *
 * @category models
 * @since 0.1.0
 */
export type Only<
  Given,
  Names extends PropertyKey,
  All extends PropertyKey = KeysOf<Given>
> = Given &
  (Given extends null | undefined
    ? Given
    : { readonly [Name in Exclude<All, Names> | typeof noSuchField]?: NoSuchField })

type Nested = "trailing_stop" | "break_even"

/** Only what exits have, in those that have parts as well. */
type OnlyInside<Given, Shape> = {
  readonly [
    Name in (keyof Given & keyof Shape & Nested) | typeof noSuchField
  ]?: Name extends keyof Given & keyof Shape
    ? Only<Given[Name], KeysOf<NonNullable<Shape[Name]>>>
    : NoSuchField
}

/** A part of a strategy, or what gives it from the parameters. @category models @since 0.1.0 */
export type Part<P extends Declared, Shape, Given extends Shape = Shape> =
  | Shape
  | ((parameters: DeclaredSettings<P>) => Only<Given, KeysOf<Shape>> & OnlyInside<Given, Shape>)

/**
 * The parts that a strategy of rules and one of code have in common.
 *
 * @category models
 * @since 0.1.0
 */
export type CommonParts<
  P extends Declared,
  E extends ExitParts = ExitParts,
  R extends ReentryParts = ReentryParts
> = Pick<StrategyDefinition, "symbols" | "trades" | "timeframe" | "max_positions"> & {
  /** What parts use has to be declared here. */
  readonly parameters?: P
  readonly entry?: Part<P, EntryParts>
  readonly exits?: Part<P, ExitParts, E>
  readonly sizing?: Part<P, SizingParts>
  readonly reentry?: Part<P, ReentryParts, R>
}

/**
 * What a strategy is written from: a definition without its format. A part that uses parameters is
 * a function of them.
 *
 * @category models
 * @since 0.1.0
 */
export type StrategyParts<
  P extends Declared = Declared,
  L extends DirectionParts = DirectionParts,
  S extends DirectionParts = DirectionParts,
  E extends ExitParts = ExitParts,
  R extends ReentryParts = ReentryParts
> = CommonParts<P, E, R> & {
  readonly long?: Part<P, DirectionParts, L>
  readonly short?: Part<P, DirectionParts, S>
} & ({ readonly long: unknown } | { readonly short: unknown })

/** A definition whose parameters the compiler knows by name. @category models @since 0.1.0 */
export type StrategyWith<N extends string> = Omit<StrategyDefinition, "parameters"> & {
  readonly parameters: Readonly<Record<N, Parameter>>
}

/**
 * Values of the parameters of these names, or of any where they are not known.
 *
 * @category models
 * @since 0.1.0
 */
export type ValuesOf<N extends string> = string extends N
  ? Readonly<Record<string, number>>
  : [N] extends [never]
    ? Readonly<Record<string, never>>
    : { readonly [Name in N]?: number }

const partNames: ReadonlySet<string> = new Set([
  "long",
  "short",
  "entry",
  "exits",
  "sizing",
  "reentry"
])

/** One that is not declared is named as well: the check then tells which node uses it. */
const settingsOf = (parameters: object): object =>
  new Proxy(
    { ...parameters },
    {
      get: (_, name): Setting | undefined =>
        typeof name === "string" ? { parameter: name } : undefined
    }
  )

/**
 * The format that parts are in: the first unless they name one, as JSON may though no type has it.
 * Whether there is such a format is looked at with all the rest.
 *
 * @category strategies
 * @since 0.1.0
 */
export const formatOf = (parts: object): unknown =>
  "format" in parts && parts.format !== undefined ? parts.format : 1

/**
 * The parts with what their functions give from the parameters.
 *
 * @category strategies
 * @since 0.1.0
 */
export const resolveParts = (parts: object, parameters: object): object => {
  const settings = settingsOf(parameters)
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]: [string, unknown]) => [
      name,
      partNames.has(name) && typeof part === "function" ? part(settings) : part
    ])
  )
}
