/**
 * Optimizations over HTTP.
 *
 * @since 0.1.0
 */
import {
  Candles,
  optimizationOperations,
  Optimizations,
  Strategies,
  strategyOperations
} from "@candlewick/core"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { forCaller } from "./forCaller.ts"
import { optimizationPage } from "./reports.ts"
import { writeTrials } from "./trialExport.ts"
import { begin, isFinished, runResults, withoutReport } from "./runs.ts"
import { listedOrTabled } from "./tables.ts"

/**
 * Optimizations over HTTP: a record is answered without its report, which has a path of its own.
 *
 * @category layers
 * @since 0.1.0
 */
export const OptimizationsHandlers = HttpApiBuilder.group(
  Api,
  "optimizations",
  Effect.fnUntraced(function* (handlers) {
    const { call, serve } = yield* forCaller(Optimizations, optimizationOperations)
    const strategies = yield* forCaller(Strategies, strategyOperations)
    const sources = { candles: yield* Candles, strategies: yield* Strategies }
    return handlers.handleAll({
      start: call((optimizations, accountId, { headers, payload }) =>
        begin(optimizations.start(accountId, payload), {
          at: "/mix/optimize",
          below: "/status",
          prefer: headers.prefer,
          isOver: isFinished,
          wait: (id, seconds) => optimizations.wait(accountId, id, seconds),
          toView: withoutReport
        })
      ),
      list: call((optimizations, accountId, { query }) =>
        listedOrTabled(query, (page) =>
          Effect.map(optimizations.list(accountId, page), ({ items, next }) => ({
            items: items.map(withoutReport),
            next
          }))
        )
      ),
      status: call((optimizations, accountId, { params }) =>
        Effect.map(optimizations.get(accountId, params.id), withoutReport)
      ),
      results: call((optimizations, accountId, { params }) =>
        Effect.flatMap(optimizations.get(accountId, params.id), runResults)
      ),
      report: call((optimizations, accountId, { params }) =>
        Effect.flatMap(optimizations.get(accountId, params.id), (optimization) =>
          optimizationPage(sources, optimizations, accountId, optimization)
        )
      ),
      trials: serve("trials"),
      exportTrials: call(
        Effect.fnUntraced(function* (optimizations, accountId, { params, query, request }) {
          const table = yield* optimizations.trialTable(accountId, params.id, query)
          const accept = request.headers["accept"]?.toLowerCase() ?? ""
          const isJson = accept.includes("application/x-ndjson")
          const contentType = isJson ? "application/x-ndjson" : "text/csv; charset=utf-8"
          const bytes = writeTrials(table, isJson ? "ndjson" : "csv")
          return HttpServerResponse.stream(bytes, { contentType })
        })
      ),
      apply: strategies.serve("apply"),
      cancel: call((optimizations, accountId, { params }) =>
        Effect.map(optimizations.cancel(accountId, params.id), withoutReport)
      )
    })
  })
)
