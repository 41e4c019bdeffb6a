/**
 * A model exchange that processes reach over lines, with what goes wrong on them.
 */
import type { Venue, VenueError, VenueHint } from "@candlewick/core"
import {
  makeModelVenue,
  type ModelVenue,
  ordersOf,
  type VenueFault
} from "@candlewick/core/testing"
import { Clock, Context, Effect, Queue, Stream } from "effect"
import type { Counts } from "../counts.ts"
import { callOver } from "../line.ts"
import type { Lane, Simulator } from "../seededScheduler.ts"
import type { ExchangePlan, VenueRates } from "./accountHistory.ts"

/** The terms of all markets. */
const terms = {
  quantityStep: "0.001",
  priceStep: "0.01",
  minQuantity: "0.001",
  minNotional: "5",
  makerRate: "0.001",
  takerRate: "0.002",
  price: "100"
}

/** A market of the exchange. */
export const marketAt = (symbol: string) => {
  const [base, quote] = symbol.split("/") as [string, string]
  return { ...terms, symbol, base, quote }
}

/** The one market of an account that no bots' runners trade with. */
export const market = marketAt("BTC/USDT")

const noRates: VenueRates = {
  lostBefore: 0,
  lostAfter: 0,
  hangs: 0,
  refused: 0,
  notSent: 0,
  late: 0,
  lag: 0
}

const lateMaxMs = 12_000

/** The markets of an exchange, and the balances of the account there at first. */
interface FaultyVenueOptions {
  readonly balance?: string
  readonly symbols?: ReadonlyArray<string>
  /** A spot exchange by default; one that keeps positions has orders that only reduce. */
  readonly kind?: "spot" | "one_way"
  readonly leverage?: number
}

/** The exchange, and the lines to it. */
export class FaultyVenue {
  readonly #simulator: Simulator
  readonly #counts: Counts
  /** The market in which things happen by hand. */
  readonly symbol: string
  /** The lane of the exchange, whose clock is right. */
  readonly lane: Lane
  readonly model: ModelVenue
  #rates: VenueRates = noRates
  /** Told of each order just before the exchange may get it. */
  readonly #onSubmit: (id: string) => void
  /** The fate of the next order, besides; nothing where null. */
  onSend: { readonly isBefore: boolean; readonly meet: (lane: Lane) => void } | null = null

  constructor(
    simulator: Simulator,
    counts: Counts,
    plan: ExchangePlan,
    onSubmit: (id: string) => void,
    {
      balance = "20000",
      kind = "spot",
      leverage = 1,
      symbols = [market.symbol]
    }: FaultyVenueOptions = {}
  ) {
    this.#simulator = simulator
    this.#counts = counts
    this.#onSubmit = onSubmit
    this.symbol = symbols[0]!
    this.lane = simulator.lane("exchange")
    const { feeCoin, hasExpiry = false, pageSize, readLagMs, windowMs } = plan
    const { fillDelayMs, partChance, rejectChance, repeatChance, tellDelayMs } = plan
    const own = typeof feeCoin === "object" ? feeCoin : null
    this.model = makeModelVenue({
      markets: symbols.map((symbol) => ({
        ...marketAt(symbol),
        ...(own !== null && { feeCoin: own.coin })
      })),
      balances: {
        [marketAt(symbols[0]!).quote]: balance,
        ...(own !== null && { [own.coin]: own.owners })
      },
      capabilities: { windowMs, readLagMs, kind, hasExpiry, hasReduceOnly: kind === "one_way" },
      leverage,
      habits: { fillDelayMs, partChance, rejectChance, repeatChance, tellDelayMs },
      feeCoin,
      pageSize,
      random: () => simulator.random.next(),
      drawFault: ({ type }) => this.#drawFault(type === "submit" || type === "cancel"),
      drawHint: () => this.#drawHint()
    })
  }

  /** Sets how often calls go wrong. */
  setRates(rates: VenueRates | null): void {
    this.#rates = rates ?? noRates
  }

