/**
 * The search of a generation: candidates in chunks over the threads, first everywhere, then around
 * the best.
 *
 * The candidates depend on the seed and on the training results of earlier ones. They never depend
 * on the number of threads, or on which was first.
 *
 * @since 0.1.0
 */
import { Effect, Option, Schema } from "effect"
import { engineVersion, type Objective } from "@candlewick/engine"
import type { RunHandle } from "../RunSource.ts"
import type { TaskFailed, WorkerPool } from "../workers/WorkerPool.ts"
import type { CandidateContext, CandidateRef } from "./candidates.ts"
import { familyNames } from "./candidateRules.ts"
import { rememberedSteps } from "../rememberedSteps.ts"
import { rankDistinct, type ScoredCandidate } from "./scoreCandidate.ts"
import type { TaskSetting } from "../workers/tasks.ts"

const candidatesPerTask = 8
const exploredRate = 0.65
const parentsMax = 8

const ScoredCandidates = Schema.Array(
  Schema.Struct({
    index: Schema.Int,
    parentIndex: Schema.NullOr(Schema.Int),
    family: Schema.Literals(familyNames),
    positionCount: Schema.Int,
    isEligible: Schema.Boolean,
    score: Schema.NullOr(Schema.Finite),
    fingerprint: Schema.String,
    plainReason: Schema.NullOr(Schema.String)
  })
)

/** The space of the search. */
export interface CandidateSearch {
  readonly setting: TaskSetting
  readonly context: CandidateContext
  readonly objective: Objective
  readonly drawdownMax: number
  readonly count: number
}

/** How many candidates are drawn anew before the best of them are varied. */
export const exploredCount = (count: number): number => Math.ceil(count * exploredRate)

const freshRefs = (count: number): ReadonlyArray<CandidateRef> =>
  Array.from({ length: count }, (_, index) => ({ index, parentIndex: null }))

/** Variations of the best candidates, by turns. */
const variedRefs = (
  scored: ReadonlyArray<ScoredCandidate>,
  from: number,
  to: number
): ReadonlyArray<CandidateRef> => {
  const ranked = rankDistinct(scored)
  const eligible = ranked.filter(({ isEligible }) => isEligible)
  const parents = (eligible.length > 0 ? eligible : ranked).slice(0, parentsMax)
  return Array.from({ length: to - from }, (_, at) => ({
    index: from + at,
    parentIndex: parents[at % parents.length]?.index ?? null
  }))
}

/** Trains all candidates; none where the run is cancelled. */
export const searchCandidates = Effect.fnUntraced(function* (
  pool: WorkerPool["Service"],
  search: CandidateSearch,
  handle: RunHandle
): Effect.fn.Return<Option.Option<ReadonlyArray<ScoredCandidate>>, TaskFailed> {
  const { context, count, drawdownMax, objective, setting } = search
  let triedCount = 0
  // The results of the first candidates choose the ones that are varied.
  const steps = yield* rememberedSteps(
    handle,
    [engineVersion, candidatesPerTask, search],
    ScoredCandidates
  )
  const train = Effect.fnUntraced(function* (refs: ReadonlyArray<CandidateRef>) {
    const starts = Array.from(
      { length: Math.ceil(refs.length / candidatesPerTask) },
      (_, at) => at * candidatesPerTask
    )
    const chunks = yield* Effect.forEach(
      starts,
      Effect.fnUntraced(function* (start) {
        const chunk = refs.slice(start, start + candidatesPerTask)
        const step = chunk[0]!.index
        const found = Option.getOrNull(steps.find(step))
        const scored =
          found ??
          (yield* pool.run({
            ...setting,
            type: "candidates",
            context,
            refs: chunk,
            objective,
            drawdownMax
          }))
        if (found === null && scored.length === chunk.length) yield* steps.keep(step, scored)
        triedCount += chunk.length
        yield* handle.report(0.05 + (0.85 * triedCount) / count, "search")
        return scored
      }),
      { concurrency: pool.size }
    )
    return chunks.flat()
  })
  const both = Effect.gen(function* () {
    const first = exploredCount(count)
    const drawn = yield* train(freshRefs(first))
    const varied = yield* train(variedRefs(drawn, first, count))
    return [...drawn, ...varied]
  })
  return yield* handle.unlessCancelled(both)
})
