/**
 * The place in a request that asks for missing candles or missing terms.
 *
 * @since 0.1.0
 */
import { Problem, problem } from "../../domain/Problem.ts"

/** Whether candles are missing. */
export const isMissing = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === "no_market_data"

/** The same refusal with the field that asks for them. */
export const missingAt = ({ code, detail }: Problem, pointer: string): Problem =>
  problem(code, detail, { errors: [{ pointer, code, message: detail }] })

/** The code of a fault that names a revision which is not kept. */
export const unknownRevision = "unknown_revision"

/** The same refusal, of a revision that is not there, with the field that asks for it. */
export const revisionAt = <E>(error: E, pointer: string): E | Problem =>
  error instanceof Problem && error.errors?.[0]?.code === unknownRevision
    ? problem(error.code, error.detail, {
        errors: error.errors.map((fault) => ({ ...fault, pointer }))
      })
    : error

/** The field of a market; it is the one to set also where the strategy's own are taken. */
export const symbolAt = (index: number): string => `/symbols/${index}`
