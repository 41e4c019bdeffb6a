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

/** The history of live bots that a seed gives. */
export const drawLiveHistory = (seed: string): LiveHistory => {
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
