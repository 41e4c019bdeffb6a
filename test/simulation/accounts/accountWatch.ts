/**
 * The laws of an exchange account after each write that is kept, and at the exchange.
 */
import {
  type Account,
  AttemptMachine,
  type Bot,
  type LogEntry,
  type Order,
  type OrderAttempt,
  type VenueAccount,
  type VenueFact
} from "@candlewick/core"
import type { ordersOf } from "@candlewick/core/testing"
import { numberOf } from "../../../packages/core/src/domain/decimals.ts"
import { bookOf } from "../../../packages/core/src/services/venues/agent/agentState.ts"
import type { Counts } from "../counts.ts"
import type { Call } from "../faultyStore.ts"
import { demand, hasRow, isOrderMove } from "../invariants.ts"
import type { Lane } from "../seededScheduler.ts"
import type { ExchangePlan } from "./accountHistory.ts"

const minuteMs = 60_000
const keptFromActing = "kept from acting"
const roundingMax = 1e-9

type ExchangeOrder = ReturnType<typeof ordersOf>[number]

/** Whether an order asks for no more of a quantity than another one left when it was over. */
const isRestOf = (
  order: ExchangeOrder,
  { filled, status }: ExchangeOrder,
  quantity: number
): boolean =>
  status !== "open" && numberOf(order.quantity) <= quantity - numberOf(filled) + roundingMax

/** The listeners that look at more of an exchange account than it keeps. */
interface AccountWatchers {
  /** Told of each line of a bot's log. */
  readonly onLog?: (line: Pick<LogEntry, "bot_id" | "data" | "event">) => void
  /** Told of each entry that is about to be sent. */
  readonly onEntry?: (entry: OrderAttempt) => void
}

/** An exchange account as it was kept last. */
export class AccountWatch {
  readonly #counts: Counts
  readonly bots = new Map<string, Bot>()
  readonly orders = new Map<string, Order>()
  readonly attempts = new Map<string, OrderAttempt>()
  /** By their ids. */
  readonly facts = new Map<string, VenueFact>()
  /** The bots that have an allocation of the account. */
  sharing: ReadonlySet<string> = new Set()
  /** When each bot told that a stop is missing, by the time of the simulation. */
  readonly alerts = new Map<string, Array<number>>()
  /** Bots that told that they are kept from acting at all, as where their candles fail. */
  readonly idle = new Set<string>()
  /** The quantity of each lot that is too small to be sold, as its bot told, by bot and market. */
  readonly dust = new Map<string, Map<string, number>>()
  #isHalted = false
  #epoch = 0
  #version = 0
  #lossAcceptedAtMs: number | undefined
  #askedAtMs: number | undefined
  /** The process that took the account over last. */
  #owner: Lane | null = null

  readonly #plan: ExchangePlan
  /** The store's times at which requests of orders were about to leave. */
  readonly #sentAtMs: Array<number> = []
  /** How many facts were kept when an order was decided, by its id. */
  readonly #decidedAfter = new Map<string, number>()

  readonly #telling: AccountWatchers

  constructor(counts: Counts, plan: ExchangePlan, telling: AccountWatchers = {}) {
    this.#counts = counts
    this.#plan = plan
    this.#telling = telling
  }

  /** Looks at the calls of one transaction that was kept, in their order. */
  look(lane: Lane, calls: ReadonlyArray<Call>): void {
    for (const { input, name } of calls) {
      switch (name) {
        case "AccountStore.update":
          this.#isHalted = (input[0] as Account).is_halted
          break
        case "BotStore.insert":
        case "BotStore.update":
          this.bots.set((input[0] as Bot).id, input[0] as Bot)
          break
        case "OrderStore.insert":
        case "OrderStore.update":
          this.#moveOrder(input[0] as Order)
          break
        case "BotJournal.append":
          this.#hear(lane, input[0] as LogEntry)
          break
        case "VenueAccountStore.put":
          this.#takeOver(lane, input[0] as VenueAccount)
          break
        case "VenueAccountStore.putAttempt":
          this.#moveAttempt(lane, input[0] as OrderAttempt)
          break
        case "VenueAccountStore.keepFacts":
          this.#keepFacts(input[1] as ReadonlyArray<VenueFact>)
          break
      }
    }
  }

