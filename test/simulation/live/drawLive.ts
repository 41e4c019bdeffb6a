/**
 * The histories of live bots: those at a spot exchange, other kinds of accounts and strategies, and
 * the effects of two processes that do not know the same.
 */
import { makeRandom, type Random } from "@candlewick/core/kernel"
import { withTimeLimit } from "../botHistory.ts"
import { symbols } from "../strategies.ts"
import {
  type AccountTerms,
  drawPlainLiveHistory,
  type HappeningLive,
  type LiveEvent,
  type LiveHistory
} from "./liveHistory.ts"

const pauses = [0, 1, 10, 200, 1_000, 2_500]

/** The events that part the processes, so that one of them has seen less than the other. */
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

const spotStrategies = ["several targets", "several targets", "long ladder"]

const marginStrategies = [
  "shorts",
  "shorts",
  "short stops",
  "short stops",
  "several targets",
  "ladder with stops"
]

const drawTerms = (random: Random): AccountTerms => ({
  kind: random.pick(["spot", "spot", "one_way"] as const),
  leverage: 3,
  exposureMax: random.pick([null, null, 0.5]),
  dailyLossMax: random.pick([null, null, 0.01]),
  drawdownMax: random.pick([null, null, 0.02])
})

const drawLive = (random: Random, { kind }: AccountTerms): HappeningLive => {
  if (random.next() < 0.5) return { do: "killAtSend", isBefore: random.next() < 0.5 }
  if (kind === "spot") return { do: "sellOwn", steps: random.integer(200, 2_000) }
  const rate = random.pick(["0.0001", "-0.0003", "0.01"])
  return { do: "fund", market: random.integer(0, 1), rate }
}

/** A buy by the owner of an account with positions would be a bot's short. */
const isFor =
  ({ kind }: AccountTerms) =>
  (event: LiveEvent): boolean =>
    kind === "spot" || event.do !== "byHand"

/** Makes most orders reach the exchange late in one history of five, where it answers in time. */
const withLateRequests = (random: Random, history: LiveHistory): LiveHistory => {
  if (random.next() >= 0.2) return history
  const events = history.events.map((event) =>
    event.do === "venue" ? { ...event, lateRequests: 0.6 } : event
  )
  return { ...history, events }
}

/** Gives bots of some histories entries of which the first that fills ends the other. */
const withGroups = (random: Random, bots: LiveHistory["bots"]): LiveHistory["bots"] => {
  if (random.next() < 0.8) return bots
  return bots.map((bot) => (random.next() < 0.7 ? { ...bot, strategy: "either entry" } : bot))
}

/**
 * Gives bots of some histories targets of all that they hold, and a reduction beside them. Nothing
 * of it has a stop.
 */
const withOdds = (random: Random, history: LiveHistory): LiveHistory => {
  if (history.terms.kind !== "spot" || random.next() >= 0.1) return history
  return { ...history, bots: history.bots.map((bot) => ({ ...bot, strategy: "exits at odds" })) }
}

/** Makes a coin that bots trade the one in which the exchange takes its fees. */
const withFeeCoin = (random: Random, history: LiveHistory): LiveHistory => {
  if (history.terms.kind !== "spot" || random.next() >= 0.1) return history
  const [coin] = symbols[1].split("/") as [string]
  const owners = random.pick(["0", "0.5", "1000"])
  // A sale by the owner would take from the coins that are to pay the fees of bots.
  const events = history.events.filter((event) => event.do !== "sellOwn" && event.do !== "byHand")
  const bots = history.bots.map((bot) => ({
    ...bot,
    strategy: random.pick(["two markets", "exits at odds"])
  }))
  // Fees cost less than at the market, so that they are never dearer than the sender counts.
  const feeCoin = { coin, price: "150", owners }
  return { ...history, bots, events, exchange: { ...history.exchange, feeCoin } }
}

