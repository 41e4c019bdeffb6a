/**
 * The fields that generations, optimizations and backtests share.
 *
 * `status` moves by `RunMachine`. `step` names the stage of the work, and `progress` goes from 0 to
 * 1. `partial` is true for every cancelled run. Its `report` has the results so far, or is null.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Timestamp } from "@candlewick/engine"
import { RunMachine } from "./RunMachine.ts"

/** The stage of a run's work. @category schemas @since 0.1.0 */
export const RunStep = Schema.Literals(["queue", "load", "search", "simulate", "judge", "report"])

/** The stage of a run's work. @category models @since 0.1.0 */
export type RunStep = typeof RunStep.Type

/** Why a run failed. @category schemas @since 0.1.0 */
export const RunError = Schema.Struct({ code: Schema.String, message: Schema.String })

/** Fields of every run; `progress` goes from 0 to 1. @category schemas @since 0.1.0 */
export const runFields = {
  status: Schema.Literals(RunMachine.states),
  progress: Schema.Finite,
  step: RunStep,
  eta_seconds: Schema.NullOr(Schema.Finite),
  queue_position: Schema.NullOr(Schema.Int),
  /** True for a cancelled run, with or without results so far. */
  partial: Schema.Boolean,
  error: Schema.NullOr(RunError),
  created_at: Timestamp,
  started_at: Schema.NullOr(Timestamp),
  finished_at: Schema.NullOr(Timestamp)
}

/** Fields of every run. @category models @since 0.1.0 */
export type RunFields = Schema.Struct.Type<typeof runFields>

/** The three kinds of run. @category models @since 0.1.0 */
export type RunKind = "generate" | "optimize" | "backtest"

/** The progress of a run or its end, without its results. @category models @since 0.1.0 */
export interface RunNote extends Pick<
  RunFields,
  "status" | "step" | "progress" | "queue_position" | "eta_seconds" | "error"
> {
  readonly kind: RunKind
  readonly id: string
}

/** A choice among the runs that no process has begun. @category models @since 0.1.0 */
export interface QueuedRequest {
  /** The runs of one account; all runs without it. */
  readonly accountId?: string
  /** Only runs whose ids come before this one. */
  readonly before?: string
  /** Not these. */
  readonly except?: ReadonlyArray<string>
}

/**
 * The finished runs that a reader wants beside the unfinished ones.
 *
 * @category models
 * @since 0.1.0
 */
export interface RecentRequest {
  /** An id of anything: runs that were made later, whether they are over or not. */
  readonly after: string
  /** Runs that the answer includes in any state. */
  readonly also: ReadonlyArray<Pick<RunNote, "kind" | "id">>
}

const Rate = Schema.Finite.check(Schema.isBetween({ minimum: -0.01, maximum: 0.5 }))

/** Fee rates that override the market's. @category schemas @since 0.1.0 */
export const Fees = Schema.Struct({ maker: Rate, taker: Rate })

/** Costs that override the market's. @category schemas @since 0.1.0 */
export const costFields = {
  fees: Schema.optionalKey(Fees),
  slippage: Schema.optionalKey(Rate),
  /** The rate that longs pay at each of the market's intervals; shorts get it. */
  funding_rate: Schema.optionalKey(Rate)
}

/** A number that seeds a run: equal seeds give equal results. @category schemas @since 0.1.0 */
export const Seed = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
)
