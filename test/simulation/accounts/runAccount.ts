/**
 * Runs a history of an exchange account: orders and faults, then a while without faults, after which
 * everything must be known, once, and agree.
 */
import {
  AccountStore,
  openAttemptStates,
  type Order,
  type OrderAttempt,
  type TradeFact
} from "@candlewick/core"
import { tradesOf } from "@candlewick/core/testing"
import { positionClosedReason } from "../../../packages/core/src/services/bots/takenBack.ts"
import { BigDecimal, Context, Effect, Option } from "effect"
import { decimalOfUnsafe, decimalText } from "../../../packages/core/src/domain/decimals.ts"
import { isProtective } from "../../../packages/core/src/services/orderLegs.ts"
import { demand } from "../invariants.ts"
import { Violation } from "../seededScheduler.ts"
import type {
  AccountEvent,
  AccountHappening,
  AccountHistory,
  ExchangePlan
} from "./accountHistory.ts"
import type { AccountWorld } from "./accountWorld.ts"
import { market } from "./faultyVenue.ts"

/**
 * The time until everything is known once faults have ended. An account is reconciled each minute,
 * and finds then whatever no hint had named. An order may reach the exchange just after that.
 */
const healMs = 150_000
const lookMs = 1_000

const sumOf = (amounts: ReadonlyArray<string>): BigDecimal.BigDecimal =>
  amounts.reduce(
    (sum, amount) => BigDecimal.sum(sum, decimalOfUnsafe(amount)),
    BigDecimal.fromBigInt(0n)
  )

const inSteps = (amount: BigDecimal.BigDecimal): string => {
  const steps = BigDecimal.toNumberUnsafe(amount) / Number(market.quantityStep)
  return (Math.floor(steps + 1e-9) * Number(market.quantityStep)).toFixed(3)
}

const stepsText = (steps: number): string => (steps * Number(market.quantityStep)).toFixed(3)

/** The coins that a bot has, as its facts say, less those that it sells already. */
const heldBy = ({ watch }: AccountWorld, botId: string): string => {
  let held = BigDecimal.fromBigInt(0n)
  for (const fact of watch.facts.values()) {
    if (fact.type !== "trade" || fact.bot_id !== botId) continue
    const quantity = decimalOfUnsafe(fact.quantity)
    held =
      fact.side === "buy" ? BigDecimal.sum(held, quantity) : BigDecimal.subtract(held, quantity)
    if (fact.fee_currency === market.base) {
      held = BigDecimal.subtract(held, decimalOfUnsafe(fact.fee_amount))
    }
  }
  for (const attempt of watch.attempts.values()) {
    const isLeaving = attempt.bot_id === botId && attempt.order.side === "sell"
    if (!isLeaving || !openAttemptStates.includes(attempt.state)) continue
    const rest = BigDecimal.subtract(
      decimalOfUnsafe(attempt.order.quantity),
      decimalOfUnsafe(attempt.filled_quantity)
    )
    held = BigDecimal.subtract(held, rest)
  }
  return inSteps(held)
}

/** An exchange account and its exchange, whoever trades with it. */
export interface AtExchange extends Pick<AccountWorld, "counts" | "simulator" | "venue" | "watch"> {
  /** Whether the time of an order was over before a candle could fill it; never by default. */
  readonly isBornOver?: ((order: Order) => boolean) | undefined
}

const priceOf = ({ venue }: AtExchange): number => {
  const { prices } = venue.now(venue.model.truth)
  return BigDecimal.toNumberUnsafe(prices.get(venue.symbol)!)
}

