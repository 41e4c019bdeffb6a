/**
 * What the code of a strategy is shown at each candle, and what is read from its answer.
 */
import { refuse } from "../language/Fault.ts"
import { isObject } from "../language/isObject.ts"
import type { ParameterValues } from "../language/Parameter.ts"
import type { BookView } from "../kernel/accountView.ts"
import { candleAt, type CandleColumns } from "../kernel/columns.ts"
import { type CandleDecision, type EntryLevels, noLevels, type Signal } from "../kernel/decide.ts"
import type { AttachedExits } from "../kernel/protection.ts"
import type { CodeContext, CodeDecision, CodePosition, CodeRules } from "../language/CodeRules.ts"
import { describeValue } from "../language/withGiven.ts"

/** Columns of indicators by name. */
export type CodeColumns = ReadonlyMap<string, ArrayLike<number>>

/** The indicators of code; throws where one has not one number for each candle. */
export const codeColumns = (
  rules: CodeRules,
  values: ParameterValues,
  candles: CandleColumns
): CodeColumns => {
  const columns = new Map<string, ArrayLike<number>>()
  if (rules.indicators === undefined) return columns
  const found: unknown = rules.indicators(candles, values)
  if (!isObject(found)) {
    return refuse("/indicators", "wrong_type", "indicators must give an object of columns by name")
  }
  for (const [name, column] of Object.entries(found)) {
    const pointer = `/indicators/${name}`
    if (!Array.isArray(column) && !ArrayBuffer.isView(column)) {
      return refuse(pointer, "wrong_type", `${name} must be an array of numbers`)
    }
    const numbers = column as unknown as ArrayLike<number>
    if (numbers.length !== candles.length) {
      const message = `${name} has ${numbers.length} values for ${candles.length} candles`
      return refuse(pointer, "wrong_length", message)
    }
    // Text would compare as a number, or as none, and no one would be told.
    const wrong =
      column instanceof Float64Array
        ? -1
        : Array.prototype.findIndex.call(numbers, (value) => typeof value !== "number")
    if (wrong !== -1) {
      const got = describeValue(numbers[wrong])
      const message = `Expected a number, NaN where there is none, got ${got}`
      return refuse(`${pointer}/${wrong}`, "wrong_type", message)
    }
    columns.set(name, numbers)
  }
  return columns
}

/** What code is shown; it follows the candles as it is moved. */
export interface MovingContext {
  readonly context: CodeContext
  readonly move: (
    candles: CandleColumns,
    columns: CodeColumns,
    index: number,
    book?: BookView
  ) => void
}

const positionOf = ({ index, position }: BookView): CodePosition | null =>
  position === null
    ? null
    : {
        direction: position.quantity > 0 ? "long" : "short",
        quantity: Math.abs(position.quantity),
        entryPrice: position.entryPrice,
        entryTime: position.entryTime,
        heldCount: index - position.entryIndex
      }

/** The context of one market, which lets code look back so many candles. */
export const makeCodeContext = (
  symbol: string,
  values: ParameterValues,
  lookback: number
): MovingContext => {
  let candles: CandleColumns
  let columns: CodeColumns = new Map()
  // A few names are found sooner one after the other than in a map.
  let names: ReadonlyArray<string> = []
  let arrays: ReadonlyArray<ArrayLike<number>> = []
  let index = -1
  let book: BookView | undefined
  const at = (ago: number): number => {
    if (ago >= 0 && ago <= lookback) return index - ago
    throw new RangeError(
      ago > lookback
        ? `a strategy sees ${lookback} candles back; its lookback may say more`
        : "a strategy sees no later candle than the current one"
    )
  }
  const context: CodeContext = {
    symbol,
    parameters: values,
    get position() {
      return book === undefined ? null : positionOf(book)
    },
    candle: (ago = 0) => candleAt(candles, at(ago)),
    value: (name, ago = 0) => {
      for (let nth = 0; nth < names.length; nth++) {
        if (names[nth] === name) return arrays[nth]![at(ago)] ?? Number.NaN
      }
      const those = names.join(", ") || "none"
      return refuse(
        "/indicators",
        "unknown_field",
        `No indicator is named ${name}; there are ${those}`
      )
    }
  }
  return {
    context,
    move: (shown, computed, at, held) => {
      candles = shown
      index = at
      book = held
      if (columns === computed) return
      columns = computed
      names = [...computed.keys()]
      arrays = [...computed.values()]
    }
  }
}

