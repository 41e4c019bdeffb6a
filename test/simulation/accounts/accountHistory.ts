/**
 * Histories of an exchange account: the wishes of its bots, and the faults of the exchange, of the
 * line there, and of the processes that send.
 */
import { makeRandom, type Random } from "@candlewick/core/kernel"

/** How an exchange and its answers are. */
export interface ExchangePlan {
  readonly windowMs: number | null
  readonly readLagMs: number
  readonly partChance: number
  readonly rejectChance: number
  readonly fillDelayMs: number
  readonly tellDelayMs: number
  readonly repeatChance: number
  /** A coin of its own has an amount that the account's owner has at first. */
  readonly feeCoin:
    | "quote"
    | "received"
    | { readonly coin: string; readonly price: string; readonly owners: string }
  readonly pageSize: number
  /** Whether the exchange ends orders by their time itself; not by default. */
  readonly hasExpiry?: boolean
  /** Bounds that the host sets for all bots of the account; none where they are null. */
  readonly ordersPerMinuteMax: number | null
  readonly orderNotionalMax: number | null
}

/** How often calls of the exchange go wrong, of each call. */
export interface VenueRates {
  readonly lostBefore: number
  readonly lostAfter: number
  readonly hangs: number
  readonly refused: number
  readonly notSent: number
  /** Arrives late, or is answered late. */
  readonly late: number
  /** The same of orders and cancels alone. */
  readonly lateRequests?: number
  /** A read shows how things were. */
  readonly lag: number
}

/** The possible events. Processes and bots are numbered. */
export type AccountHappening =
  | {
      readonly do: "enter"
      readonly bot: number
      readonly steps: number
      /** Below the price, as a part of it; an order at the market where it is null. */
      readonly below: number | null
    }
  | { readonly do: "leave" | "takeBack" | "pauseBot" | "runBot"; readonly bot: number }
  | { readonly do: "halt" | "resume" }
  | { readonly do: "kill" | "restart" | "end" | "move" | "steal" | "reconcile" }
  | { readonly do: "freeze" | "skew"; readonly ms: number }
  | {
      readonly do: "arm"
      readonly fault: "fail" | "lose" | "slow" | "kill" | "freeze"
      readonly after: number
      readonly isBefore: boolean
      readonly ms: number
    }
  | { readonly do: "store"; readonly fail: number; readonly lose: number; readonly slow: number }
  | ({ readonly do: "venue" } & VenueRates)
  | { readonly do: "maintenance"; readonly ms: number }
  | { readonly do: "byHand"; readonly steps: number }
  | { readonly do: "endOrder"; readonly status: "cancelled" | "expired" | "rejected" }
  | { readonly do: "venueSkew"; readonly ms: number }
  | { readonly do: "price"; readonly by: number }
  | { readonly do: "cutFeeds" }

/** When something happens, and to which process or through which one. */
export type AccountEvent = AccountHappening & {
  readonly afterMs: number
  readonly process: number
}

/** Everything of a history of an exchange account, so that it can be run again. */
export interface AccountHistory {
  readonly kind: "account"
  readonly seed: string
  readonly order: string
  readonly exchange: ExchangePlan
  readonly events: ReadonlyArray<AccountEvent>
}

/** Bots that trade with the account. */
export const botCount = 2

/** How an exchange is. */
export const drawExchange = (random: Random, limits: Random): ExchangePlan => ({
  windowMs: random.pick([2_000, 5_000, 15_000, 15_000, null]),
  readLagMs: random.pick([0, 1_000, 3_000]),
  partChance: random.pick([0, 0.5]),
  rejectChance: random.pick([0, 0, 0.1]),
  fillDelayMs: random.pick([0, 500, 3_000]),
  tellDelayMs: random.pick([0, 500, 3_000]),
  repeatChance: random.pick([0, 0.3]),
  feeCoin: random.pick(["quote", "received"] as const),
  pageSize: random.pick([2, 100]),
  ordersPerMinuteMax: limits.pick([null, null, 6]),
  orderNotionalMax: limits.pick([null, null, 150])
})

