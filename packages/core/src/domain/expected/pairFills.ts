/**
 * Pairs the fills of a bot with the fills of its backtest.
 *
 * Fills of one market, side and purpose are paired in their order. Fills of one candle are paired
 * first: those of one decision, then those of one line or rule, then the others. A fill that is
 * left over waits for one of the same decision in a later candle. A later fill of another decision
 * is no late one: the bot might have come to it in any case. An exchange may reach a price before
 * the candles do: an exit with a price may fill earlier. Where a decision is unknown, a fill waits
 * until the backtest fills on the other side. Exits of one candle that are left over at last are
 * paired whatever their purpose.
 *
 * @since 0.1.0
 */
import type { ComparedFill, Comparison, LackCause, RealizedFill } from "./Comparison.ts"
import { toSteps } from "./steps.ts"

/** A quantity of a fill that has its counterpart, or has none. @category models @since 0.1.0 */
export interface Piece {
  readonly expected: ComparedFill | null
  readonly realized: RealizedFill | null
  readonly quantity: number
  /** The result of the quantity before its fee, in steps; 0 of a side that it lacks. */
  readonly expectedGross: bigint
  readonly realizedGross: bigint
  readonly expectedFee: bigint
  readonly realizedFee: bigint
  /** The last fill of the other side that took something of a fill before it left this rest. */
  readonly met: ComparedFill | null
  /** Whether it is left over by a pair, whose order lacks something or is whole. */
  readonly rest: "none" | "of_whole" | LackCause
}

/** The largest share of a quantity that rounding may leave of it. */
const restMax = 1e-10

interface Open<F extends ComparedFill> {
  readonly fill: F
  left: number
  /** The last fill of the bot in a pair with it, and of the backtest. */
  met: RealizedFill | null
  metExpected: ComparedFill | null
}

const open = <F extends ComparedFill>(fill: F): Open<F> => ({
  fill,
  left: fill.quantity,
  met: null,
  metExpected: null
})

const keyOf = ({ leg, market, side }: ComparedFill): string => `${market} ${side} ${purposeOf(leg)}`

/**
 * The same for exits of one candle, whatever their purpose; null for an entry. An open beyond the
 * stop, at which a rule leaves as well, closes a position by one of both.
 */
const exitKeyOf = ({ leg, market, side, time }: ComparedFill): string | null =>
  leg === "entry" ? null : `${market} ${side} ${time}`

/** The same for fills of one decision; null where it is unknown. */
const decidedKeyOf = (fill: ComparedFill, rest = ""): string | null =>
  fill.decision === null ? null : `${keyOf(fill)} ${fill.decision}${rest}`

/** The same for fills of one line of a grid, or of one rule; null where the decision is unknown. */
const ruledKeyOf = (fill: ComparedFill): string | null =>
  fill.decision === null ? null : `${keyOf(fill)} ${fill.time} ${fill.decision.replace(/\d+/, "")}`

/** Whether two fills come of different decisions. @category guards @since 0.1.0 */
export const isOfOtherDecision = (one: ComparedFill, other: ComparedFill): boolean =>
  !isUnknown(one, other) && one.decision !== other.decision

/**
 * The purpose of a leg. A stop that trails has another name once the price has moved it, and
 * remains the one stop of its position.
 *
 * @category accessors
 * @since 0.1.0
 */
export const purposeOf = (leg: string): string => (leg === "trailing_stop" ? "stop_loss" : leg)

/** The market of a piece. @category accessors @since 0.1.0 */
export const marketOfPiece = ({ expected, realized }: Piece): number =>
  (expected ?? realized)!.market

/** When the first of its fills came about. @category accessors @since 0.1.0 */
export const timeOf = ({ expected, realized }: Piece): number =>
  Math.min(expected?.time ?? Infinity, realized?.time ?? Infinity)

const isUnknown = (one: ComparedFill, other: ComparedFill): boolean =>
  one.decision === null || other.decision === null

