/**
 * The options of runs of code and of signals, and the values that each may take.
 */
import { Schema } from "effect"
import { stepMax, stepMin } from "../language/Market.ts"
import { Capital } from "../language/Capital.ts"
import type { OrderOptions } from "../kernel/orders/orderOptions.ts"
import type { SignalOptions } from "../kernel/signals/signalOptions.ts"

/** A fee as a fraction of notional; makers may be paid. */
export const Rate = Schema.Finite.check(Schema.isBetween({ minimum: -0.01, maximum: 0.5 }))
/** A number above zero. */
export const Positive = Schema.Finite.check(Schema.isGreaterThan(0))
/** A number from zero on. */
export const NotNegative = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
/** A fraction of a price. */
export const Slippage = NotNegative.check(Schema.isLessThan(1))

/** Finer steps than doubles have would divide prices and quantities beyond their precision. */
export const StepSize = Schema.Finite.check(
  Schema.makeFilter((step) => step === 0 || (step >= stepMin && step <= stepMax), {
    expected: `0 or a step from ${stepMin} to ${stepMax}`
  })
)

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

type Optional<Options> = Readonly<Record<keyof Options, Schema.Top>>

/** The options of a run of code. */
export const orderOptions = {
  capital: Schema.optional(Capital),
  takerRate: Schema.optional(Rate),
  makerRate: Schema.optional(Rate),
  feePerFill: Schema.optional(Schema.Finite),
  slippageRate: Schema.optional(Slippage),
  entrySpread: Schema.optional(Slippage),
  leverage: Schema.optional(Positive),
  lot: Schema.optional(StepSize),
  canShort: Schema.optional(Schema.Boolean),
  fill: Schema.optional(Schema.Literals(["next_open", "close", "previous_close"])),
  netting: Schema.optional(Schema.Literals(["fifo", "hedging"])),
  isExclusive: Schema.optional(Schema.Boolean),
  sequence: Schema.optional(Schema.Literals(["time", "queue"])),
  sizingPrice: Schema.optional(Schema.Literals(["fill", "close"])),
  feeReserve: Schema.optional(Schema.Literals(["fill", "unit"])),
  shortfall: Schema.optional(Schema.Literals(["cut", "drop"])),
  portionRounding: Schema.optional(Schema.Literals(["down", "half_even"])),
  stopLimitGap: Schema.optional(Schema.Literals(["open", "stop"])),
  hasTargetOnStopEntry: Schema.optional(Schema.Boolean),
  atEnd: Schema.optional(Schema.Literals(["close", "keep", "repeat_last"])),
  firstDecision: Schema.optional(Count)
} as const satisfies Optional<OrderOptions>

/** An array of any kind whose values are all of a kind. */
export const isListOf = (value: unknown, isOne: (part: unknown) => boolean): boolean =>
  typeof value === "object" &&
  value !== null &&
  "length" in value &&
  typeof value.length === "number" &&
  Array.from(value as ArrayLike<unknown>).every(isOne)

const isNumber = (value: unknown): boolean => typeof value === "number"
const isNotBelowZero = (value: unknown): boolean =>
  typeof value === "number" && (Number.isNaN(value) || value >= 0)

const series = (isOne: (value: unknown) => boolean, what: string) =>
  Schema.Unknown.check(
    Schema.makeFilter((value) => isOne(value) || isListOf(value, isOne), {
      expected: `${what}, or one for each candle`
    })
  )

const listed = Schema.Unknown.check(
  Schema.makeFilter((value) => isListOf(value, isNumber), { expected: "a number for each candle" })
)

const Numbers = series(isNumber, "a number")
const Distances = Schema.NullOr(series(isNotBelowZero, "a number from 0 on"))
/** A number that may be infinite. */
const Endless = Schema.Number.check(
  Schema.makeFilter((value) => value >= 0, { expected: "a number from 0 on" })
)