const want = (world: AccountWorld, event: AccountEvent): void => {
  const { counts, watch } = world
  const price = priceOf(world)
  if (event.do === "enter") {
    const { below, bot, steps } = event
    const limitPrice = below === null ? null : (price * (1 - below)).toFixed(2)
    const quantity = stepsText(steps)
    const decided = { leg: "entry", side: "buy", quantity, limitPrice } as const
    counts.add("decided.entry")
    world.through(event.process, world.decide(bot, { ...decided, price: price.toFixed(2) }))
  } else if (event.do === "leave") {
    const quantity = heldBy(world, world.botIds[event.bot]!)
    if (Number(quantity) * price < 2 * Number(market.minNotional)) return
    const decided = { leg: "exit", side: "sell", quantity, limitPrice: null } as const
    counts.add("decided.exit")
    world.through(event.process, world.decide(event.bot, { ...decided, price: price.toFixed(2) }))
  } else if (event.do === "takeBack") {
    const botId = world.botIds[event.bot]!
    const open = [...watch.attempts.values()].findLast(
      (one) => one.bot_id === botId && openAttemptStates.includes(one.state)
    )
    if (open === undefined) return
    counts.add("decided.takeBack")
    world.through(event.process, world.takeBack(open))
  }
}

const setBot = (world: AccountWorld, slot: number, bot: number, status: "running" | "paused") => {
  const id = world.botIds[bot]!
  world.through(slot, (ports) =>
    Effect.gen(function* () {
      const held = Option.getOrThrow(yield* ports.bots.hold(world.accountId, id))
      yield* ports.bots.update({ ...held, status })
    })
  )
}

const setHalt = (world: AccountWorld, slot: number, isHalted: boolean): void =>
  world.through(slot, (ports) =>
    ports.transactor.transact(
      Effect.gen(function* () {
        const account = Option.getOrThrow(yield* ports.accounts.get(world.accountId))
        yield* ports.accounts.update({ ...account, is_halted: isHalted })
      })
    )
  )

/** Something happens to the exchange or to the lines there. */
export const happenThere = (world: AtExchange, event: AccountHappening): void => {
  const { counts, simulator, venue } = world
  const { model } = venue
  switch (event.do) {
    case "venue":
      return venue.setRates(event)
    case "maintenance":
      venue.now(model.act({ type: "maintenance", isDown: true }))
      simulator.after(event.ms, venue.lane, () => {
        venue.now(model.act({ type: "maintenance", isDown: false }))
      })
      return
    case "byHand": {
      const quantity = stepsText(event.steps)
      const order = { symbol: venue.symbol, side: "buy", type: "market", quantity } as const
      const rest = { limitPrice: null, stopPrice: null, isReduceOnly: false }
      const answer = venue.now(model.placeByHand({ ...order, ...rest }))
      if (answer === "done") counts.add("venue.byHand")
      return
    }
    case "endOrder": {
      const own = venue.orders.find(({ id, status }) => id !== null && status === "open")
      if (own === undefined) return
      counts.add("venue.endOrder")
      venue.now(model.act({ type: "end", id: own.id!, status: event.status }))
      return
    }
    case "venueSkew":
      venue.now(model.act({ type: "skew", skewMs: event.ms }))
      return
    case "price": {
      const price = (priceOf(world) * (1 + event.by)).toFixed(2)
      return venue.now(model.moveTo(venue.symbol, price))
    }
    case "cutFeeds":
      return venue.now(model.cut)
  }
}

/** Something happens to a process. */
const happenHere = (world: AccountWorld, event: AccountEvent): void => {
  const { process } = event
  switch (event.do) {
    case "kill":
      return world.kill(process)
    case "restart":
      return world.startProcess(process)
    case "end":
      return world.end(process)
    case "move":
      return world.move(process)
    case "steal":
      return world.steal(process)
    case "freeze":
      return world.freeze(process, event.ms)
    case "skew":
      return world.skew(process, event.ms)
    case "reconcile":
      return world.reconcile(() => {})
    case "store":
      world.server.rates = event
      return
    case "arm": {
      const lane = world.laneOf(process)
      if (lane === null) return
      const armed = world.server.armed.get(lane) ?? []
      world.server.armed.set(lane, armed)
      armed.push({ fault: event.fault, left: event.after, isBefore: event.isBefore, ms: event.ms })
    }
  }
}

