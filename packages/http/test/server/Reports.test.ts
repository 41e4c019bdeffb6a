/** Results as pages over HTTP: of which type, of which runs, and to whom they are refused. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { backtestOf, idOf, report } from "../records.ts"
import { startServer } from "../server.ts"

const backtestReport = (number: number): string => `/v1/mix/backtest/${idOf("bt", number)}/report`
const searchReport = (number: number): string => `/v1/mix/optimize/${idOf("opt", number)}/report`

const series = {
  symbol: "BTC/USDT",
  timeframe: "1h" as const,
  candle_count: 100,
  first_at: report.config.from,
  last_at: report.config.to,
  gap_count: 0,
  hash: "00",
  synthetic: false,
  resampled_from: null
}

it.live("answers results as one HTML page, whatever of HTML the caller accepts", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    for (const path of [backtestReport(2), backtestReport(4), searchReport(2)]) {
      for (const accept of [undefined, "*/*", "text/*", "text/html, application/xml;q=0.9"]) {
        const page = yield* call("GET", path, undefined, { accept })
        assert.strictEqual(page.status, 200, page.text.slice(0, 500))
        assert.strictEqual(page.headers.get("content-type"), "text/html; charset=utf-8")
        assert.match(page.text, /^<!doctype html>/i)
        assert.include(page.text, "</html>")
      }
    }
  })
)

it.live("tells the verdict, the warnings and where the results come from", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const judged = { ...report, data_quality: [series] }
    control.backtests.set(idOf("bt", 5), backtestOf(5, { status: "completed", report: judged }))
    const backtest = yield* call("GET", backtestReport(5))
    assert.include(backtest.text, idOf("bt", 5))
    assert.include(
      backtest.text,
      "The candles of BTC/USDT are gone or others now, so that none are shown."
    )
    const search = yield* call("GET", searchReport(2))
    assert.include(search.text, idOf("opt", 2))
    assert.include(search.text, "The best by sharpe had 0.25 on candles that did not choose it.")
    assert.include(search.text, "Only 2 trials were made.")
  })
)

it.live("refuses what it has no page of", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    for (const [path, waiting, nothing] of [
      [backtestReport(2), [backtestReport(1), backtestReport(3)], backtestReport(9)],
      [searchReport(2), [searchReport(1)], searchReport(9)]
    ] as const) {
      const unread = yield* call("GET", path, undefined, { accept: "application/json" })
      assert.deepStrictEqual([unread.status, unread.json.code], [406, "not_acceptable"])
      for (const early of waiting) {
        const refused = yield* call("GET", early)
        assert.deepStrictEqual([refused.status, refused.json.code], [409, "invalid_transition"])
        assert.include(["queued", "failed"], refused.json.current_state)
      }
      const missing = yield* call("GET", nothing)
      assert.deepStrictEqual([missing.status, missing.json.code], [404, "not_found"])
      const unknown = yield* call("GET", path, undefined, { authorization: undefined })
      assert.strictEqual(unknown.status, 401)
    }
  })
)
