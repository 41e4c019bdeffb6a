/**
 * Compares a bot's books with the broker's.
 *
 * A mismatch halts the bot and raises an alert, and the bot takes over the broker's state where a
 * caller accepts it.
 *
 * @since 0.1.0
 */
import { Clock, Effect } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { BooksError } from "../../domain/BooksError.ts"
import { toTimestamp } from "@candlewick/engine"
import { Limits } from "../../domain/Limits.ts"
import type { Adjustment, Difference } from "../../domain/Reconciliation.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { tradingFields } from "../../domain/TradingStateMachine.ts"
import { adoptHoldings, endMismatch, haltForMismatch, showEnded } from "@candlewick/engine/kernel"
import type { BookedAccount } from "./BotBooks.ts"
import { nowTimestamp } from "../events/announce.ts"
import { bookReport, hasChanges } from "./bookReport.ts"
import { followProtection } from "./protectiveOrders.ts"
import { rememberAdopted } from "./rememberFills.ts"
import { moveOrder } from "./orderRecords.ts"
import { type BotPorts, log, booksOf } from "./botPorts.ts"
import { reviseEquity } from "./botEquity.ts"
import type { BotSession } from "./botSession.ts"
import { atCandle } from "./atCandle.ts"
import { compareBooks, describeDifference } from "./compareBooks.ts"
import { fireMismatchAlerts } from "./fireAlerts.ts"
import { acceptLoss } from "../venues/bots/followVenue.ts"
import { cancelAtVenue } from "../venues/bots/writeOrders.ts"
import type { Intent } from "./intend.ts"
import { forgetLate } from "./lateParts.ts"
import { takeBackBound } from "./takeBackBound.ts"

/** The findings of a reconciliation, and their outcome. */
export interface Reconciliation {
  /** The bot as it is to be kept. */
  readonly bot: Bot
  readonly changed: boolean
  /** Whether the session is to be kept, because of this or of earlier bookings. */
  readonly isTouched: boolean
  readonly differences: ReadonlyArray<Difference>
  readonly adjustment: Adjustment | null
  readonly intents: ReadonlyArray<Intent>
}

/** The bot with the state of its gate. */
const withGate = (bot: Bot, { gate }: BotSession): Bot => ({
  ...bot,
  ...tradingFields(gate.reason)
})

/** Opens the gate that a mismatch has shut, as far as it was open before. */
const openGate = (session: BotSession): void => {
  const { gate, mismatch } = session
  if (mismatch === null) return
  endMismatch(gate, mismatch.gateBefore.reason)
  session.mismatch = null
}

/** Keeps a mismatch and halts; false where the same one is known. */
const keepMismatch = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  differences: ReadonlyArray<Difference>
): Effect.fn.Return<boolean, StoreError> {
  const { gate, mismatch } = session
  if (JSON.stringify(mismatch?.differences) === JSON.stringify(differences)) return false
  const gateBefore = mismatch?.gateBefore ?? { state: gate.state, reason: gate.reason }
  session.mismatch = { found_at: yield* nowTimestamp, differences, gateBefore }
  haltForMismatch(gate)
  const what = differences.map(describeDifference).join("; ")
  const message = `trading is halted, the exchange differs: ${what}`
  yield* log(ports, bot.id, "error", "reconcile.mismatch", message, { differences })
  yield* fireMismatchAlerts(ports, bot, differences.length, message)
  return true
})

/** Makes the bot's orders those that rest at the broker and are the bot's. */
const adoptOrders = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  differences: ReadonlyArray<Difference>
): Effect.fn.Return<ReadonlyArray<Intent>, StoreError> {
  const intents: Array<Extract<Intent, { readonly type: "cancel" }>> = []
  for (const difference of differences) {
    if (difference.kind !== "order") continue
    const { client_order_id: orderId, own, symbol } = difference
    const market = bot.symbols.indexOf(symbol)
    if (own === "none") {
      yield* cancelAtVenue(ports, bot, session, market, orderId)
      intents.push({ type: "cancel", market, orderId })
      continue
    }
    const reason = "the exchange does not have it"
    yield* moveOrder(ports, bot.id, orderId, "cancelled", { reason })
    showEnded(session.account, { orderId, market, outcome: "cancelled", reason })
  }
  session.disowned = intents.map(({ orderId }) => orderId)
  return intents
})

