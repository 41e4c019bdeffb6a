/**
 * Results as pages: a handler loads the records of a page, and builds it.
 *
 * @since 0.1.0
 */
import {
  type Backtest,
  type Candles,
  fromTimestamp,
  type Optimization,
  type Optimizations,
  type Problem,
  problem,
  type Strategies,
  type StoreError
} from "@candlewick/core"
import { buildBacktestPage, buildSearchPage, type PlainCandles } from "@candlewick/report"
import { pageAssets } from "@candlewick/report/assets"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"

type Answer = HttpServerResponse.HttpServerResponse

/** The sources of pages. @category models @since 0.1.0 */
export interface ReportSources {
  readonly candles: Candles["Service"]
  readonly strategies: Strategies["Service"]
}

const withoutResults = (run: { readonly id: string; readonly status: string }): Problem =>
  problem("invalid_transition", `${run.id} is ${run.status} and has no results.`, {
    current_state: run.status
  })

const toPage = (html: string): Answer =>
  HttpServerResponse.text(html, { contentType: "text/html; charset=utf-8" })

/** The facts of a strategy, also where it was removed since. */
const strategyOf = (
  { strategies }: ReportSources,
  accountId: string,
  run: Backtest | Optimization
) =>
  strategies.get(accountId, run.strategy_id).pipe(
    Effect.map(({ description, name }) => ({ name, description: description ?? [] })),
    Effect.catchTag("Problem", () =>
      Effect.succeed({ name: "A strategy that was removed", description: [] })
    ),
    Effect.map((known) => ({
      ...known,
      version: run.strategy_version ?? null,
      definitionHash: run.definition_hash ?? null
    }))
  )

/** The candles of a backtest, and a warning for each market whose candles are others now. */
const candlesOf = Effect.fnUntraced(function* (
  { candles }: ReportSources,
  accountId: string,
  { config, data_quality: data }: NonNullable<Backtest["report"]>
) {
  const found = new Map<string, PlainCandles>()
  const warnings: Array<string> = []
  const range = { from: fromTimestamp(config.from), to: fromTimestamp(config.to) }
  for (const { hash, symbol } of data) {
    const key = { symbol, timeframe: config.timeframe }
    const dataset = yield* Effect.catchTag(candles.dataset(accountId, key, range), "Problem", () =>
      Effect.succeed(null)
    )
    if (dataset !== null && dataset.quality.hash === hash) found.set(symbol, dataset.columns)
    else warnings.push(`The candles of ${symbol} are gone or others now, so that none are shown.`)
  }
  return { found, warnings }
})

/** The page of a backtest. @category pages @since 0.1.0 */
export const backtestPage = Effect.fnUntraced(function* (
  sources: ReportSources,
  accountId: string,
  backtest: Backtest
): Effect.fn.Return<Answer, Problem | StoreError> {
  const { report } = backtest
  if (report === null) return yield* withoutResults(backtest)
  const { found, warnings } = yield* candlesOf(sources, accountId, report)
  const page = buildBacktestPage(
    {
      backtest,
      report: { ...report, warnings: [...report.warnings, ...warnings] },
      strategy: yield* strategyOf(sources, accountId, backtest),
      candles: found
    },
    pageAssets()
  )
  return toPage(page)
})

const parameterPrefix = "parameters."

/** Every trial of a search, best first; none where they were not kept. */
const shownTrials = (optimizations: Optimizations["Service"], accountId: string, id: string) =>
  Effect.map(optimizations.trialTable(accountId, id, {}), ({ columns, rows }) => {
    const at = (name: string): number => columns.indexOf(name)
    const names = columns.filter((name) => name.startsWith(parameterPrefix))
    return rows.map((row) => ({
      index: row[at("index")] ?? 0,
      objective: row[at("objective")] ?? null,
      position_count: row[at("position_count")] ?? 0,
      is_eligible: row[at("is_eligible")] === 1,
      parameters: Object.fromEntries(
        names.map((name) => [name.slice(parameterPrefix.length), row[at(name)]])
      )
    }))
  })

/** The page of an optimization. @category pages @since 0.1.0 */
export const optimizationPage = Effect.fnUntraced(function* (
  sources: ReportSources,
  optimizations: Optimizations["Service"],
  accountId: string,
  optimization: Optimization
): Effect.fn.Return<Answer, Problem | StoreError> {
  const { report } = optimization
  if (report === null) return yield* withoutResults(optimization)
  const strategy = yield* strategyOf(sources, accountId, optimization)
  const trials = yield* shownTrials(optimizations, accountId, optimization.id)
  const shown = trials.length === 0 ? report.trials : trials
  return toPage(buildSearchPage({ optimization, report, strategy, trials: shown }, pageAssets()))
})
