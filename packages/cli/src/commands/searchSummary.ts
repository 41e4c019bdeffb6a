/**
 * The results of a search as text: the best beside the original, and the evidence for the best.
 *
 * @since 0.1.0
 */
import type { SearchJudgement, WalkForwardReport } from "@candlewick/core/domain"
import type { OptimizationResults } from "@candlewick/http/api"
import { number, pairs, percent, table } from "../terminal/output.ts"

type Results = typeof OptimizationResults.Type

const namesOf = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(" ")

const compared = ({ best, config, original }: Results): string => {
  const objective = config?.objective ?? "objective"
  const row = (name: string, found: Results["best"]) =>
    found === null || found === undefined
      ? [name, null, null, null]
      : [
          name,
          namesOf(found.parameters),
          number(found.in_sample.metrics[objective]),
          number(found.out_of_sample.metrics[objective])
        ]
  return table(
    ["", "parameters", `${objective} in sample`, "out of sample"],
    [row("best", best), row("original", original)]
  )
}

const yesOrNo = (value: boolean | null): string | null =>
  value === null ? null : value ? "yes" : "no"

const judged = (judgement: SearchJudgement): string => {
  const { deflated_sharpe: deflated, degradation, neighbourhood, overfitting } = judgement
  return pairs([
    [
      "deflated sharpe",
      deflated &&
        `${percent(deflated.probability)}: ${number(deflated.sharpe)}, ` +
          `of luck ${number(deflated.sharpe_of_luck)} in ${deflated.trial_count} trials`
    ],
    [
      "overfitting",
      overfitting &&
        `${percent(overfitting.probability)} of ${overfitting.split_count} splits, ` +
          `loss in ${percent(overfitting.loss_probability)}`
    ],
    [
      "neighbourhood",
      neighbourhood &&
        `${neighbourhood.trial_count} trials, ${neighbourhood.eligible_count} eligible, ` +
          `median ${number(neighbourhood.objective_median)}, ` +
          `worst ${number(neighbourhood.objective_worst)}`
    ],
    [
      "degradation",
      degradation &&
        `${number(degradation.objective_in_sample)} in sample, ` +
          `${number(degradation.objective_out_of_sample)} out of sample, ` +
          `retained ${percent(degradation.retained_rate)}`
    ],
    ["worse than original", yesOrNo(judgement.is_worse_than_original)]
  ])
}

const walked = (report: WalkForwardReport): string =>
  [
    pairs([
      ["walk-forward", `${report.mode}, ${report.windows.length} windows`],
      ["total return", percent(report.total_return)],
      ["profitable", percent(report.profitable_rate)],
      ["retained", percent(report.retained_rate)]
    ]),
    table(
      ["tested from", "last candle", "parameters", "in sample", "out of sample"],
      report.windows.map((window) => [
        window.tested.from.slice(0, 10),
        window.tested.last_candle_at.slice(0, 10),
        window.parameters && namesOf(window.parameters),
        number(window.objective_in_sample),
        number(window.objective_out_of_sample)
      ])
    )
  ].join("\n")

/** The output of `optimize` for a search. @category output @since 0.1.0 */
export const searchSummary = (results: Results): string => {
  const { config, judgement, walk_forward } = results
  return [
    pairs([
      ["id", results.id],
      ["status", results.status],
      ["trials", results.trial_count],
      ["eligible", results.eligible_count],
      ["judged from", config?.split_at]
    ]),
    compared(results),
    ...(judgement === undefined ? [] : [judged(judgement)]),
    ...(walk_forward === undefined ? [] : [walked(walk_forward)])
  ].join("\n")
}
