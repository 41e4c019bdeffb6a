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

/** The possible events at the exchange. */
type HappeningThere = Extract<AccountHappening, { readonly do: ThereName }>

/** The possible events of live bots alone. */
export type HappeningLive =
  /** The owner of the account sells coins that no bot has. */
  | { readonly do: "sellOwn"; readonly steps: number }
  /** The owner sells a part of the first market's coin, whoever has it, or buys it back. */
  | { readonly do: "sellBots"; readonly part: number }
  | { readonly do: "buyBack" }
  /** The owner accepts that a bot lacks what he has sold, once the bot has heard of it. */
  | { readonly do: "acceptLack"; readonly bot: number }
  /** Funding falls due on what is held of a market. */
  | { readonly do: "fund"; readonly market: number; readonly rate: string }
  /** The process that sends an order next dies, before the exchange gets it or after that. */
  | { readonly do: "killAtSend"; readonly isBefore: boolean }

const liveNames = ["sellOwn", "sellBots", "buyBack", "acceptLack", "fund", "killAtSend"] as const

/** Whether something happens to live bots alone. */
export const isLive = (event: { readonly do: string }): event is HappeningLive & LiveEvent =>
  liveNames.some((name) => name === event.do)

/** When something happens, and to which process or through which one. */
export type LiveEvent = (Happening | HappeningThere | HappeningLive) & {
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
  /** The clock by which candles come: as they close, or those of a recording by default. */
  readonly clock?: "live"
  readonly exchange: ExchangePlan
  readonly terms: AccountTerms
  /** How long a position may lack its stop; as long as any may where it is left out. */
  readonly unprotectedMaxSeconds?: number
  /** How long the exchange goes on failing where all else is well; not at all by default. */
  readonly venueFailsMs?: number
  readonly events: ReadonlyArray<LiveEvent>
}

/** How the exchange keeps what is traded, and the bounds that the host sets for all bots. */
export interface AccountTerms {
  readonly kind: "spot" | "one_way"
  /** Of `one_way`. */
  readonly leverage: number
  /** As a part of equity; none where they are null. */
  readonly exposureMax: number | null
  readonly dailyLossMax: number | null
  readonly drawdownMax: number | null
}

/** How long a position may lack its stop until that is told. */
export const unprotectedMsOf = ({ unprotectedMaxSeconds = 60 }: LiveHistory): number =>
  unprotectedMaxSeconds * 1_000

const plainTerms: AccountTerms = {
  kind: "spot",
  leverage: 1,
  exposureMax: null,
  dailyLossMax: null,
  drawdownMax: null
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
      ordersPerMinuteMax: null,
      orderNotionalMax: null
    },
    terms: plainTerms,
    events
  }
}
