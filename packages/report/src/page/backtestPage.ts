/**
 * The page of a backtest.
 *
 * @since 0.1.0
 */
import type { Backtest, BacktestReport } from "@candlewick/core/domain"
import { bucketCandles, candlesDrawnMax, type PlainCandles } from "./bucketCandles.ts"
import { excursionOf } from "./excursions.ts"
import { frame, type PageAssets } from "./frame.ts"
import { chart, day, facts, figure, percentText, section, tableHtml } from "./html.ts"
import { monthGrid } from "./monthGrid.ts"
import { packFloats, packTimes } from "./pack.ts"
import { exposureCurve, fallsOf, histogramOf, holdingOf, worstDrawdowns } from "./results.ts"
import { rollingSharpe, type RollingSharpe } from "./rollingSharpe.ts"

/** The parts of a backtest's page. @category models @since 0.1.0 */
export interface BacktestPageInput {
  readonly backtest: Pick<Backtest, "id" | "strategy_id" | "status" | "finished_at">
  readonly report: BacktestReport
  readonly strategy: {
    readonly name: string
    readonly version: number | null
    readonly definitionHash: string | null
    readonly description: ReadonlyArray<string>
  }
  /** The candles of each market, by its symbol; a market without any has no chart. */
  readonly candles: ReadonlyMap<string, PlainCandles>
}

/** Rows of the tables and marks in the chart; the rest is in the results of the API. */
const rowsMax = 2_000

const verdictOf = ({ benchmark, metrics }: BacktestReport): string => {
  const own = metrics["total_return"] ?? null
  const holding = benchmark.buy_and_hold["total_return"] ?? null
  const fall = metrics["max_drawdown"] ?? null
  const compared =
    own === null || holding === null
      ? ""
      : own > holding
        ? ` Holding the same markets returned less: ${percentText(holding)}.`
        : ` Holding the same markets returned more: ${percentText(holding)}.`
  return (
    `It returned ${percentText(own)} after costs.${compared} ` +
    `Its largest drawdown was ${percentText(fall)}. ` +
    "These candles may have been seen before: only candles that chose nothing judge it."
  )
}

const shownMetrics = [
  ["total_return", "Total return", percentText],
  ["cagr", "Return a year", percentText],
  ["sharpe", "Sharpe ratio", figure],
  ["sortino", "Sortino ratio", figure],
  ["calmar", "Calmar ratio", figure],
  ["volatility", "Volatility", percentText],
  ["max_drawdown", "Largest drawdown", percentText],
  ["trades", "Closed positions", figure],
  ["win_rate", "Win rate", percentText],
  ["profit_factor", "Profit factor", figure],
  ["expectancy", "Expectancy", figure],
  ["exposure_time", "Time in the market", percentText],
  ["psr", "Probability of a true Sharpe ratio above 0", percentText]
] as const

/** The figures without positions, of which holding has none. */
const heldMetrics: ReadonlyArray<string> = shownMetrics
  .map(([name]) => name)
  .filter((name) => !/^(?:trades|win_rate|profit_factor|expectancy|exposure_time)$/.test(name))

const figures = ({ benchmark, metric_reasons: reasons, metrics }: BacktestReport): string =>
  tableHtml(
    ["", "Strategy", "Holding"],
    shownMetrics.map(([name, title, text]) => {
      const value = metrics[name] ?? null
      const holding = benchmark.buy_and_hold[name]
      const own = value === null ? `– ${reasons[name] ?? ""}`.trim() : text(value)
      return [title, own, heldMetrics.includes(name) ? text(holding) : ""]
    })
  )

const provenance = ({ backtest, report, strategy }: BacktestPageInput): string => {
  const { config, data_quality: data, engine_version, markets = [] } = report
  const fees =
    config.fees === null
      ? "those of the markets"
      : `maker ${percentText(config.fees.maker)}, taker ${percentText(config.fees.taker)}`
  return facts([
    ["Backtest", backtest.id],
    ["Strategy", `${strategy.name} (${backtest.strategy_id}, version ${strategy.version ?? "–"})`],
    ["Rules, SHA-256", strategy.definitionHash ?? "–"],
    ...data.map(
      (one) =>
        [
          `Candles of ${one.symbol}`,
          `${one.candle_count} of ${one.timeframe}, ${day(one.first_at)} to ${day(one.last_at)}, ` +
            `${one.gap_count} gaps${one.synthetic ? ", synthetic" : ""}, SHA-256 ${one.hash}`
        ] as const
    ),
    ...markets.map(
      ({ hash, revision, symbol }) =>
        [`Market ${symbol}`, `revision ${revision}, SHA-256 ${hash}`] as const
    ),
    ["Engine", engine_version],
    ["Seed", "none: a backtest draws nothing"],
    ["Fees", fees],
    ["Slippage", config.slippage === null ? "that of the markets" : percentText(config.slippage)],
    ["Fills", config.fill === "next_open" ? "at the next open" : "at the close"],
    ["Capital", `${figure(config.initial_capital)} ${report.currency}`],
    ["Parameters", JSON.stringify(config.parameters)]
  ])
}

const costs = ({ currency, funding_paid: funding = 0, metrics }: BacktestReport): string => {
  const profit = metrics["gross_profit"] ?? null
  const fees = metrics["fees_paid"] ?? null
  const share =
    profit === null || fees === null || profit + fees <= 0 ? null : fees / (profit + fees)
  return facts([
    ["Fees paid", `${figure(fees)} ${currency}`],
    ["Funding paid", `${figure(funding)} ${currency}`],
    ["Fees as a share of wins before fees", percentText(share)],
    ["Turnover", figure(metrics["turnover"])]
  ])
}

