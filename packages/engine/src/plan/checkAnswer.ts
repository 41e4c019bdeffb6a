/**
 * Checks of the answer of code: code may be written without types, and its numbers may be NaN.
 */
import { refuse } from "../language/Fault.ts"
import { notAmong } from "../language/notAmong.ts"
import { isObject } from "../language/isObject.ts"
import type { CodeSizing } from "../language/CodedOrders.ts"
import { tradeBounds } from "../language/settingBounds.ts"
import { describeValue } from "../language/withGiven.ts"
import type { AttachedExits, ExitLevel } from "../kernel/protection.ts"

const exitNames: ReadonlyArray<string> = [
  "stopLoss",
  "takeProfit",
  "trailingStop",
  "breakEven"
] satisfies ReadonlyArray<keyof AttachedExits>

const levelNames = ["kind", "value"] as const satisfies ReadonlyArray<keyof ExitLevel>

type ExitFields<Name extends keyof AttachedExits> = ReadonlyArray<
  keyof NonNullable<AttachedExits[Name]>
>
const trailingNames = ["distance", "activation"] as const satisfies ExitFields<"trailingStop">
const breakEvenNames = ["activation", "offsetRate"] as const satisfies ExitFields<"breakEven">

type Fields = Readonly<Record<string, unknown>>

/** Throws where an object has a field that is not among these. */
const checkNames = (
  fields: Fields,
  pointer: string,
  noun: string,
  names: ReadonlyArray<string>
): void => {
  for (const name in fields) {
    if (names.includes(name)) continue
    const message = notAmong(`field ${name} of ${noun}`, names)
    refuse(`${pointer}/${name}`, "unknown_field", message)
  }
}

const isLevel = (value: unknown, pointer: string): boolean => {
  if (!isObject(value) || typeof value["value"] !== "number") return false
  const { kind } = value
  if (kind !== "fraction" && kind !== "distance" && kind !== "price") return false
  checkNames(value, pointer, "a level", levelNames)
  return true
}

const isTrailing = (value: unknown, pointer: string): boolean => {
  if (!isObject(value)) return false
  const { activation, distance } = value
  const isWhole =
    isLevel(distance, `${pointer}/distance`) &&
    (activation === null || isLevel(activation, `${pointer}/activation`))
  if (isWhole) checkNames(value, pointer, "trailingStop", trailingNames)
  return isWhole
}

const isBreakEven = (value: unknown, pointer: string): boolean => {
  if (!isObject(value) || typeof value["offsetRate"] !== "number") return false
  const isWhole = isLevel(value["activation"], `${pointer}/activation`)
  if (isWhole) checkNames(value, pointer, "breakEven", breakEvenNames)
  return isWhole
}

const isExit = (name: string, value: unknown, pointer: string): boolean => {
  if (name === "trailingStop") return isTrailing(value, pointer)
  return name === "breakEven" ? isBreakEven(value, pointer) : isLevel(value, pointer)
}

/** Throws where exits of an entry are at fault; a level that is NaN is not known yet. */
export const checkAnsweredExits = (exits: unknown, pointer: string): void => {
  if (!isObject(exits)) return refuse(pointer, "wrong_type", "exits must be an object")
  checkNames(exits, pointer, "exits", exitNames)
  for (const [name, value] of Object.entries(exits)) {
    if (value === undefined || isExit(name, value, `${pointer}/${name}`)) continue
    const message = `${name} must be a level: a kind (fraction, distance, price) and a value`
    refuse(`${pointer}/${name}`, "wrong_type", message)
  }
}

/** The number of each type of size, with the bounds that it has in a definition. */
const amountOf = new Map<string, readonly [name: string, max: number]>([
  ["risk_per_trade", ["fraction", tradeBounds.riskFraction.max]],
  ["equity_fraction", ["fraction", tradeBounds.equityFraction.max]],
  ["fixed_notional", ["notional", tradeBounds.notional.max]],
  ["fixed_quantity", ["quantity", tradeBounds.quantity.max]]
])

/** Throws where a size is none: of an unknown type, without its number, or with another field. */
export const checkAnsweredSizing = (sizing: unknown, pointer: string): void => {
  const known = isObject(sizing) ? amountOf.get(String(sizing["type"])) : undefined
  if (!isObject(sizing) || known === undefined || typeof sizing[known[0]] !== "number") {
    const types = [...amountOf.keys()].join(", ")
    return refuse(pointer, "wrong_type", `sizing must have a type of ${types}, and its number`)
  }
  checkNames(sizing, pointer, `the size ${String(sizing["type"])}`, ["type", known[0]])
}

/** Throws where an entry of this size would be dropped in silence. */
export const checkSize = (sizing: CodeSizing, hasStop: boolean, pointer: string): void => {
  const [name, max] = amountOf.get(sizing.type)!
  const amount = (sizing as Readonly<Record<string, unknown>>)[name] as number
  if (Number.isNaN(amount)) {
    const message = `${name} is NaN: give no entry until all values of its size are known`
    refuse(`${pointer}/${name}`, "unknown_size", message)
  }
  if (!(amount > 0 && amount <= max)) {
    const message = `Expected a number above 0 and at most ${max}, got ${amount}`
    refuse(`${pointer}/${name}`, "out_of_bounds", message)
  }
  if (hasStop || sizing.type !== "risk_per_trade") return
  const message = "Risk per trade is measured to the stop loss, and the strategy has none"
  refuse(`${pointer}/type`, "stop_loss_required", message)
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
  noun: string,
  names: ReadonlyArray<string>
): Fields => {
  if (!isObject(value)) {
    const got = describeValue(value)
    return refuse(pointer, "wrong_type", `Expected an object for ${noun}, got ${got}`)
  }
  checkNames(value, pointer, noun, names)
  return value
}

/** A time in epoch milliseconds, or null where it is absent. */
export const readAnsweredTime = (value: unknown, pointer: string): number | null => {
  if (value === undefined || typeof value === "number") return readAmount(value, pointer)
  const got = value instanceof Date ? "a Date, whose getTime() gives them" : describeValue(value)
  return refuse(pointer, "wrong_type", `Expected epoch milliseconds as a number, got ${got}`)
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
