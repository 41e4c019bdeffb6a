/**
 * Parts of the language that no engine runs yet: a definition that has one is refused by the part's
 * name, so that nothing is accepted and then left out.
 *
 * A part that runs leaves the list here, and nothing else changes.
 *
 * @since 0.1.0
 */
import type { EntryOrder, RestingOrder } from "./EntryOrder.ts"
import type { Fault } from "./Fault.ts"
import {
  type PositionParts,
  positionPartNames,
  type StrategyDefinition
} from "./StrategyDefinition.ts"

/** A part by its name, and the places where a definition has it. */
interface PartNotRun {
  readonly part: string
  readonly placesOf: (definition: StrategyDefinition) => ReadonlyArray<string>
}

/** The parts of a position wherever they stand: at the top, and in each side. */
const positionsOf = (
  definition: StrategyDefinition
): ReadonlyArray<readonly [pointer: string, parts: PositionParts]> => [
  ["", definition],
  ...(["long", "short"] as const).flatMap((side) => {
    const parts = definition[side]
    return parts === undefined ? [] : [[`/${side}`, parts] as const]
  })
]

const position =
  (name: keyof PositionParts): PartNotRun["placesOf"] =>
  (definition) =>
    positionsOf(definition).flatMap(([pointer, parts]) =>
      parts[name] === undefined ? [] : [`${pointer}/${name}`]
    )

const top =
  (name: keyof StrategyDefinition): PartNotRun["placesOf"] =>
  (definition) =>
    definition[name] === undefined ? [] : [`/${name}`]

/** Parts of a position that one side has for itself. */
const ofSide: PartNotRun["placesOf"] = (definition) =>
  positionsOf(definition)
    .slice(1)
    .flatMap(([pointer, parts]) =>
      positionPartNames
        .filter((name) => parts[name] !== undefined)
        .map((name) => `${pointer}/${name}`)
    )

/** Every entry order, those of additions and of groups included. */
const ordersOf = (
  definition: StrategyDefinition
): ReadonlyArray<readonly [pointer: string, order: EntryOrder]> =>
  positionsOf(definition).flatMap(([pointer, { additions = [], entry }]) => {
    const entries: ReadonlyArray<readonly [string, EntryOrder | undefined]> = [
      [`${pointer}/entry`, entry],
      ...additions.map((one, index) => [`${pointer}/additions/${index}/entry`, one.entry] as const)
    ]
    return entries.flatMap(([place, order]): ReadonlyArray<readonly [string, EntryOrder]> => {
      if (order === undefined) return []
      if (order.type !== "one_cancels_other") return [[place, order]]
      const parts = order.orders.map((one, index) => [`${place}/orders/${index}`, one] as const)
      return [[place, order], ...parts]
    })
  })

const order =
  (isFound: (order: EntryOrder) => boolean): PartNotRun["placesOf"] =>
  (definition) =>
    ordersOf(definition)
      .filter(([, found]) => isFound(found))
      .map(([pointer]) => pointer)

const resting =
  (isFound: (order: RestingOrder) => boolean): PartNotRun["placesOf"] =>
  (definition) =>
    order(
      (found) => found.type !== "market" && found.type !== "one_cancels_other" && isFound(found)
    )(definition)

const partsNotRun: ReadonlyArray<PartNotRun> = [
  { part: "safety orders", placesOf: position("safety_orders") },
  { part: "targets", placesOf: position("targets") },
  { part: "additions", placesOf: position("additions") },
  { part: "reductions", placesOf: position("reductions") },
  { part: "a grid", placesOf: top("grid") },
  { part: "rebalancing", placesOf: top("rebalance") },
  { part: "a part of one side", placesOf: ofSide },
  { part: "a level as the price of an entry", placesOf: resting((one) => "level" in one) },
  { part: "a stop-limit entry", placesOf: order((one) => one.type === "stop_limit") },
  { part: "an entry until a time", placesOf: resting((one) => "until" in one) },
  {
    part: "an immediate entry",
    placesOf: order((one) => one.type === "limit" && one.immediate === true)
  },
  {
    part: "an entry good till cancelled",
    placesOf: resting(
      (one) => !("expires_after" in one) && !("until" in one) && !("immediate" in one)
    )
  },
  {
    part: "a group of entries of which one cancels the others",
    placesOf: order((one) => one.type === "one_cancels_other")
  },
  { part: "a choice of lots", placesOf: top("lots") },
  { part: "a choice of exits for lots", placesOf: top("exits_of") },
  { part: "overlapping positions", placesOf: top("overlap") }
]

/**
 * A fault for each part of a definition that no engine runs yet.
 *
 * @category checks
 * @since 0.1.0
 */
export const faultsOfPartsNotRun = (definition: StrategyDefinition): ReadonlyArray<Fault> =>
  partsNotRun.flatMap(({ part, placesOf }) =>
    placesOf(definition).map((pointer) => ({
      pointer,
      code: "does_not_run_yet",
      message: `No engine runs this part yet: ${part}`
    }))
  )