const isOpen = ({ fill, left }: Open<ComparedFill>): boolean => left > fill.quantity * restMax

/** The share of a fill as steps before and of its fee. */
const worth = (fill: ComparedFill | null, quantity: number, close: number) => {
  if (fill === null || quantity === 0) return { gross: 0n, fee: 0n }
  return {
    gross: toSteps(fill.side * quantity * (close - fill.price)),
    fee: toSteps((fill.fee * quantity) / fill.quantity)
  }
}

/** The pairs, and the sums of both sides. @category models @since 0.1.0 */
export interface PairedFills {
  readonly expectedSteps: bigint
  readonly realizedSteps: bigint
  readonly pieces: ReadonlyArray<Piece>
}

/** Pairs all fills; each quantity is in exactly one piece. @category comparisons @since 0.1.0 */
export const pairFills = ({ expected, lastCloses, realized }: Comparison): PairedFills => {
  const wanted = expected.map(open)
  const made = realized.map(open)
  const pieces: Array<Piece> = []

  const keep = (
    one: Open<ComparedFill> | null,
    other: Open<RealizedFill> | null,
    taken: readonly [number, number],
    rest: Piece["rest"] = "none"
  ) => {
    const { market } = (one ?? other)!.fill
    const before = worth(one?.fill ?? null, taken[0], lastCloses[market]!)
    const after = worth(other?.fill ?? null, taken[1], lastCloses[market]!)
    pieces.push({
      expected: one?.fill ?? null,
      realized: other?.fill ?? null,
      quantity: Math.max(...taken),
      expectedGross: before.gross,
      expectedFee: before.fee,
      realizedGross: after.gross,
      realizedFee: after.fee,
      met: one === null ? other!.metExpected : one.met,
      rest
    })
  }

  /**
   * Keeps the rest of a fill that the bot lacks: what its order lacked, and what it never asked.
   * The larger comes first, for later differences follow from it.
   */
  const keepWanted = (one: Open<ComparedFill>) => {
    const { fill, left, met } = one
    if (met === null) return keep(one, null, [left, 0])
    const { lack, lackQuantity } = met
    const isAll = left - lackQuantity <= fill.quantity * restMax
    const lacking = lack === null ? 0 : isAll ? left : lackQuantity
    const parts = [
      { rest: lack ?? "of_whole", quantity: lacking },
      { rest: "of_whole", quantity: left - lacking }
    ] as const
    for (const { quantity, rest } of parts.toSorted((a, b) => b.quantity - a.quantity)) {
      if (quantity > 0) keep(one, null, [quantity, 0], rest)
    }
  }

  const pair: Pair = (one, other) => {
    const isEven = Math.abs(one.left - other.left) <= one.fill.quantity * restMax
    const quantity = Math.min(one.left, other.left)
    const taken = isEven ? ([one.left, other.left] as const) : ([quantity, quantity] as const)
    keep(one, other, taken)
    one.left -= taken[0]
    other.left -= taken[1]
    one.met = other.fill
    other.met = other.fill
    other.metExpected = one.fill
  }

  pairInTurns(wanted, made, pair)
  for (const one of wanted) if (isOpen(one)) keepWanted(one)
  for (const one of made) {
    if (isOpen(one)) keep(null, one, [0, one.left], one.met === null ? "none" : "of_whole")
  }

  return { ...sumsOf(pieces), pieces }
}

/** The worth of the fills of both sides. */
const sumsOf = (pieces: ReadonlyArray<Piece>): Omit<PairedFills, "pieces"> => {
  const sum = (of: (piece: Piece) => bigint) => pieces.reduce((all, one) => all + of(one), 0n)
  return {
    expectedSteps: sum(({ expectedFee, expectedGross }) => expectedGross - expectedFee),
    realizedSteps: sum(({ realizedFee, realizedGross }) => realizedGross - realizedFee)
  }
}

/** Takes from both as much as both have. */
type Pair = (one: Open<ComparedFill>, other: Open<RealizedFill>) => void