  #moveOrder(order: Order): void {
    const before = this.orders.get(order.client_order_id)
    if (before !== undefined && before.status !== order.status) {
      const said = `an order went from ${before.status} to ${order.status}`
      demand(isOrderMove(before.status, order.status), said)
      this.#counts.add(`order.${order.status}`)
    }
    this.orders.set(order.client_order_id, order)
  }

  #hear({ simulator }: Lane, line: LogEntry): void {
    const { bot_id: botId, data, event, message } = line
    if (event === "bot.hindered" && message.startsWith(keptFromActing)) this.idle.add(botId)
    if (event === "bot.unhindered" && message.includes(keptFromActing)) this.idle.delete(botId)
    if (event === "position.dust") {
      const name = `${botId} ${data["symbol"] as string}`
      const lots = this.dust.get(name) ?? new Map<string, number>()
      this.dust.set(name, lots.set(data["lot"] as string, Number(data["quantity"])))
    }
    this.#telling.onLog?.(line)
    if (event !== "protection.missing") return
    this.#counts.add("live.alerted")
    this.alerts.set(botId, [...(this.alerts.get(botId) ?? []), simulator.nowMs])
  }

  #takeOver(lane: Lane, account: VenueAccount): void {
    const { epoch, version } = account
    // A write of a slow store is told of after one that was kept later.
    if (version < this.#version) return
    const { comparison, lossAcceptedAtMs, shares } = bookOf(account)
    this.sharing = new Set(Object.keys(shares.bots))
    // Any process takes out of the books what a person says is gone.
    const isAccepting = lossAcceptedAtMs !== this.#lossAcceptedAtMs
    this.#lossAcceptedAtMs = lossAcceptedAtMs
    // Any process asks its owner for a comparison.
    const isAsking = comparison?.askedAtMs !== this.#askedAtMs
    this.#askedAtMs = comparison?.askedAtMs
    this.#version = version
    demand(epoch >= this.#epoch, "an account went back to an owner of before")
    if (epoch > this.#epoch) {
      this.#epoch = epoch
      this.#owner = lane
      this.#counts.add("account.takenOver")
    }
    // A bot's allocation is kept before any process has the account.
    if (epoch === 0 || isAccepting || isAsking) return
    demand(lane === this.#owner, "a process writes an account that is another's")
  }

  #moveAttempt(lane: Lane, attempt: OrderAttempt): void {
    const before = this.attempts.get(attempt.id)
    const [from, to] = [before?.state ?? AttemptMachine.initial, attempt.state]
    demand(from === to || hasRow(AttemptMachine, from, to), `an attempt went from ${from} to ${to}`)
    if (from !== to) this.#counts.add(`attempt.${to}`)
    if (from !== to && to === "sending") this.#send(lane, attempt)
    if (before === undefined && attempt.number > 1) this.#counts.add("attempt.again")
    const { client_order_id: decision } = attempt
    if (!this.#decidedAfter.has(decision)) this.#decidedAfter.set(decision, this.facts.size)
    this.attempts.set(attempt.id, attempt)
  }

  #send(lane: Lane, attempt: OrderAttempt): void {
    demand(lane === this.#owner, "a process sends for an account that is another's")
    demand(!attempt.is_cancel_wanted, "what was taken back is sent")
    const { orderNotionalMax, ordersPerMinuteMax } = this.#plan
    const sinceMs = attempt.sent_at_ms! - minuteMs
    this.#sentAtMs.push(attempt.sent_at_ms!)
    if (attempt.leg !== "entry") return
    const count = this.#sentAtMs.filter((sentAtMs) => sentAtMs > sinceMs).length
    demand(count <= (ordersPerMinuteMax ?? count), `${count} orders are sent in a minute`)
    const { limit_price: limit, stop_price: trigger } = attempt.decided_order ?? attempt.order
    // An entry that waits for a price is worth what it costs there. A limit of money is none.
    const price = limit ?? trigger ?? attempt.reference_price
    const notional = Number(attempt.order.quantity) * Number(price)
    demand(notional <= (orderNotionalMax ?? notional), `an entry of ${notional} is sent`)
    const bot = this.bots.get(attempt.bot_id)!
    demand(bot.status === "running", `an entry of a bot that is ${bot.status} is sent`)
    const gate = bot.trading_state
    demand(gate === "active", `an entry of a bot whose gate is ${gate} is sent`)
    this.#telling.onEntry?.(attempt)
    demand(!this.#isHalted, "an entry is sent while the account is halted")
    this.#refuseSecond(attempt)
    demand(!this.hasOtherFilled(attempt), "an entry is sent though another of its group has filled")
  }

  /** An entry is decided by what its bot holds: no earlier one may fill, or have filled, since. */
  #refuseSecond({ bot_id: botId, client_order_id: decision, order }: OrderAttempt): void {
    const takenBack = [...this.attempts.values()].filter(
      (one) =>
        one.bot_id === botId &&
        one.leg === "entry" &&
        one.is_cancel_wanted &&
        one.order.symbol === order.symbol
    )
    const mayFill = ({ state }: OrderAttempt) =>
      state === "sending" || state === "unknown" || state === "working"
    demand(!takenBack.some(mayFill), "an entry is sent beside one that was taken back")
    const ids = new Set(takenBack.map(({ client_order_id: id }) => id))
    const since = [...this.facts.values()].slice(this.#decidedAfter.get(decision))
    const hasFilled = since.some(
      (fact) =>
        fact.type === "trade" && fact.client_order_id !== null && ids.has(fact.client_order_id)
    )
    demand(!hasFilled, "an entry is sent though one that was taken back has filled since")
  }

  /** Whether a trade is kept of another order of the same group. */
  hasOtherFilled({ bot_id: botId, client_order_id: decision, group }: OrderAttempt): boolean {
    if (group === undefined) return false
    const others = new Set(
      [...this.attempts.values()]
        .filter((one) => one.bot_id === botId && one.group === group)
        .map(({ client_order_id: id }) => id)
    )
    return [...this.facts.values()].some(
      ({ client_order_id: id, type }) =>
        type === "trade" && id !== null && id !== decision && others.has(id)
    )
  }

  #keepFacts(facts: ReadonlyArray<VenueFact>): void {
    for (const fact of facts) {
      if (this.facts.has(fact.id)) this.#counts.add("fact.again")
      else this.#counts.add(`fact.${fact.type}`)
      if (!this.facts.has(fact.id)) this.facts.set(fact.id, fact)
    }
  }

  /** An order may only leave once it was written that it leaves. */
  refuseUnwritten(id: string): void {
    const attempt = this.attempts.get(id)
    demand(attempt !== undefined, `the order ${id} is sent, and was never written`)
    demand(attempt!.state !== "written", `the order ${id} is sent before that was written`)
  }

  /** Whether an order asks for what another one of its decision has left. */
  #follows(order: ExchangeOrder, other: ExchangeOrder): boolean {
    const { client_order_id, decided_order: decided, leg } = this.attempts.get(other.id!)!
    const mayFollow = leg === "entry" ? decided?.type === "market" : leg === "exit"
    // An exit that fees have cut by a step may ask for that step again.
    const asked = leg === "exit" ? this.orders.get(client_order_id)?.quantity : decided?.quantity
    return mayFollow && isRestOf(order, other, Number(asked ?? numberOf(other.quantity)))
  }

  /**
   * No decision has two orders at the exchange, however often it was sent. An exit may follow
   * another that filled in part, for the rest; so may an entry whose limit was its bot's money.
   * Where orders only reduce, one that protects may rest beside the one that it replaces.
   */
  refuseTwice(orders: ReadonlyArray<ExchangeOrder>): void {
    const effective = new Map<string, ExchangeOrder>()
    for (const exchangeOrder of orders) {
      const { filled, id, status } = exchangeOrder
      if (id === null || (status !== "open" && filled.value === 0n)) continue
      const attempt = this.attempts.get(id)
      demand(attempt !== undefined, `the exchange has an order ${id} that nobody wrote`)
      const { client_order_id: decision, leg, order } = attempt!
      if (order.is_reduce_only && order.type !== "market" && leg !== "exit") continue
      if (status !== "open" && leg !== "entry" && leg !== "exit") continue
      const other = effective.get(decision)
      const isRest = other !== undefined && this.#follows(exchangeOrder, other)
      const said = `the decision ${decision} has two orders: ${other?.id} and ${id}`
      demand(other === undefined || isRest, said)
      effective.set(decision, exchangeOrder)
    }
  }
}
