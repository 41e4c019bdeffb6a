/**
 * Makes a service, its promises and the check of their arguments from a table of operations.
 *
 * @since 0.1.0
 */
import { Effect, Result, Schema } from "effect"
import type { Problem } from "../domain/Problem.ts"
import { invalidFields } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { AnyOperation, SignatureOf } from "../domain/operations/Operation.ts"
import { toFaults, withTypes } from "@candlewick/engine"

/** The methods of a service for any account. @category models @since 0.1.0 */
export type MethodsOf<Table> = {
  readonly [Name in keyof Table]: (
    accountId: string,
    ...rest: Parameters<SignatureOf<Table[Name]>>
  ) => Effect.Effect<ReturnType<SignatureOf<Table[Name]>>, Problem | StoreError>
}

/** The methods of a service for one account, as promises. @category models @since 0.1.0 */
export type PromisesOf<Table> = {
  readonly [Name in keyof Table]: (
    ...rest: Parameters<SignatureOf<Table[Name]>>
  ) => Promise<ReturnType<SignatureOf<Table[Name]>>>
}

/**
 * The arguments as schemas want them, in this order; fails with `validation_failed` and every fault.
 * Further arguments are left out.
 */
export const checkEach = (
  schemas: ReadonlyArray<Schema.ConstraintDecoder<unknown>>,
  given: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<unknown>, Problem> => {
  const values: Array<unknown> = []
  for (const [at, schema] of schemas.entries()) {
    const decoded = Schema.decodeUnknownResult(schema, {
      errors: "all",
      onExcessProperty: "error"
    })(given[at])
    if (Result.isFailure(decoded)) {
      const faults = toFaults(decoded.failure.issue).map(withTypes(given[at]))
      return Effect.fail(invalidFields(faults))
    }
    values.push(decoded.success)
  }
  return Effect.succeed(values)
}

/** The arguments as an operation wants them: types hold for callers that are compiled alone. */
export const checkArguments = (
  { takes }: Pick<AnyOperation, "takes">,
  given: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<unknown>, Problem> =>
  checkEach(
    takes.map(({ schema }) => schema),
    given
  )
