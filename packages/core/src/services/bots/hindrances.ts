/**
 * The causes that keep a bot from opening positions: found at each candle, reported where they
 * change.
 *
 * A change is reported in the bot's log, by the metric and by an alert, in the transaction of the
 * step that found it. The status view asks anew, so that it also has hindrances that the bot can't
 * write. The end of a recording keeps nothing from an entry: it is found between steps, and is no
 * alert.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Stream } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { restingStates } from "../../domain/BotMachine.ts"
import type { Hindrance, HindranceKind } from "../../domain/Hindrance.ts"
import type { Order } from "../../domain/Order.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { fromTimestamp, timeframeMs, toTimestamp } from "@candlewick/engine"
import { isStale } from "@candlewick/engine/kernel"
import { isHalted } from "../accounts/killSwitch.ts"
import { nowTimestamp } from "../events/announce.ts"
import { atCandle } from "./atCandle.ts"
import { type BotPorts, log } from "./botPorts.ts"
import type { BotSession, BotSnapshot } from "./botSession.ts"
import { venueHindrances, viewVenueHindrances } from "../venues/bots/venueHindrances.ts"
import { placementKeyOf } from "../venues/bots/liveVenue.ts"
import { fireHindranceAlerts } from "./fireAlerts.ts"

/** The inputs of `lookForHindrances` besides the session. */
interface Facts {
  readonly isOld: boolean
  readonly isHalted: boolean
  /** The process's own hindrance, or null. */
  readonly ofHost: Hindrance | null
  readonly now: string
}

const found = (
  kind: HindranceKind,
  message: string,
  { hindrances }: Pick<BotSnapshot, "hindrances">,
  now: string
): Hindrance => {
  const known = hindrances?.find((one) => one.kind === kind)
  return { kind, since: known?.since ?? now, message }
}

/** The causes that keep a bot from opening positions. */
const hindrancesOf = (
  snapshot: Pick<BotSnapshot, "gate" | "hindrances" | "mismatch">,
  { isHalted: isOn, isOld, now, ofHost }: Facts
): ReadonlyArray<Hindrance> => {
  const own: Array<Hindrance> = []
  const add = (kind: HindranceKind, message: string): void =>
    void own.push(found(kind, message, snapshot, now))
  const { reason } = snapshot.gate
  if (reason === "reconcile_mismatch") {
    const count = snapshot.mismatch?.differences.length ?? 0
    add("mismatch", `the bot and the exchange differ in ${count} ways`)
  } else if (reason !== "none") {
    add("risk_gate", `the ${reason.replace("_", " ")} has reached its limit`)
  }
  if (isOn) add("account_halted", "the account is halted")
  if (isOld) add("stale_data", "its newest candle is old")
  return ofHost === null ? own : [...own, ofHost]
}

const kindsOf = (hindrances: ReadonlyArray<Hindrance>): ReadonlyArray<HindranceKind> =>
  hindrances.map(({ kind }) => kind)

/** The end of a bot's recording, which has a log line of its own and no alert. */
export const endOfData = (
  { isDataEnded, lastTickMs }: Pick<BotSnapshot, "isDataEnded" | "lastTickMs">,
  now: string
): ReadonlyArray<Hindrance> => {
  if (!isDataEnded) return []
  const since = lastTickMs === null ? now : toTimestamp(lastTickMs)
  return [{ kind: "data_ended", since, message: "the recording has ended" }]
}

/** Shows the hindrances of a bot in `/metrics`. */
export const showHindrances = (
  { hindered }: BotPorts,
  botId: string,
  { hindrances = [], isDataEnded }: BotSession
): Effect.Effect<void> => {
  const kinds = kindsOf(hindrances)
  return hindered.show(botId, isDataEnded ? [...kinds, "data_ended"] : kinds)
}

/** The place of a change: a candle before it was decided under the earlier hindrances. */
const placeOf = (session: BotSession, isBetween: boolean) => ({
  ...atCandle(session),
  ...(isBetween && { is_between: true })
})

const logCame = (ports: BotPorts, bot: Bot, { kind, message, since }: Hindrance, place: object) =>
  log(ports, bot.id, "warn", "bot.hindered", `kept from opening positions: ${message}`, {
    kind,
    since,
    ...place
  })

const logWent = (ports: BotPorts, bot: Bot, { kind, message, since }: Hindrance, place: object) =>
  log(
    ports,
    bot.id,
    "info",
    "bot.unhindered",
    `no longer kept from opening positions because ${message}`,
    { kind, since, ...place }
  )

/** Reports the hindrances that came and went, and keeps those that are there now. */
const reportChanges = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  now: ReadonlyArray<Hindrance>,
  isBetween: boolean
): Effect.fn.Return<void, StoreError> {
  const before = session.hindrances ?? []
  session.hindrances = now.length === 0 ? undefined : now
  yield* showHindrances(ports, bot.id, session)
  if (before.length === 0 && now.length === 0) return
  const came = now.filter(({ kind }) => !kindsOf(before).includes(kind))
  const went = before.filter(({ kind }) => !kindsOf(now).includes(kind))
  const place = placeOf(session, isBetween)
  for (const one of came) yield* logCame(ports, bot, one, place)
  for (const one of went) yield* logWent(ports, bot, one, place)
  if (came.length + went.length > 0) yield* fireHindranceAlerts(ports, bot, session, came)
})

/** A bot is to have a process again within that time; a shorter loss is no alert. */
const lossMaxMs = 15_000

