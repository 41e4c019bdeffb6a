/**
 * The JSON Schema of a strategy, for editors and other languages.
 *
 * Its shape comes from the definition's schema, and the bounds of settings come from the checks.
 *
 * @since 0.1.0
 */
import { type JsonSchema, Schema } from "effect"
import { indicatorCatalogue } from "./Indicator.ts"
import { StrategyDefinition } from "./StrategyDefinition.ts"
import { additionFits, definitionFits, hoursFit, rangeFits, reservedLots } from "./strategyFit.ts"
import { expressionBounds, type SettingBounds, tradeBounds } from "./settingBounds.ts"

type Json = JsonSchema.JsonSchema
type Members = Readonly<Record<string, Json>>

/** Bounds of the settings of a node, by the node's type and the field. */
type BoundsByType = Readonly<Record<string, Readonly<Record<string, SettingBounds>>>>

const { deviationPeriod, hold, period, rank, shift, trend } = expressionBounds

const seriesBounds: BoundsByType = {
  ...Object.fromEntries(
    Object.entries(indicatorCatalogue).map(([name, row]) => [name, row.settings])
  ),
  constant: { value: expressionBounds.constant },
  shift: { by: shift },
  highest: { period },
  lowest: { period },
  mean: { period },
  stdev: { period: deviationPeriod },
  percentile: { period, rank }
}

const ruleBounds: BoundsByType = {
  rising: { for: trend },
  falling: { for: trend },
  true_for: { for: hold }
}

const { expiry, limitOffset, stopOffset } = tradeBounds

const entryBounds: BoundsByType = {
  limit: { offset: limitOffset, expires_after: expiry },
  stop: { offset: stopOffset, expires_after: expiry },
  stop_limit: { offset: stopOffset, limit_offset: stopOffset, expires_after: expiry }
}

const sizingBounds: BoundsByType = {
  risk_per_trade: { fraction: tradeBounds.riskFraction },
  equity_fraction: { fraction: tradeBounds.equityFraction },
  fixed_notional: { notional: tradeBounds.notional },
  fixed_quantity: { quantity: tradeBounds.quantity },
  volatility_target: { target: tradeBounds.volatility, period: tradeBounds.volatilityPeriod },
  scaled: { factor: tradeBounds.sizeFactor }
}

const distanceBounds = (fraction: SettingBounds): BoundsByType => ({
  fraction: { value: fraction },
  atr: { period: tradeBounds.atrPeriod, multiple: tradeBounds.atrMultiple }
})

const numberWithin = ({ isMinExcluded, kind, max, min }: SettingBounds): Json => ({
  type: kind === "integer" ? "integer" : "number",
  [isMinExcluded === true ? "exclusiveMinimum" : "minimum"]: min,
  maximum: max
})

const partsOf = (schema: Json): ReadonlyArray<Json> => schema["anyOf"] as ReadonlyArray<Json>
const fieldsOf = (schema: Json): Members => schema["properties"] as Members

/** A setting, whose number is the first of its two forms, within bounds. */
const settingWithin = (setting: Json, bounds: SettingBounds): Json => ({
  ...setting,
  anyOf: [numberWithin(bounds), ...partsOf(setting).slice(1)]
})

type Change = (field: Json) => Json

/** An object whose fields are changed by name. */
const withFields = (schema: Json, changes: Readonly<Record<string, Change>>): Json => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(fieldsOf(schema)).map(([name, field]) => [
      name,
      Object.hasOwn(changes, name) ? changes[name]!(field) : field
    ])
  )
})

const bounded = (byField: Readonly<Record<string, SettingBounds>>): Record<string, Change> =>
  Object.fromEntries(
    Object.entries(byField).map(([name, bounds]) => [name, (field) => settingWithin(field, bounds)])
  )

const typeOf = (variant: Json): string =>
  (fieldsOf(variant)["type"]!["enum"] as ReadonlyArray<string>)[0]!

const variantsWithin =
  (byType: BoundsByType): Change =>
  (schema) => ({
    ...schema,
    anyOf: partsOf(schema).map((variant) => {
      const byField = byType[typeOf(variant)]
      return byField === undefined ? variant : withFields(variant, bounded(byField))
    })
  })

const withEachOnce: Change = (list) => ({ ...list, uniqueItems: true })

const loss = variantsWithin(distanceBounds(tradeBounds.lossFraction))
const gain = variantsWithin(distanceBounds(tradeBounds.gainFraction))

const exitsWithin: Change = (exits) =>
  withFields(exits, {
    stop_loss: loss,
    take_profit: gain,
    trailing_stop: (trailing) => withFields(trailing, { distance: loss, activation: gain }),
    break_even: (even) =>
      withFields(even, { activation: gain, ...bounded({ offset: tradeBounds.breakEvenOffset }) }),
    ...bounded({ time_limit: tradeBounds.timeLimit })
  })

const reentryWithin: Change = (reentry) => {
  const { cooldown } = tradeBounds
  return withFields(reentry, bounded({ cooldown, cooldown_after_stop: cooldown }))
}

const requiring = (...names: ReadonlyArray<string>): Json => ({ required: names })

/** One of these fields, and no other of them. */
const exactlyOne =
  (...names: ReadonlyArray<string>): Change =>
  (part) => ({ ...part, oneOf: names.map((name) => requiring(name)) })

/** No two of these fields. */
const atMostOne = (...names: ReadonlyArray<string>): Json => ({
  not: {
    anyOf: names.flatMap((name, index) =>
      names.slice(index + 1).map((other) => requiring(name, other))
    )
  }
})

