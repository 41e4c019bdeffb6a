/**
 * Tools for strategies: reading, writing, and the findings about them.
 *
 * @since 0.1.0
 */
import { Effect, Schema, Struct } from "effect"
import type { JsonObject } from "../askApi.ts"
import { tool, type ToolRow } from "../ToolRow.ts"
import { limit, limitDefault, optionalText, text } from "./parameters.ts"

const strategyId = text("The id of a strategy, str_…")

const definition = Schema.Record(Schema.String, Schema.Json).annotate({
  description:
    "The strategy as JSON. Read the resource candlewick://strategy-format first: it has the schema."
})

const riskTolerance = Schema.optionalKey(Schema.Literals(["low", "medium", "high"]))

const headFields = [
  "id",
  "name",
  "status",
  "origin",
  "symbols",
  "timeframe",
  "verdict",
  "version",
  "created_at"
] as const

/** The records of a page, each with these fields alone. @category conversions @since 0.1.0 */
export const heads = (page: JsonObject, fields: ReadonlyArray<string>): JsonObject => ({
  ...page,
  data: (page["data"] as ReadonlyArray<JsonObject>).map((one) =>
    Object.fromEntries(Object.entries(one).filter(([name]) => fields.includes(name)))
  )
})

const evidenceOf = (strategy: JsonObject): JsonObject => {
  const evidence = strategy["evidence"]
  const shown = Struct.pick(strategy, ["id", "name", "verdict", "warnings", "synthetic"])
  return evidence === null || evidence === undefined
    ? {
        ...shown,
        explanation:
          "Nothing was found out about it yet: only a generated strategy has a verdict. " +
          "A backtest or an optimization tells how it does."
      }
    : { ...shown, evidence }
}

/** Tools for strategies. @category tables @since 0.1.0 */
export const strategyTools: ReadonlyArray<ToolRow> = [
  tool({
    name: "list_strategies",
    title: "List strategies",
    description: "Lists the account's strategies, newest first, each with its verdict.",
    kind: "reads",
    parameters: Schema.Struct({ limit, name: optionalText("A part of the name.") }),
    run: (ask, { limit = limitDefault, name }) =>
      Effect.map(ask("strategies", "list", { query: { limit, name } }), (page) =>
        heads(page, headFields)
      )
  }),
  tool({
    name: "describe_strategy",
    title: "Describe a strategy",
    description: "Shows a strategy: its rules in sentences and as JSON, its parameters, warnings.",
    kind: "reads",
    parameters: Schema.Struct({ strategy_id: strategyId }),
    run: (ask, { strategy_id }) =>
      Effect.map(ask("strategies", "get", { params: { id: strategy_id } }), (strategy) =>
        Struct.omit(strategy, ["evidence"])
      )
  }),
  tool({
    name: "explain_verdict",
    title: "Explain a verdict",
    description:
      "Says why a generated strategy is deployable, to be used with caution, or has no edge: every " +
      "gate with its value, and the figures in and out of sample. Report it as it is.",
    kind: "reads",
    parameters: Schema.Struct({ strategy_id: strategyId }),
    run: (ask, { strategy_id }) =>
      Effect.map(ask("strategies", "get", { params: { id: strategy_id } }), evidenceOf)
  }),
  tool({
    name: "write_strategy",
    title: "Write a strategy",
    description:
      "Keeps a strategy that you wrote. A refusal names each field that is at fault: mend it and " +
      "call again.",
    kind: "writes",
    parameters: Schema.Struct({
      name: text("Its name for people."),
      definition,
      risk_tolerance: riskTolerance
    }),
    run: (ask, body) => ask("strategies", "write", { body })
  }),
  tool({
    name: "change_strategy",
    title: "Change a strategy",
    description: "Changes a strategy, which makes its next version; earlier ones stay readable.",
    kind: "writes",
    parameters: Schema.Struct({
      strategy_id: strategyId,
      name: optionalText("A new name."),
      definition: Schema.optionalKey(definition),
      risk_tolerance: riskTolerance
    }),
    run: (ask, { strategy_id, ...body }) =>
      ask("strategies", "update", { params: { id: strategy_id }, body })
  })
]
