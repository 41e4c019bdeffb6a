/**
 * A model exchange as a `Venue`, with a hand on its world.
 *
 * The model fills orders by itself. It has no timers: events that fall due between two calls happen
 * at the second one. So a test decides the time, and thousands of histories a second are possible.
 *
 * @since 0.1.0
 */
import { Cause, Clock, Effect, Option, Queue, Stream } from "effect"
import {
  VenueError,
  VenueNotSent,
  VenueOutcomeUnknown,
  VenueRefused,
  VenueUnavailable
} from "../../domain/VenueError.ts"
import type { Decimal, Venue, VenueCapabilities, VenueHint } from "../../ports/Venue.ts"
import {
  type Exchange,
  type ExchangeHabits,
  type FeeCoin,
  holdingsOf,
  type ModelMarket,
  openExchange,
  openOrdersOf,
  newestOrder,
  orderStateOf,
  tradesAfter
} from "./Exchange.ts"
import {
  downReason,
  type ExchangeAnswer,
  type ExchangeInput,
  stepExchange
} from "./stepExchange.ts"
import type { OrderByHand } from "./acceptOrder.ts"
import type { DrawFault, DrawHint, VenueCall, VenueFault } from "./venueFaults.ts"

/** The options of a model exchange. @category models @since 0.1.0 */
export interface ModelVenueOptions {
  readonly markets: ReadonlyArray<ModelMarket>
  /** The first holdings of the account. */
  readonly balances: Readonly<Record<string, Decimal>>
  /** Replaces single ones of a spot exchange with stops, base62 ids and a window of 5 s. */
  readonly capabilities?: Partial<VenueCapabilities> | undefined
  readonly habits?: Partial<ExchangeHabits> | undefined
  readonly feeCoin?: FeeCoin | undefined
  readonly leverage?: number | undefined
  readonly pageSize?: number | undefined
  /** Numbers from 0 up to 1; needed where there are habits. */
  readonly random?: (() => number) | undefined
  readonly drawFault?: DrawFault | undefined
  readonly drawHint?: DrawHint | undefined
}

/** A model exchange. @category models @since 0.1.0 */
export interface ModelVenue {
  readonly venue: Venue
  /** How everything truly is, faults and lags aside. */
  readonly truth: Effect.Effect<Exchange>
  /** Trades a market at a price. */
  readonly moveTo: (symbol: string, price: Decimal) => Effect.Effect<void>
  /** Makes all due events happen. */
  readonly catchUp: Effect.Effect<void>
  /** Does something to the exchange, as its owner or as the owner of the account. */
  readonly act: (input: ExchangeInput) => Effect.Effect<ExchangeAnswer>
  /** Places an order by hand, which has no id of ours. */
  readonly placeByHand: (order: OrderByHand) => Effect.Effect<ExchangeAnswer>
  /** Cuts all feeds. */
  readonly cut: Effect.Effect<void>
}

const spotCapabilities: VenueCapabilities = {
  kind: "spot",
  idForm: "base62",
  windowMs: 5_000,
  readLagMs: 0,
  hasStops: true,
  hasReduceOnly: false,
  canShareQuantity: false
}

const noHabits: ExchangeHabits = {
  partChance: 0,
  rejectChance: 0,
  fillDelayMs: 0,
  tellDelayMs: 0,
  repeatChance: 0
}

const noFault: VenueFault = {}

const needsRandom = (): number => {
  throw new RangeError("an exchange with habits needs a source of random numbers")
}

const failWith = (reason: VenueError["reason"]) => Effect.fail(new VenueError({ reason }))

const connectionLost = new VenueOutcomeUnknown({ why: "the connection was lost" })

const notAnswered = new VenueUnavailable({ why: "there was no answer", is_maintenance: false })

/** A request on its way; the answer is there once it has arrived. */
interface Flight {
  readonly arrivesAtMs: number
  readonly input: ExchangeInput
  answer: ExchangeAnswer | null
}

type Listener = Queue.Queue<VenueHint, VenueError | Cause.Done>

/** The exchange behind the venue: its states, requests on their way to it, and its listeners. */
class World {
  now: Exchange
  readonly listeners = new Set<Listener>()
  readonly #random: () => number
  readonly #drawHint: DrawHint
  /** States since the longest lag, and the one before, the oldest first. */
  #past: ReadonlyArray<{ readonly atMs: number; readonly exchange: Exchange }>
  #flights: Array<Flight> = []

