/**
 * The laws of bots after each write that is kept, whatever happened before it.
 */
import {
  type Account,
  type Bot,
  BotMachine,
  type BotState,
  type Order,
  OrderMachine,
  type StepWrite,
  type Trade
} from "@candlewick/core"
import type { Counts } from "./counts.ts"
import type { Call } from "./faultyStore.ts"
import type { Market } from "./market.ts"
import { type Lane, Violation } from "./seededScheduler.ts"

/** A bot as it was kept last. */
interface Known {
  bot: Bot
  /** The version that the bot is kept with. */
  version: number
  cursor: number | null
  readonly orders: Map<string, Order>
  /** By their ids, in the order in which they were kept. */
  readonly trades: Map<string, Trade>
}

interface Table<State extends string, Event extends string> {
  readonly transitions: ReadonlyArray<{
    readonly from: State
    readonly on: Event
    readonly to: State
  }>
}

/** Whether a table leads from one state to another in one step. */
export const hasRow = <State extends string, Event extends string>(
  table: Table<State, Event>,
  from: State,
  to: State
): boolean => table.transitions.some((row) => row.from === from && row.to === to)

/** Refuses what is not so. */
export const demand = (isSo: boolean, said: string): void => {
  if (!isSo) throw new Violation(said)
}

/** The bots of a history as the store has kept them. */
export class Watch {
  readonly #counts: Counts
  readonly #market: Pick<Market, "ageWhenHeard" | "times">
  readonly #bots = new Map<string, Known>()
  #isHalted = false
  /** Whether an exchange has ever had less than bots own. */
  hasLacked = (): boolean => false
  /** Refuses an entry of a bot that knows that its exchange has less than it owns. */
  refuseEntry: (botId: string) => void = () => {}

  constructor(counts: Counts, market: Pick<Market, "ageWhenHeard" | "times">) {
    this.#counts = counts
    this.#market = market
  }

  /** Looks at the calls of one transaction that a process had kept, in their order. */
  look(lane: Lane, calls: ReadonlyArray<Call>): void {
    for (const { input, name } of calls) {
      switch (name) {
        case "AccountStore.update":
          this.#isHalted = (input[0] as Account).is_halted
          break
        case "BotStore.insert":
          this.#addBot(input[0] as Bot)
          break
        case "BotStore.update":
          this.#moveBot(input[0] as Bot)
          break
        case "BotStateStore.put":
          this.#step(input[0] as BotState)
          break
        case "StepStore.write": {
          const steps = input[0] as ReadonlyArray<StepWrite>
          for (const { orders = [], state, trades = [] } of steps) {
            for (const { order, versionBefore } of orders) {
              if (versionBefore === 0) this.#addOrder(lane, order)
              else this.#moveOrder(order)
            }
            for (const trade of trades) this.#addTrade(trade)
            if (state !== undefined) this.#step(state)
          }
          if (steps.length > 1) this.#counts.add("steps.together")
          break
        }
        case "OrderStore.insert":
          this.#addOrder(lane, input[0] as Order)
          break
        case "OrderStore.update":
          this.#moveOrder(input[0] as Order)
          break
        case "OrderStore.appendTrade":
          this.#addTrade(input[0] as Trade)
          break
      }
    }
  }