/** The lots of each market; the whole position is one of its own where lots are not kept apart. */
const heldLots = ({ account }: BotSession): ReadonlyArray<ReadonlyArray<string>> =>
  account.books.map(({ lots, position }) => {
    if (position === null) return []
    return lots === undefined ? ["all"] : lots.map(({ id }) => id)
  })

/** Takes back the orders that were bound to lots that the broker does not have. */
const takeBackGone = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  before: ReadonlyArray<ReadonlyArray<string>>
): Effect.fn.Return<void, StoreError> {
  for (const [market, held] of heldLots(session).entries()) {
    const gone = before[market]!.filter((lot) => !held.includes(lot))
    if (gone.length === 0) continue
    const parts = held.length === 0 ? (["all"] as const) : gone.map((lot) => ({ lot }))
    for (const part of parts) yield* takeBackBound(ports, bot, session, market, part)
    if (held.length === 0) forgetLate(session, { effect: "close", market })
  }
})

/**
 * Takes over the broker's positions and cash, and enters the difference that no fill explains into
 * the ledger.
 */
const adopt = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  held: BookedAccount,
  differences: ReadonlyArray<Difference>
): Effect.fn.Return<
  { readonly adjustment: Adjustment; readonly intents: ReadonlyArray<Intent> },
  StoreError | Problem
> {
  const intents = yield* adoptOrders(ports, bot, session, differences)
  const before = heldLots(session)
  const nowMs = yield* Clock.currentTimeMillis
  const positions = bot.symbols.map(
    (symbol) => held.positions.find((one) => one.symbol === symbol) ?? null
  )
  const amount = adoptHoldings(
    session.account,
    { cash: held.cash, positions },
    session.cursor ?? nowMs
  )
  if (differences.some(({ kind }) => kind === "position")) {
    yield* followProtection(ports, bot, session, "the exchange does not have it")
  }
  yield* acceptLoss(ports, bot, session)
  yield* takeBackGone(ports, bot, session, before)
  rememberAdopted(bot, session)
  const adjustment: Adjustment = { at: toTimestamp(nowMs), amount, differences }
  session.adjusted += amount
  session.adjustments = [...session.adjustments, adjustment].slice(
    -Limits.adjustmentsPerBotMaxCount
  )
  yield* reviseEquity(ports, bot, session)
  openGate(session)
  const what = differences.map(describeDifference).join("; ")
  const message = `accepted the exchange's state: ${what}; the ledger was adjusted by ${amount}`
  yield* log(ports, bot.id, "warn", "reconcile.accepted", message, {
    amount,
    differences,
    ...atCandle(session)
  })
  yield* fireMismatchAlerts(ports, bot, 0, message)
  return { adjustment, intents }
})

/**
 * Books the broker's report, and compares. To be run in a transaction that keeps the bot and, where
 * it was touched, the session.
 */
export const reconcileBot = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  options: { readonly accept: boolean }
): Effect.fn.Return<Reconciliation, StoreError | BooksError | Problem> {
  // Without candles: nothing is filled on paper, and an exchange reports its fills of the meantime.
  const report = yield* booksOf(ports, bot).settle(bot.id, [])
  yield* bookReport(ports, bot, session, report)
  const isTouched = hasChanges(report)
  if (isTouched) yield* reviseEquity(ports, bot, session)
  const held = yield* booksOf(ports, bot).account(bot.id)
  const differences = yield* compareBooks(ports, bot, session, held)
  const found = { bot, changed: false, isTouched, differences, adjustment: null, intents: [] }
  if (differences.length > 0 && options.accept) {
    const { adjustment, intents } = yield* adopt(ports, bot, session, held, differences)
    return {
      ...found,
      bot: withGate(bot, session),
      changed: true,
      isTouched: true,
      adjustment,
      intents
    }
  }
  if (differences.length > 0) {
    const changed = yield* keepMismatch(ports, bot, session, differences)
    return { ...found, bot: withGate(bot, session), changed, isTouched: isTouched || changed }
  }
  if (session.mismatch === null) return found
  openGate(session)
  // Orders ended with the holdings that they protected, which have been put back.
  yield* followProtection(ports, bot, session)
  const message = "the exchange agrees with the bot again"
  yield* log(ports, bot.id, "info", "reconcile.matches", message)
  yield* fireMismatchAlerts(ports, bot, 0, message)
  return { ...found, bot: withGate(bot, session), changed: true, isTouched: true }
})