  constructor(exchange: Exchange, { drawHint, random }: ModelVenueOptions) {
    this.now = exchange
    this.#past = [{ atMs: Number.NEGATIVE_INFINITY, exchange }]
    this.#random = random ?? needsRandom
    this.#drawHint = drawHint ?? (() => "told")
  }

  step(input: ExchangeInput, nowMs: number): ExchangeAnswer {
    const before = this.now
    const { answer, exchange, hints } = stepExchange(before, input, nowMs, this.#random)
    this.now = exchange
    this.#remember(nowMs)
    for (const hint of hints) this.#tell(hint)
    if (exchange.isDown && !before.isDown) this.cut()
    return answer
  }

  catchUp(nowMs: number): void {
    const due = this.#flights.filter(({ arrivesAtMs }) => arrivesAtMs <= nowMs)
    this.#flights = this.#flights.filter(({ arrivesAtMs }) => arrivesAtMs > nowMs)
    for (const flight of due.sort((one, other) => one.arrivesAtMs - other.arrivesAtMs)) {
      flight.answer = this.step(flight.input, flight.arrivesAtMs)
    }
    this.step({ type: "time" }, nowMs)
  }

  send(input: ExchangeInput, arrivesAtMs: number): Flight {
    const flight: Flight = { arrivesAtMs, input, answer: null }
    this.#flights.push(flight)
    return flight
  }

  /** How things were at a moment not longer ago than the read lag. */
  at(momentMs: number): Exchange {
    if (this.now.terms.capabilities.readLagMs === 0) return this.now
    return this.#past.findLast(({ atMs }) => atMs <= momentMs)?.exchange ?? this.now
  }

  #remember(nowMs: number): void {
    const { readLagMs } = this.now.terms.capabilities
    if (readLagMs === 0) return
    const before = this.#past.filter(({ atMs }) => atMs !== nowMs)
    const first = before.findLastIndex(({ atMs }) => atMs <= nowMs - readLagMs)
    this.#past = [...before.slice(Math.max(0, first)), { atMs: nowMs, exchange: this.now }]
  }

  #tell(hint: VenueHint): void {
    for (const listener of this.listeners) {
      const fate = this.#drawHint()
      if (fate === "lost") continue
      Queue.offerUnsafe(listener, fate === "gap" ? "gap" : hint)
      if (fate === "twice") Queue.offerUnsafe(listener, hint)
    }
  }

  cut(): void {
    const lost = [...this.listeners]
    this.listeners.clear()
    for (const listener of lost) {
      Queue.failCauseUnsafe(listener, Cause.fail(new VenueError({ reason: notAnswered })))
    }
  }
}

const sleep = (delayMs = 0): Effect.Effect<void> =>
  delayMs > 0 ? Effect.sleep(delayMs) : Effect.void

const travelMs = ({ answerMs = 0, delayMs = 0 }: VenueFault): number => delayMs + answerMs

const pauseMs = 1_000

/** Sends a request to the exchange, with the fault of its call. */
const request = Effect.fnUntraced(function* (
  world: World,
  input: ExchangeInput,
  fault: VenueFault
): Effect.fn.Return<ExchangeAnswer, VenueError> {
  const { delayMs = 0, outcome } = fault
  if (outcome === "refused") {
    return yield* failWith(new VenueRefused({ code: "invalid_order", why: "by a fault" }))
  }
  if (outcome === "not_sent") {
    return yield* failWith(new VenueNotSent({ why: "too many requests", pause_ms: pauseMs }))
  }
  if (outcome === "hangs_before") return yield* Effect.never
  if (outcome === "lost_before") {
    yield* sleep(travelMs(fault))
    return yield* failWith(connectionLost)
  }
  const sentAtMs = yield* Clock.currentTimeMillis
  const flight = world.send(input, sentAtMs + delayMs)
  if (delayMs === 0) world.catchUp(sentAtMs)
  if (outcome === "hangs_after") return yield* Effect.never
  yield* sleep(travelMs(fault))
  if (outcome === "lost_after") return yield* failWith(connectionLost)
  if (flight.answer === null) world.catchUp(yield* Clock.currentTimeMillis)
  return flight.answer ?? (yield* failWith(connectionLost))
})

