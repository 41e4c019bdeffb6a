/**
 * Checks the options of backtests and sweeps: a misspelt one must not count as a default.
 */
import { Result, Schema } from "effect"
import { invalidInput } from "../language/Fault.ts"
import { type Fault } from "../language/Fault.ts"
import { RiskProfile } from "../language/RiskProfile.ts"
import type { AccountRules } from "../kernel/SimulatedAccount.ts"
import { Capital } from "../language/Capital.ts"
import { toFaults } from "../language/toFaults.ts"
import { withGiven } from "../language/withGiven.ts"
import { toMs } from "./candleTime.ts"
import {
  NotNegative,
  orderOptions,
  Positive,
  Rate,
  signalOptions,
  Slippage,
  StepSize
} from "./runOptions.ts"

const market = {
  tick: Schema.optional(StepSize),
  lot: Schema.optional(StepSize),
  minNotional: Schema.optional(NotNegative),
  makerRate: Schema.optional(Rate),
  takerRate: Schema.optional(Rate),
  feePerFill: Schema.optional(Schema.Finite),
  slippageRate: Schema.optional(Slippage),
  canShort: Schema.optional(Schema.Boolean),
  leverage: Schema.optional(Positive),
  funding: Schema.optional(Schema.Struct({ rate: Schema.Finite, intervalMs: Positive })),
  volumeShare: Schema.optional(Schema.Struct({ max: Positive, slippageRate: NotNegative }))
}

const rules = {
  sizingPrice: Schema.optional(Schema.Literals(["last_close", "fill"])),
  feeReserve: Schema.optional(Schema.Literals(["fill", "unit"])),
  shortfall: Schema.optional(Schema.Literals(["cut", "drop"])),
  stopLimitGap: Schema.optional(Schema.Literals(["open", "stop", "wait"]))
} as const satisfies Readonly<Record<keyof AccountRules, Schema.Top>>

const sweepOptions = {
  capital: Schema.optional(Capital),
  fees: Schema.optional(Schema.Struct({ maker: Rate, taker: Rate })),
  slippage: Schema.optional(Slippage),
  market: Schema.optional(Schema.Struct(market)),
  from: Schema.optional(Schema.Unknown),
  fill: Schema.optional(Schema.Literals(["next_open", "close"])),
  endOfData: Schema.optional(Schema.Literals(["close", "open"])),
  rules: Schema.optional(Schema.Struct(rules))
}

const backtestOptions = {
  ...sweepOptions,
  parameters: Schema.optional(Schema.Unknown),
  detail: Schema.optional(Schema.Unknown),
  risk: Schema.optional(Schema.NullOr(RiskProfile))
}

const decoding = { errors: "all", onExcessProperty: "error" } as const

const reading = (fields: Readonly<Record<string, Schema.Decoder<unknown>>>) =>
  Schema.decodeUnknownResult(Schema.Struct(fields), decoding)

const kinds = {
  backtest: reading(backtestOptions),
  sweep: reading(sweepOptions),
  "run of code": reading(orderOptions),
  "run of signals": reading(signalOptions)
}

const faultsOf = (kind: keyof typeof kinds, options: unknown): ReadonlyArray<Fault> =>
  Result.match(kinds[kind](options), {
    onFailure: ({ issue }) => toFaults(issue).map(withGiven(options)),
    onSuccess: () => []
  })

/** Throws every fault of the options of a run of code or of signals. */
export const checkRunOptions = (kind: "run of code" | "run of signals", options: unknown): void => {
  const faults = faultsOf(kind, options)
  if (faults.length > 0) throw invalidInput(faults)
}

/** Throws every fault of the options; gives the time from which candles count. */
export const checkOptions = (
  kind: "backtest" | "sweep",
  options: { readonly from?: unknown }
): number => {
  const faults = faultsOf(kind, options)
  const given: unknown = faults.some(({ pointer }) => pointer === "") ? undefined : options.from
  const from = given === undefined ? -Infinity : toMs(given)
  // NaN and the infinities are no times, as texts that are no dates.
  if (given === undefined || Number.isFinite(from)) {
    if (faults.length > 0) throw invalidInput(faults)
    return from
  }
  const message = "from must be epoch milliseconds, a date or ISO 8601 text"
  throw invalidInput([...faults, { pointer: "/from", code: "not_allowed", message }])
}
