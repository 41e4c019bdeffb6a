/**
 * The evidence for a search's best set: the share of luck in it, the results of its neighbours, and
 * the result out of sample.
 *
 * @since 0.1.0
 */
import {
  metrics as catalogue,
  type Objective,
  type ParameterRange,
  type ParameterValues,
  scoreOf
} from "@candlewick/engine"
import {
  type BacktestOverfitting,
  deflatedSharpe,
  expectedMaximum,
  quantile,
  variance
} from "@candlewick/engine/kernel"
import type { MeasuredParameterSet, SearchJudgement, Trial } from "../../../domain/Optimization.ts"
import type { JudgedTrials } from "./trialTable.ts"

/** A search whose trials are over, for its judgement. */
export interface JudgedSearch {
  readonly objective: Objective
  readonly space: ReadonlyArray<ParameterRange>
  readonly trials: ReadonlyArray<Trial>
  readonly judged: JudgedTrials
  readonly best: MeasuredParameterSet | null
  readonly bestTrial: Trial | null
  readonly original: MeasuredParameterSet | null
  readonly overfitting: BacktestOverfitting | null
  readonly blockCount: number
}

const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null)

/** The probability that the best's Sharpe ratio is above that of the best of worthless trials. */
const deflate = ({ bestTrial, judged }: JudgedSearch): SearchJudgement["deflated_sharpe"] => {
  if (bestTrial === null) return null
  const yearly = judged.sharpes.filter((value) => Number.isFinite(value))
  const sample = judged.sampleOf(bestTrial.index)
  if (sample === null || yearly.length < 2) return null
  const root = Math.sqrt(judged.periodsPerYear)
  const spread = variance(yearly.map((value) => value / root))
  const probability = deflatedSharpe(sample, yearly.length, spread)
  if (!Number.isFinite(probability)) return null
  return {
    probability,
    sharpe: sample.sharpe * root,
    sharpe_of_luck: Math.sqrt(spread) * expectedMaximum(yearly.length) * root,
    trial_count: yearly.length
  }
}

/** How far two values of a parameter are apart: in steps, or in tenths of its range. */
const distanceOf = ({ max, min, step }: ParameterRange, one: number, other: number): number => {
  const unit = Math.max(step ?? 0, (max - min) / 10)
  return unit === 0 ? 0 : Math.abs(one - other) / unit
}

/** Whether no parameter of two sets is more than a step, or a tenth of its range, apart. */
const areNeighbours = (
  space: ReadonlyArray<ParameterRange>,
  one: ParameterValues,
  other: ParameterValues
): boolean =>
  space.every((range) => distanceOf(range, one[range.name]!, other[range.name]!) <= 1 + 1e-9)

const lookAround = ({
  bestTrial,
  objective,
  space,
  trials
}: JudgedSearch): SearchJudgement["neighbourhood"] => {
  if (bestTrial === null) return null
  const near = trials.filter(
    ({ index, parameters }) =>
      index !== bestTrial.index && areNeighbours(space, bestTrial.parameters, parameters)
  )
  const values = near.flatMap(({ is_eligible, objective: value }) =>
    is_eligible && value !== null ? [value] : []
  )
  const worst = values.toSorted(
    (one, other) => scoreOf(objective, one) - scoreOf(objective, other)
  )[0]
  return {
    trial_count: near.length,
    eligible_count: values.length,
    objective_median: values.length === 0 ? null : quantile(values, 0.5),
    objective_worst: worst ?? null
  }
}

const degrade = ({ best, objective }: JudgedSearch): SearchJudgement["degradation"] => {
  if (best === null) return null
  const inside = best.in_sample.metrics[objective] ?? null
  const outside = best.out_of_sample.metrics[objective] ?? null
  const isComparable = inside !== null && outside !== null && inside > 0
  return {
    objective_in_sample: inside,
    objective_out_of_sample: outside,
    retained_rate: isComparable ? outside / inside : null
  }
}

const tellOverfitting = ({
  blockCount,
  overfitting
}: JudgedSearch): SearchJudgement["overfitting"] =>
  overfitting === null
    ? null
    : {
        probability: overfitting.probability,
        loss_probability: overfitting.lossProbability,
        block_count: blockCount,
        split_count: overfitting.logits.length,
        slope: orNull(overfitting.degradation.slope),
        intercept: orNull(overfitting.degradation.intercept),
        r_squared: orNull(overfitting.degradation.rSquared)
      }

/** Whether the best did worse out of sample than the original; null where neither shows it. */
const isWorse = ({ best, objective, original }: JudgedSearch): boolean | null => {
  const own = best?.out_of_sample.metrics[objective] ?? null
  const untouched = original?.out_of_sample.metrics[objective] ?? null
  if (best === null || original === null || (own === null && untouched === null)) return null
  return scoreOf(objective, own) < scoreOf(objective, untouched)
}

/** The worth of a search's best. */
export const judgeSearch = (search: JudgedSearch): SearchJudgement => ({
  deflated_sharpe: deflate(search),
  overfitting: tellOverfitting(search),
  neighbourhood: lookAround(search),
  degradation: degrade(search),
  is_worse_than_original: isWorse(search)
})

const figure = (value: number | null): string => (value === null ? "none" : value.toPrecision(3))
const percent = (rate: number): string => `${(rate * 100).toFixed(0)} %`

/** The judgement in sentences, as far as it warns. */
export const judgementWarnings = (
  search: JudgedSearch,
  judgement: SearchJudgement
): ReadonlyArray<string> => {
  const { best, objective, original } = search
  const { deflated_sharpe: deflated, is_worse_than_original, overfitting } = judgement
  const { title } = catalogue[objective]
  const warnings: Array<string> = []
  if (is_worse_than_original === true) {
    const own = figure(best?.out_of_sample.metrics[objective] ?? null)
    const untouched = figure(original?.out_of_sample.metrics[objective] ?? null)
    warnings.push(
      `The best parameters are worse out of sample than the untouched original: ${title} ${own} against ${untouched}.`
    )
  }
  if (overfitting !== null && overfitting.probability >= 0.5) {
    warnings.push(
      `The best in sample was no better than the median elsewhere in ${percent(overfitting.probability)} of the splits: the search is likely overfitted.`
    )
  }
  if (deflated !== null && deflated.probability < 0.95) {
    warnings.push(
      `The best Sharpe ratio of ${deflated.trial_count} trials is above that of luck with a probability of ${percent(deflated.probability)} only.`
    )
  }
  return warnings
}
