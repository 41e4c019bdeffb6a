/**
 * The time at which a live bot is to look at its positions although no event comes.
 *
 * An audit of its stops is due once a lot has lacked its stop as long as its risk profile allows,
 * and from then on until it has left. So is an exit that is to be asked for again.
 *
 * @since 0.1.0
 */
import { Effect, Stream } from "effect"
import { type BotInbox, post } from "./botInbox.ts"
import type { BotPorts } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"
import { isLateDue } from "./lateParts.ts"

/** How often a bot looks in its memory for an audit that is due. */
export const lookEveryMs = 1_000

/** The time between two audits of a lot that does not leave. */
const auditAgainMs = 5_000

/** Returns whether an audit is due now, and counts it as made if it is. */
export type DueAudits = (
  session: Pick<BotSession, "askAgainMs" | "bare" | "late">
) => Effect.Effect<boolean>

/** The clock of the store. */
interface StoreClock {
  readonly venueAccounts: Pick<BotPorts["venueAccounts"], "nowMs">
}

/**
 * The audits of one bot. The store gives the time, by which its lots were noted. It is asked only
 * where a lot is bare, a part is leaving or an exit was refused.
 */
export const makeDueAudits = ({ venueAccounts }: StoreClock): DueAudits => {
  let nextMs = 0
  return Effect.fnUntraced(function* ({ askAgainMs = Infinity, bare = [], late = [] }) {
    if (bare.length + late.length === 0 && askAgainMs === Infinity) return false
    // A store that fails is asked again at the next look.
    const nowMs = yield* Effect.orElseSucceed(venueAccounts.nowMs, () => Number.NEGATIVE_INFINITY)
    if (nowMs >= askAgainMs || isLateDue({ late }, nowMs)) return true
    const overdue = bare.filter(({ dueMs = 0 }) => nowMs > dueMs)
    if (overdue.length === 0 || nowMs < nextMs) return false
    // The exit follows at the first look after the alert.
    nextMs = overdue.some(({ isTold }) => !isTold) ? 0 : nowMs + auditAgainMs
    return true
  })
}

/** Wakes a live bot for each audit that is due, for as long as it follows its market. */
export const auditing = <A, E>(
  run: { readonly ports: BotPorts; readonly session: BotSession },
  inbox: BotInbox,
  market: Stream.Stream<A, E>
): Stream.Stream<A, E> => {
  if (run.session.live === null) return market
  const isDue = makeDueAudits(run.ports)
  const look = Effect.gen(function* () {
    if (yield* isDue(run.session)) yield* post(inbox, { type: "wake" })
  })
  const looks = Stream.drain(Stream.mapEffect(Stream.tick(lookEveryMs), () => look))
  return Stream.merge(market, looks)
}
