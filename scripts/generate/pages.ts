/**
 * The pages that are printed from the code.
 */
import {
  BotMachine,
  DeliveryMachine,
  describeStrategy,
  eventNames,
  fulfilledIn,
  type Indicator,
  indicators,
  Limits,
  metrics,
  objectives,
  OrderMachine,
  problems,
  riskProfiles,
  RunMachine,
  StateTable,
  StrategyDefinition,
  timeframeAliases,
  timeframeNames
} from "@candlewick/core"
import { Api } from "@candlewick/http/api"
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { settingRows } from "../../packages/http/src/main/settings.ts"
import { code, page, table } from "./markdown.ts"
import { showcase } from "./showcase.ts"
import { walkthroughPage } from "./walkthroughPage.ts"

const diagram = (name: string, machine: StateTable.StateTable<string, string>): string =>
  `## ${name}\n\n\`\`\`mermaid\n${StateTable.toMermaid(machine)}\n\`\`\``

const stateMachines = (): string =>
  page(
    "State machines",
    "The tables that the code runs on, drawn. Commands of callers are `start`, `pause`, `stop`, `cancel` and " +
      "`redeliver`; everything else is a fact.",
    diagram("Bot", BotMachine),
    "A command that is fulfilled already or under way answers 200 with `changed: false`:",
    table(
      ["command", "fulfilled in"],
      Object.entries(fulfilledIn).map(([command, states]) => [code(command), states.join(", ")])
    ),
    diagram("Run (generation, optimization, backtest)", RunMachine),
    diagram("Order", OrderMachine),
    diagram("Delivery", DeliveryMachine)
  )

const errors = (): string =>
  page(
    "Errors",
    "Every refusal is an RFC 9457 document with `type`, `title`, `status`, `detail`, `instance`, `code`, " +
      "`request_id` and, where fields are at fault, `errors` with a JSON pointer, a code and a message each. " +
      "Programs switch on `code`. The embedded library rejects with the same value.",
    table(
      ["code", "status", "title"],
      Object.entries(problems).map(([name, { status, title }]) => [code(name), status, title])
    )
  )

const limits = (): string =>
  page(
    "Limits",
    "Each limit with its unit last in its name.",
    table(
      ["limit", "value"],
      Object.entries(Limits).map(([name, value]) => [code(name), value])
    )
  )

const indicatorPage = (): string =>
  page(
    "Indicators",
    'A setting is a number or `{ "parameter": name }`; `source` is a series, the close where it is left out. ' +
      "The first output is meant where none is named.",
    ...Object.entries<Indicator>(indicators).map(([name, row]) =>
      [
        `## ${row.title} (\`${name}\`)`,
        row.reference,
        table(
          ["setting", "default", "from", "to", "kind"],
          Object.entries(row.settings).map(([setting, one]) => [
            code(setting),
            one.default,
            one.min,
            one.max,
            one.kind
          ])
        ),
        `Inputs: ${row.inputs.join(", ")}. Outputs: ${Object.entries(row.outputs)
          .map(([output, unit]) => `\`${output}\` (${unit})`)
          .join(", ")}. Warm-up with the defaults: ${row.warmup(
          ...Object.values(row.settings).map((one) => one.default)
        )} candles.`
      ].join("\n\n")
    )
  )

const metricPage = (): string =>
  page(
    "Metrics",
    "Fractions, never percent. A metric that the sample can't support is `null` with a reason, never NaN, Infinity or a " +
      "sentinel.",
    table(
      ["metric", "title", "unit", "better", "formula"],
      Object.entries(metrics).map(([name, row]) => [
        code(name),
        row.title,
        row.unit,
        row.better,
        row.formula
      ])
    ),
    `Objectives of a search are ${objectives.map(code).join(", ")}.`
  )

const strategyFormat = (): string =>
  page(
    "The strategy format",
    "A strategy is data. This one uses most of the format:",
    `\`\`\`json\n${JSON.stringify(showcase, null, 2)}\n\`\`\``,
    "In sentences:",
    describeStrategy(showcase)
      .map((sentence) => `* ${sentence}`)
      .join("\n"),
    `Timeframes are ${timeframeNames.map(code).join(", ")}; ${Object.entries(timeframeAliases)
      .map(([alias, name]) => `${code(alias)} is read as ${code(name)}`)
      .join(", ")}. ${code("1M")} is a month elsewhere and refused here.`,
    "Risk tolerances stand for these numbers:",
    table(
      ["tolerance", ...Object.keys(riskProfiles.low)],
      Object.entries(riskProfiles).map(([name, profile]) => [
        code(name),
        ...Object.values(profile).map(String)
      ])
    ),
    "The JSON Schema, for editors and other languages: [strategy.schema.json](strategy.schema.json)."
  )

const configuration = (): string =>
  page(
    "Configuration",
    "The server reads its environment. A value out of bounds stops the start with a sentence that names the variable.",
    table(
      ["variable", "default", "bounds", "meaning"],
      settingRows.map((row) => [
        code(row.variable),
        row.default === "" ? "none" : code(row.default),
        row.bounds,
        row.description
      ])
    ),
    `Events that webhooks may ask for: ${eventNames.map(code).join(", ")}.`
  )

/** Path and text of each generated page. */
export const pages = async (): Promise<ReadonlyArray<readonly [string, string]>> => [
  ["docs/state-machines.md", stateMachines()],
  ["docs/errors.md", errors()],
  ["docs/limits.md", limits()],
  ["docs/indicators.md", indicatorPage()],
  ["docs/metrics.md", metricPage()],
  ["docs/strategy-format.md", strategyFormat()],
  [
    "docs/strategy.schema.json",
    `${JSON.stringify(Schema.toJsonSchemaDocument(StrategyDefinition), null, 2)}\n`
  ],
  ["docs/configuration.md", configuration()],
  ["docs/from-json-to-trades.md", await walkthroughPage()],
  ["docs/openapi.json", `${JSON.stringify(OpenApi.fromApi(Api), null, 2)}\n`]
]