  #drawHint(): "told" | "lost" | "twice" | "gap" {
    if (this.#rates === noRates) return "told"
    return this.#simulator.random.pick(["told", "told", "lost", "twice", "gap"] as const)
  }

  #drawFault(isRequest: boolean): VenueFault {
    if (this.#rates === noRates) return {}
    const { random } = this.#simulator
    const { hangs, lag, lostAfter, lostBefore, notSent, refused } = this.#rates
    const { late, lateRequests = 0 } = this.#rates
    const outcome = this.#drawOutcome([
      ["lost_before", lostBefore],
      ["lost_after", lostAfter],
      ["hangs_before", hangs / 2],
      ["hangs_after", hangs / 2],
      ["refused", isRequest ? refused : 0],
      ["not_sent", isRequest ? notSent : 0]
    ])
    if (outcome !== undefined) this.#counts.add(`venue.${outcome}`)
    const isLate = random.next() < Math.max(late, isRequest ? lateRequests : 0)
    if (isLate) this.#counts.add("venue.late")
    return {
      outcome,
      delayMs: isLate ? random.integer(0, lateMaxMs) : 0,
      answerMs: isLate ? random.integer(0, 2_000) : 0,
      lagMs: random.next() < lag ? random.integer(0, 3_000) : 0
    }
  }

  #drawOutcome<Name extends string>(
    chances: ReadonlyArray<readonly [Name, number]>
  ): Name | undefined {
    let drawn = this.#simulator.random.next()
    for (const [name, chance] of chances) {
      if (drawn < chance) return name
      drawn -= chance
    }
    return undefined
  }

  /** The venue as a process has it. */
  connect(lane: Lane): Venue {
    const { venue } = this.model
    const over = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      callOver(lane, this.lane, this.lane.context, effect)
    return {
      capabilities: venue.capabilities,
      market: (symbol) => over(venue.market(symbol)),
      submit: (order) =>
        over(
          Effect.suspend(() => {
            this.#onSubmit(order.id)
            const sent = this.onSend
            this.onSend = null
            if (sent === null) return venue.submit(order)
            const meeting = Effect.sync(() => sent.meet(lane))
            return sent.isBefore
              ? Effect.andThen(meeting, Effect.never)
              : Effect.ensuring(venue.submit(order), meeting)
          })
        ),
      cancel: (symbol, id) => over(venue.cancel(symbol, id)),
      order: (symbol, id) => over(venue.order(symbol, id)),
      openOrders: over(venue.openOrders),
      trades: (cursor) => over(venue.trades(cursor)),
      holdings: over(venue.holdings),
      feed: this.#feed(lane)
    }
  }

  #feed(lane: Lane): Venue["feed"] {
    return Stream.callback<VenueHint, VenueError>((queue) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const listening = Stream.runForEach(this.model.venue.feed, (hint) =>
            Effect.sync(() => lane.enqueue(() => void Queue.offerUnsafe(queue, hint)))
          )
          const fiber = Effect.runForkWith(this.lane.context)(listening)
          lane.servants.add(fiber)
          fiber.addObserver((exit) => {
            lane.servants.delete(fiber)
            lane.enqueue(() => {
              if (exit._tag === "Failure") Queue.failCauseUnsafe(queue, exit.cause)
              else Queue.endUnsafe(queue)
            })
          })
          return fiber
        }),
        (fiber) => Effect.sync(() => fiber.interruptUnsafe())
      )
    )
  }

  /** The orders that the exchange truly has. */
  get orders(): ReturnType<typeof ordersOf> {
    return ordersOf(this.now(this.model.truth))
  }

  /** Ends all faults. */
  heal(): void {
    this.onSend = null
    this.setRates(null)
    this.now(this.model.act({ type: "maintenance", isDown: false }))
    this.now(this.model.act({ type: "skew", skewMs: 0 }))
  }

  /** Has something done at the exchange at this moment. */
  now<A>(effect: Effect.Effect<A>): A {
    return Effect.runSync(
      Effect.provideService(effect, Clock.Clock, Context.get(this.lane.context, Clock.Clock))
    )
  }
}
