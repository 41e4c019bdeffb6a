/**
 * A generation from its request to its result: candles, search, judgement, verdict.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import { engineVersion, type RiskProfile, toTimestamp } from "@candlewick/engine"
import { Limits } from "../../../domain/Limits.ts"
import { type Problem, problem } from "../../../domain/Problem.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { GenerateRequest, Strategy } from "../../../domain/Strategy.ts"
import {
  type CandleColumns,
  indexAt,
  makeRandom,
  quantile,
  sliceColumns
} from "@candlewick/engine/kernel"
import type { Candles } from "../../candles/Candles.ts"
import type { JudgementStore } from "../../../ports/JudgementStore.ts"
import { judgeStretches } from "../judgeStretches.ts"
import type { RunHandle } from "../RunSource.ts"
import type { TaskFailed, WorkerPool } from "../workers/WorkerPool.ts"
import type { CandidateContext } from "./candidates.ts"
import { noShortsOn } from "../../strategies/forbiddenShorts.ts"
import { refuseMixedQuotes } from "../../strategies/refuseMixedQuotes.ts"
import { countPlainRuns } from "../countPlainRuns.ts"
import { decideVerdict } from "./decideVerdict.ts"
import type { JudgedCandidate } from "./judgeCandidate.ts"
import {
  findCandles,
  loadCandles,
  pinsOf,
  qualityOf,
  type RunCandles,
  type RunDataset,
  splitSetting,
  splitTime,
  toMeasured,
  toSetting
} from "../runSetting.ts"
import { appetiteFor } from "./riskAppetite.ts"
import { chooseCandidate, rankDistinct, type ScoredCandidate } from "./scoreCandidate.ts"
import { searchCandidates } from "./searchCandidates.ts"
import type { TaskSetting } from "../workers/tasks.ts"
import { toParameters } from "../../strategies/strategyRecords.ts"

/** Share of the candles, from the start, that choose. */
const trainingRate = 0.65

const trainingCandlesMin = 120
const judgedCandlesMin = 60

/** Candles that a market must have, so that neither part of them is too short. */
export const generateCandlesMin = Math.max(
  Math.ceil(trainingCandlesMin / trainingRate),
  Math.ceil(judgedCandlesMin / (1 - trainingRate))
)

/** The results of a generation, as changes of its record. */
export type Generated = Pick<
  Strategy,
  | "definition"
  | "evidence"
  | "judged_stretches"
  | "name"
  | "parameters"
  | "provenance"
  | "risk_profile"
  | "symbols"
  | "synthetic"
  | "verdict"
  | "warnings"
>

/** The seed of a request that names none: requests that differ in risk alone search alike. */
export const seedOfRequest = (request: GenerateRequest): number => {
  if (request.seed !== undefined) return request.seed
  // The same rules are drawn at any risk.
  const { risk_tolerance: _risk, ...search } = request
  const named = Object.entries(search).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return makeRandom(JSON.stringify(named)).integer(0, 2 ** 32 - 1)
}

const tooFewCandles = problem(
  "unprocessable",
  `A generation takes at least ${generateCandlesMin} candles of each market: ${trainingCandlesMin} to choose on, ` +
    `from the first ${100 * trainingRate} % of the time, and ${judgedCandlesMin} to judge on.`
)

/** Whether a market has too few candles to choose on, or to judge on. */
const isTooShort = (datasets: ReadonlyArray<RunDataset>): boolean => {
  const splitAt = splitTime({ datasets }, trainingRate)
  return datasets.some(({ columns, from }) => {
    const split = Math.max(from, indexAt(columns, splitAt))
    return split - from < trainingCandlesMin || columns.length - split < judgedCandlesMin
  })
}

/**
 * The symbols that a generation is for: those that were named, or the one of the default candles,
 * of which there are enough. Fails where there are too few of them in the range that was named.
 */
export const symbolsOfRequest = (
  candles: Candles["Service"],
  accountId: string,
  { from, symbols, timeframe, to }: GenerateRequest
): Effect.Effect<ReadonlyArray<string>, Problem | StoreError> =>
  Effect.gen(function* () {
    const chosen = symbols ?? [
      (yield* candles.defaultDataset(accountId, timeframe, generateCandlesMin)).market.symbol
    ]
    yield* refuseMixedQuotes(chosen, "/symbols")
    if (symbols === undefined && from === undefined && to === undefined) return chosen
    const found = yield* findCandles(candles, { accountId, symbols: chosen, timeframe, from, to })
    if (isTooShort(found)) return yield* tooFewCandles
    return chosen
  })

const sampleMax = 2_000
const rangeRateUnknown = 0.01

/**
 * Median height of a training candle over its close, which distances are drawn in proportion to.
 */
const rangeRateOf = (training: ReadonlyArray<CandleColumns>): number => {
  const rates: Array<number> = []
  for (const { close, high, length, low } of training) {
    const step = Math.max(1, Math.floor(length / sampleMax))
    for (let at = 0; at < length; at += step) rates.push((high[at]! - low[at]!) / close[at]!)
  }
  const rate = quantile(rates.filter(Number.isFinite), 0.5)
  return rate > 0 ? Number(rate.toPrecision(2)) : rangeRateUnknown
}

/** Between which prices nine of ten training candles closed; of one market only. */
const priceRangeOf = (training: ReadonlyArray<CandleColumns>): CandidateContext["range"] => {
  const [only, ...others] = training
  if (only === undefined || others.length > 0) return null
  const step = Math.max(1, Math.floor(only.length / sampleMax))
  const closes = only.close.filter((_, at) => at % step === 0)
  return { low: quantile(closes, 0.05), high: quantile(closes, 0.95) }
}

