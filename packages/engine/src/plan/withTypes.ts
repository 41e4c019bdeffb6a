/**
 * Faults that name the unknown type and the known ones.
 *
 * A schema only knows that a value is no series, rule, exit, entry or size.
 *
 * @since 0.1.0
 */
import { indicatorCatalogue } from "../language/Indicator.ts"
import type { Fault } from "../language/Fault.ts"
import { EntryOrder, RestingEntry } from "../language/EntryOrder.ts"
import { Distance } from "../language/Exits.ts"
import { Sizing } from "../language/Sizing.ts"
import { inWords } from "../language/inWords.ts"
import { notAmong } from "../language/notAmong.ts"
import { isObject } from "../language/isObject.ts"
import { ruleOperations } from "./ruleOperations.ts"
import { seriesOperations } from "./seriesOperations.ts"
import { describeValue, givenAt } from "../language/withGiven.ts"

/** The message of a schema for a value of unknown type, and the types that it knows. */
const knownTypes = new Map<
  string,
  { readonly noun: string; readonly types: ReadonlyArray<string> }
>([
  ["Expected Rule", { noun: "a rule", types: Object.keys(ruleOperations) }],
  [
    "Expected Series",
    {
      noun: "a series",
      types: [
        ...Object.keys(seriesOperations),
        "timeframe",
        "symbol",
        ...Object.keys(indicatorCatalogue)
      ]
    }
  ],
  ...[
    { noun: "a distance", ast: Distance.ast, members: Distance.members },
    { noun: "an order", ast: EntryOrder.ast, members: EntryOrder.members },
    { noun: "a resting order", ast: RestingEntry.ast, members: RestingEntry.members },
    { noun: "a size", ast: Sizing.ast, members: Sizing.members }
  ].map(({ ast, members, noun }) => {
    const types = members.map(({ fields }) => fields.type.literal)
    return [`Expected ${inWords(ast)}`, { noun, types }] as const
  })
])

/** Adds the found and the possible types to a fault of an unknown type. */
export const withTypes =
  (input: unknown) =>
  (fault: Fault): Fault => {
    const known = knownTypes.get(fault.message)
    if (known === undefined) return fault
    const { noun, types } = known
    const value = givenAt(input, fault.pointer)
    const type = isObject(value) ? value["type"] : undefined
    if (typeof type === "string") {
      return { ...fault, message: notAmong(`type ${describeValue(type)} of ${noun}`, types) }
    }
    // An example says it better than a list of types.
    if (fault.message.includes(" such as ")) return fault
    const message = `Expected ${noun}, an object with a type; use one of ${types.join(", ")}`
    return { ...fault, message }
  }