/** Pairs fills of one candle, then late ones, and at last early ones. */
const pairInTurns = (
  wanted: ReadonlyArray<Open<ComparedFill>>,
  made: ReadonlyArray<Open<RealizedFill>>,
  pair: Pair
): void => {
  const fills = wanted.map(({ fill }) => fill)
  const late = isLate(fills)
  const early = isEarly(fills)
  const all = [...wanted, ...made]
  /** Pairs fills of which one has no known decision. */
  const pairUnknown = (fits: (one: ComparedFill, other: RealizedFill) => boolean) => {
    if (all.every(({ fill }) => fill.decision !== null)) return
    pairAll(wanted, made, pair, keyOf, (one, other) => isUnknown(one, other) && fits(one, other))
  }
  pairAll(wanted, made, pair, (fill) => decidedKeyOf(fill, ` ${fill.time}`))
  pairAll(wanted, made, pair, ruledKeyOf)
  pairAll(wanted, made, pair, (fill) => `${keyOf(fill)} ${fill.time}`, undefined, isFree)
  pairAll(wanted, made, pair, decidedKeyOf, (one, other) => other.time > one.time)
  pairUnknown(late)
  pairAll(wanted, made, pair, decidedKeyOf, mayBeEarly)
  pairUnknown(early)
  pairAll(wanted, made, pair, exitKeyOf)
}

/** Whether neither of two fills has met one of another order, whose rest it would be. */
const isFree = (one: Open<ComparedFill>, other: Open<RealizedFill>): boolean => {
  const isOrder = (met: ComparedFill | null, fill: ComparedFill) =>
    met === null || !isOfOtherDecision(met, fill)
  return isOrder(one.met, other.fill) && isOrder(other.metExpected, one.fill)
}

/** Pairs the fills of one key that fit, in their order; fills without a key are left. */
const pairAll = (
  wanted: ReadonlyArray<Open<ComparedFill>>,
  made: ReadonlyArray<Open<RealizedFill>>,
  pair: Pair,
  keyFor: (fill: ComparedFill) => string | null,
  fits: (one: ComparedFill, other: RealizedFill) => boolean = () => true,
  mayMeet: (one: Open<ComparedFill>, other: Open<RealizedFill>) => boolean = () => true
): void => {
  const waiting = Map.groupBy(wanted.filter(isOpen), ({ fill }) => keyFor(fill))
  for (const other of made) {
    // The strategy did not ask for it, so that no backtest expects it.
    if (other.fill.isCommanded || !isOpen(other)) continue
    const key = keyFor(other.fill)
    if (key === null) continue
    for (const one of waiting.get(key) ?? []) {
      if (!isOpen(other)) break
      if (isOpen(one) && fits(one.fill, other.fill) && mayMeet(one, other)) pair(one, other)
    }
  }
}

/** The next fill on the other side of a market. */
const turnAfter = (expected: ReadonlyArray<ComparedFill>) => {
  const turns = Map.groupBy(expected, ({ market, side }) => `${market} ${side}`)
  return ({ market, side }: ComparedFill, time: number): number =>
    turns.get(`${market} ${-side}`)?.find((turn) => turn.time > time)?.time ?? Infinity
}

/** Whether a fill may be a late one of another. */
const isLate = (expected: ReadonlyArray<ComparedFill>) => {
  const turn = turnAfter(expected)
  return (one: ComparedFill, late: ComparedFill): boolean =>
    late.time > one.time && late.time < turn(one, one.time)
}

/** Whether an exchange may have reached the price of a fill before the candles did. */
const mayBeEarly = (one: ComparedFill, early: RealizedFill): boolean =>
  early.isPriced && early.leg !== "entry" && early.time < one.time

/** Whether a fill may be an early one of another. */
const isEarly = (expected: ReadonlyArray<ComparedFill>) => {
  const turn = turnAfter(expected)
  return (one: ComparedFill, early: RealizedFill): boolean =>
    mayBeEarly(one, early) && one.time < turn(one, early.time)
}
