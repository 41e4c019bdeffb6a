/**
 * Pages as texts: nothing in a record becomes markup, nothing is loaded, and they stay small.
 */
import { buildBacktestPage, type BacktestPageInput } from "@candlewick/report"
import { pageAssets } from "@candlewick/report/assets"
import { assert, it } from "@effect/vitest"
import { createHash } from "node:crypto"

const timeOf = (at: number): string => new Date(Date.UTC(2020, 0, 1) + at * 3_600_000).toISOString()

const positionOf = (at: number) => ({
  symbol: "BTC/USD",
  direction: "long" as const,
  quantity: 1.23456789,
  entry_at: timeOf(at),
  entry_price: 12_345.6789,
  exit_at: timeOf(at + 1),
  exit_price: 12_400.1234,
  pnl: 54.4445,
  return: 0.0044123,
  fees: 1.23456,
  exit_reason: "signal" as const,
  is_ambiguous: false
})

const fillOf = (at: number) => ({
  symbol: "BTC/USD",
  side: "buy" as const,
  amount: 1,
  price: 12_345.6789,
  fee: 1,
  executed_at: timeOf(at),
  candle_index: at,
  leg: "entry"
})

const inputOf = (candleCount: number, count: number, name: string): BacktestPageInput => {
  const close = Array.from({ length: candleCount }, (_, at) => 100 + Math.sin(at / 90) * 30)
  const time = close.map((_, at) => Date.parse(timeOf(at)))
  const candles = { length: candleCount, time, open: close, high: close, low: close, close }
  return {
    backtest: {
      id: "bt_01ARZ3NDEKTSV4RRFFQ69G5FAV",
      strategy_id: "str_01ARZ3NDEKTSV4RRFFQ69G5FAV",
      status: "completed",
      finished_at: timeOf(1)
    },
    report: {
      config: {
        symbols: ["BTC/USD"],
        timeframe: "1h",
        from: timeOf(0),
        to: timeOf(candleCount),
        initial_capital: 10_000,
        fees: null,
        slippage: null,
        fill: "next_open",
        end_of_data: "close",
        risk: null,
        parameters: {}
      },
      data_quality: [],
      engine_version: "1",
      currency: "USD",
      metrics: { total_return: 0.1, max_drawdown: 0.05 },
      metric_reasons: { sharpe: "there are too few returns" },
      benchmark: { buy_and_hold: { total_return: 0.2 } },
      annualization_days: 365,
      trades: Array.from({ length: count }, (_, at) => fillOf(at)),
      trade_count: count,
      positions: Array.from({ length: count }, (_, at) => positionOf(at)),
      position_count: count,
      equity_curve: close.slice(0, 1_000).map((_, at) => ({ time: timeOf(at), equity: 1e4 + at })),
      ambiguous_candle_count: 0,
      best_path_return: null,
      overlaps_training: true,
      warnings: ["Only 12 positions were closed <b>here</b>."]
    },
    strategy: { name, version: 1, definitionHash: "abc", description: ["It buys."] },
    candles: new Map([["BTC/USD", candles]])
  }
}

it("says the verdict and the warnings before anything else", () => {
  const page = buildBacktestPage(inputOf(100, 3, "mine"), pageAssets())
  const at = (text: string): number => {
    assert.include(page, text)
    return page.indexOf(text)
  }
  assert.isBelow(at("It returned 10.00 % after costs."), at("<h2>Figures"))
  assert.isBelow(at("returned more: 20.00 %"), at("<h2>Figures"))
  assert.isBelow(at("Only 12 positions were closed"), at("<h2>Figures"))
  assert.isBelow(at("the result is no evidence"), at("<h2>Figures"))
  assert.include(page, "there are too few returns")
})

it("makes no markup of what records hold", () => {
  const page = buildBacktestPage(inputOf(10, 1, "</script><script>alert(1)"), pageAssets())
  assert.notInclude(page, "<script>alert")
  assert.notInclude(page, "<b>here</b>")
  const data = /<script type="application\/json" id="data">(.*)<\/script>/.exec(page)?.[1]
  assert.strictEqual(JSON.parse(data!).kind, "backtest")
})

it("has a policy that lets its own script and styles run, and loads nothing", () => {
  const page = buildBacktestPage(inputOf(10, 1, "mine"), pageAssets())
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)![1]!
  assert.match(policy, /^default-src 'none'/)
  for (const [tag, directive] of [
    ["script", "script-src"],
    ["style", "style-src"]
  ]) {
    const content = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(page)![1]!
    const hash = createHash("sha256").update(content).digest("base64")
    assert.include(policy, `${directive} 'sha256-${hash}'`)
  }
  assert.notMatch(page, /<(?:link|img|iframe)\b|\bsrc=|@import/)
  assert.include(page, "Leon Sorokin")
})

it("shows the rolling Sharpe ratio and how far positions went, where candles tell it", () => {
  const page = buildBacktestPage(inputOf(300, 3, "mine"), pageAssets())
  assert.include(page, "<h2>Rolling Sharpe ratio")
  assert.include(page, 'id="against"')
  const data = JSON.parse(/id="data">(.*)<\/script>/.exec(page)![1]!)
  assert.lengthOf(data.sharpe, 300)
  // The entry price lies far above these candles.
  assert.isBelow(data.positions[0][9], -0.9)
  assert.isAbove(data.positions[0][10], 0)
  const without = { ...inputOf(30, 3, "mine"), candles: new Map() }
  const bare = buildBacktestPage(without, pageAssets())
  assert.notInclude(bare, "<h2>Rolling Sharpe ratio")
  assert.notInclude(bare, 'id="against"')
})

it("stays under a megabyte with 50 000 candles of which those near 10 000 fills stay", () => {
  const page = buildBacktestPage(inputOf(50_000, 10_000, "much"), pageAssets())
  assert.isBelow(Buffer.byteLength(page), 1_000_000)
})

it("stays under a megabyte with 20 000 candles and 10 000 positions", () => {
  const page = buildBacktestPage(inputOf(20_000, 10_000, "much"), pageAssets())
  assert.isBelow(Buffer.byteLength(page), 1_000_000)
  assert.include(page, "The newest 2000 of 10000 positions.")
})