/** An instant, of which the schema of the definition says more than JSON Schema can. */
const instant: Change = (text) => ({
  ...text,
  pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$`
})

const orderOnce: Change = (variant) =>
  Object.hasOwn(fieldsOf(variant), "offset")
    ? {
        ...exactlyOne("offset", "level")(withFields(variant, { until: instant })),
        ...atMostOne("expires_after", "until", "immediate")
      }
    : variant

const ordersWithin: Change = (orders) => {
  const within = variantsWithin(entryBounds)(orders)
  return { ...within, anyOf: partsOf(within).map(orderOnce) }
}

const { ladderFactor, linePrice, lossFraction, portion } = tradeBounds

const additionWithin: Change = (addition) =>
  exactlyOne(
    "enter",
    "against",
    "in_favour"
  )(
    withFields(
      { ...addition, ...additionFits },
      {
        name: (name) => ({ ...name, not: { pattern: reservedLots } }),
        ...bounded({
          against: lossFraction,
          in_favour: tradeBounds.gainFraction,
          times: tradeBounds.times
        })
      }
    )
  )

const boundedPart =
  (byField: Readonly<Record<string, SettingBounds>>): Change =>
  (part) =>
    withFields(part, bounded(byField))

/** The change that the schema of each named part needs besides its shape. */
const partsWithin: Readonly<Record<string, Change>> = {
  EntryOrder: ordersWithin,
  RestingOrder: ordersWithin,
  Exits: exitsWithin,
  Sizing: variantsWithin(sizingBounds),
  AdditionSizing: variantsWithin(sizingBounds),
  Addition: additionWithin,
  SafetyOrders: boundedPart({
    count: tradeBounds.safetyCount,
    distance: lossFraction,
    distance_factor: ladderFactor,
    size_factor: ladderFactor
  }),
  Target: (target) => withFields(target, { at: gain, ...bounded({ portion }) }),
  Reduction: boundedPart({ portion }),
  Grid: boundedPart({ lower: linePrice, upper: linePrice, lines: tradeBounds.lines }),
  DirectionRules: (rules) => withFields(rules, { targets: targetsInOrder }),
  Rebalance: boundedPart({ weight: tradeBounds.weight, band: tradeBounds.band })
}

/** The first target follows no other. */
const targetsInOrder: Change = (targets) => {
  const [first] = targets["prefixItems"] as ReadonlyArray<Json>
  const stop = { not: { enum: ["previous_target"] } }
  return { ...targets, prefixItems: [{ allOf: [first, { properties: { stop } }] }] }
}

const rangesInOrder: Change = (parameters) => ({
  ...parameters,
  patternProperties: Object.fromEntries(
    Object.entries(parameters["patternProperties"] as Members).map(([name, parameter]) => [
      name,
      {
        ...parameter,
        anyOf: partsOf(parameter).map((variant) =>
          withFields(
            Object.hasOwn(fieldsOf(variant), "log") ? { ...variant, allOf: [rangeFits] } : variant,
            { options: withEachOnce }
          )
        )
      }
    ])
  )
})

const definitionWithin: Change = (definition) => ({
  ...withFields(definition, {
    symbols: withEachOnce,
    trades: withEachOnce,
    parameters: rangesInOrder,
    targets: targetsInOrder,
    reentry: reentryWithin
  }),
  allOf: definitionFits,
  oneOf: [
    { anyOf: [requiring("long"), requiring("short")] },
    requiring("code"),
    requiring("grid"),
    requiring("rebalance")
  ]
})

const daysOnce: Change = (rule) => ({
  ...rule,
  anyOf: partsOf(rule).map((variant) => ({
    ...withFields(variant, { days: withEachOnce }),
    ...(typeOf(variant) === "hours" && hoursFit)
  }))
})

/** A parameter is declared by such a name, so that no other can be meant. */
const parameterName: Json = { type: "string", pattern: "^[a-z][a-z0-9_]{0,39}$" }

/** The schema with every reference to a mere reference led to where that one leads. */
const straightened = (value: unknown, definitions: Members): unknown => {
  if (Array.isArray(value)) return value.map((part) => straightened(part, definitions))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (key === "parameter") return [key, parameterName]
      if (key !== "$ref" || typeof part !== "string") return [key, straightened(part, definitions)]
      return [key, definitions[part.replace("#/$defs/", "")]?.["$ref"] ?? part]
    })
  )
}

/**
 * The JSON Schema (draft 2020-12) of a strategy in format 1.
 *
 * **Details**
 *
 * It accepts every strategy that `decodeStrategy` accepts. It refuses each fault that one place
 * alone shows: unknown fields, wrong types, and numbers out of bounds. Units, the values that a
 * parameter may take, and how deep a strategy is, only `decodeStrategy` sees.
 *
 * @category encoding
 * @since 0.1.0
 */
export const strategyJsonSchema = (): Json => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(StrategyDefinition, {
    onExcessProperty: "error"
  })
  const parts = Object.entries(definitions).filter(([, part]) => part["$ref"] === undefined)
  const changes: Readonly<Record<string, Change>> = {
    Series: variantsWithin(seriesBounds),
    Rule: (rule) => daysOnce(variantsWithin(ruleBounds)(rule)),
    ...partsWithin,
    StrategyDefinition: definitionWithin
  }
  const within = parts.map(([name, part]) => [name, changes[name]?.(part) ?? part] as const)
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Strategy",
    $ref: schema["$ref"],
    $defs: straightened(Object.fromEntries(within), definitions)
  }
}
