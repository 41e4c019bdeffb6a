/**
 * Which parts of a strategy go together, in keywords of JSON Schema.
 *
 * The same contradictions are faults of `decodeStrategy`, which names each with its place.
 *
 * @since 0.1.0
 */
import type { JsonSchema } from "effect"
import { positionPartNames } from "./StrategyDefinition.ts"

type Json = JsonSchema.JsonSchema

const requiring = (...names: ReadonlyArray<string>): Json => ({ required: names })

/** None of these fields. */
const without = (...names: ReadonlyArray<string>): Json => ({
  properties: Object.fromEntries(names.map((name) => [name, false]))
})

const having = (name: string, value: Json): Json => ({ properties: { [name]: value } })

/** The rules for a record that has a field, or that has it with one of these values. */
const wherever = (name: string, then: Json, values?: ReadonlyArray<unknown>): Json => ({
  anyOf: [
    {
      not: {
        ...requiring(name),
        ...(values !== undefined && having(name, { enum: [...values] }))
      }
    },
    then
  ]
})

/** The rules for a part at the top, and for the same part of each side. */
const ofEachSide = (name: string, part: Json): Json => ({
  properties: {
    [name]: part,
    long: having(name, part),
    short: having(name, part)
  }
})

const ladderParts = ["additions", "safety_orders", "targets", "reductions"]
const lotFields = ["lots", "exits_of"]
const positionFields = ["overlap", "max_positions", "reentry"]

const gridFits: Json = {
  properties: {
    ...(without("entry", ...ladderParts, ...lotFields, ...positionFields)["properties"] as Json),
    exits: {
      properties: {
        ...(without("take_profit", "trailing_stop", "break_even", "time_limit")[
          "properties"
        ] as Json),
        stop_loss: having("type", { not: { enum: ["atr"] } })
      }
    },
    sizing: having("type", { not: { enum: ["risk_per_trade", "volatility_target"] } })
  }
}

const overlapFits: Json = {
  ...requiring("max_positions"),
  properties: {
    ...(without(...ladderParts, ...lotFields)["properties"] as Json),
    long: without(...ladderParts),
    short: without(...ladderParts)
  }
}

const separateLots = ["first_in_first_out", "by_name"]

/** Lots that are kept apart. */
const apart: Json = { ...requiring("lots"), ...having("lots", { enum: separateLots }) }

/** A part at the top that each side has for itself, so that nothing uses it. */
const unused = (name: string): Json => ({
  ...requiring(name),
  anyOf: [requiring("long"), requiring("short")],
  properties: { long: requiring(name), short: requiring(name) }
})

/** The parts of a definition that go together. @category tables @since 0.1.0 */
export const definitionFits: ReadonlyArray<Json> = [
  wherever("grid", gridFits),
  wherever("rebalance", without(...positionPartNames, ...lotFields, ...positionFields)),
  wherever("overlap", overlapFits),
  wherever("exits_of", { anyOf: [apart, requiring("overlap")] }),
  {
    anyOf: [
      { ...requiring("lots"), ...having("lots", { enum: ["by_name"] }) },
      ofEachSide("reductions", { items: without("lot") })
    ]
  },
  wherever("lots", ofEachSide("safety_orders", false as never), separateLots),
  {
    anyOf: [
      { ...apart, properties: { ...(apart["properties"] as Json), exits_of: { enum: ["lot"] } } },
      ofEachSide("additions", { items: without("exits") })
    ]
  },
  // One keyword for all: generators of requests multiply lists of choices.
  { not: { anyOf: positionPartNames.map(unused) } }
]

/** An addition has an order and a count only with a rule. @category tables @since 0.1.0 */
export const additionFits: Json = {
  dependentRequired: { entry: ["enter"], times: ["enter"] }
}

/** The names that the engine gives lots itself. @category tables @since 0.1.0 */
export const reservedLots = "^(base|(line|safety)[0-9]+)$"

/** A range on a logarithmic scale is above zero and has no steps. @category tables @since 0.1.0 */
export const rangeFits: Json = wherever(
  "log",
  { properties: { min: { exclusiveMinimum: 0 }, step: false } },
  [true]
)

const hours = (from: number, to: number): Json => ({
  properties: { from: { enum: [from] }, to: { enum: [to] } }
})

/** Hours of a day that end where they begin are none. @category tables @since 0.1.0 */
export const hoursFit: Json = {
  not: { anyOf: [...Array.from({ length: 25 }, (_, hour) => hours(hour, hour)), hours(24, 0)] }
}