const wants: ReadonlySet<string> = new Set(["enter", "leave", "takeBack"])

const happen = (world: AccountWorld, event: AccountEvent): void => {
  if (wants.has(event.do)) want(world, event)
  else if (event.do === "pauseBot") setBot(world, event.process, event.bot, "paused")
  else if (event.do === "runBot") setBot(world, event.process, event.bot, "running")
  else if (event.do === "halt" || event.do === "resume") {
    setHalt(world, event.process, event.do === "halt")
  } else {
    happenThere(world, event)
    happenHere(world, event)
  }
}

const pass = (world: AccountWorld, ms: number): void => {
  world.simulator.pass(ms)
  check(world)
}

const check = (world: AccountWorld): void => {
  world.noting(() => world.watch.refuseTwice(world.orders))
  if (world.violation !== null) throw world.violation
}

/** The quantity that the exchange has filled of an order. */
const filledOf = ({ venue }: AtExchange, id: string): string => {
  const order = venue.orders.find((one) => one.id === id)
  return order === undefined ? "0" : decimalText(order.filled)
}

/**
 * Whether an attempt waits for an exit that its exchange may have, or not: an entry for one of
 * another bot, until its decision is too old, and an exit for one of its own bot.
 */
const waitsForOther = ({ watch }: AtExchange, attempt: OrderAttempt): boolean =>
  attempt.state === "written" &&
  [...watch.attempts.values()].some(
    (one) =>
      one.state === "given_up" &&
      one.leg !== "entry" &&
      (one.bot_id === attempt.bot_id) === (attempt.leg !== "entry") &&
      one.order.symbol === attempt.order.symbol &&
      (one.order.side === attempt.order.side) === (attempt.leg !== "entry")
  )

/** The open question of an attempt; null where there is none. */
const unknownOf = (world: AtExchange, attempt: OrderAttempt): string | null => {
  const { filled_quantity: filled, id, leg, state } = attempt
  const order = world.venue.orders.find((one) => one.id === id)
  if (waitsForOther(world, attempt)) return null
  if (state === "written" || state === "sending" || state === "unknown") {
    return `the attempt ${id} is ${state}`
  }
  const isWorking = order?.status === "open"
  if (isWorking !== (state === "working")) {
    return `the attempt ${id} is ${state}, and its order ${order?.status ?? "never came"}`
  }
  if (isWorking && attempt.is_cancel_wanted) return `the order ${id} was taken back, and rests`
  const truth = filledOf(world, id)
  if (!BigDecimal.equals(decimalOfUnsafe(filled), decimalOfUnsafe(truth))) {
    return `the attempt ${id} of an ${leg} has ${filled}, and the exchange filled ${truth}`
  }
  return null
}

export const tradeFacts = ({ watch }: AtExchange): ReadonlyArray<TradeFact> =>
  [...watch.facts.values()].filter((fact) => fact.type === "trade")

/** The open question of trades: each is kept once, as its owner's. */
const unkept = (world: AtExchange): string | null => {
  const bots = [...world.watch.bots.values()]
  const isAttended = bots.some(({ status }) => status === "running" || status === "paused")
  const kept = new Map(tradeFacts(world).map((fact) => [fact.id, fact]))
  for (const { id, orderId } of tradesOf(world.venue.now(world.venue.model.truth))) {
    const fact = kept.get(id)
    // Where no bot runs, nobody asks what is traded by hand.
    if (orderId === null && !isAttended) continue
    if (fact === undefined) return `the trade ${id} is not kept`
    const owner = orderId === null ? null : world.watch.attempts.get(orderId)!.bot_id
    if (fact.bot_id !== owner) return `the trade ${id} is kept as another's`
  }
  return null
}