/** How often calls of the exchange go wrong. */
export const drawRates = (random: Random): VenueRates => {
  const rate = () => random.pick([0, 0, 0.1, 0.3])
  return {
    lostBefore: rate(),
    lostAfter: rate(),
    hangs: rate() / 3,
    refused: rate() / 3,
    notSent: rate() / 3,
    late: rate(),
    lag: random.pick([0, 0.5, 1])
  }
}

const drawEntry = (random: Random): AccountHappening => ({
  do: "enter",
  bot: random.integer(0, botCount - 1),
  steps: random.integer(200, 3_000),
  below: random.pick([null, null, 0.001, 0.01])
})

const drawWant = (random: Random): AccountHappening => {
  const bot = random.integer(0, botCount - 1)
  const drawn = random.integer(0, 9)
  if (drawn < 5) return drawEntry(random)
  if (drawn < 8) return { do: "leave", bot }
  return { do: "takeBack", bot }
}

/** Something that may happen to an exchange account. */
export const drawAccountHappening = (random: Random): AccountHappening => {
  const ms = random.pick([20, 500, 3_000, 6_000, 12_000])
  const drawn = random.integer(0, 99)
  if (drawn < 32) return drawWant(random)
  if (drawn < 37) return { do: "venue", ...drawRates(random) }
  if (drawn < 48) return { do: "price", by: random.pick([-0.02, -0.005, 0.005, 0.02]) }
  if (drawn < 50) return { do: "pauseBot", bot: random.integer(0, botCount - 1) }
  if (drawn < 53) return { do: "runBot", bot: random.integer(0, botCount - 1) }
  if (drawn < 56) return { do: random.pick(["halt", "resume", "resume"] as const) }
  if (drawn < 60) return { do: "kill" }
  if (drawn < 66) return { do: "restart" }
  if (drawn < 68) return { do: "end" }
  if (drawn < 73) return { do: "freeze", ms }
  if (drawn < 75) return { do: "skew", ms: random.pick([-3_600_000, 3_600_000]) }
  if (drawn < 78) return { do: "move" }
  if (drawn < 82) return { do: "steal" }
  if (drawn < 84) return { do: "reconcile" }
  if (drawn < 86) return { do: "maintenance", ms }
  if (drawn < 88) return { do: "byHand", steps: random.integer(200, 2_000) }
  if (drawn < 90) {
    const status = random.pick(["cancelled", "expired", "rejected"] as const)
    return { do: "endOrder", status }
  }
  if (drawn < 91) return { do: "venueSkew", ms: random.pick([-500, 500]) }
  if (drawn < 92) return { do: "cutFeeds" }
  if (drawn < 94) {
    const rate = () => random.pick([0, 0, 0.01, 0.05])
    return { do: "store", fail: rate(), lose: rate(), slow: rate() }
  }
  return {
    do: "arm",
    fault: random.pick(["fail", "lose", "slow", "kill", "freeze"] as const),
    after: random.integer(0, 30),
    isBefore: random.next() < 0.5,
    ms
  }
}

const pauses = [0, 1, 10, 200, 500, 1_000]

/** The history of an exchange account that a seed gives. */
export const drawAccountHistory = (seed: string): AccountHistory => {
  const random = makeRandom(`${seed} account`)
  const exchange = drawExchange(random, makeRandom(`${seed} limits`))
  const eventCount = random.integer(6, 40)
  const draw = (at: number): AccountHappening => {
    if (at === 0) return { do: "venue", ...drawRates(random) }
    // There has to be something to sell.
    return at < 4 ? drawEntry(random) : drawAccountHappening(random)
  }
  const events = Array.from({ length: eventCount }, (_, at) => ({
    ...draw(at),
    afterMs: random.pick(pauses),
    process: random.integer(0, 1)
  }))
  return { kind: "account", seed, order: seed, exchange, events }
}