/** Asks the exchange, with the fault of the call. */
const read = Effect.fnUntraced(function* <A>(
  world: World,
  fault: VenueFault,
  look: (exchange: Exchange) => A
): Effect.fn.Return<A, VenueError> {
  const { answerMs, delayMs, lagMs = 0, outcome } = fault
  if (outcome === "hangs_before" || outcome === "hangs_after") return yield* Effect.never
  yield* sleep(delayMs)
  const nowMs = yield* Clock.currentTimeMillis
  world.catchUp(nowMs)
  const { isDown, terms } = world.now
  if (isDown) return yield* failWith(downReason)
  const seen = look(world.at(nowMs - Math.min(lagMs, terms.capabilities.readLagMs)))
  yield* sleep(answerMs)
  return outcome === undefined ? seen : yield* failWith(notAnswered)
})

const feedOf = (world: World, drawFault: DrawFault): Venue["feed"] =>
  Stream.callback<VenueHint, VenueError>((queue) =>
    Effect.gen(function* () {
      yield* read(world, drawFault({ type: "feed" }), () => undefined)
      yield* Effect.acquireRelease(
        Effect.sync(() => world.listeners.add(queue)),
        () => Effect.sync(() => world.listeners.delete(queue))
      )
    })
  )

const requestsOf = (world: World, drawFault: DrawFault): Pick<Venue, "submit" | "cancel"> => ({
  submit: Effect.fnUntraced(function* (order) {
    const input = { type: "submit", order } as const
    const answer = yield* request(world, input, drawFault(input))
    if (typeof answer === "object") return yield* failWith(answer)
  }),
  cancel: Effect.fnUntraced(function* (symbol, id) {
    const input = { type: "cancel", symbol, id } as const
    const answer = yield* request(world, input, drawFault(input))
    if (typeof answer === "object") return yield* failWith(answer)
    return answer === "cancelled" ? "cancelled" : "gone"
  })
})

const readsOf = (
  world: World,
  drawFault: DrawFault
): Pick<Venue, "market" | "order" | "openOrders" | "trades" | "holdings"> => {
  const ask = <A>(
    type: Exclude<VenueCall["type"], "submit" | "cancel">,
    look: (e: Exchange) => A
  ) => Effect.suspend(() => read(world, drawFault({ type }), look))
  return {
    market: (symbol) =>
      ask("market", ({ terms }) => Option.fromUndefinedOr(terms.markets.get(symbol))),
    order: (symbol, id) =>
      ask("order", (exchange) =>
        Option.map(
          Option.filter(newestOrder(exchange, id), (order) => order.symbol === symbol),
          orderStateOf
        )
      ),
    openOrders: ask("open_orders", (exchange) => openOrdersOf(exchange).map(orderStateOf)),
    trades: (cursor) => ask("trades", (exchange) => tradesAfter(exchange, cursor)),
    holdings: ask("holdings", holdingsOf)
  }
}

/**
 * A model exchange with one account.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeModelVenue = (options: ModelVenueOptions): ModelVenue => {
  const capabilities = { ...spotCapabilities, ...options.capabilities }
  const terms = {
    capabilities,
    markets: new Map(options.markets.map((market) => [market.symbol, market])),
    feeCoin: options.feeCoin ?? "quote",
    habits: { ...noHabits, ...options.habits },
    leverage: options.leverage ?? 1,
    pageSize: options.pageSize ?? 100
  }
  const world = new World(openExchange(terms, options.balances), options)
  const drawFault = options.drawFault ?? (() => noFault)
  const catchUp = Effect.map(Clock.currentTimeMillis, (nowMs) => world.catchUp(nowMs))
  const act = (input: ExchangeInput) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      world.catchUp(nowMs)
      return world.step(input, nowMs)
    })
  return {
    venue: {
      capabilities,
      ...requestsOf(world, drawFault),
      ...readsOf(world, drawFault),
      feed: feedOf(world, drawFault)
    },
    truth: Effect.map(catchUp, () => world.now),
    moveTo: (symbol, price) => Effect.asVoid(act({ type: "price", symbol, price })),
    catchUp,
    act,
    placeByHand: (order) => act({ type: "by_hand", order }),
    cut: Effect.sync(() => world.cut())
  }
}
