/**
 * Backtests over HTTP.
 *
 * @since 0.1.0
 */
import { type Backtest, backtestOperations, Backtests, Candles, Strategies } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { listedMetrics } from "../api/BacktestsApi.ts"
import { forCaller } from "./forCaller.ts"
import { backtestPage } from "./reports.ts"
import { begin, isFinished, runResults, withoutReport } from "./runs.ts"
import { listedOrTabled } from "./tables.ts"

/** A backtest in a list: its main metrics stand in the place of its report. */
const toListed = (backtest: Backtest) => {
  const metrics = backtest.report?.metrics
  const record = withoutReport(backtest)
  if (metrics === undefined) return record
  const main = listedMetrics.map((name) => [name, metrics[name] ?? null] as const)
  return { ...record, metrics: Object.fromEntries(main) }
}

/**
 * Backtests over HTTP: a record is answered without its report, which has a path of its own.
 *
 * @category layers
 * @since 0.1.0
 */
export const BacktestsHandlers = HttpApiBuilder.group(
  Api,
  "backtests",
  Effect.fnUntraced(function* (handlers) {
    const { call } = yield* forCaller(Backtests, backtestOperations)
    const sources = { candles: yield* Candles, strategies: yield* Strategies }
    return handlers.handleAll({
      start: call((backtests, accountId, { headers, payload }) =>
        begin(backtests.start(accountId, payload), {
          at: "/mix/backtest",
          prefer: headers.prefer,
          isOver: isFinished,
          wait: (id, seconds) => backtests.wait(accountId, id, seconds),
          toView: withoutReport
        })
      ),
      list: call((backtests, accountId, { query }) =>
        listedOrTabled(query, (page) =>
          Effect.map(backtests.list(accountId, page), ({ items, next }) => ({
            items: items.map(toListed),
            next
          }))
        )
      ),
      get: call((backtests, accountId, { params }) =>
        Effect.map(backtests.get(accountId, params.id), withoutReport)
      ),
      results: call((backtests, accountId, { params }) =>
        Effect.flatMap(backtests.get(accountId, params.id), runResults)
      ),
      report: call((backtests, accountId, { params }) =>
        Effect.flatMap(backtests.get(accountId, params.id), (backtest) =>
          backtestPage(sources, accountId, backtest)
        )
      ),
      cancel: call((backtests, accountId, { params }) =>
        Effect.map(backtests.cancel(accountId, params.id), withoutReport)
      )
    })
  })
)
