/**
 * The cases of other software that the simulator of backtests and bots does not take, and the cases
 * compared in part. Each has its name and its reason. The tests go by it, and so does the table in
 * docs/oracles.md.
 */
const movedStop =
  "a stop that follows closes: a trailing stop follows the best price here, and code moves no levels"

/** Cases that can't be said, and why. */
export const unsayable: Readonly<Record<string, string>> = {
  eurusd_trailpct05: movedStop,
  goog_trailatr14_3: movedStop,
  goog_trailpct10_allin_comm: movedStop,
  goog_trailpct5: movedStop,
  goog_donchian20_stop_entry:
    "an entry order at a level of its own: here it lies at a fixed fraction from the close",
  goog_partial_half: "a position is left in parts, here whole",
  goog_pyramid4: "several trades at once in one market, here one position"
}

/** The parts that are compared, and the reason. */
export const parts = {
  sizes:
    "its sizes are fixed at the fill, those here at the close before and cut at the fill: the " +
    "language gives its candles and prices, and code that is told its sizes the rest",
  fee: "a fill at the close costs its fee there a candle later: without the equity between",
  spread: "a spread on entries only, here on both sides: candles and prices, without money",
  ruin:
    "equity that is gone at a close ends its run; here the price at which it is gone liquidates: " +
    "the entry, and that the loss is whole",
  gap:
    "of a candle that opens beyond the target and comes to the stop it takes the stop, and here " +
    "the target fills at the open: without the money of those trades",
  tie:
    "Two averages meet at one close and part later. Strategies here cross there, its strategies " +
    "do not; that trade is left out",
  last:
    "an order of its last close is filled at that candle's open, here never: without the equity " +
    "at the last candle",
  level:
    "its levels are not looked at on the candle of the entry, and fill as they stand where the " +
    "open has passed them: the trades that both enter, without what becomes of those"
} as const

export type PartName = keyof typeof parts

const partByCase: Readonly<Record<string, PartName>> = {
  btcusdt_1m_sma_100_400_full: "tie",
  eurusd_rsi14_30_70_both_units: "spread",
  eurusd_rsi7_20_60_long_sl: "last",
  goog_bracket_every3_short_05_1: "gap",
  goog_bracket_every4_long_onclose: "gap",
  goog_bracket_every5_long_1_1: "gap",
  goog_rsi14_30_70_both: "ruin",
  goog_sma_10_20_allin_onclose_comm02: "fee",
  goog_sma_10_20_allin_spread02: "spread"
}

/** The compared part of a whole backtest; null is all. */
export const partOfBacktest = (id: string, isSizedAtFill: boolean): PartName | null =>
  partByCase[id] ?? (isSizedAtFill ? "sizes" : null)

const atTheFill = "a size that is a fraction of equity at the fill: here it is decided at the close"
const onEntries = "a spread on entries only: here it is on both sides"
const tooLarge = "an order that cash can't pay is dropped: here it is cut"
const several =
  "several trades at once in one market, or an entry that reduces or turns what is held: here " +
  "one position, which exits close"

/** Order scripts that a code strategy of backtests can't be asked, and why. */
export const unsayableScripts: Readonly<Record<string, string>> = {
  allin_floor: atTheFill,
  allin_commission: atTheFill,
  fraction_half: atTheFill,
  fraction_leverage: atTheFill,
  close_and_reverse_allin: atTheFill,
  spread_entry_only: onEntries,
  spread_short: onEntries,
  insufficient_cash: tooLarge,
  insufficient_with_commission: tooLarge,
  reverse_flip: several,
  reduce_fifo: several,
  hedging: several,
  exclusive: several,
  pyramid_two_trades: several,
  market_order_same_decision_two: several,
  bankrupt: "ruin closes at the close: here the price at which equity is gone liquidates",
  gap_over_tp_then_sl:
    "the stop of a candle that opens beyond the target: here the target fills at the open",
  stop_entry_tp_same_bar:
    "a target on the candle of a stop entry: here exits are live from the next one",
  close_half_odd: "half of an odd number of units, rounded to even: here whoever asks rounds",
  open_at_end_finalized:
    "what is open at the end is closed at the last open: here at the last close"
}

/** The input of other software for a run of signals. */
export interface SourceSignals {
  readonly direction?: "longonly" | "shortonly" | "both"
  readonly size?: unknown
  readonly size_type?: string
  readonly init_cash?: number
  readonly fees?: unknown
  readonly fixed_fees?: unknown
  readonly slippage?: unknown
  readonly sl_stop?: unknown
  readonly sl_trail?: unknown
  readonly tp_stop?: unknown
  readonly accumulate?: unknown
  readonly price?: unknown
  readonly allow_partial?: unknown
  readonly min_size?: unknown
  readonly max_size?: unknown
  readonly upon_long_conflict?: string
  readonly upon_short_conflict?: string
  readonly upon_dir_conflict?: string
  readonly upon_opposite_entry?: string
  readonly upon_stop_exit?: string
}

