/**
 * The reading of the answer of a strategy's code at each candle.
 */
import { refuse } from "../language/Fault.ts"
import { isObject } from "../language/isObject.ts"
import { type CandleDecision, type EntryLevels, noLevels, type Signal } from "../kernel/decide.ts"
import type { LadderPlan } from "../kernel/ladder/LadderPlan.ts"
import { withExits } from "../kernel/protection.ts"
import type { CodeContext, CodeDecision, CodeRules } from "../language/CodeRules.ts"
import { checkExits, checkSizing } from "./checkAnswer.ts"
import { readOrders } from "./codeOrders.ts"

const silent: Signal = { enterLong: false, exitLong: false, enterShort: false, exitShort: false }
const silence: CandleDecision = { signal: silent, levels: noLevels }

type Decided = Readonly<Partial<Record<keyof CodeDecision, unknown>>>

const signalNames = ["enterLong", "exitLong", "enterShort", "exitShort"] as const
const orderNames = ["orders", "cancel", "close", "protect"] as const
const known: ReadonlyArray<string> = [...signalNames, "exits", "sizing", ...orderNames]

const isSignal = (value: unknown): boolean => value === undefined || typeof value === "boolean"

const checkNames = (decision: Readonly<Record<string, unknown>>): void => {
  for (const name of Object.keys(decision)) {
    const pointer = `/decision/${name}`
    if (!known.includes(name)) {
      refuse(pointer, "unknown_field", `A decision has no ${name}; there are ${known.join(", ")}`)
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

const kindOf = (decision: object): number => {
  let kind = plain
  for (const name in decision) {
    switch (name) {
      case "enterLong":
      case "exitLong":
      case "enterShort":
      case "exitShort":
      case "exits":
      case "sizing":
        break
      case "orders":
      case "cancel":
      case "close":
      case "protect":
        kind |= ordering
        break
      default:
        return unknown
    }
  }
  return kind
}

/** Throws where an answer is at fault, and tells whether it has orders. */
const checkDecision = (decision: unknown): boolean => {
  if (!isObject(decision)) {
    return refuse("/decision", "wrong_type", "onCandle must give an object, or nothing")
  }
  const { enterLong, enterShort, exitLong, exitShort, exits, sizing }: Decided = decision
  const isSigned =
    isSignal(enterLong) && isSignal(exitLong) && isSignal(enterShort) && isSignal(exitShort)
  const kind = kindOf(decision)
  // Names are listed only where one is wrong: listing takes longer than most strategies.
  if (!isSigned || kind === unknown) checkNames(decision)
  if (exits !== undefined) checkExits(exits, "/decision/exits")
  if (sizing !== undefined) checkSizing(sizing, "/decision/sizing")
  return kind === ordering
}

/** The signals of an answer, with exits and size of the entry that they may bring. */
const readSignals = (decision: CodeDecision, levels: () => EntryLevels): CandleDecision => {
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

/**
 * Asks the code, and reads its answer; `levels` gives what the definition says of an entry. Orders
 * need a plan of positions in parts.
 */
export const askCode = (
  rules: CodeRules,
  context: CodeContext,
  levels: () => EntryLevels,
  plan: LadderPlan | null
): CandleDecision => {
  const decision = rules.onCandle(context)
  if (decision === undefined || decision === null) return silence
  const hasOrders = checkDecision(decision)
  const decided = readSignals(decision, levels)
  if (!hasOrders) return decided
  const wanted = readOrders(decision, context, plan)
  return wanted === null ? decided : { ...decided, wanted }
}
