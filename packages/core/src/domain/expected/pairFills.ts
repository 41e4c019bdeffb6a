/**
 * Pairs the fills of a bot with the fills of its backtest.
 *
 * Fills of one market, side and leg are paired in their order. Fills of one candle are paired
 * first. A fill that is left over waits for one in a later candle, until the backtest fills on the
 * other side. An exchange may reach a price before the candles do: an exit with a price may fill
 * earlier.
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
  /** Whether it is left over by a pair, whose order lacks something or is whole. */
  readonly rest: "none" | "of_whole" | LackCause
}

/** The largest share of a quantity that rounding may leave of it. */
const restMax = 1e-10

interface Open<F extends ComparedFill> {
  readonly fill: F
  left: number
  /** The last fill that took something of it. */
  met: RealizedFill | null
}

const open = <F extends ComparedFill>(fill: F): Open<F> => ({
  fill,
  left: fill.quantity,
  met: null
})

const keyOf = ({ leg, market, side }: ComparedFill): string => `${market} ${side} ${leg}`

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
    taken: readonly [number, number]
  ) => {
    const { market } = (one ?? other)!.fill
    const before = worth(one?.fill ?? null, taken[0], lastCloses[market]!)
    const after = worth(other?.fill ?? null, taken[1], lastCloses[market]!)
    const met = one !== null && other !== null ? null : (one ?? other)!.met
    pieces.push({
      expected: one?.fill ?? null,
      realized: other?.fill ?? null,
      quantity: Math.max(...taken),
      expectedGross: before.gross,
      expectedFee: before.fee,
      realizedGross: after.gross,
      realizedFee: after.fee,
      rest: met === null ? "none" : (met.lack ?? "of_whole")
    })
  }

  /** Takes from both as much as both have. */
  const pair = (one: Open<ComparedFill>, other: Open<RealizedFill>) => {
    const isEven = Math.abs(one.left - other.left) <= one.fill.quantity * restMax
    const quantity = Math.min(one.left, other.left)
    const taken = isEven ? ([one.left, other.left] as const) : ([quantity, quantity] as const)
    keep(one, other, taken)
    one.left -= taken[0]
    other.left -= taken[1]
    one.met = other.fill
    other.met = other.fill
  }

  pairAll(wanted, made, pair, (fill) => `${keyOf(fill)} ${fill.time}`)
  pairAll(wanted, made, pair, keyOf, isLate(expected))
  pairAll(wanted, made, pair, keyOf, isEarly(expected))
  for (const one of wanted) if (isOpen(one)) keep(one, null, [one.left, 0])
  for (const one of made) if (isOpen(one)) keep(null, one, [0, one.left])

  const sum = (of: (piece: Piece) => bigint) => pieces.reduce((all, one) => all + of(one), 0n)
  return {
    expectedSteps: sum(({ expectedFee, expectedGross }) => expectedGross - expectedFee),
    realizedSteps: sum(({ realizedFee, realizedGross }) => realizedGross - realizedFee),
    pieces
  }
}

/** Pairs the fills of one key that fit, in their order. */
const pairAll = (
  wanted: ReadonlyArray<Open<ComparedFill>>,
  made: ReadonlyArray<Open<RealizedFill>>,
  pair: (one: Open<ComparedFill>, other: Open<RealizedFill>) => void,
  keyFor: (fill: ComparedFill) => string,
  fits: (one: ComparedFill, other: RealizedFill) => boolean = () => true
): void => {
  const waiting = Map.groupBy(wanted.filter(isOpen), ({ fill }) => keyFor(fill))
  for (const other of made) {
    // The strategy did not ask for it, so that no backtest expects it.
    if (other.fill.isCommanded || !isOpen(other)) continue
    for (const one of waiting.get(keyFor(other.fill)) ?? []) {
      if (!isOpen(other)) break
      if (isOpen(one) && fits(one.fill, other.fill)) pair(one, other)
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

/** Whether a fill may be an early one of another. */
const isEarly = (expected: ReadonlyArray<ComparedFill>) => {
  const turn = turnAfter(expected)
  return (one: ComparedFill, early: RealizedFill): boolean =>
    early.isPriced &&
    early.leg !== "entry" &&
    early.time < one.time &&
    one.time < turn(one, early.time)
}