/** Reports a hindrance that the bot has waited for, and that is over. */
const reportWait = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  waited: Hindrance
): Effect.fn.Return<void, StoreError> {
  const waitedMs = (yield* Clock.currentTimeMillis) - fromTimestamp(waited.since)
  if (waited.kind !== "ownership" || waitedMs > lossMaxMs) {
    return yield* reportChanges(ports, bot, session, [...(session.hindrances ?? []), waited], false)
  }
  yield* logCame(ports, bot, waited, placeOf(session, false))
  yield* logWent(ports, bot, waited, placeOf(session, false))
})

/**
 * Looks for the hindrances of a bot: before it decides on its newest candle, or between candles.
 * Run it in the transaction of the candle's step.
 */
export const lookForHindrances = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  { isBetween = false, isOld }: { readonly isBetween?: boolean; readonly isOld: boolean }
): Effect.fn.Return<ReadonlyArray<Hindrance>, StoreError> {
  const waited = ports.hindered.takeWait(bot.id)
  if (waited !== null) yield* reportWait(ports, bot, session, waited)
  const own = hindrancesOf(session, {
    isOld,
    isHalted: yield* isHalted(ports, bot.account_id),
    ofHost: ports.marketData.clock === "live" ? yield* ports.hindranceOfHost : null,
    now: yield* nowTimestamp
  })
  const now = [...own, ...(yield* venueHindrances(ports, bot))]
  yield* reportChanges(ports, bot, session, now, isBetween)
  return now
})

/** How often a bot that waits asks again. */
const askAgainMs = 250

const waitForHost = Effect.fnUntraced(function* (
  { hindered, hindranceOfHost }: Pick<BotPorts, "hindered" | "hindranceOfHost">,
  botId: string
): Effect.fn.Return<void> {
  for (;;) {
    const hindrance = yield* hindranceOfHost
    if (hindrance === null) return
    hindered.noteWait(botId, hindrance)
    yield* hindered.show(botId, [hindrance.kind])
    yield* Effect.sleep(askAgainMs)
  }
})

/**
 * Holds a recording while the process has a hindrance. A late candle gives the same orders. A
 * candle processed during a hindrance would lose its entries. A live market does not wait.
 */
export const holdRecording = <A, E>(
  ports: BotPorts,
  botId: string,
  updates: Stream.Stream<A, E>
): Stream.Stream<A, E> =>
  ports.marketData.clock === "live"
    ? updates
    : Stream.mapEffect(updates, (update) => Effect.as(waitForHost(ports, botId), update))

/** Whether the candle after the newest one is late, so that nothing could be entered on it. */
const isNextLate = (
  { timeframe }: Pick<Bot, "timeframe">,
  cursor: number | null,
  nowMs: number
): boolean => {
  const length = timeframeMs(timeframe)
  return cursor !== null && isStale(cursor + length, length, nowMs)
}

/** Whether candles stopped coming since the last one, from memory alone. */
export const isFeedLost = ({
  cursor,
  definition,
  hindrances = []
}: BotSession): Effect.Effect<boolean> =>
  kindsOf(hindrances).includes("stale_data")
    ? Effect.succeed(false)
    : Effect.map(Clock.currentTimeMillis, (nowMs) => isNextLate(definition, cursor, nowMs))

/**
 * The causes that keep a bot from acting as its status shows it: also those that the bot itself
 * can't write.
 */
export const viewHindrances = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  { cursor, snapshot }: { readonly cursor: number | null; readonly snapshot: BotSnapshot },
  openOrders: ReadonlyArray<Order>
): Effect.fn.Return<ReadonlyArray<Hindrance>, StoreError> {
  if (restingStates.includes(bot.status)) return []
  const nowMs = yield* Clock.currentTimeMillis
  const now = toTimestamp(nowMs)
  const share = ports.placement.shareOf(placementKeyOf(bot))
  const isMine = ports.placement.isMine(share)
  const wasOld = kindsOf(snapshot.hindrances ?? []).includes("stale_data")
  const isLate = ports.marketData.clock === "live" && isNextLate(bot, cursor, nowMs)
  const view = [
    ...hindrancesOf(snapshot, {
      isOld: wasOld || isLate,
      isHalted: yield* isHalted(ports, bot.account_id),
      ofHost: isMine ? yield* ports.hindranceOfHost : null,
      now
    })
  ]
  view.push(...(yield* viewVenueHindrances(ports, bot)))
  const bare = (snapshot.bare ?? []).filter(({ isTold }) => isTold)
  if (bare.length > 0) {
    const since = toTimestamp(Math.min(...bare.map(({ sinceMs }) => sinceMs)))
    view.push({ kind: "unprotected", since, message: "a position has no stop at the venue" })
  }
  const failure = isMine ? ports.hindered.failureOf(bot.id) : null
  if (failure !== null && !kindsOf(view).includes(failure.kind)) view.push(failure)
  const isRun = isMine ? ports.hindered.isFollowed(bot.id) : yield* ports.placement.hasOwner(share)
  if (!isRun) {
    view.push(found("ownership", "no process has taken the bot up yet", snapshot, now))
  }
  view.push(...endOfData(snapshot, now))
  const unknown = openOrders.filter(({ status }) => status === "unknown")
  if (unknown.length > 0 && !kindsOf(view).includes("unknown_order")) {
    const since = unknown.reduce((first, { updated_at: at }) => (at < first ? at : first), now)
    const message = `the outcome of ${unknown.length} orders is not known yet`
    view.push({ kind: "unknown_order", since, message })
  }
  return view
})