const conflict = Schema.Literals(["ignore", "entry", "exit", "adjacent", "opposite"])
const against = ["close", "close_reduce", "reverse", "reverse_reduce"] as const

/** The options of a run of signals. */
export const signalOptions = {
  capital: Schema.optional(Capital),
  direction: Schema.optional(Schema.Literals(["long_only", "short_only", "both"])),
  size: Schema.optional(series(isNotBelowZero, "a number from 0 on")),
  sizeType: Schema.optional(Schema.Literals(["quantity", "notional", "percent"])),
  quantityMin: Schema.optional(Endless),
  quantityMax: Schema.optional(Endless),
  lot: Schema.optional(StepSize),
  tick: Schema.optional(StepSize),
  canFillPartly: Schema.optional(Schema.Boolean),
  fillPrice: Schema.optional(
    Schema.Union([Schema.Literals(["close", "previous_close", "next_open"]), listed])
  ),
  entryPrices: Schema.optional(Schema.NullOr(Numbers)),
  exitPrices: Schema.optional(Schema.NullOr(Numbers)),
  unfilledEntry: Schema.optional(Schema.Literals(["wait", "reprice", "cancel"])),
  entryTimeoutMs: Schema.optional(Endless),
  exitTimeoutMs: Schema.optional(Endless),
  valuePrice: Schema.optional(Schema.Union([Schema.Literal("close"), listed])),
  feeRate: Schema.optional(Rate),
  feePerFill: Schema.optional(Schema.Finite),
  slippageRate: Schema.optional(Slippage),
  accumulation: Schema.optional(Schema.Literals(["none", "both", "add_only", "remove_only"])),
  longConflict: Schema.optional(conflict),
  shortConflict: Schema.optional(conflict),
  directionConflict: Schema.optional(
    Schema.Literals(["ignore", "long", "short", "adjacent", "opposite"])
  ),
  oppositeEntry: Schema.optional(Schema.Literals(["ignore", ...against])),
  stopLoss: Schema.optional(Distances),
  takeProfit: Schema.optional(Distances),
  targets: Schema.optional(
    Schema.NullOr(Schema.Array(Schema.Struct({ afterMs: Endless, profit: Schema.Finite })))
  ),
  targetReach: Schema.optional(Schema.Literals(["touch", "beyond"])),
  stopUnit: Schema.optional(Schema.Literals(["fraction", "distance"])),
  trailing: Schema.optional(Schema.Literals(["none", "extreme", "close", "same_candle"])),
  trailingDistance: Schema.optional(Schema.Literals(["at_entry", "each_candle"])),
  trailingOffset: Schema.optional(NotNegative),
  trailingStart: Schema.optional(Schema.Literals(["entry", "offset"])),
  offsetDistance: Schema.optional(Schema.NullOr(NotNegative)),
  stopsFrom: Schema.optional(Schema.Literals(["next_candle", "entry_candle"])),
  entryCandleTrail: Schema.optional(Schema.Literals(["level", "worst"])),
  entryCandleTarget: Schema.optional(Schema.Literals(["anywhere", "after_entry"])),
  exitPriority: Schema.optional(Schema.Literals(["stop", "target", "unmoved_stop"])),
  stopBase: Schema.optional(Schema.Literals(["close", "price", "fill_price", "value_price"])),
  stopFillPrice: Schema.optional(Schema.Literals(["stop_limit", "stop_market", "close", "price"])),
  gapFill: Schema.optional(Schema.Literals(["open", "level", "inside"])),
  stopExit: Schema.optional(Schema.Literals(against)),
  stopUpdate: Schema.optional(Schema.Literals(["keep", "replace", "replace_or_remove"])),
  holdMin: Schema.optional(Count),
  timeLimit: Schema.optional(Schema.NullOr(Count)),
  cooldown: Schema.optional(Count),
  endPrice: Schema.optional(Schema.Literals(["close", "open"]))
} as const satisfies Optional<SignalOptions>