  #addBot(bot: Bot): void {
    this.#bots.set(bot.id, {
      bot,
      version: bot.version,
      cursor: null,
      orders: new Map(),
      trades: new Map()
    })
  }

  #known(botId: string): Known {
    const known = this.#bots.get(botId)
    if (known === undefined) throw new Violation(`something is kept of ${botId}, which is no bot`)
    return known
  }

  /** The table of states, and no error that a fault which passes may leave. */
  #moveBot(bot: Bot): void {
    const known = this.#known(bot.id)
    // A slow store tells of its writes in another order than it kept them in.
    if (bot.version < known.version) return
    const isNext = bot.version === known.version
    const [from, to] = [known.bot.status, bot.status]
    const isMove = !isNext || from === to || hasRow(BotMachine, from, to)
    demand(isMove, `a bot went from ${from} to ${to}`)
    const said = bot.error === null ? "" : `: ${bot.error.code}, ${bot.error.message}`
    demand(to !== "error", `a bot is in error${said}`)
    const reason = bot.trading_state_reason
    demand(
      reason !== "reconcile_mismatch" || this.hasLacked(),
      "a bot and its broker differ, and nobody sold what it owns"
    )
    if (from !== to) this.#counts.add(`bot.${to}`)
    known.bot = bot
    known.version = bot.version + 1
  }

  /** Each candle is processed once, in its order. */
  #step({ bot_id: botId, cursor, snapshot }: BotState): void {
    const known = this.#known(botId)
    const before = known.cursor
    const { candleMs, firstMs } = this.#market.times
    if (cursor !== before) {
      demand(cursor !== null, "a bot has forgotten its candles")
      const next = before === null ? firstMs : before + candleMs
      const [has, wanted] = [cursor!, next].map((time) => (time - firstMs) / candleMs)
      demand(cursor === next, `a bot went to candle ${has} where candle ${wanted} was next`)
      this.#counts.add("bot.steps")
    }
    known.cursor = cursor
    const { account } = snapshot as unknown as { account: { books: [{ index: number }] } }
    const seen = cursor === null ? -1 : (cursor - firstMs) / candleMs
    const { index } = account.books[0]
    demand(index === seen, `a bot at candle ${seen} has worked off ${index + 1} candles`)
  }

  /** No entry where the bot, its gate or the account says no. */
  #addOrder(lane: Lane, order: Order): void {
    const { bot, orders } = this.#known(order.bot_id)
    const id = order.client_order_id
    demand(!orders.has(id), `the order ${id} is kept twice`)
    orders.set(id, order)
    this.#counts.add(`order.${order.leg}`)
    if (order.leg !== "entry") return
    demand(bot.status === "running", `a bot that is ${bot.status} enters`)
    demand(bot.trading_state === "active", `a bot whose gate is ${bot.trading_state} enters`)
    demand(!this.#isHalted, "a bot enters while its account is halted")
    this.refuseEntry(order.bot_id)
    this.#refuseLate(lane, order)
  }

  /** No entry on a live market by a candle that came half of its time after its close. */
  #refuseLate(lane: Lane, { candle_time: time }: Order): void {
    const { candleMs, clock } = this.#market.times
    if (clock === "replay") return
    const ageMs = this.#market.ageWhenHeard(lane, Date.parse(time))
    demand(ageMs !== null, "a bot enters by a candle that its process has not heard of")
    demand(ageMs! <= 1.5 * candleMs, `a bot enters by a candle that is ${ageMs} ms old`)
    this.#counts.add("live.enteredInTime")
  }

  #moveOrder(order: Order): void {
    const { orders } = this.#known(order.bot_id)
    const before = orders.get(order.client_order_id)
    demand(before !== undefined, `the order ${order.client_order_id} was never written`)
    const [from, to] = [before!.status, order.status]
    demand(isOrderMove(from, to), `an order went from ${from} to ${to}`)
    if (from !== to) this.#counts.add(`order.${to}`)
    orders.set(order.client_order_id, order)
  }

  /** Each fill once, of an order that was written before, and after what decided it. */
  #addTrade(trade: Trade): void {
    const { orders, trades } = this.#known(trade.bot_id)
    demand(!trades.has(trade.id), `the trade ${trade.id} is kept twice`)
    trades.set(trade.id, trade)
    this.#counts.add("trade")
    const order = orders.get(trade.client_order_id)
    demand(order !== undefined, `a fill of ${trade.client_order_id}, which was never written`)
    const isDecided = order!.leg === "entry" || (order!.leg === "exit" && order!.type === "market")
    if (!isDecided || order!.reason === "force_exit") return
    const isLater = Date.parse(trade.executed_at) >= Date.parse(order!.candle_time)
    demand(isLater, `an order that was decided at ${order!.candle_time} filled before that`)
  }

  /** The bots, their orders and how many trades they have. */
  get bots(): ReadonlyMap<string, Known> {
    return this.#bots
  }
}

/** Whether an order may go from one status to another. */
export const isOrderMove = (from: Order["status"], to: Order["status"]): boolean =>
  from === to || hasRow(OrderMachine, from, to)
