/**
 * The stretches of candles in which a bot was kept from acting, read from its log.
 *
 * @since 0.1.0
 */
import { fromTimestamp } from "@candlewick/engine"
import type { PassedOverEntry, Stretch } from "../../domain/expected/Comparison.ts"
import type { LogEntry } from "../../domain/LogEntry.ts"

type Fields = Readonly<Record<string, unknown>>

/** The lines of orders that are over. */
const endEvents = ["order.cancelled", "order.expired", "order.rejected"]

/**
 * The lines after which a bot opens nothing until it runs again. While it stops, it may process
 * many candles, and notes no entry that it passes over.
 */
const restEvents = ["bot.paused", "bot.stopping", "bot.stopped", "bot.error"]

/** The lines of those after which a bot closes nothing either. */
const stopEvents = restEvents.filter((event) => event !== "bot.paused")

/** The kinds of hindrances that somebody, or the risk gate, has decided. */
const decidedKinds: ReadonlyArray<unknown> = ["risk_gate", "mismatch", "account_halted"]

/** The kinds for which a candle that came was of no use to open anything. */
const lateKinds: ReadonlyArray<unknown> = ["stale_data", "slow_store", "damaged_store"]

/** The kinds that an exchange is the reason for. */
const barringKinds: ReadonlyArray<unknown> = [
  "unknown_order",
  "venue",
  "maintenance",
  "unprotected",
  "ownership"
]

/** The stretches by their cause. */
export interface HeldBackStretches {
  readonly command: ReadonlyArray<Stretch>
  /** While it was stopped or in error; `command` has these too. */
  readonly atRest: ReadonlyArray<Stretch>
  /** Candles that came too late, or at a time at which the process could not use them. */
  readonly missed: ReadonlyArray<Stretch>
  /** While its exchange, or nothing that sends for it, kept it from ordering. */
  readonly barred: ReadonlyArray<Stretch>
  /** The candles in which orders ended, by their client ids. */
  readonly ends: ReadonlyMap<string, number>
  /**
   * The client ids of exits that a command asked for; the end of an order may reword its reason.
   */
  readonly commanded: ReadonlySet<string>
  /** Open times of the newest candle whenever somebody opened its gate, oldest first. */
  readonly resumed: ReadonlyArray<number>
  /** The entries that the bot wanted meanwhile, and did not order. */
  readonly passedOver: ReadonlyArray<PassedOverEntry>
}

/** Whether a line says that the bot's account begins anew. */
const beginsAccount = ({ data, event }: Pick<LogEntry, "data" | "event">): boolean =>
  event === "bot.updated" && "is_account_new" in data

/**
 * The lines of a bot's present account; `lines` are oldest first. On paper, each account reads the
 * same candles from the first one on.
 */
export const linesOfAccount = <A extends Pick<LogEntry, "data" | "event">>(
  lines: ReadonlyArray<A>
): ReadonlyArray<A> => lines.slice(Math.max(0, lines.findLastIndex(beginsAccount)))

/** The cause of an entry that the bot passed over. */
const causeOfKinds = (kinds: ReadonlyArray<unknown>): PassedOverEntry["cause"] => {
  if (kinds.some((kind) => lateKinds.includes(kind))) return "missed_candle"
  return kinds.some((kind) => barringKinds.includes(kind)) ? "refusal" : "command"
}

const readPassedOver = (
  { because, candle_time: time, side, symbol }: Fields,
  symbols: ReadonlyArray<unknown>
): PassedOverEntry => ({
  cause: causeOfKinds(because as ReadonlyArray<unknown>),
  market: symbols.indexOf(symbol),
  side: side === "buy" ? 1 : -1,
  time: fromTimestamp(time as string)
})

/**
 * The stretches in which a bot was stopped, on the wall clock. On a live market it processes their
 * candles once it runs again, when they are too old to enter on. It has missed them because of the
 * command. Candles of a recording lie elsewhere.
 */
const readRests = (
  lines: ReadonlyArray<Pick<LogEntry, "data" | "event" | "timestamp">>
): ReadonlyArray<Stretch> => {
  const rests: Array<Stretch> = []
  let after: number | null = null
  for (const line of lines) {
    const { event, timestamp } = line
    // A bot is given a new account at rest.
    if (stopEvents.includes(event) || beginsAccount(line)) after ??= fromTimestamp(timestamp)
    if (event !== "bot.running" || after === null) continue
    const until = fromTimestamp(timestamp)
    if (until > after) rests.push({ after, until })
    after = null
  }
  return rests
}

/**
 * Reads the stretches from the lines of one account, oldest first. `nextOf` gives the candle after
 * another: an order that was not decided at one candle is missing in the next.
 */
export const readHeldBack = (
  lines: ReadonlyArray<Pick<LogEntry, "data" | "event" | "timestamp">>,
  symbols: ReadonlyArray<string>,
  nextOf: (time: number) => number
): HeldBackStretches => {
  const passedOver: Array<PassedOverEntry> = []
  const command: Array<Stretch> = []
  const atRest: Array<Stretch> = []
  const missed: Array<Stretch> = []
  const barred: Array<Stretch> = []
  const ends = new Map<string, number>()
  const commanded = new Set<string>()
  const resumed: Array<number> = []
  /** When each reason began that holds still. */
  const since = new Map<unknown, number>()
  let now = Number.NEGATIVE_INFINITY
  const end = (reason: unknown, until: number) => {
    const after = since.get(reason)
    if (after === undefined) return
    since.delete(reason)
    if (reason === "rest" || decidedKinds.includes(reason)) command.push({ after, until })
    if (reason === "stop") atRest.push({ after, until })
    if (lateKinds.includes(reason)) missed.push({ after, until })
    if (barringKinds.includes(reason)) barred.push({ after, until })
  }
  for (const { data, event } of lines) {
    const { candle_time: time, client_order_id: id, kind, reason } = data as Fields
    if (typeof time === "string") now = Math.max(now, fromTimestamp(time))
    if (endEvents.includes(event) && typeof id === "string") ends.set(id, nextOf(now))
    if (reason === "force_exit" && typeof id === "string") commanded.add(id)
    if (event === "risk.resumed") resumed.push(now)
    if (event === "entry.suppressed") passedOver.push(readPassedOver(data, symbols))
    // Between candles, the newest candle was decided on as things were before.
    const isBetween = (data as Fields).is_between === true || event === "bot.stopping"
    const from = isBetween ? nextOf(now) : now
    if (restEvents.includes(event) && !since.has("rest")) since.set("rest", from)
    if (stopEvents.includes(event) && !since.has("stop")) since.set("stop", from)
    if (event === "bot.running") {
      end("rest", nextOf(now))
      end("stop", nextOf(now))
    }
    if (event === "bot.hindered" && !since.has(kind)) since.set(kind, from)
    if (event === "bot.unhindered") end(kind, from)
  }
  for (const reason of since.keys()) end(reason, Number.POSITIVE_INFINITY)
  const rests = readRests(lines)
  const isAtRest = ({ time }: PassedOverEntry) =>
    rests.some(({ after, until }) => nextOf(time) > after && nextOf(time) <= until)
  return {
    atRest: [...atRest, ...rests],
    barred,
    command: [...command, ...rests],
    commanded,
    ends,
    missed,
    resumed,
    passedOver: passedOver.map((one) => (isAtRest(one) ? { ...one, cause: "command" } : one))
  }
}
