/**
 * Where in a request the candles are asked for that are not there.
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

/** The field of a market; it is the one to set also where the strategy's own are taken. */
export const symbolAt = (index: number): string => `/symbols/${index}`
