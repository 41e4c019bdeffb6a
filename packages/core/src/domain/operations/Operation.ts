/**
 * One operation of a service as data: its arguments, the scopes that a key needs, and whether its
 * answer has a version.
 *
 * **Details**
 *
 * A service has one table of such rows. Four things are derived from it. `MethodsOf` is the type of
 * the service, and `PromisesOf` its promises for a plain host. `checkArguments` checks arguments
 * that no compiler saw, and `forCaller` makes the handlers over HTTP with their scopes. An
 * operation is added in its table and in the service. An API that is to serve it declares a path,
 * and nothing else changes.
 *
 * @since 0.1.0
 */
import { Schema, Struct } from "effect"
import type { Scope } from "../Account.ts"
import { Limits } from "../Limits.ts"

/**
 * The role of an argument. It is the name of a record (`key`), the caller's instructions (`body`),
 * the page of a list, or the known version. A `given` argument comes from callers of the method
 * alone.
 *
 * @category models
 * @since 0.1.0
 */
export type ArgumentRole = "key" | "body" | "page" | "version" | "given"

/** One argument of an operation. @category models @since 0.1.0 */
export interface Argument<Role extends ArgumentRole, A> {
  readonly role: Role
  /** Tells keys of one operation apart; a path over HTTP has a parameter of this name. */
  readonly name: string
  readonly schema: Schema.ConstraintDecoder<A>
}

/** The signature of an operation, without the account. @category models @since 0.1.0 */
export type Signature = (...rest: never) => unknown

type Each<Parameters extends ReadonlyArray<unknown>> = {
  // Parameters that may be left out are undefined then.
  readonly [Index in keyof Parameters]: Argument<ArgumentRole, Parameters[Index] | undefined>
}

/** The arguments that a signature wants, one for each parameter. @category models @since 0.1.0 */
export type ArgumentsOf<F extends Signature> = Each<Required<Parameters<F>>>

/** One row of a table. @category models @since 0.1.0 */
export interface Operation<F extends Signature, Takes> {
  /** A key needs all of them. */
  readonly scopes: ReadonlyArray<Scope>
  readonly takes: Takes
  /** Whether the answer is a record with a version, which `If-Match` may name. */
  readonly isVersioned: boolean
  /** There in types alone. */
  readonly signature?: F
}

/** Any row. @category models @since 0.1.0 */
export type AnyOperation = Operation<Signature, ReadonlyArray<Argument<ArgumentRole, unknown>>>

/** The operations of a service by the names of its methods. @category models @since 0.1.0 */
export type OperationTable = Readonly<Record<string, AnyOperation>>

/** The signature of a row. @category models @since 0.1.0 */
export type SignatureOf<Row> = Row extends Operation<infer F, infer _Takes> ? F : never

type IsVersioned<A> = A extends { readonly version: number } ? boolean : false

/**
 * A row with this signature: `operation<(id: string) => Bot>()({ … })`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const operation =
  <F extends Signature>() =>
  <const Takes extends ArgumentsOf<F>>({
    isVersioned = false,
    scopes,
    takes
  }: {
    readonly scopes: ReadonlyArray<Scope>
    readonly takes: Takes
    readonly isVersioned?: IsVersioned<ReturnType<F>>
  }): Operation<F, Takes> => ({ scopes, takes, isVersioned })

/** The name of something that there is. @category arguments @since 0.1.0 */
export const key = (name: string): Argument<"key", string> => ({
  role: "key",
  name,
  schema: Schema.String
})

/** The account's thing that an operation is about. @category arguments @since 0.1.0 */
export const id = key("id")

/** The body that a caller sends. @category arguments @since 0.1.0 */
export const body = <A>(schema: Schema.ConstraintDecoder<A>): Argument<"body", A> => ({
  role: "body",
  name: "body",
  schema
})

/** Something that only a caller of the method itself gives. @category arguments @since 0.1.0 */
export const given = <A>(
  name: string,
  schema: Schema.ConstraintDecoder<A>
): Argument<"given", A> => ({
  role: "given",
  name,
  schema
})

const pageFields = {
  limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Limits.pageSizeMax })),
  before: Schema.optional(Schema.String)
}

/** A page of the records that the other fields leave. @category arguments @since 0.1.0 */
export const pageArgument = <const Fields extends Schema.Struct.Fields>(fields: Fields) => ({
  role: "page" as const,
  name: "page",
  schema: Schema.Struct({ ...pageFields, ...fields })
})

/** A page of the records that a filter leaves. @category arguments @since 0.1.0 */
export const filteredPage = <const Fields extends Readonly<Record<string, Schema.Top>>>(
  filter: Fields
) => pageArgument(Struct.map(filter, Schema.optional))

/** The version that the caller knows, or whichever there is. @category arguments @since 0.1.0 */
export const version: Argument<"version", number | undefined> = {
  role: "version",
  name: "version",
  schema: Schema.UndefinedOr(Schema.Int)
}