interface Plan {
  readonly candles: RunCandles
  readonly before: TaskSetting
  readonly after: TaskSetting
  readonly risk: RiskProfile
  readonly context: CandidateContext
}

const planGeneration = (
  loaded: RunCandles,
  request: GenerateRequest
): Effect.Effect<Plan, Problem> => {
  const splitAt = splitTime(loaded, trainingRate)
  const training = loaded.datasets.map((one) =>
    sliceColumns(one.columns, one.from, indexAt(one.columns, splitAt))
  )
  if (isTooShort(loaded.datasets)) return Effect.fail(tooFewCandles)
  const leverage = Math.min(...loaded.markets.map(({ spec }) => spec.leverage))
  const { appetite, profile: risk } = appetiteFor(request.risk_tolerance, leverage)
  const setting = toSetting(loaded, { capital: Limits.capitalDefault, risk })
  return Effect.succeed({
    candles: loaded,
    risk,
    ...splitSetting(setting, loaded.datasets, splitAt),
    context: {
      symbols: loaded.markets.map(({ symbol }) => symbol),
      timeframe: request.timeframe,
      canShort: loaded.markets.every(({ spec }) => spec.canShort),
      appetite,
      atrRate: rangeRateOf(training),
      range: priceRangeOf(training),
      seed: seedOfRequest(request)
    }
  })
}

const familyTitle = (family: string): string => {
  const words = family.replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const toGenerated = (
  plan: Plan,
  request: GenerateRequest,
  scored: ReadonlyArray<ScoredCandidate>,
  chosen: ScoredCandidate,
  judged: JudgedCandidate
): Generated => {
  const { candles, context } = plan
  const qualities = qualityOf(candles)
  const synthetic = qualities.some((quality) => quality.synthetic)
  const distinct = rankDistinct(scored)
  const { evidence, verdict, warnings } = decideVerdict({
    objective: request.objective,
    risk: plan.risk,
    isEligible: chosen.isEligible,
    distinctCount: distinct.length,
    inSample: toMeasured(judged.inSample, request.timeframe),
    outOfSample: toMeasured(judged.outOfSample, request.timeframe),
    buyAndHold: judged.buyAndHold,
    random: judged.random,
    synthetic
  })
  const noShorts = noShortsOn(candles.markets)
  const gapped = qualities.filter(({ gap_count }) => gap_count > 0)
  const [first] = qualities
  return {
    name: `${familyTitle(chosen.family)} on ${context.symbols[0]!} ${request.timeframe}`,
    symbols: [...context.symbols],
    risk_profile: plan.risk,
    synthetic,
    definition: judged.definition,
    parameters: toParameters(judged.definition),
    verdict,
    evidence: { ...evidence, markets: pinsOf(candles) },
    warnings: [
      ...warnings,
      ...(noShorts === null ? [] : [`${noShorts}: only long strategies were searched.`]),
      ...gapped.map(({ gap_count, symbol }) => `${symbol} has ${gap_count} gaps in its candles.`)
    ],
    provenance: {
      engine_version: engineVersion,
      seed: context.seed,
      data_hash: qualities.map(({ hash }) => hash).join(" "),
      data_from: toTimestamp(candles.firstTime),
      data_to: evidence.out_of_sample?.to ?? toTimestamp(candles.lastTime),
      synthetic,
      resampled_from: first?.resampled_from ?? null,
      candidates_evaluated: scored.length,
      candidates_eligible: distinct.filter(({ isEligible }) => isEligible).length,
      plain_runs: countPlainRuns(scored.map(({ plainReason }) => plainReason)),
      family: chosen.family
    }
  }
}

/** The services of generations. */
export interface GenerationServices {
  readonly candles: Candles["Service"]
  readonly judgements: JudgementStore["Service"]
  readonly pool: WorkerPool["Service"]
}

/** Carries a generation out; none where it is cancelled. */
export const generateStrategy = Effect.fnUntraced(function* (
  services: GenerationServices,
  { account_id: accountId, id }: Pick<Strategy, "account_id" | "id">,
  request: GenerateRequest,
  handle: RunHandle
): Effect.fn.Return<Option.Option<Generated>, Problem | StoreError | TaskFailed> {
  yield* handle.report(0.02, "load")
  const { candles, pool } = services
  const { from, objective, timeframe, to } = request
  const symbols = yield* symbolsOfRequest(candles, accountId, request)
  const loaded = yield* loadCandles(candles, { accountId, symbols, timeframe, from, to }, request)
  const plan = yield* planGeneration(loaded, request)
  const { after, before, context } = plan
  const scored = yield* searchCandidates(
    pool,
    {
      setting: before,
      context,
      objective,
      drawdownMax: plan.risk.max_drawdown,
      count: request.max_candidates ?? Limits.generateCandidatesDefault
    },
    handle
  )
  if (Option.isNone(scored)) return Option.none()
  const chosen = chooseCandidate(rankDistinct(scored.value))
  if (chosen === null) return yield* problem("unprocessable", "No candidate could be tried.")
  yield* handle.report(0.92, "judge")
  const { index, parentIndex } = chosen
  const since = splitTime(loaded, trainingRate)
  const judged_stretches = yield* judgeStretches(services, { accountId, id }, loaded, since)
  const judged = yield* handle.unlessCancelled(
    pool.run({
      ...before,
      type: "judge",
      context,
      ref: { index, parentIndex },
      objective,
      after
    })
  )
  yield* handle.report(0.98, "report")
  return Option.map(judged, (one) => ({
    ...toGenerated(plan, request, scored.value, chosen, one),
    judged_stretches
  }))
})
