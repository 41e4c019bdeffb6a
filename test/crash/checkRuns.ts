/**
 * Runs were begun once, ended once, and ended as it was acknowledged that they would.
 */
import { allOf, answerOf, type AnswerBody, type Call } from "./api.ts"
import type { Findings } from "./checks.ts"
import { until } from "./until.ts"
import type { PromisedRun, Promises } from "./workload.ts"

/** A run under way when it was told to end may be ended this much later. */
const endingMs = 15_000

const paths = {
  generate: (id: string) => `/mix/strategies/${id}`,
  optimize: (id: string) => `/mix/optimize/${id}/status`,
  backtest: (id: string) => `/mix/backtest/${id}`
} as const

const overIn = ["completed", "ready", "failed", "cancelled"]

/** Whether a run that went on to its end could not have known better. */
const isTooLate = (kept: Promises, atMs: number, endedMs: number): boolean =>
  // A process that was killed has no work of before the cancellation left.
  endedMs > atMs + endingMs || kept.restarts.some((ms) => ms > atMs && ms < endedMs)

const faultOf = (kept: Promises, run: PromisedRun, body: AnswerBody): string | null => {
  const { acknowledged, isCancelled } = run
  if (acknowledged !== undefined && overIn.includes(acknowledged.status)) {
    return body.status === acknowledged.status ? null : `was ${acknowledged.status} before`
  }
  if (body.status === "cancelled") return isCancelled ? null : "which nobody asked for"
  if (body.status === "failed") return "though nothing is wrong with it"
  if (acknowledged === undefined) return null
  const endedMs = Date.parse(body.finished_at ?? body.updated_at)
  const isLost = isTooLate(kept, acknowledged.atMs, endedMs)
  return isLost ? "though its cancellation was acknowledged" : null
}

/** Runs end once, as they were asked to; how each ended. */
export const checkRuns = async (
  call: Call,
  kept: Promises,
  { losses }: Findings
): Promise<ReadonlyMap<string, string>> => {
  const ends = new Map<string, string>()
  for (const [id, run] of kept.runs) {
    let body: AnswerBody | null = null
    const late = await until(
      async () => {
        body = (await answerOf(call, "GET", paths[run.kind](id))).body
        return overIn.includes(body.status)
      },
      `${run.kind} ${id} never ended`,
      240_000
    )
    if (late !== null || body === null) {
      losses.push(late ?? id)
      continue
    }
    const ended: AnswerBody = body
    ends.set(id, ended.status)
    const fault = faultOf(kept, run, ended)
    if (fault !== null) losses.push(`${run.kind} ${id} ended ${ended.status}, ${fault}`)
  }
  return ends
}

/** Every run was begun once, however often it was asked for under its key. */
export const checkRunsOnce = async (
  call: Call,
  kept: Promises,
  { duplicates }: Findings
): Promise<void> => {
  for (const path of ["/mix/backtests", "/mix/optimize", "/mix/strategies"]) {
    const all = await allOf<{ id: string; origin?: string }>(call, path)
    const unknown = all.filter(({ id, origin }) => !kept.runs.has(id) && origin !== "written")
    duplicates.push(...unknown.map(({ id }) => `run ${id} was begun for nobody`))
    const unasked = all.filter(({ id, origin }) => origin === "written" && !kept.announced.has(id))
    duplicates.push(...unasked.map(({ id }) => `strategy ${id} was written for nobody`))
  }
}
