/**
 * Checks of the answer of code: code may be written without types, and its numbers may be NaN.
 */
import { refuse } from "../language/Fault.ts"
import { isObject } from "../language/isObject.ts"
import { describeValue } from "../language/withGiven.ts"
import type { AttachedExits } from "../kernel/protection.ts"

const exitNames: ReadonlySet<string> = new Set([
  "stopLoss",
  "takeProfit",
  "trailingStop",
  "breakEven"
] satisfies ReadonlyArray<keyof AttachedExits>)

const isLevel = (value: unknown): boolean =>
  isObject(value) &&
  (value["kind"] === "fraction" || value["kind"] === "distance" || value["kind"] === "price") &&
  typeof value["value"] === "number"

const checkExit = (name: string, value: unknown, pointer: string): void => {
  if (!exitNames.has(name)) {
    refuse(
      pointer,
      "unknown_field",
      `Exits have no ${name}; there are ${[...exitNames].join(", ")}`
    )
  }
  if (value === undefined) return
  const isWhole =
    name === "trailingStop"
      ? isObject(value) &&
        isLevel(value["distance"]) &&
        (value["activation"] === null || isLevel(value["activation"]))
      : name === "breakEven"
        ? isObject(value) && isLevel(value["activation"]) && typeof value["offsetRate"] === "number"
        : isLevel(value)
  if (isWhole) return
  refuse(
    pointer,
    "wrong_type",
    `${name} must be a level: a kind (fraction, distance, price) and a value`
  )
}

/** Throws where exits of an entry are at fault; a level that is NaN is not known yet. */
export const checkExits = (exits: unknown, pointer: string): void => {
  if (!isObject(exits)) return refuse(pointer, "wrong_type", "exits must be an object")
  for (const [exit, level] of Object.entries(exits)) checkExit(exit, level, `${pointer}/${exit}`)
}

const amountOf = new Map([
  ["risk_per_trade", "fraction"],
  ["equity_fraction", "fraction"],
  ["fixed_notional", "notional"],
  ["fixed_quantity", "quantity"]
])

/** Throws where the size of an entry is at fault. */
export const checkSizing = (sizing: unknown, pointer: string): void => {
  const amount = isObject(sizing) ? amountOf.get(String(sizing["type"])) : undefined
  if (isObject(sizing) && amount !== undefined && typeof sizing[amount] === "number") return
  const types = [...amountOf.keys()].join(", ")
  refuse(pointer, "wrong_type", `sizing must have a type of ${types}, and its number`)
}

/** Whether all numbers of some data are finite. */
const isFiniteData = (value: unknown): boolean => {
  if (typeof value === "number") return Number.isFinite(value)
  return !isObject(value) || Object.values(value).every(isFiniteData)
}

/** Throws where a number of some data is none. */
export const checkFinite = (value: unknown, pointer: string): void => {
  if (!isFiniteData(value)) refuse(pointer, "wrong_type", "Expected finite numbers, got NaN")
}

/** An object of known fields; throws where it is none, or has another. */
export const checkFields = (
  value: unknown,
  pointer: string,
  what: string,
  names: ReadonlyArray<string>
): Readonly<Record<string, unknown>> => {
  if (!isObject(value)) {
    const got = describeValue(value)
    return refuse(pointer, "wrong_type", `${what} must be an object, got ${got}`)
  }
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue
    const message = `${what} has no ${name}; there are ${names.join(", ")}`
    refuse(`${pointer}/${name}`, "unknown_field", message)
  }
  return value
}

/** A number above zero, or null where it is absent. */
export const readAmount = (value: unknown, pointer: string): number | null => {
  if (value === undefined) return null
  if (typeof value !== "number" || Number.isNaN(value)) {
    const message = `Expected a number above 0, got ${describeValue(value)}`
    return refuse(pointer, "wrong_type", message)
  }
  if (value > 0 && value < Infinity) return value
  return refuse(pointer, "out_of_bounds", `Expected a number above 0, got ${value}`)
}

/** A whole number from 1 on, or null where it is absent. */
export const readCount = (value: unknown, pointer: string): number | null => {
  const amount = readAmount(value, pointer)
  if (amount === null || Number.isInteger(amount)) return amount
  return refuse(pointer, "wrong_type", `Expected a whole number, got ${amount}`)
}

/** True or false; false where it is absent. */
export const readFlag = (value: unknown, pointer: string): boolean => {
  if (value === undefined || typeof value === "boolean") return value === true
  const got = describeValue(value)
  return refuse(pointer, "wrong_type", `Expected true or false, got ${got}`)
}

/** A name in snake_case, or null where it is absent. */
export const readName = (value: unknown, pointer: string): string | null => {
  if (value === undefined) return null
  if (typeof value === "string" && /^[a-z][a-z0-9_]{0,39}$/u.test(value)) return value
  const got = describeValue(value)
  return refuse(pointer, "wrong_type", `Expected a name in snake_case, got ${got}`)
}