/** Shorts of the whole account that are held while the price doubles. */
const liquidated: ReadonlySet<string> = new Set(
  [
    2, 11, 20, 24, 30, 89, 95, 181, 184, 190, 191, 192, 217, 226, 230, 254, 255, 256, 262, 263, 265,
    266
  ].map(String)
)

const isOther = (given: string | undefined, ...usual: ReadonlyArray<string>): boolean =>
  given !== undefined && !usual.includes(given)

/** Why a run of signals can't be asked, or null where it can. */
export const signalReason = (id: string, options: SourceSignals): string | null => {
  const { accumulate, allow_partial, fees, init_cash, max_size, min_size, price } = options
  const size = Number(options.size ?? Infinity)
  const [, number = ""] = id.split("-")
  if (init_cash === 0) return "an account without cash: here capital is above zero"
  if (Math.abs(Number(fees ?? 0)) > 0.5 || Number(fees ?? 0) < -0.01) {
    return "a fee that no market has: here from -0.01 to 0.5 of notional"
  }
  if (Number(options.fixed_fees ?? 0) !== 0 && options.direction === "both") {
    return "a turned position as one order with one fee: here two, as a market has it"
  }
  if (Number(options.slippage ?? 0) >= 1) return "slippage of the whole price: here less than that"
  if (accumulate !== undefined && accumulate !== false && accumulate !== "disabled") return several
  if (price !== undefined && price !== "Infinity") {
    return "fills at prices of its own: here at the open or at the close"
  }
  if (
    isOther(options.upon_long_conflict, "ignore") ||
    isOther(options.upon_short_conflict, "ignore") ||
    isOther(options.upon_dir_conflict, "ignore") ||
    isOther(options.upon_opposite_entry, "reverse", "reversereduce") ||
    isOther(options.upon_stop_exit, "close")
  ) {
    return "what becomes of signals that contradict each other, or of an exit by a stop, is chosen: here it is fixed"
  }
  if (size > Number(max_size ?? Infinity) || size < Number(min_size ?? 0)) {
    return "a least and a largest order: here a least notional"
  }
  if (size === 1000 && options.direction !== "longonly" && allow_partial !== undefined) {
    return "a short that is worth more than the account: here leverage bounds it"
  }
  if (size === 1000 && allow_partial === false) return tooLarge
  return liquidated.has(String(Number(number)))
    ? "a short that is held although equity is gone inside a candle: here it is liquidated"
    : null
}

const raisedAtOnce =
  "a stop that is checked against the candle which raises it: here it is raised after that"
const fallingTarget = "a target that falls with the age of a position: here it stays"
const twoDistances = "a stop that trails closer once there is a profit: here at one distance"
const movedEntry = "an entry order that is moved while it waits: here it lies until it expires"

/** Candle rules that can't be asked, and why. */
export const candleRuleReasons: Readonly<Record<string, string>> = {
  "rule-12": raisedAtOnce,
  "rule-35": raisedAtOnce,
  "rule-37": raisedAtOnce,
  "rule-38": raisedAtOnce,
  "rand-110": raisedAtOnce,
  "rand-112": raisedAtOnce,
  "rand-122": raisedAtOnce,
  "rand-127": raisedAtOnce,
  "rand-128": raisedAtOnce,
  "rule-33": twoDistances,
  "rand-120": twoDistances,
  "rule-18": fallingTarget,
  "rule-20": fallingTarget,
  "rand-106": fallingTarget,
  "rand-108": fallingTarget,
  "rand-111": fallingTarget,
  "rand-113": fallingTarget,
  "rand-115": fallingTarget,
  "rand-124": fallingTarget,
  "rand-125": fallingTarget,
  "rule-48": movedEntry,
  "rule-52": movedEntry,
  "rule-53": movedEntry,
  "rule-40": "a limit entry that is cut to the price that its candle comes to",
  "rule-43": "a target on the candle of a limit entry: here exits are live from the next one",
  "rule-45": "an exit order at a price of its own: here an exit by a rule is at the market"
}

/** Cases of one unit whose levels fill otherwise in some trades. */
export const unitsInPart: ReadonlySet<string> = new Set([
  "eurusd_short_stop",
  "goog_mr_stop_target",
  "stw_mr_target"
])

/** Cases of one unit that can't be asked, and why. */
export const unitReasons: Readonly<Record<string, string>> = {
  goog_mr_trail: movedStop,
  stw_mr_trail: movedStop,
  stw_mr_conditional:
    "an entry at the open of a candle that comes to its price after that: it sees ahead"
}

const noMinutes = "for reference only, as its file says; its minutes or seconds are not there"

/** The assertions of other projects about themselves that have no counterpart, and the reason. */
export const publishedReasons: Readonly<Record<string, string>> = {
  wellknown_leveraged_ruin: "a stop order that turns into a limit order: here entries are either",
  spread_and_commission: onEntries,
  sl_before_tp: "levels that are set while a position is held: here with its entry",
  TrailingStopOrderRegressionAlgorithm: noMinutes,
  LimitFillRegressionAlgorithm: noMinutes
}
