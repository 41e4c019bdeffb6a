/**
 * The page of a search for parameters.
 *
 * @since 0.1.0
 */
import type { Optimization, OptimizationReport } from "@candlewick/core/domain"
import { frame, type PageAssets } from "./frame.ts"
import { funnel, funnelOf, type ShownTrial } from "./funnel.ts"
import { chart, day, facts, figure, percentText, section, tableHtml } from "./html.ts"

/** The parts of a search's page. @category models @since 0.1.0 */
export interface SearchPageInput {
  readonly optimization: Pick<Optimization, "id" | "strategy_id" | "status">
  readonly report: OptimizationReport
  readonly strategy: { readonly name: string; readonly definitionHash: string | null }
  /** All trials, or those that the report has. */
  readonly trials: ReadonlyArray<ShownTrial>
}

const trialsMax = 4_000

const verdictOf = ({ best, config, judgement, original }: OptimizationReport): string => {
  if (best === null) return "No trial was eligible: nothing can be said of this search."
  const value = best.out_of_sample.metrics[config.objective] ?? null
  const other = original?.out_of_sample.metrics[config.objective] ?? null
  const compared =
    other === null ? "" : ` The strategy's own parameters had ${figure(other)} there.`
  const luck = judgement?.deflated_sharpe ?? null
  const chance =
    luck === null
      ? ""
      : ` After ${luck.trial_count} trials, the probability that its Sharpe ratio is more than luck is ${percentText(luck.probability)}.`
  return (
    `The best by ${config.objective} had ${figure(value)} on candles that did not choose it.` +
    compared +
    chance
  )
}

const compared = ({ best, config, original }: OptimizationReport): string => {
  const rows = [...new Set([config.objective, "total_return", "sharpe", "max_drawdown", "trades"])]
  const textOf = (name: string) =>
    name === "total_return" || name === "max_drawdown" ? percentText : figure
  return tableHtml(
    [
      "",
      "Best, in sample",
      "Best, out of sample",
      "Original, in sample",
      "Original, out of sample"
    ],
    rows.map((name) => [
      name.replaceAll("_", " "),
      ...[best?.in_sample, best?.out_of_sample, original?.in_sample, original?.out_of_sample].map(
        (measured) => textOf(name)(measured?.metrics[name])
      )
    ])
  )
}

const judged = ({ judgement }: OptimizationReport): string => {
  if (judgement === undefined) return ""
  const { deflated_sharpe: luck, degradation, neighbourhood, overfitting } = judgement
  return facts([
    ["Deflated Sharpe ratio", luck === null ? "too few trials" : percentText(luck.probability)],
    [
      "Sharpe ratio, and that of luck",
      luck === null ? "–" : `${figure(luck.sharpe)}, ${figure(luck.sharpe_of_luck)}`
    ],
    [
      "Probability of overfitting",
      overfitting === null ? "too few trials" : percentText(overfitting.probability)
    ],
    [
      "Neighbours of the best",
      neighbourhood === null
        ? "none was tried"
        : `${neighbourhood.trial_count}, median ${figure(neighbourhood.objective_median)}, worst ${figure(neighbourhood.objective_worst)}`
    ],
    ["Left out of sample", degradation === null ? "–" : percentText(degradation.retained_rate)]
  ])
}

const namesOf = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(", ")

const walked = ({ config, walk_forward: report }: OptimizationReport): string => {
  if (report === undefined) return ""
  const summary = facts([
    ["Mode", `${report.mode}, ${report.windows.length} windows`],
    ["Return of the tested stretches", percentText(report.total_return)],
    ["Stretches with a profit", percentText(report.profitable_rate)],
    ["Left where it was tested", percentText(report.retained_rate)]
  ])
  const windows = tableHtml(
    [
      "Tested from",
      "Last candle",
      "Chosen",
      `${config.objective} in sample`,
      "Out of sample",
      "Return"
    ],
    report.windows.map((window) => [
      day(window.tested.from),
      day(window.tested.last_candle_at),
      window.parameters === null ? "none was eligible" : namesOf(window.parameters),
      figure(window.objective_in_sample),
      figure(window.objective_out_of_sample),
      percentText(window.out_of_sample?.metrics["total_return"])
    ])
  )
  return summary + windows
}

const provenance = ({ optimization, report, strategy }: SearchPageInput): string => {
  const { config, data_quality: data, engine_version } = report
  return facts([
    ["Search", optimization.id],
    ["Strategy", `${strategy.name} (${optimization.strategy_id})`],
    ["Rules, SHA-256", strategy.definitionHash ?? "–"],
    ...data.map(
      (one) =>
        [
          `Candles of ${one.symbol}`,
          `${one.candle_count} of ${one.timeframe}, ${day(one.first_at)} to ${day(one.last_at)}, SHA-256 ${one.hash}`
        ] as const
    ),
    ["Judged from", day(config.split_at)],
    ["Method", `${config.method}, ${report.trial_count} trials, seed ${config.seed}`],
    ["Engine", engine_version]
  ])
}

const numbersOf = (trials: ReadonlyArray<ShownTrial>): ReadonlyArray<string> =>
  Object.keys(trials[0]?.parameters ?? {}).filter((name) => {
    const values = trials.map(({ parameters }) => parameters[name])
    return values.every((value) => typeof value === "number") && new Set(values).size > 1
  })

/** The page of a search, as one HTML text without a network. @category html @since 0.1.0 */
export const buildSearchPage = (input: SearchPageInput, assets: PageAssets): string => {
  const { report, strategy, trials } = input
  const shown = trials.slice(0, trialsMax)
  const names = numbersOf(shown)
  const heat =
    names.length === 0
      ? "<p>No parameter is a number that varies.</p>"
      : `<div id="axes"></div>${chart("heat", "The objective over two parameters")}`
  return frame(assets, {
    title: `${strategy.name}: search`,
    warnings: report.warnings,
    verdict: verdictOf(report),
    data: {
      kind: "search",
      objective: report.config.objective,
      names,
      best: report.best?.parameters ?? null,
      trials: shown.map(({ index, is_eligible, objective, parameters, position_count }) => [
        index,
        objective === null ? null : Number(objective.toPrecision(6)),
        position_count,
        is_eligible ? 1 : 0,
        ...names.map((name) => Number((parameters[name] as number).toPrecision(6)))
      ])
    },
    body: [
      section("In and out of sample", compared(report)),
      section("How much of it may be luck", judged(report)),
      section("Walking forward", walked(report)),
      section("How trials fell away", funnel(funnelOf(report, trials))),
      section("The neighbourhood of the best", heat),
      section("Trials", `<div id="trials"></div>`),
      section("Where it comes from", provenance(input))
    ].join("")
  })
}
