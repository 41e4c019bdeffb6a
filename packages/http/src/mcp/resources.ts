/**
 * The texts that a model reads before it writes a strategy, and the report of a backtest.
 *
 * @since 0.1.0
 */
import {
  type Indicator,
  indicatorCatalogue,
  type Metric,
  metrics,
  strategyJsonSchema
} from "@candlewick/core/domain"
import { Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import type { Ask } from "./askApi.ts"
import { bounded } from "./bounded.ts"

const close = { type: "price", field: "close" }
const average = (parameter: string) => ({ type: "ema", period: { parameter } })

const example = {
  format: 1,
  symbols: ["BTC/USDT"],
  timeframe: "1h",
  parameters: {
    fast: { kind: "integer", default: 12, min: 5, max: 40 },
    slow: { kind: "integer", default: 48, min: 20, max: 200 }
  },
  long: {
    enter: { type: "crosses_above", left: average("fast"), right: average("slow") },
    exit: { type: "below", left: close, right: average("slow") }
  }
}

/** A guide that fits into a model's view, with a strategy that the server takes. */
export const strategyGuide = `# The strategy format

A strategy is JSON: when to enter and to exit, on which markets, with which tunable numbers.

${JSON.stringify(example, null, 2)}

- \`symbols\`: one market or several, as list_candles names them. \`timeframe\`: such as 15m, 1h, 1d.
- \`parameters\`: tunable numbers, of kind integer, float or choice. Any number of a rule may be
  {"parameter": "<name>"} instead.
- \`long\` and \`short\`: \`enter\` and \`exit\` are rules. At least one side has to be there.
- A rule compares series: above, below, crosses_above, crosses_below, rising, falling, or joins
  rules with all, any and not.
- A series is {"type": "price", "field": "close"}, {"type": "constant", "value": 1}, an indicator
  such as {"type": "ema", "period": 20}, or another timeframe's.
- A decision is made at a candle's close and filled at the next open.

Every other field, with its bounds: candlewick://strategy-schema. Indicators with their settings:
candlewick://indicators.
write_strategy refuses what it can't take and names each place that is at fault.
`

const json = (value: unknown): string => JSON.stringify(value)

const indicatorTable = (): string =>
  json(
    Object.fromEntries(
      Object.entries<Indicator>(indicatorCatalogue).map(([name, { inputs, outputs, settings }]) => [
        name,
        {
          inputs,
          outputs: Object.keys(outputs),
          settings: Object.fromEntries(
            Object.entries(settings).map(([setting, one]) => [setting, one.default])
          )
        }
      ])
    )
  )

const metricTable = (): string =>
  json(
    Object.fromEntries(
      Object.entries<Metric>(metrics).map(([name, { better, formula, title, unit }]) => [
        name,
        { title, unit, better, formula }
      ])
    )
  )

const fixed = (
  uri: string,
  name: string,
  description: string,
  mimeType: string,
  text: () => string
) => McpServer.resource({ uri, name, description, mimeType, content: Effect.sync(text) })

const backtestId = McpSchema.param("id", Schema.String)
const optimizationId = McpSchema.param("id", Schema.String)

/** The resources of the server. @category layers @since 0.1.0 */
export const resources = (ask: Ask) =>
  Layer.mergeAll(
    fixed(
      "candlewick://strategy-format",
      "Strategy format",
      "How a strategy is written, with an example. Read it before write_strategy.",
      "text/markdown",
      () => strategyGuide
    ),
    fixed(
      "candlewick://strategy-schema",
      "Strategy schema",
      "The JSON Schema of a strategy, with every field and its bounds.",
      "application/schema+json",
      () => json(strategyJsonSchema())
    ),
    fixed(
      "candlewick://indicators",
      "Indicators",
      "Every indicator with its inputs, outputs and settings.",
      "application/json",
      indicatorTable
    ),
    fixed(
      "candlewick://metrics",
      "Metrics",
      "Every metric with its unit, its formula, and which way is better.",
      "application/json",
      metricTable
    ),
    McpServer.resource`candlewick://backtests/${backtestId}`({
      name: "Report of a backtest",
      description: "The result of a backtest, without its curves, cut to a length for models.",
      mimeType: "application/json",
      content: (_uri, id) =>
        Effect.map(ask("backtests", "results", { params: { id } }), (report) =>
          json(bounded(report))
        )
    }),
    McpServer.resource`candlewick://optimizations/${optimizationId}`({
      name: "Report of an optimization",
      description:
        "The result of a search and the worth of its best set, cut to a length for models.",
      mimeType: "application/json",
      content: (_uri, id) =>
        Effect.map(ask("optimizations", "results", { params: { id } }), (report) =>
          json(bounded(report))
        )
    })
  )