/** The history of live bots that a seed gives. */
export const drawLiveHistory = (seed: string): LiveHistory => {
  const timely = withLateRequests(makeRandom(`${seed} late`), drawTimelyHistory(seed))
  const odd = withOdds(makeRandom(`${seed} odds`), timely)
  const paid = withFeeCoin(makeRandom(`${seed} fee coin`), odd)
  const bounded = withBounds(makeRandom(`${seed} bounds`), paid)
  const grouped = withMoreGroups(makeRandom(`${seed} more groups`), bounded)
  const sold = withOwnersCoins(makeRandom(`${seed} own coins`), grouped)
  const funded = withMoreFunding(makeRandom(`${seed} funding`), sold)
  const clocked = withLiveClock(makeRandom(`${seed} clock`), funded)
  return withTimeLimits(makeRandom(`${seed} time limits`), clocked)
}

/** Gives bots of one history of seven entries whose time passes while they rest. */
const withTimeLimits = (random: Random, history: LiveHistory): LiveHistory => {
  if (random.next() >= 1 / 7 || typeof history.exchange.feeCoin === "object") return history
  const { candleCount } = history
  const bots = history.bots.map((bot) => withTimeLimit(random, bot, candleCount))
  const hasExpiry = random.next() < 0.5
  return { ...history, bots, exchange: { ...history.exchange, hasExpiry } }
}

/** Gives one account of four a bound that its bots soon reach. */
const withBounds = (random: Random, history: LiveHistory): LiveHistory => {
  if (random.next() >= 0.25) return history
  if (random.next() < 0.4) {
    const exposureMax = random.pick([0.3, 0.6])
    return { ...history, terms: { ...history.terms, exposureMax } }
  }
  const bounds = random.pick([{ drawdownMax: 0.01 }, { dailyLossMax: 0.005 }])
  const terms = { ...history.terms, ...bounds }
  if (typeof history.exchange.feeCoin === "object") return { ...history, terms }
  // Bots that put in all that they have soon lose as much, and then enter again.
  const strategy = "stops and targets"
  return { ...history, terms, bots: history.bots.map((bot) => ({ ...bot, strategy })) }
}

/** Has funding fall due again and again where an exchange keeps positions. */
const withMoreFunding = (random: Random, history: LiveHistory): LiveHistory => {
  if (history.terms.kind === "spot") return history
  const events = [...history.events]
  for (let left = random.integer(1, 4); left > 0; left--) {
    const at = random.integer(Math.floor(events.length / 2), events.length)
    const rate = random.pick(["0.0001", "-0.0003"])
    events.splice(at, 0, { do: "fund", market: 0, rate, afterMs: random.pick(pauses), process: 0 })
  }
  return { ...history, events }
}

/** Gives bots of one spot account of six entries of which one ends the other. */
const withMoreGroups = (random: Random, history: LiveHistory): LiveHistory => {
  const isOwnCoin = typeof history.exchange.feeCoin === "object"
  if (random.next() >= 1 / 6 || isOwnCoin) return history
  return { ...history, bots: history.bots.map((bot) => ({ ...bot, strategy: "either entry" })) }
}

/** Has the owner buy coins at first where he is to sell some. */
const withOwnersCoins = (random: Random, history: LiveHistory): LiveHistory => {
  if (!history.events.some((event) => event.do === "sellOwn")) return history
  const steps = random.integer(500, 4_000)
  const events = history.events.toSpliced(history.bots.length, 0, {
    do: "byHand",
    steps,
    afterMs: 0,
    process: 0
  })
  return { ...history, events }
}

/** How late candles come: of a minute, those that come half of it after their close are too old. */
const lagsMs = [5_000, 20_000, 45_000, 100_000]

/** The events of a market that takes its time, some of them with candles that come late. */
const slowly = (random: Random, events: ReadonlyArray<LiveEvent>): ReadonlyArray<LiveEvent> =>
  events.map((event) => {
    const ms = random.next() < 0.3 ? random.integer(2_000, 50_000) : 0
    const slow = { ...event, afterMs: event.afterMs + ms }
    if (slow.do === "lag") return { ...slow, ms: random.pick(lagsMs) }
    // The owner buys what he has sold, and nobody takes his sales for the bots' own.
    return slow.do === "reconcile" ? { ...slow, accept: false } : slow
  })

