/**
 * Parts of entries that filled after their position was closed, and are leaving.
 *
 * @since 0.1.0
 */
import type { EndedOrder, MatchFill } from "@candlewick/engine/kernel"

/** A part that is leaving. */
export interface LatePart {
  readonly market: number
  /** The lot that it belongs to; null where the position is one. */
  readonly lot: string | null
  /** The client order id of its exit. */
  readonly exit: string
  /** When the exit is asked for again, in the store's time; null while it is under way. */
  readonly askMs: number | null
  /** How often it was asked for. */
  readonly askedCount: number
}

/** The state of a bot, as far as it knows such parts. */
interface WithLateParts {
  late?: ReadonlyArray<LatePart> | undefined
}

/** How long a bot waits before it asks again for an exit that its venue has refused. */
export const closeAgainMs = 10_000

const closeAgainMaxMs = 600_000

/** When an exit that was asked for so often is asked for again: each time twice as long after. */
export const askAgainAt = (nowMs: number, askedCount: number): number =>
  nowMs + Math.min(closeAgainMaxMs, closeAgainMs * 2 ** (askedCount - 1))

/** Forgets the parts of a market whose position a fill has closed. */
export const forgetLate = (
  session: WithLateParts,
  { effect, market }: Pick<MatchFill, "effect" | "market">
): void => {
  if (effect !== "close" || session.late === undefined) return
  const rest = session.late.filter((part) => part.market !== market)
  session.late = rest.length === 0 ? undefined : rest
}

/**
 * Notes when the exit of a part is to be asked for again, once it has ended without a fill. A bot
 * that took it back itself keeps the part.
 */
export const noteLateEnd = (
  session: WithLateParts,
  { orderId }: Pick<EndedOrder, "orderId">,
  isTakenBack: boolean,
  nowMs: number
): void => {
  if (session.late?.some(({ exit }) => exit === orderId) !== true) return
  if (isTakenBack) {
    const rest = session.late.filter(({ exit }) => exit !== orderId)
    session.late = rest.length === 0 ? undefined : rest
    return
  }
  session.late = session.late.map((part) =>
    part.exit === orderId ? { ...part, askMs: askAgainAt(nowMs, part.askedCount) } : part
  )
}

/** Whether the exit of a part is to be asked for again by now. */
export const isLateDue = ({ late = [] }: WithLateParts, nowMs: number): boolean =>
  late.some(({ askMs }) => askMs !== null && nowMs >= askMs)
