/**
 * Whether the stops of lots do rest at the venue, and since when one does not.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { decimalOfUnsafe } from "../../../domain/decimals.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import { isEndedThere, restingAtVenue, restOfAttempt, stopIdOf } from "./protectionStatus.ts"
import type { ProtectedLot } from "./wantedExits.ts"

/** A lot whose stop does not rest at the venue, or not all of it. */
export interface BareLot {
  /** The client order id of its entry. */
  readonly lot: string
  readonly symbol: string
  readonly sinceMs: number
  /** The time until which it may be bare; states that were kept before this field lack it. */
  readonly dueMs?: number | undefined
  /** Whether an alert was raised about it. */
  readonly isTold: boolean
  /** The stops of its code that are refused, which leave by themselves; none for its own stop. */
  readonly stops?: ReadonlyArray<string> | undefined
  /** Its quantity while it is below the least notional, and its entry goes on to fill. */
  readonly growingFrom?: string | undefined
}

/**
 * Bare lots without those that have grown to the least notional. Their exits may have been refused
 * as their stops were, and a stop gets its time anew. A lot that the price alone has made worth
 * more has not grown, nor has one whose entry has ended.
 */
export const withoutGrown = (
  bare: ReadonlyArray<BareLot>,
  large: ReadonlyMap<string, string>
): ReadonlyArray<BareLot> =>
  bare.filter(({ growingFrom, lot }) => {
    const quantity = large.get(lot)
    if (growingFrom === undefined || quantity === undefined) return true
    return !BigDecimal.isGreaterThan(decimalOfUnsafe(quantity), decimalOfUnsafe(growingFrom))
  })

/**
 * A lot that was reported as bare, and whose stop has rested since. The venue may end that stop
 * soon, and then it has protected nothing.
 */
export interface ReportedLot extends Pick<BareLot, "lot" | "sinceMs"> {
  /** The time since which its stop is known to rest. */
  readonly restingSinceMs: number
}

/** The outcome of an audit. */
export interface ProtectionAudit {
  /** To be given to the next audit. */
  readonly bare: ReadonlyArray<BareLot>
  /** Lots that were reported, and whose stop rests; to be given to the next audit as well. */
  readonly told: ReadonlyArray<ReportedLot>
  /** Lots that have been bare for longer than is allowed, and that are not reported yet. */
  readonly alert: ReadonlyArray<BareLot>
}

/** The quantity that exits at the market, which the venue has taken, are about to close. */
const leavingIn = (
  { side, symbol }: ProtectedLot,
  attempts: ReadonlyArray<OrderAttempt>
): BigDecimal.BigDecimal =>
  BigDecimal.sumAll(
    attempts
      .filter(
        ({ leg, order, state }) =>
          state === "working" &&
          (leg === "exit" || leg === "take_profit") &&
          order.type === "market" &&
          order.symbol === symbol &&
          order.side === side
      )
      .map(restOfAttempt)
  )

/** The lots that neither a stop at rest nor an exit at the venue closes, the oldest first. */
const uncovered = (
  lots: ReadonlyArray<ProtectedLot>,
  attempts: ReadonlyArray<OrderAttempt>,
  isTold: (lot: string) => boolean
): ReadonlyArray<ProtectedLot> => {
  const spent = new Map<string, BigDecimal.BigDecimal>()
  return lots.filter((one) => {
    const { lot, quantity, symbol } = one
    const rest = BigDecimal.subtract(
      decimalOfUnsafe(quantity),
      restingAtVenue(stopIdOf({ id: lot }), attempts)
    )
    // A lot that was told of goes on to leave until it has left, or until a stop of it rests.
    if (isTold(lot) || !BigDecimal.isPositive(rest)) return BigDecimal.isPositive(rest)
    const before = spent.get(symbol) ?? BigDecimal.fromBigInt(0n)
    const after = BigDecimal.sum(before, rest)
    spent.set(symbol, after)
    return BigDecimal.isGreaterThan(after, leavingIn(one, attempts))
  })
}

/** Within this time it is heard that a stop has ended: accounts are compared each minute. */
const heardMs = 120_000

/** The attempts of the stop of a lot that were sent, the newest first. */
const sentStops = (
  lot: string,
  attempts: ReadonlyArray<OrderAttempt>
): ReadonlyArray<OrderAttempt> =>
  attempts
    .filter(({ client_order_id: id }) => id === stopIdOf({ id: lot }))
    .filter(({ sent_at_ms: sentMs }) => sentMs !== null)
    .toSorted((one, other) => other.number - one.number)

