/**
 * The time at which the stops of a live bot are to be audited although no event comes.
 *
 * It is due once a lot has lacked its stop as long as its risk profile allows, and from then on
 * until it has left.
 *
 * @since 0.1.0
 */
import { Effect, Stream } from "effect"
import type { BareLot } from "../venues/books/auditProtection.ts"
import { type BotInbox, post } from "./botInbox.ts"
import type { BotPorts } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"

/** How often a bot looks in its memory for an audit that is due. */
export const lookEvery = "1 second"

/** The time between two audits of a lot that does not leave. */
const auditAgainMs = 5_000

/** Returns whether an audit is due now, and counts it as made if it is. */
export type DueAudits = (bare: ReadonlyArray<BareLot> | undefined) => Effect.Effect<boolean>

/** The clock of the store. */
interface StoreClock {
  readonly venueAccounts: Pick<BotPorts["venueAccounts"], "nowMs">
}

/**
 * The audits of one bot. The store gives the time, by which its lots were noted; it is asked only
 * where a lot is bare.
 */
export const makeDueAudits = ({ venueAccounts }: StoreClock): DueAudits => {
  let nextMs = 0
  return Effect.fnUntraced(function* (bare = []) {
    if (bare.length === 0) return false
    // A store that fails is asked again at the next look.
    const nowMs = yield* Effect.orElseSucceed(venueAccounts.nowMs, () => Number.NEGATIVE_INFINITY)
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
    if (yield* isDue(run.session.bare)) yield* post(inbox, { type: "wake" })
  })
  const looks = Stream.drain(Stream.mapEffect(Stream.tick(lookEvery), () => look))
  return Stream.merge(market, looks, { haltStrategy: "left" })
}
