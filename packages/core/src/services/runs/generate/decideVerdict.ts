/**
 * The verdict on a generated strategy, from gates that are stated as numbers.
 *
 * @since 0.1.0
 */
import {
  metrics,
  type MetricValues,
  type Objective,
  type RiskProfile,
  scoreOf
} from "@candlewick/engine"
import type { Evidence, Gate, Measured, Verdict } from "../../../domain/Verdict.ts"
import { eligiblePositionsMin } from "./scoreCandidate.ts"
import type { RandomRanking } from "./randomEntries.ts"

/** Everything that a verdict is decided from. */
export interface VerdictInput {
  readonly objective: Objective
  readonly risk: RiskProfile
  readonly isEligible: boolean
  readonly distinctCount: number
  readonly inSample: Measured
  readonly outOfSample: Measured
  readonly buyAndHold: MetricValues
  readonly random: RandomRanking | null
  readonly synthetic: boolean
}

const judgedPositionsMin = 10
const beatenRateMin = 0.98
const cautionBeatenRateMin = 0.9
const confidenceMin = 0.9

/** Buying and holding has one position at most, so that metrics of positions say nothing of it. */
const comparable = (objective: Objective): Objective =>
  objective === "profit_factor" || objective === "expectancy" || objective === "sqn"
    ? "sharpe"
    : objective

const percent = (rate: number | null): string =>
  rate === null ? "unknown" : `${(rate * 100).toFixed(1)} %`

const figure = (value: number | null): string => (value === null ? "unknown" : value.toPrecision(3))

const atLeast = (
  name: string,
  value: number | null,
  threshold: number,
  sentence: string,
  isStrict = false
): Gate => ({
  name,
  is_passed: value !== null && (isStrict ? value > threshold : value >= threshold),
  value,
  threshold,
  sentence
})

const benchmarkGate = ({ buyAndHold, objective, outOfSample }: VerdictInput): Gate => {
  const metric = comparable(objective)
  const own = outOfSample.metrics[metric] ?? null
  const held = buyAndHold[metric] ?? null
  const title = metrics[metric].title
  return {
    name: "beats_buy_and_hold",
    is_passed: own !== null && scoreOf(metric, own) > scoreOf(metric, held),
    value: own,
    threshold: held,
    sentence: `${title} on the judged candles was ${figure(own)}; buying and holding had ${figure(held)}.`
  }
}

const gatesOf = (input: VerdictInput): ReadonlyArray<Gate> => {
  const { inSample, outOfSample, random, risk } = input
  const trained = inSample.metrics
  const judged = outOfSample.metrics
  const drawdown = judged["max_drawdown"] ?? null
  const beaten = random?.beatenRate ?? null
  return [
    atLeast(
      "training_positions",
      trained["trades"] ?? null,
      eligiblePositionsMin,
      `Training closed ${trained["trades"] ?? 0} positions; ${eligiblePositionsMin} are needed.`
    ),
    atLeast(
      "training_profit",
      trained["total_return"] ?? null,
      0,
      `Training returned ${percent(trained["total_return"] ?? null)} after costs.`,
      true
    ),
    atLeast(
      "judged_positions",
      judged["trades"] ?? null,
      judgedPositionsMin,
      `The judged candles closed ${judged["trades"] ?? 0} positions; ${judgedPositionsMin} are needed.`
    ),
    atLeast(
      "judged_profit",
      judged["total_return"] ?? null,
      0,
      `The judged candles returned ${percent(judged["total_return"] ?? null)} after costs.`,
      true
    ),
    {
      name: "judged_drawdown",
      is_passed: drawdown !== null && drawdown <= risk.max_drawdown,
      value: drawdown,
      threshold: risk.max_drawdown,
      sentence: `The largest drawdown was ${percent(drawdown)}; the risk profile allows ${percent(risk.max_drawdown)}.`
    },
    atLeast(
      "judged_confidence",
      judged["psr"] ?? null,
      confidenceMin,
      `The probability that the true Sharpe ratio is above zero was put at ${percent(judged["psr"] ?? null)}; ${percent(confidenceMin)} is asked.`
    ),
    atLeast(
      "beats_random_entries",
      beaten,
      beatenRateMin,
      `It beat ${percent(beaten)} of ${random?.count ?? 0} random sets of entries with as many trades, held as long; ${percent(beatenRateMin)} is asked.`
    ),
    benchmarkGate(input)
  ]
}

const ruleOf = (input: VerdictInput): string =>
  `The strategy was chosen from ${input.distinctCount} distinct candidates by the worse half of the training ` +
  "candles alone. It was then run once on the later candles, which no choice had seen, so that its result there is " +
  "one test and not the best of many. It is deployable only if every gate holds: " +
  `it must beat ${percent(beatenRateMin)} of random entries matched in number, holding time, size and direction, ` +
  "and buying and holding, after costs. It is to be used with caution if it made money there and beat " +
  `${percent(cautionBeatenRateMin)} of the random entries. Otherwise no edge was found. Another generation on ` +
  "the same candles looks at the judged ones again, and luck passes the gates in the end."

/** The verdict, its gates, and the warnings. */
export const decideVerdict = (
  input: VerdictInput
): {
  readonly verdict: Verdict
  readonly evidence: Evidence
  readonly warnings: ReadonlyArray<string>
} => {
  const { inSample, outOfSample, random } = input
  const gates = gatesOf(input)
  const failed = gates.filter((gate) => !gate.is_passed)
  const isHopeful =
    input.isEligible &&
    (outOfSample.metrics["total_return"] ?? 0) > 0 &&
    (random?.beatenRate ?? 0) >= cautionBeatenRateMin
  const earned: Verdict =
    failed.length === 0 && input.isEligible ? "deployable" : isHopeful ? "caution" : "no_edge_found"
  const verdict = input.synthetic && earned === "deployable" ? "caution" : earned
  const evidence: Evidence = {
    in_sample: inSample,
    out_of_sample: outOfSample,
    buy_and_hold: input.buyAndHold,
    random_entries:
      random === null
        ? null
        : {
            count: random.count,
            beaten_rate: random.beatenRate,
            objective_median: random.median,
            objective_p95: random.p95
          },
    gates,
    rule: ruleOf(input)
  }
  const warnings = [
    ...(input.synthetic
      ? ["The candles were made by a generator: an edge on them says nothing about a market."]
      : []),
    ...(input.isEligible
      ? []
      : ["No candidate was eligible in training; this one is kept to be looked at."]),
    ...failed.map(({ name, sentence }) => `Gate ${name} did not hold: ${sentence}`)
  ]
  return { verdict, evidence, warnings }
}