const mayHaveRested = ({ state }: OrderAttempt): boolean =>
  state !== "refused" && state !== "absent"

/**
 * Since when a lot is bare whose stop was confirmed until now. A stop took the place of one that
 * the venue had ended, and was ended soon as well: it may have protected nothing. A venue that
 * takes stops and rejects them would else begin the time anew with each of them.
 */
const bareSince = (lot: string, attempts: ReadonlyArray<OrderAttempt>, nowMs: number): number => {
  const sent = sentStops(lot, attempts)
  // An attempt that never rested at the venue breaks no chain of stops.
  const stops = sent.filter(mayHaveRested)
  let sinceMs = nowMs
  for (const [at, stop] of stops.entries()) {
    const before = stops[at + 1]
    // The next attempt was written once the stop had ended, be it refused or not.
    const endedMs = sent[sent.indexOf(stop) - 1]?.written_at_ms ?? nowMs
    const isShort = endedMs - stop.written_at_ms <= heardMs
    if (before === undefined || !isShort || ![stop, before].every(isEndedThere)) break
    sinceMs = stop.written_at_ms
  }
  return sinceMs
}

/** Whether the venue has ended the newest stop of a lot, which its bot did not take back. */
const hasLastEnded = (lot: string, attempts: ReadonlyArray<OrderAttempt>): boolean => {
  const last = sentStops(lot, attempts).find(mayHaveRested)
  return last !== undefined && isEndedThere(last)
}

/**
 * Audits the stops of a bot. It makes no difference whether a stop is on its way, refused or lost.
 * A lot is bare until the venue has confirmed orders that close all of it. A stop that is
 * taken back does not count: a venue that does not answer may have ended it already. Exits at the
 * market count once the venue has them, for the stop has to go before they are sent.
 *
 * `limitMs` is how long a lot may be bare. The first audit after that raises an alert, and the lot
 * is to leave from then on. `told` are lots that the audit before has returned as such. Where the
 * venue ends their stop soon, they are to leave, and no other alert is raised.
 */
export const auditProtection = (
  before: ReadonlyArray<BareLot>,
  lots: ReadonlyArray<ProtectedLot>,
  attempts: ReadonlyArray<OrderAttempt>,
  {
    growing = new Set(),
    limitMs,
    nowMs,
    told = []
  }: {
    readonly growing?: ReadonlySet<string>
    readonly limitMs: number
    readonly nowMs: number
    readonly told?: ReadonlyArray<ReportedLot>
  }
): ProtectionAudit => {
  const alert: Array<BareLot> = []
  // A stop that has rested for longer did protect its lot, and the next alert is news.
  const recent = told.filter(({ restingSinceMs }) => nowMs - restingSinceMs <= heardMs)
  const toldAgain = recent.filter(({ lot }) => hasLastEnded(lot, attempts))
  const all = [...before, ...toldAgain.map((one) => ({ ...one, isTold: true }))]
  const known = new Map(all.map((one) => [one.lot, one]))
  const isToldOf = (lot: string) => known.get(lot)?.isTold === true
  const bare = uncovered(lots, attempts, isToldOf).map(({ lot, quantity, symbol }): BareLot => {
    const { isTold = false, sinceMs = bareSince(lot, attempts, nowMs) } = known.get(lot) ?? {}
    const dueMs = sinceMs + limitMs
    const isOverdue = nowMs > dueMs
    const grows = growing.has(lot) && { growingFrom: quantity }
    const one = { lot, symbol, sinceMs, dueMs, isTold: isTold || isOverdue, ...grows }
    if (isOverdue && !isTold) alert.push(one)
    return one
  })
  const leaving = new Set(bare.filter(({ isTold }) => isTold).map(({ lot }) => lot))
  const staying = new Set(lots.map(({ lot }) => lot).filter((lot) => !leaving.has(lot)))
  const resting = before
    .filter(({ isTold }) => isTold)
    .map(({ lot, sinceMs }) => ({ lot, sinceMs, restingSinceMs: nowMs }))
  return { bare, told: [...recent, ...resting].filter(({ lot }) => staying.has(lot)), alert }
}