/** Has the owner sell coins of bots once, and buy them back after a while or at the end. */
const drawSales = (random: Random, botCount: number): Array<readonly [number, LiveEvent]> => {
  const part = random.pick([0.2, 0.5, 1])
  const sale = { do: "sellBots", part, afterMs: random.integer(0, 20_000), process: 0 } as const
  const at = botCount + random.integer(1, 8)
  const later = at + random.integer(1, 5)
  const afterMs = random.integer(20_000, 90_000)
  const drawn = random.next()
  if (drawn < 0.4) return [[at, sale]]
  const back = { do: "buyBack", afterMs, process: 0 } as const
  if (drawn < 0.7) return [sale, back].map((event, nth) => [nth === 0 ? at : later, event] as const)
  const accept = { do: "acceptLack", afterMs: 500, process: random.integer(0, 1) } as const
  const bots = Array.from({ length: botCount }, (_, bot) => bot)
  return [[at, sale], ...bots.map((bot) => [later, { ...accept, bot }] as const)]
}

/** Gives three histories of ten candles that close by the clock of all, each a minute after another. */
const withLiveClock = (random: Random, history: LiveHistory): LiveHistory => {
  if (random.next() >= 0.3) return history
  const events = [...slowly(random, history.events)]
  const botCount = history.bots.length
  for (let left = random.integer(0, 2); left > 0; left--) {
    const ms = random.pick(lagsMs)
    const process = random.integer(0, 1)
    events.splice(botCount + random.integer(0, 4), 0, { do: "lag", ms, afterMs: 0, process })
  }
  const isSold = history.terms.kind === "spot" && random.next() < 0.8
  const isOwnCoin = typeof history.exchange.feeCoin === "object"
  const sales = isSold && !isOwnCoin ? drawSales(random, botCount) : []
  for (const [at, event] of sales) events.splice(at, 0, event)
  const isSelling = sales.length > 0
  // A bot that lacks coins of one market may want to enter the other.
  const bots = history.bots.map((bot) =>
    isSelling && random.next() < 0.8 ? { ...bot, strategy: "two markets" } : bot
  )
  const candleCount = random.integer(5, 8) + (isSelling ? 3 : 0)
  return { ...history, bots, clock: "live", candleCount, tellMs: 60_000, events }
}

const drawTimelyHistory = (seed: string): LiveHistory => {
  const plain = drawPlainLiveHistory(seed)
  const random = makeRandom(`${seed} parting`)
  const events = [...plain.events]
  if (random.next() < 0.3) {
    events.splice(random.integer(plain.bots.length, events.length), 0, drawSteal(random))
  }
  const parted = withParting(random, plain.bots.length, events)
  const more = makeRandom(`${seed} more`)
  if (more.next() < 0.3) return { ...plain, events: parted }
  const terms = drawTerms(more)
  const all = parted.filter(isFor(terms))
  for (let left = more.integer(0, 4); left > 0; left--) {
    const at = more.integer(plain.bots.length, all.length)
    const happening = drawLive(more, terms)
    all.splice(at, 0, { ...happening, afterMs: more.pick(pauses), process: 0 })
  }
  const kinds = terms.kind === "spot" ? spotStrategies : marginStrategies
  const drawn = plain.bots.map((bot) =>
    more.next() < 0.6 ? { ...bot, strategy: more.pick(kinds) } : bot
  )
  const bots = withGroups(makeRandom(`${seed} groups`), drawn)
  const exchange = {
    ...plain.exchange,
    ordersPerMinuteMax: more.pick([null, null, null, 6]),
    orderNotionalMax: more.pick([null, null, null, 3_000])
  }
  const unprotectedMaxSeconds = more.pick([5, 20, 60])
  const venueFailsMs = more.pick([0, 0, 0, 100_000])
  return {
    ...plain,
    bots,
    exchange,
    terms,
    unprotectedMaxSeconds,
    venueFailsMs,
    events: all
  }
}
