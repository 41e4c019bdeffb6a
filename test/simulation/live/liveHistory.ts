/**
 * Histories of bots that trade live with one exchange account: faults of processes, of the store and
 * of the exchange, and commands.
 */
import { makeRandom, type Random } from "@candlewick/core/kernel"
import {
  type AccountHappening,
  drawAccountHappening,
  drawExchange,
  drawRates,
  type ExchangePlan
} from "../accounts/accountHistory.ts"
import { type BotPlan, drawHappening, type Happening } from "../botHistory.ts"

const thereNames = [
  "venue",
  "maintenance",
  "byHand",
  "endOrder",
  "venueSkew",
  "price",
  "cutFeeds"
] as const

type ThereName = (typeof thereNames)[number]

/** What may happen at the exchange. */
type HappeningThere = Extract<AccountHappening, { readonly do: ThereName }>

/** When something happens, and to which process or through which one. */
export type LiveEvent = (Happening | HappeningThere) & {
  readonly afterMs: number
  readonly process: number
}

/** Everything of a history of live bots, so that it can be run again. */
export interface LiveHistory {
  readonly kind: "live"
  readonly seed: string
  readonly order: string
  readonly bots: ReadonlyArray<BotPlan>
  readonly candleCount: number
  readonly tellMs: number
  readonly exchange: ExchangePlan
  readonly events: ReadonlyArray<LiveEvent>
}

/** Strategies whose orders a spot exchange takes. */
const strategies = ["signals", "stops and targets", "limit entries", "two markets"]

/** Whether something happens at the exchange. */
export const isThere = (event: { readonly do: string }): event is HappeningThere & LiveEvent =>
  thereNames.some((name) => name === event.do)

const drawThere = (random: Random): HappeningThere => {
  for (;;) {
    const happening = drawAccountHappening(random)
    if (isThere(happening)) return happening
  }
}

const pauses = [0, 1, 10, 200, 1_000, 2_500]

/** A history of live bots with their orders at a spot exchange. */
export const drawPlainLiveHistory = (seed: string): LiveHistory => {
  const random = makeRandom(`${seed} live`)
  const botCount = random.pick([1, 2])
  const bots = Array.from({ length: botCount }, (_, at) => ({
    strategy: random.pick(strategies),
    seed: `${seed} bot ${at}`
  }))
  const events: Array<LiveEvent> = bots.map((_, bot) => ({
    do: "start",
    bot,
    afterMs: random.integer(0, 1_000),
    process: random.integer(0, 1)
  }))
  if (random.next() < 0.8) {
    events.push({ do: "venue", ...drawRates(random), afterMs: 0, process: 0 })
  }
  const eventCount = events.length + random.integer(2, 20)
  while (events.length < eventCount) {
    const happening = random.next() < 0.3 ? drawThere(random) : drawHappening(random, botCount)
    const afterMs = random.pick(pauses)
    events.push({ ...happening, afterMs, process: random.integer(0, 1) })
  }
  return {
    kind: "live",
    seed,
    order: seed,
    bots,
    candleCount: random.integer(6, 12),
    tellMs: random.pick([500, 1_500, 4_000]),
    exchange: {
      ...drawExchange(random, makeRandom(`${seed} limits`)),
      maxOrdersPerMinute: null,
      maxOrderNotional: null
    },
    events
  }
}

/** What parts the processes, so that one of them has seen less than the other. */
const parting: ReadonlySet<string> = new Set(["freeze", "steal", "lag", "move"])

/** A process takes some time until it has the bots, and hears of what it was asked before. */
const nudgePauses = [10, 500, 1_000, 2_000]

/** While two processes may take the bots for their own, both are asked for something. */
const drawNudges = (random: Random, botCount: number, parted: LiveEvent): Array<LiveEvent> => {
  const draw = (): LiveEvent => {
    const asked = random.pick([{ do: "rename" }, { do: "reconcile", accept: false }] as const)
    const isOther = parted.do === "steal" && random.next() < 0.7
    const process = isOther ? 1 - parted.process : random.integer(0, 1)
    const bot = random.integer(0, botCount - 1)
    return { ...asked, bot, afterMs: random.pick(nudgePauses), process }
  }
  return Array.from({ length: random.integer(1, 4) }, draw)
}

/** The events, with what two processes do while they do not know the same. */
const withParting = (
  random: Random,
  botCount: number,
  events: ReadonlyArray<LiveEvent>
): ReadonlyArray<LiveEvent> =>
  events.flatMap((event) => {
    if (!parting.has(event.do) || random.next() < 0.5) return [event]
    const nudges = drawNudges(random, botCount, event)
    if (event.do !== "steal" || random.next() < 0.4) return [event, ...nudges]
    // The owner before hears of candles later than the one that takes its bots.
    const afterMs = random.pick(pauses)
    const ms = random.pick([2_000, 6_000])
    return [{ do: "lag", ms, afterMs, process: 1 - event.process }, event, ...nudges]
  })

/** Two owners at once, of which one is behind: few histories come to it by themselves. */
const drawSteal = (random: Random): LiveEvent => ({
  do: "steal",
  bot: 0,
  ms: random.pick([3_000, 6_000, 12_000]),
  afterMs: random.pick(pauses),
  process: random.integer(0, 1)
})

/** The history of live bots that a seed gives. */
export const drawLiveHistory = (seed: string): LiveHistory => {
  const plain = drawPlainLiveHistory(seed)
  const random = makeRandom(`${seed} parting`)
  const events = [...plain.events]
  if (random.next() < 0.3) {
    const at = random.integer(plain.bots.length, events.length)
    events.splice(at, 0, drawSteal(random))
  }
  return { ...plain, events: withParting(random, plain.bots.length, events) }
}
