/**
 * The parts of strategies in TypeScript.
 *
 * Their types refuse nonsense: a parameter that is not declared, a fraction where candles are
 * counted, an unknown exit.
 *
 * @since 0.1.0
 */
import type { Parameter, Setting } from "./Parameter.ts"
import type { StrategyDefinition } from "./StrategyDefinition.ts"
import type {
  DirectionParts,
  EntryParts,
  ExitParts,
  GridExits,
  GridParts,
  GridSizing,
  LadderParts,
  RebalanceParts,
  ReentryParts,
  SizingParts
} from "./TypedParts.ts"
import type { ParameterIn } from "./TypedSetting.ts"

declare const noSuchField: unique symbol

/** Parameters as a strategy declares them, by name. @category models @since 0.1.0 */
export type Declared = Readonly<Record<string, Parameter>>

/** The parameters of a strategy as settings, by name. @category models @since 0.1.0 */
export type DeclaredSettings<P extends Declared> = {
  readonly [Name in keyof P]: ParameterIn<P[Name]["kind"]>
}

/** The type of a field that there is not. @category models @since 0.1.0 */
export interface NoSuchField {
  readonly [noSuchField]: never
}

/** The keys of every member of a union. @category models @since 0.1.0 */
export type KeysOf<T> = T extends unknown ? keyof T : never

/**
 * A type without the fields that another lacks. The compiler does not check results of functions so
 * closely. A field that no caller writes keeps it from being `{}`, which takes an object of any
 * fields.
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

/** Only the fields of exits, in a type that has parts as well. */
type OnlyInside<Given, Shape> = {
  readonly [
    Name in (keyof Given & keyof Shape & Nested) | typeof noSuchField
  ]?: Name extends keyof Given & keyof Shape
    ? Only<Given[Name], KeysOf<NonNullable<Shape[Name]>>>
    : NoSuchField
}

/**
 * A part of a strategy, or a function that makes it from the parameters.
 *
 * @category models
 * @since 0.1.0
 */
export type Part<P extends Declared, Shape, Given extends Shape = Shape> =
  | Shape
  | ((parameters: DeclaredSettings<P>) => Only<Given, KeysOf<Shape>> & OnlyInside<Given, Shape>)

/** Parts that every strategy has. */
type Frame<P extends Declared> = Pick<StrategyDefinition, "symbols" | "trades" | "timeframe"> & {
  /** Parameters that the parts use have to be declared here. */
  readonly parameters?: P
}

/** Parts of a position that are averaged, or kept apart, or that overlap. */
type LotParts =
  | {
      readonly lots?: "average"
      readonly exits_of?: never
      readonly overlap?: never
      readonly max_positions?: number
    }
  | {
      readonly lots: "first_in_first_out" | "by_name"
      readonly exits_of?: "lot" | "position"
      readonly overlap?: never
      readonly max_positions?: number
    }
  | {
      readonly overlap: true
      readonly max_positions: number
      readonly lots?: never
      readonly exits_of?: never
    }

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
> = Frame<P> &
  LotParts & {
    readonly [Name in keyof LadderParts]: Part<P, NonNullable<LadderParts[Name]>>
  } & {
    readonly entry?: Part<P, EntryParts>
    readonly exits?: Part<P, ExitParts, E>
    readonly sizing?: Part<P, SizingParts>
    readonly reentry?: Part<P, ReentryParts, R>
  }

/**
 * The source of a strategy of rules: a definition without its format. A part that uses parameters
 * is a function of them.
 *
 * @category models
 * @since 0.1.0
 */
export type RuleParts<
  P extends Declared = Declared,
  L extends DirectionParts = DirectionParts,
  S extends DirectionParts = DirectionParts,
  E extends ExitParts = ExitParts,
  R extends ReentryParts = ReentryParts
> = CommonParts<P, E, R> & {
  readonly long?: Part<P, DirectionParts, L>
  readonly short?: Part<P, DirectionParts, S>
  readonly grid?: never
  readonly rebalance?: never
} & ({ readonly long: unknown } | { readonly short: unknown })

/** The source of a grid, in place of rules. @category models @since 0.1.0 */
export type GridStrategy<P extends Declared = Declared> = Frame<P> & {
  readonly grid: Part<P, GridParts>
  readonly exits?: Part<P, GridExits>
  readonly sizing?: Part<P, GridSizing>
  readonly long?: never
  readonly short?: never
  readonly rebalance?: never
}

/** The source of rebalancing, in place of rules. @category models @since 0.1.0 */
export type RebalanceStrategy<P extends Declared = Declared> = Frame<P> & {
  readonly rebalance: Part<P, RebalanceParts>
  readonly long?: never
  readonly short?: never
  readonly grid?: never
}

/**
 * The source of a strategy: rules, a grid, or a weight to keep.
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
> = RuleParts<P, L, S, E, R> | GridStrategy<P> | RebalanceStrategy<P>

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
  "additions",
  "safety_orders",
  "targets",
  "reductions",
  "grid",
  "rebalance",
  "reentry"
])

/**
 * A parameter that is not declared is named as well: the check then names the node that uses it.
 */
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
 * The parts, with functions replaced by their results for the parameters.
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
