/**
 * How far a run is, on one line of a terminal.
 *
 * @since 0.1.0
 */
import { Context, Effect } from "effect"

/** How far a run is. @category models @since 0.1.0 */
export interface Progress {
  readonly progress: number
  readonly step: string
  readonly eta_seconds: number | null
  readonly queue_position: number | null
}

/** The terminal that progress is drawn on. @category services @since 0.1.0 */
export class ProgressLine extends Context.Service<
  ProgressLine,
  {
    /** Draws over the line before; nothing where standard error is no terminal. */
    readonly draw: (line: string) => Effect.Effect<void>
    /** Takes the line away. */
    readonly clear: Effect.Effect<void>
  }
>()("@candlewick/cli/terminal/ProgressLine") {}

const duration = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}

const barWidth = 20

/** The line of a run. @category conversions @since 0.1.0 */
export const lineOf = (what: string, run: Progress): string => {
  if (run.step === "queue") {
    const place = run.queue_position === null ? "" : `, ${run.queue_position} before it`
    return `${what}  waits${place}`
  }
  const filled = Math.round(run.progress * barWidth)
  const bar = "#".repeat(filled).padEnd(barWidth, ".")
  const eta = run.eta_seconds === null ? "" : `  ${duration(run.eta_seconds)} left`
  return `${what}  [${bar}] ${Math.round(run.progress * 100)} %  ${run.step}${eta}`
}

/** Draws how far a run is. @category output @since 0.1.0 */
export const drawProgress = (what: string, run: Progress) =>
  Effect.flatMap(ProgressLine, ({ draw }) => draw(lineOf(what, run)))

/** Takes the line away. @category output @since 0.1.0 */
export const clearProgress = Effect.flatMap(ProgressLine, ({ clear }) => clear)
