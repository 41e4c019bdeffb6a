/**
 * The reading of the answer of a strategy's code at each candle.
 */
import { asCodeError } from "./codeError.ts"
import { refuse } from "../language/Fault.ts"
import { notAmong } from "../language/notAmong.ts"
import { isObject } from "../language/isObject.ts"
import { describeValue } from "../language/withGiven.ts"
import { type CandleDecision, type EntryLevels, noLevels, type Signal } from "../kernel/decide.ts"
import type { LadderPlan } from "../kernel/ladder/LadderPlan.ts"
import { type AttachedExits, withExits } from "../kernel/protection.ts"
import type { CodeContext, CodeDecision, CodeRules } from "../language/CodeRules.ts"
import { checkAnsweredExits, checkSize, checkAnsweredSizing } from "./checkAnswer.ts"
import { readOrders } from "./codeOrders.ts"

const silent: Signal = { enterLong: false, exitLong: false, enterShort: false, exitShort: false }
const silence: CandleDecision = { signal: silent, levels: noLevels }

type Decided = Readonly<Partial<Record<keyof CodeDecision, unknown>>>

const signalNames = ["enterLong", "exitLong", "enterShort", "exitShort"] as const
const orderNames = ["orders", "cancel", "close", "protect"] as const
const known: ReadonlyArray<string> = [...signalNames, "exits", "sizing", ...orderNames]

const isSignal = (value: unknown): boolean => value === undefined || typeof value === "boolean"

const checkNames = (decision: Readonly<Record<string, unknown>>): void => {
  for (const name in decision) {
    const pointer = `/decision/${name}`
    if (!known.includes(name)) {
      refuse(pointer, "unknown_field", notAmong(`field ${name} of a decision`, known))
    }
    const isMore = name === "exits" || name === "sizing" || orderNames.some((one) => one === name)
    if (!isMore && !isSignal(decision[name])) {
      refuse(pointer, "wrong_type", `${name} must be true or false`)
    }
  }
}

/** The kinds of names that an answer has, besides signals, exits and a size. */
const plain = 0
const ordering = 1
const unknown = 2
const empty = 3

const kindOf = (decision: object): number => {
  let kind = empty
  for (const name in decision) {
    switch (name) {
      case "enterLong":
      case "exitLong":
      case "enterShort":
      case "exitShort":
      case "exits":
      case "sizing":
        if (kind === empty) kind = plain
        break
      case "orders":
      case "cancel":
      case "close":
      case "protect":
        kind = ordering
        break
      default:
        return unknown
    }
  }
  return kind
}

/** Refuses an answer that says nothing and is no plain object, as a promise or a map. */
const checkEmpty = (decision: object): void => {
  const prototype: unknown = Object.getPrototypeOf(decision)
  // A plain object of another realm has a prototype of that realm, which has none itself.
  if (!isObject(prototype) || Object.getPrototypeOf(prototype) === null) return
  const isPromise = typeof (decision as { readonly then?: unknown }).then === "function"
  const message = isPromise
    ? "onCandle must answer at once, and gave a promise: code that waits can't decide"
    : "onCandle must give a plain object, or nothing"
  refuse("/decision", "wrong_type", message)
}

/** Throws where an answer is at fault, and returns whether it has orders. */
const checkDecision = (decision: unknown): boolean => {
  if (!isObject(decision)) {
    const message = `onCandle must give an object, or nothing, got ${describeValue(decision)}`
    return refuse("/decision", "wrong_type", message)
  }
  const { enterLong, enterShort, exitLong, exitShort, exits, sizing }: Decided = decision
  const isSigned =
    isSignal(enterLong) && isSignal(exitLong) && isSignal(enterShort) && isSignal(exitShort)
  const kind = kindOf(decision)
  // Names are listed only where one is wrong: listing takes longer than most strategies.
  if (!isSigned || kind === unknown) checkNames(decision)
  if (kind === empty) checkEmpty(decision)
  if (exits !== undefined) checkAnsweredExits(exits, "/decision/exits")
  if (sizing !== undefined) checkAnsweredSizing(sizing, "/decision/sizing")
  return kind === ordering
}

/** Whether the risk of an entry can be measured. A stop that is NaN is not known yet. */
const hasStop = (exits: AttachedExits | null): boolean =>
  exits !== null && (exits.stopLoss !== null || exits.trailingStop !== null)

/** Whether a signal may enter: a signal of any size on the held side is dropped. */
const mayEnter = (
  direction: "long" | "short",
  { position }: CodeContext,
  plan: LadderPlan | null
): boolean => position?.direction !== direction || plan?.overlap === true

/** The signals of an answer, with exits and size of the entry that they may bring. */
const readSignals = (
  decision: CodeDecision,
  context: CodeContext,
  levels: () => EntryLevels,
  plan: LadderPlan | null
): CandleDecision => {
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
  const given =
    exits === undefined
      ? base
      : { ...base, long: withExits(base.long, exits), short: withExits(base.short, exits) }
  if (sizing === undefined) return { signal, levels: given }
  const pointer = "/decision/sizing"
  const isLong = signal.enterLong && mayEnter("long", context, plan)
  const isShort = signal.enterShort && mayEnter("short", context, plan)
  if (isLong) checkSize(sizing, hasStop(given.long), pointer)
  if (isShort) checkSize(sizing, hasStop(given.short), pointer)
  return { signal, levels: { ...given, sizing } }
}

const readAnswer = (
  rules: CodeRules,
  context: CodeContext,
  levels: () => EntryLevels,
  plan: LadderPlan | null
): CandleDecision => {
  const decision = rules.onCandle(context)
  if (decision === undefined || decision === null) return silence
  const hasOrders = checkDecision(decision)
  const decided = readSignals(decision, context, levels, plan)
  if (!hasOrders) return decided
  const wanted = readOrders(decision, context, plan)
  return wanted === null ? decided : { ...decided, wanted }
}

/**
 * Asks the code, and reads its answer; `levels` gives the definition's levels of an entry. Orders
 * need a plan of positions in parts. An error of the code goes on, and is known as one.
 */
export const askCode = (
  rules: CodeRules,
  context: CodeContext,
  levels: () => EntryLevels,
  plan: LadderPlan | null
): CandleDecision => {
  try {
    return readAnswer(rules, context, levels, plan)
  } catch (error) {
    throw asCodeError(error)
  }
}