/** The open question of a decision: it is filled, it rests, or its end is kept. */
const undecided = (world: AtExchange): string | null => {
  const { attempts, facts, orders } = world.watch
  for (const [decision, order] of orders) {
    const own = [...attempts.values()].filter((one) => one.client_order_id === decision)
    // It is as large as what it protects, watched or at rest, and over when nothing is held.
    if (isProtective(order)) continue
    // Of two exits of one lot, only one rests at an exchange that can't share a quantity.
    if (own.length === 0 && (order.status === "rejected" || order.leg !== "entry")) continue
    // A bot ends an entry of a past time itself, and sends nothing.
    const isBornOver = order.status === "expired" && world.isBornOver?.(order) === true
    if (own.length === 0 && isBornOver) continue
    // An exit at a price that made room for another one is watched, and rests no more.
    const isWatched = order.status === "submitted" && order.type !== "market"
    if (isWatched && own.every((one) => one.is_cancel_wanted)) continue
    // An exit for more than was left has ended with the position.
    if (order.status === "cancelled" && order.reason === positionClosedReason) continue
    const isOpen = own.some(
      (one) => one.state === "working" || one.state === "given_up" || waitsForOther(world, one)
    )
    const ofIt = [...facts.values()].filter((fact) => fact.client_order_id === decision)
    const isEnded = ofIt.some(({ type }) => type === "ended")
    const filled = sumOf(ofIt.flatMap((fact) => (fact.type === "trade" ? [fact.quantity] : [])))
    // An exit leaves less than a step, or asks for one that fees have taken.
    const step = Number(market.quantityStep) * (1 + 1e-9)
    const isFilled = BigDecimal.toNumberUnsafe(filled) >= order.quantity - step
    if (!isOpen && !isEnded && !isFilled) return `nobody knows what became of ${decision}`
  }
  return null
}

/** The open question of attempts, trades and decisions; null where there is none. */
export const unknownAtExchange = (world: AtExchange): string | null => {
  for (const attempt of world.watch.attempts.values()) {
    const unknown = unknownOf(world, attempt)
    if (unknown !== null) return unknown
  }
  return unkept(world) ?? undecided(world)
}

const heal = (world: AccountWorld, { ordersPerMinuteMax }: ExchangePlan): void => {
  const sinceMs = world.simulator.nowMs
  // Entries wait for their minute.
  const minuteCount = 1 + world.watch.orders.size / (ordersPerMinuteMax ?? Infinity)
  for (;;) {
    world.heal()
    pass(world, lookMs)
    const found = unknownAtExchange(world)
    if (found === null) return
    if (world.simulator.nowMs - sinceMs > healMs * minuteCount) {
      throw new Violation(`long after all faults, not all is known: ${found}`)
    }
  }
}

/** Bots and what is outside add up to what the exchange has. */
const checkHoldings = (world: AccountWorld): void => {
  const answers: Array<ReadonlyArray<string>> = []
  for (let attempt = 0; attempt < 20 && answers.length === 0; attempt++) {
    // A process that was asked to end may have worked until now.
    world.heal()
    world.reconcile((mismatched) => void answers.push(mismatched))
    pass(world, lookMs)
  }
  const [found] = answers
  if (found === undefined) throw new Violation("an account is not reconciled where all is well")
  demand(found.length === 0, `the books of ${found.join(", ")} differ from the exchange`)
}

/** Runs a history of an exchange account, and throws the first thing that does not hold. */
export const carryOutAccount = (history: AccountHistory, world: AccountWorld): void => {
  for (const event of history.events) {
    pass(world, event.afterMs)
    world.counts.add(`event.${event.do}`)
    happen(world, event)
    world.simulator.settle()
    check(world)
  }
  heal(world, history.exchange)
  checkHoldings(world)
  const isKept = Option.isSome(
    Effect.runSync(Context.get(world.stores, AccountStore).get(world.accountId))
  )
  demand(isKept, "the account is gone")
  world.counts.add("venue.orders", world.orders.length)
  world.counts.add("venue.trades", tradeFacts(world).length)
}