const drawdowns = ({ equity_curve: curve }: BacktestReport): string =>
  tableHtml(
    ["From", "Deepest", "Until", "Depth"],
    worstDrawdowns(curve, 5).map(({ deepest, depth, from, until }) => [
      day(from),
      day(deepest),
      until === null ? "not recovered" : day(until),
      percentText(depth)
    ])
  )

/** Digits beyond these only make the page larger. */
const rounded = (value: number): number => Number(value.toPrecision(4))

/** A moment without the milliseconds that it has not. */
const moment = (text: string): string => text.replace(".000Z", "Z")

const positionRows = ({ candles, report }: BacktestPageInput) =>
  report.positions.slice(-rowsMax).map((one) => {
    const own = candles.get(one.symbol)
    const excursion = own === undefined ? null : excursionOf(one, own)
    return [
      one.symbol,
      one.direction,
      moment(one.entry_at),
      one.entry_price,
      moment(one.exit_at),
      one.exit_price,
      Number(one.quantity.toPrecision(8)),
      Number(one.pnl.toPrecision(8)),
      Number(one.return.toPrecision(6)),
      excursion && rounded(excursion.against),
      excursion && rounded(excursion.inFavour),
      Number(one.fees.toPrecision(6)),
      one.exit_reason
    ]
  })

const dataOf = (input: BacktestPageInput, sharpe: RollingSharpe | null) => {
  const { candles, report } = input
  const { equity_curve: curve, positions, trades } = report
  const times = curve.map(({ time }) => Date.parse(time))
  const holding = holdingOf(curve, [...candles.values()], report.config.initial_capital)
  return {
    kind: "backtest",
    currency: report.currency,
    markets: [...candles].map(([symbol, all]) => {
      const drawnMax = Math.floor(candlesDrawnMax / candles.size)
      const fills = trades.filter((fill) => fill.symbol === symbol).slice(-rowsMax)
      const moments = fills.map(({ executed_at }) => Date.parse(executed_at))
      const { close, high, low, open, time } = bucketCandles(all, drawnMax, moments)
      return {
        symbol,
        time: packTimes(time),
        open: packFloats(open),
        high: packFloats(high),
        low: packFloats(low),
        close: packFloats(close),
        fills: fills.map(({ price, side }, at) => [
          moments[at]! / 1_000,
          side === "buy" ? 1 : 0,
          price
        ])
      }
    }),
    equity: {
      time: packTimes(times),
      own: packFloats(curve.map(({ equity }) => equity)),
      holding: holding.some((value) => value === null)
        ? null
        : packFloats(holding as Array<number>),
      fall: packFloats(fallsOf(curve)),
      exposure: packFloats(exposureCurve(curve, positions))
    },
    sharpe: sharpe && sharpe.values.map((value) => value && rounded(value)),
    results: histogramOf(positions.map((position) => position.return)),
    positions: positionRows(input)
  }
}

const sharpeSection = (sharpe: RollingSharpe | null): string =>
  sharpe === null
    ? ""
    : chart("sharpe", "The Sharpe ratio of the recent past over time") +
      `<p>Of the last ${sharpe.windowCount} points of the curve, ${figure(sharpe.windowDays)} days, as a year's.</p>`

const excursionSection = ({ candles, report }: BacktestPageInput): string =>
  report.positions.some(({ symbol }) => candles.has(symbol))
    ? chart("against", "The return of each position by how far it went against it") +
      chart("favour", "The return of each position by how far it went its way") +
      "<p>By the highs and lows from the entry up to the candle of the exit, which counts by its price alone.</p>"
    : ""

/**
 * The page of a backtest, as one HTML text without a network.
 *
 * @category html
 * @since 0.1.0
 */
export const buildBacktestPage = (input: BacktestPageInput, assets: PageAssets): string => {
  const { report, strategy } = input
  const { position_count: count, positions } = report
  const sharpe = rollingSharpe(report.equity_curve)
  const shown = Math.min(positions.length, rowsMax)
  const left = count > shown ? `<p>The newest ${shown} of ${count} positions.</p>` : ""
  const charts = [...input.candles.keys()].map((symbol, at) =>
    chart(`market-${at}`, `Candles of ${symbol} with the fills`)
  )
  const sentences = strategy.description.join(" ")
  const warnings = [
    ...report.warnings,
    ...(report.overlaps_training
      ? ["These candles overlap those that chose the strategy: the result is no evidence."]
      : [])
  ]
  return frame(assets, {
    title: `${strategy.name}: backtest`,
    warnings: [...new Set(warnings)],
    verdict: verdictOf(report),
    data: dataOf(input, sharpe),
    body: [
      section("Figures", figures(report)),
      section("Equity against holding", chart("equity", "Equity and holding over time")),
      section(
        "Drawdown",
        chart("fall", "How far equity was below its high") +
          drawdowns(report) +
          "<p>Both go by the points of the curve, which are at most 1 000.</p>"
      ),
      section("Exposure", chart("exposure", "Positions as a share of the equity")),
      section("Candles and fills", charts.join("")),
      section("Returns by month", monthGrid(report.equity_curve)),
      section("Rolling Sharpe ratio", sharpeSection(sharpe)),
      section("Results of positions", chart("results", "How many positions had which return")),
      section("Worst and best while held", excursionSection(input)),
      section("Costs", costs(report)),
      section("Positions", `${left}<div id="positions"></div>`),
      section("Rules", sentences === "" ? "" : facts([["In words", sentences]])),
      section("Where it comes from", provenance(input))
    ].join("")
  })
}