const silent: Signal = { enterLong: false, exitLong: false, enterShort: false, exitShort: false }
const silence: CandleDecision = { signal: silent, levels: noLevels }

type Decided = Readonly<Partial<Record<keyof CodeDecision, unknown>>>

const signalNames = ["enterLong", "exitLong", "enterShort", "exitShort"] as const
const known: ReadonlyArray<string> = [...signalNames, "exits", "sizing"]
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

const checkExit = (name: string, value: unknown): void => {
  const pointer = `/decision/exits/${name}`
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

const amountOf = new Map([
  ["risk_per_trade", "fraction"],
  ["equity_fraction", "fraction"],
  ["fixed_notional", "notional"],
  ["fixed_quantity", "quantity"]
])

const checkSizing = (sizing: unknown): void => {
  const amount = isObject(sizing) ? amountOf.get(String(sizing["type"])) : undefined
  if (isObject(sizing) && amount !== undefined && typeof sizing[amount] === "number") return
  const types = [...amountOf.keys()].join(", ")
  refuse("/decision/sizing", "wrong_type", `sizing must have a type of ${types}, and its number`)
}

const isSignal = (value: unknown): boolean => value === undefined || typeof value === "boolean"

const checkNames = (decision: Readonly<Record<string, unknown>>): void => {
  for (const name of Object.keys(decision)) {
    const pointer = `/decision/${name}`
    if (!known.includes(name)) {
      refuse(pointer, "unknown_field", `A decision has no ${name}; there are ${known.join(", ")}`)
    }
    const isSigned = name === "exits" || name === "sizing" || isSignal(decision[name])
    if (!isSigned) refuse(pointer, "wrong_type", `${name} must be true or false`)
  }
}

/** Whether the answer has a name that no decision has. */
const hasUnknown = (decision: object): boolean => {
  for (const name in decision) {
    switch (name) {
      case "enterLong":
      case "exitLong":
      case "enterShort":
      case "exitShort":
      case "exits":
      case "sizing":
        break
      default:
        return true
    }
  }
  return false
}

const checkDecision = (decision: unknown): void => {
  if (!isObject(decision)) {
    return refuse("/decision", "wrong_type", "onCandle must give an object, or nothing")
  }
  const { enterLong, enterShort, exitLong, exitShort, exits, sizing }: Decided = decision
  const isSigned =
    isSignal(enterLong) && isSignal(exitLong) && isSignal(enterShort) && isSignal(exitShort)
  // Names are listed only where one is wrong: listing takes longer than most strategies.
  if (!isSigned || hasUnknown(decision)) checkNames(decision)
  if (exits !== undefined) {
    if (!isObject(exits)) return refuse("/decision/exits", "wrong_type", "exits must be an object")
    for (const [exit, level] of Object.entries(exits)) checkExit(exit, level)
  }
  if (sizing !== undefined) checkSizing(sizing)
}

const noExits: AttachedExits = {
  stopLoss: null,
  takeProfit: null,
  trailingStop: null,
  breakEven: null
}

/** The exits of the definition with those of one entry in their places. */
const withExits = (
  base: AttachedExits | null,
  { breakEven, stopLoss, takeProfit, trailingStop }: NonNullable<CodeDecision["exits"]>
): AttachedExits => {
  const before = base ?? noExits
  return {
    stopLoss: stopLoss ?? before.stopLoss,
    takeProfit: takeProfit ?? before.takeProfit,
    trailingStop: trailingStop ?? before.trailingStop,
    breakEven: breakEven ?? before.breakEven
  }
}

/** Asks the code, and reads its answer; `levels` gives what the definition says of an entry. */
export const askCode = (
  rules: CodeRules,
  context: CodeContext,
  levels: () => EntryLevels
): CandleDecision => {
  const decision = rules.onCandle(context)
  if (decision === undefined || decision === null) return silence
  checkDecision(decision)
  const { enterLong, enterShort, exitLong, exitShort } = decision
  if (!enterLong && !exitLong && !enterShort && !exitShort) return silence
  const signal: Signal = {
    enterLong: enterLong === true,
    exitLong: exitLong === true,
    enterShort: enterShort === true,
    exitShort: exitShort === true
  }
  if (!signal.enterLong && !signal.enterShort) return { signal, levels: noLevels }
  const { exits, sizing } = decision
  const base = levels()
  return {
    signal,
    levels: {
      ...(exits === undefined
        ? base
        : { ...base, long: withExits(base.long, exits), short: withExits(base.short, exits) }),
      ...(sizing && { sizing })
    }
  }
}
