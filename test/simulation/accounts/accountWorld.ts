/**
 * Two processes that may send for one exchange account, over one store in memory, and what two bots
 * want there.
 */
import {
  AccountStore,
  BotStore,
  OrderStore,
  type OrderAttempt,
  type StorePorts,
  Transactor,
  VenueAccountStore,
  venueKeyOf,
  type VenueLimits
} from "@candlewick/core"
import { accountRecord, botRecord, orderAttemptRecord, orderRecord } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { Cause, Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { allocate, emptyAccountBook } from "../../../packages/core/src/domain/AccountBook.ts"
import { venueIdOf, venueIdText } from "../../../packages/core/src/domain/venueIds.ts"
import { HaltFlag } from "../../../packages/core/src/services/accounts/HaltFlag.ts"
import { sha256Hex } from "../../../packages/core/src/services/sha256.ts"
import { emptyBounds } from "../../../packages/core/src/services/venues/agent/accountBounds.ts"
import {
  type AccountAgent,
  makeAgent
} from "../../../packages/core/src/services/venues/agent/AccountAgent.ts"
import {
  newAccount,
  withBook
} from "../../../packages/core/src/services/venues/agent/agentState.ts"
import { Counts } from "../counts.ts"
import { StoreServer } from "../faultyStore.ts"
import { type Lane, Simulator, Violation } from "../seededScheduler.ts"
import { type AccountHistory, botCount } from "./accountHistory.ts"
import { AccountWatch } from "./accountWatch.ts"
import { FaultyVenue, market } from "./faultyVenue.ts"

const startMs = Date.UTC(2026, 0, 1)
/** After so long, a process that does not answer counts as gone. */
const lossMs = 4_000
const againMs = 1_000

const portsOf = (stores: Context.Context<StorePorts | HaltFlag>) => ({
  accounts: Context.get(stores, AccountStore),
  bots: Context.get(stores, BotStore),
  haltFlag: Context.get(stores, HaltFlag),
  orders: Context.get(stores, OrderStore),
  transactor: Context.get(stores, Transactor),
  venueAccounts: Context.get(stores, VenueAccountStore)
})

type Ports = ReturnType<typeof portsOf>

/** An agent at work in a process. */
interface Running {
  readonly scope: Scope.Closeable
  agent: AccountAgent | null
}

interface Process {
  readonly lane: Lane
  readonly ports: Ports
  running: Running | null
}

/** An order that a bot has decided. */
export interface Decided {
  readonly leg: "entry" | "exit"
  readonly side: "buy" | "sell"
  readonly quantity: string
  readonly limitPrice: string | null
  readonly price: string
}

/** Everything of one history of an exchange account. */
export class AccountWorld {
  readonly simulator: Simulator
  readonly counts = new Counts()
  readonly stores: Context.Context<StorePorts>
  readonly server: StoreServer
  readonly venue: FaultyVenue
  readonly watch: AccountWatch
  readonly accountId = "acc_simulated"
  readonly key = venueKeyOf(this.accountId, "model")
  readonly botIds: ReadonlyArray<string>
  readonly #slots: Array<Process | null> = [null, null]
  readonly #skews = [0, 0]
  readonly #limits: VenueLimits
  readonly #host: Lane
  /** The process that the account is placed on. */
  #owner = 0
  #generation = 0
  violation: Violation | null = null

  constructor(history: AccountHistory) {
    this.simulator = new Simulator(history.order, startMs)
    this.#host = this.simulator.lane("host")
    this.watch = new AccountWatch(this.counts, history.exchange)
    const { orderNotionalMax, ordersPerMinuteMax } = history.exchange
    this.#limits = {
      orderNotionalMax: orderNotionalMax ?? undefined,
      ordersPerMinuteMax: ordersPerMinuteMax ?? undefined
    }
    this.stores = Effect.runSync(Effect.scoped(Layer.build(MemoryStore.layer)))
    this.server = new StoreServer(this.simulator.lane("store"), this.stores, {
      counts: this.counts,
      kill: (lane) => this.#killLane(lane),
      freeze: (lane, ms) => this.#freezeLane(lane, ms),
      onKept: (lane, calls) => this.noting(() => this.watch.look(lane, calls)),
      isSerial: false
    })
    this.venue = new FaultyVenue(this.simulator, this.counts, history.exchange, (id) =>
      this.noting(() => this.watch.refuseUnwritten(id))
    )
    this.botIds = Array.from({ length: botCount }, (_, at) => `bot_${at}`.padEnd(30, "0"))
    this.#setUp()
  }

  #setUp(): void {
    const { accountId, botIds, watch } = this
    const kept = Effect.gen(function* () {
      yield* (yield* AccountStore).insert(accountRecord({ id: accountId }))
      for (const id of botIds) {
        const status = { status: "running", trading_state: "active", timeframe: "1h" } as const
        const bot = botRecord({ id, account_id: accountId, symbols: [market.symbol], ...status })
        watch.bots.set(id, yield* (yield* BotStore).insert(bot))
      }
      const shares = botIds.reduce(
        (book, id) => allocate(book, id, market.quote, "8000"),
        emptyAccountBook
      )
      const empty = newAccount(accountId, "model")
      yield* (yield* VenueAccountStore).put(withBook(empty, { shares, bounds: emptyBounds }))
    })
    Effect.runSync(Effect.provideContext(kept, this.stores))
    this.startProcess(0)
    this.startProcess(1)
    this.simulator.settle()
  }

  noting(look: () => void): void {
    try {
      look()
    } catch (error) {
      this.violation ??=
        error instanceof Violation ? error : new Violation(String((error as Error).stack))
    }
  }

  startProcess(slot: number): void {
    if (this.#slots[slot] != null) return
    this.counts.add("process.start")
    const lane = this.simulator.lane(`process ${slot}.${++this.#generation}`)
    lane.skewMs = this.#skews[slot]!
    const flag = Effect.runSync(Effect.scoped(Layer.build(HaltFlag.layer)))
    const ports = portsOf(Context.merge(this.server.connect(lane), flag))
    this.#slots[slot] = { lane, ports, running: null }
    if (this.#owner === slot) this.#begin(slot)
  }

  /** Has a process send for the account; it tries until it can. */
  #begin(slot: number): void {
    const process = this.#slots[slot]
    if (process == null || process.running !== null) return
    const { lane, ports } = process
    const running: Running = { scope: Scope.makeUnsafe(), agent: null }
    process.running = running
    const making = makeAgent({
      key: this.key,
      accountId: this.accountId,
      exchange: "model",
      venue: this.venue.connect(lane),
      limits: this.#limits,
      ports,
      wake: () => Effect.void,
      report: ({ type }) =>
        Effect.sync(() => {
          this.counts.add(`agent.${type}`)
          if (type === "ousted") this.#afterOusted(slot, running)
        })
    })
    this.simulator.fork(lane, Scope.provide(making, running.scope), (exit) => {
      if (Exit.isSuccess(exit)) {
        running.agent = exit.value
        return
      }
      this.noting(() => {
        if (Cause.hasDies(exit.cause)) throw new Violation(Cause.pretty(exit.cause))
      })
      process.running = null
      this.#beginLater(slot)
    })
  }

  #beginLater(slot: number): void {
    this.simulator.after(againMs, this.#host, () => {
      if (this.#owner === slot) this.#begin(slot)
    })
  }

  /** One that lost the account to another, and has it by its placement, takes it over again. */
  #afterOusted(slot: number, running: Running): void {
    this.#close(slot, running, () => this.#beginLater(slot))
  }

  #close(slot: number, running: Running, then: () => void): void {
    const process = this.#slots[slot]
    if (process == null || process.running !== running) return
    this.simulator.fork(process.lane, Scope.close(running.scope, Exit.void), () => {
      if (process.running === running) process.running = null
      then()
    })
  }

  /** Gives the account to a process, once its owner has let it go. */
  move(slot: number): void {
    if (this.#slots[slot] == null || this.#owner === slot) return
    this.counts.add("account.moves")
    const before = this.#owner
    this.#owner = slot
    const running = this.#slots[before]?.running
    const isDraining = running != null && this.#slots[before]?.lane.status === "running"
    // Meanwhile the account may have moved on, or back.
    const begin = () => this.#begin(this.#owner)
    if (isDraining) this.#close(before, running, begin)
    this.simulator.after(isDraining ? lossMs : 0, this.#host, begin)
  }

  /** Has a process take the account over while the other one goes on. */
  steal(slot: number): void {
    if (this.#slots[slot] == null || this.#owner === slot) return
    this.counts.add("account.twoOwners")
    this.#owner = slot
    this.#begin(slot)
  }

  #loseAfter(lane: Lane): void {
    this.simulator.after(lossMs, this.#host, () => {
      const slot = this.#slots.findIndex((process) => process?.lane === lane)
      const isGone = lane.status !== "running"
      if (isGone && (slot === this.#owner || slot < 0)) this.steal(1 - this.#owner)
    })
  }

  #killLane(lane: Lane): void {
    if (lane.status === "dead") return
    const slot = this.#slots.findIndex((process) => process?.lane === lane)
    if (slot >= 0) this.#slots[slot] = null
    lane.kill()
    if (slot === this.#owner) this.#loseAfter(lane)
  }

  kill(slot: number): void {
    const process = this.#slots[slot]
    if (process == null) return
    this.counts.add("process.kill")
    this.#killLane(process.lane)
  }

  #freezeLane(lane: Lane, ms: number): void {
    if (lane.status !== "running") return
    this.counts.add("process.freeze")
    lane.freeze()
    this.#loseAfter(lane)
    this.simulator.after(ms, this.#host, () => lane.thaw())
  }

  freeze(slot: number, ms: number): void {
    const process = this.#slots[slot]
    if (process != null) this.#freezeLane(process.lane, ms)
  }

  /** Ends a process as SIGTERM does. */
  end(slot: number): void {
    const process = this.#slots[slot]
    if (process == null) return
    this.counts.add("process.end")
    if (process.running === null) return this.#killLane(process.lane)
    this.#close(slot, process.running, () => this.#killLane(process.lane))
  }

  skew(slot: number, ms: number): void {
    this.counts.add("process.skew")
    this.#skews[slot] = ms
    const process = this.#slots[slot]
    if (process != null) process.lane.skewMs = ms
  }

  laneOf(slot: number): Lane | null {
    return this.#slots[slot]?.lane ?? null
  }

  /** Does something for a bot through a process, as the bot's step there would. */
  through<A, E>(
    slot: number,
    work: (ports: Ports) => Effect.Effect<A, E>,
    then: () => void = () => {}
  ): void {
    const process = this.#slots[slot]
    if (process == null) return
    const { lane, ports } = process
    this.simulator.fork(lane, ports.transactor.transact(work(ports)), (exit) => {
      this.noting(() => {
        if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) {
          throw new Violation(Cause.pretty(exit.cause))
        }
      })
      if (Exit.isFailure(exit)) return
      then()
      const agent = process.running?.agent
      if (agent != null) this.simulator.fork(lane, agent.ring)
    })
  }

  /** Has the agent at work reconcile its account. */
  reconcile(onDone: (mismatched: ReadonlyArray<string>) => void): void {
    const process = this.#slots[this.#owner]
    const agent = process?.running?.agent
    if (process == null || agent == null) return
    this.simulator.fork(process.lane, Effect.exit(agent.reconcile), (exit) => {
      if (Exit.isSuccess(exit) && Exit.isSuccess(exit.value)) onDone(exit.value.value.mismatched)
    })
  }

  /** The order and the attempt of a decision, as a bot's step writes them. */
  decide(bot: number, decided: Decided) {
    const { accountId, key } = this
    const botId = this.botIds[bot]!
    const decision = `${botId}-${this.watch.orders.size}-${this.simulator.taskCount}`
    const { leg, limitPrice, price, quantity, side } = decided
    const parts = { botId, epoch: 0, market: 0, decision, leg, attempt: 1 } as const
    const order = {
      symbol: market.symbol,
      side,
      type: limitPrice === null ? ("market" as const) : ("limit" as const),
      quantity,
      limit_price: limitPrice,
      stop_price: null,
      is_reduce_only: false
    }
    return (ports: Ports) =>
      Effect.gen(function* () {
        const held = Option.getOrThrow(yield* ports.bots.hold(accountId, botId))
        if (leg === "entry" && held.status !== "running") return
        const known = yield* ports.venueAccounts.factsOf(botId, 0)
        yield* ports.orders.insert(
          orderRecord({
            id: decision.padEnd(30),
            account_id: accountId,
            bot_id: botId,
            client_order_id: decision,
            symbol: order.symbol,
            side,
            status: "submitted",
            quantity: Number(quantity),
            leg
          })
        )
        yield* ports.venueAccounts.putAttempt(
          orderAttemptRecord({
            account_key: key,
            id: venueIdOf(yield* sha256Hex(venueIdText(parts)), "base62"),
            bot_id: botId,
            account_id: accountId,
            client_order_id: decision,
            leg,
            order,
            decided_after: known.at(-1)?.sequence ?? 0,
            reference_price: price,
            written_at_ms: yield* ports.venueAccounts.nowMs
          })
        )
      })
  }

  /** Has a bot take one of its orders back. */
  takeBack({ bot_id: botId, client_order_id: decision }: OrderAttempt) {
    const { accountId } = this
    return (ports: Ports) =>
      Effect.gen(function* () {
        yield* ports.bots.hold(accountId, botId)
        const order = Option.getOrNull(yield* ports.orders.get(botId, decision))
        const isOpen = ["submitted", "accepted", "unknown", "partially_filled"]
        if (order === null || !isOpen.includes(order.status)) return
        for (const one of yield* ports.venueAccounts.attemptsOf(botId, decision)) {
          yield* ports.venueAccounts.putAttempt({ ...one, is_cancel_wanted: true })
        }
        yield* ports.orders.update({ ...order, status: "cancelled" })
      })
  }

  /** The exchange as it truly is. */
  get orders() {
    return this.venue.orders
  }

  /** Ends all faults, and starts what is gone. */
  heal(): void {
    this.server.rates = { fail: 0, lose: 0, slow: 0 }
    this.server.armed.clear()
    this.venue.heal()
    for (const [slot, process] of this.#slots.entries()) {
      if (process == null) this.startProcess(slot)
      else process.lane.thaw()
    }
    this.#begin(this.#owner)
  }

  close(): void {
    for (const process of this.#slots) process?.lane.kill()
  }
}
