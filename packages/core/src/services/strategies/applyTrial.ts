/**
 * A trial of a search as the next version of its strategy.
 *
 * @since 0.1.0
 */
import { withDefaults } from "@candlewick/engine"
import { Effect, Option } from "effect"
import type { ApplyRequest, Optimization, TrialDetails } from "../../domain/Optimization.ts"
import { invalid, type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { Strategy } from "../../domain/Strategy.ts"
import type { Evidence } from "../../domain/Verdict.ts"
import type { OptimizationStore } from "../../ports/OptimizationStore.ts"
import type { StrategyStore } from "../../ports/StrategyStore.ts"
import type { TrialStore } from "../../ports/TrialStore.ts"
import { replacing, required } from "../refusals.ts"
import { rowsOf } from "../runs/optimize/trialTable.ts"
import { findVersion, type VersionServices } from "./strategyVersions.ts"
import { updateStrategy, type WrittenServices } from "./writtenStrategies.ts"

interface Services extends WrittenServices, VersionServices {
  readonly optimizations: OptimizationStore["Service"]
  readonly strategies: StrategyStore["Service"]
  readonly trials: TrialStore["Service"]
}

type Report = NonNullable<Optimization["report"]>

const isSame = (one: TrialDetails["parameters"], other: TrialDetails["parameters"]): boolean =>
  Object.keys(one).every((name) => one[name] === other[name])

/** The trial that is named, or the best one. */
const trialOf = Effect.fnUntraced(function* (
  { trials }: Services,
  id: string,
  { best }: Report,
  { trial_index: index }: ApplyRequest
): Effect.fn.Return<TrialDetails, Problem | StoreError> {
  const rows = rowsOf(Option.getOrElse(yield* trials.get(id), () => []))
  const all = Array.from({ length: rows.count }, (_, row) => rows.at(row))
  const found =
    index === undefined
      ? all.find(({ parameters }) => best !== null && isSame(parameters, best.parameters))
      : all.find((trial) => trial.index === index)
  if (found !== undefined) return found
  const message =
    index === undefined
      ? `The optimization ${id} has no best trial.`
      : `The optimization ${id} has no trial ${index}.`
  return yield* invalid([{ pointer: "/trial_index", code: "unknown_trial", message }])
})

/** The findings of the search about the trial: on the candles that chose it, and on the others. */
const evidenceOf = ({ best, config, markets }: Report, trial: TrialDetails): Evidence => {
  const isBest = best !== null && isSame(trial.parameters, best.parameters)
  return {
    ...(markets !== undefined && { markets }),
    in_sample: {
      from: config.from,
      to: config.split_at,
      candle_count: best?.in_sample.candle_count ?? 0,
      metrics: trial.metrics,
      reasons: isBest ? best.in_sample.reasons : {}
    },
    out_of_sample: isBest ? best.out_of_sample : null,
    buy_and_hold: null,
    random_entries: null,
    gates: [],
    rule: "Parameters of a search: no verdict was given beyond the search's report."
  }
}

/** Makes the parameters of a trial the defaults of its strategy. */
export const applyTrial = Effect.fn("Strategies.apply")(function* (
  services: Services,
  accountId: string,
  id: string,
  request: ApplyRequest
): Effect.fn.Return<Strategy, Problem | StoreError> {
  const optimization = yield* required(
    services.optimizations.get(accountId, id),
    "optimization",
    id
  )
  const { report, status, strategy_id: strategyId, strategy_version: version } = optimization
  if (report === null) {
    const message = `The optimization ${id} is ${status}: it has no trials to apply.`
    return yield* problem("invalid_transition", message, { current_state: status })
  }
  const trial = yield* trialOf(services, id, report, request)
  const strategy = yield* required(
    services.strategies.get(accountId, strategyId),
    "strategy",
    strategyId
  )
  const number = version ?? strategy.version
  const { definition } = yield* findVersion(services, accountId, strategyId, number)
  const changes = { definition: withDefaults(definition, trial.parameters) }
  const found = {
    lineage: {
      origin: "applied",
      from_version: number,
      optimization_id: optimization.id,
      trial_index: trial.index
    },
    evidence: evidenceOf(report, trial)
  } as const
  return yield* replacing(
    updateStrategy(services, accountId, strategyId, changes, undefined, found),
    "strategy",
    strategyId
  )
})
