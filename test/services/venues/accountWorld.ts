/**
 * An exchange account with a bot, over the memory store and a model exchange.
 */
import {
  AccountStore,
  BotStore,
  OrderStore,
  type OrderAttempt,
  type StorePorts,
  Transactor,
  type Venue,
  type VenueCapabilities,
  VenueAccountStore,
  type VenueLimits,
  venueKeyOf
} from "@candlewick/core"
import {
  accountRecord,
  botRecord,
  makeModelVenue,
  type ModelVenueOptions,
  orderAttemptRecord,
  orderRecord,
  testName
} from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import {
  adjust,
  allocate,
  emptyAccountBook
} from "../../../packages/core/src/domain/AccountBook.ts"
import { venueIdOf, venueIdText } from "../../../packages/core/src/domain/venueIds.ts"
import { HaltFlag } from "../../../packages/core/src/services/accounts/HaltFlag.ts"
import { sha256Hex } from "../../../packages/core/src/services/sha256.ts"
import { emptyBounds } from "../../../packages/core/src/services/venues/agent/accountBounds.ts"
import type { AgentReport } from "../../../packages/core/src/services/venues/agent/AgentReport.ts"
import { makeAgent } from "../../../packages/core/src/services/venues/agent/AccountAgent.ts"
import {
  type AgentPorts,
  newAccount,
  withBook
} from "../../../packages/core/src/services/venues/agent/agentState.ts"
import { ordersOf, tradesOf } from "../../../packages/core/src/testing/modelVenue/Exchange.ts"

export const startMs = Date.UTC(2026, 0, 15, 9, 30)

export const btc = {
  symbol: "BTC/USDT",
  base: "BTC",
  quote: "USDT",
  quantityStep: "0.001",
  priceStep: "0.01",
  minQuantity: "0.001",
  minNotional: "5",
  makerRate: "0.001",
  takerRate: "0.002",
  price: "100"
}

/** The terms of an order of the test, besides an entry that buys one at the market. */
export interface TestOrder {
  readonly leg?: OrderAttempt["leg"]
  readonly side?: "buy" | "sell"
  readonly quantity?: string
  readonly limitPrice?: string
  readonly stopPrice?: string
  readonly symbol?: string
  readonly botId?: string
  /** The terms by which an entry is cut down to the money of its bot; by itself there are none. */
  readonly terms?: OrderAttempt["terms"]
  readonly isImmediate?: boolean
  readonly group?: string
  /** When the order ends; the agent cancels it then where the exchange has no such times. */
  readonly endsAtMs?: number
}

export interface WorldOptions extends Partial<ModelVenueOptions> {
  readonly limits?: VenueLimits
  readonly capabilities?: Partial<VenueCapabilities>
  /** The BTC of each bot. */
  readonly owned?: string
  readonly allocation?: string
  /** Replaces the venue of agents, as to have it refuse. */
  readonly venueOf?: (venue: Venue) => Venue
  /** The stores, in memory by itself; with others time is that of the machine. */
  readonly stores?: Layer.Layer<StorePorts, unknown>
  /** Replaces the ports of agents, as to make one fail. */
  readonly portsOf?: (ports: AgentPorts) => AgentPorts
}

const gather = Effect.fnUntraced(function* (stores: Context.Context<StorePorts>) {
  const flag = yield* Layer.build(HaltFlag.layer)
  return {
    accounts: Context.get(stores, AccountStore),
    bots: Context.get(stores, BotStore),
    haltFlag: Context.get(flag, HaltFlag),
    orders: Context.get(stores, OrderStore),
    transactor: Context.get(stores, Transactor),
    venueAccounts: Context.get(stores, VenueAccountStore)
  }
})

/** A world in which nothing has happened yet. */
export const makeWorld = Effect.fnUntraced(function* (options: WorldOptions = {}) {
  if (options.stores === undefined) yield* TestClock.setTime(startMs)
  const stores = Layer.orDie(options.stores ?? MemoryStore.layer)
  const ports = yield* gather(yield* Layer.build(stores))
  const model = makeModelVenue({
    markets: [btc],
    // The venue has the coins that both bots own.
    balances: { USDT: "10000", BTC: String(2 * Number(options.owned ?? "0")) },
    ...options
  })
  const account = yield* ports.accounts.insert(accountRecord())
  const key = venueKeyOf(account.id, "model")
  const newBot = Effect.gen(function* () {
    const status = { status: "running", trading_state: "active", timeframe: "1h" } as const
    return yield* ports.bots.insert(botRecord({ account_id: account.id, ...status }))
  })
  const bots = [yield* newBot, yield* newBot]
  const shares = bots.reduce(
    (book, { id }) =>
      adjust(
        allocate(book, id, "USDT", options.allocation ?? "5000"),
        id,
        { name: "BTC", isPosition: false },
        options.owned ?? "0"
      ),
    emptyAccountBook
  )
  const empty = newAccount(account.id, "model")
  yield* ports.venueAccounts.put(withBook(empty, { shares, bounds: emptyBounds }))

  const news: Array<AgentReport> = []
  const woken: Array<string> = []
  /** Starts a process's agent; its scope is its life. */
  const begin = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const agent = yield* makeAgent({
      key,
      accountId: account.id,
      exchange: "model",
      venue: (options.venueOf ?? ((same) => same))(model.venue),
      limits: options.limits ?? {},
      ports: (options.portsOf ?? ((same) => same))(ports),
      wake: (botId) => Effect.sync(() => void woken.push(botId)),
      report: (one) => Effect.sync(() => void news.push(one))
    }).pipe(Scope.provide(scope))
    return { ...agent, end: Scope.close(scope, Exit.void) }
  })

  /** Writes the order and the attempt of a decision, as a bot does. */
  const decide = Effect.fnUntraced(function* (order: TestOrder = {}) {
    const { hasExpiry, hasImmediate } = model.venue.capabilities
    const { endsAtMs, leg = "entry", quantity = "1", side = "buy" } = order
    const { limitPrice, stopPrice, terms } = order
    const botId = order.botId ?? bots[0]!.id
    const kept = yield* ports.orders.insert(
      orderRecord({
        account_id: account.id,
        bot_id: botId,
        client_order_id: testName(),
        status: "submitted",
        quantity: Number(quantity),
        leg
      })
    )
    const parts = { botId, epoch: 0, market: 0, decision: kept.client_order_id, leg, attempt: 1 }
    const id = venueIdOf(yield* sha256Hex(venueIdText(parts)), "base62")
    return yield* ports.venueAccounts.putAttempt(
      orderAttemptRecord({
        account_key: key,
        id,
        bot_id: botId,
        account_id: account.id,
        client_order_id: kept.client_order_id,
        leg,
        order: {
          symbol: order.symbol ?? btc.symbol,
          side,
          type: stopPrice !== undefined ? "stop" : limitPrice === undefined ? "market" : "limit",
          quantity,
          limit_price: limitPrice ?? null,
          stop_price: stopPrice ?? null,
          is_reduce_only: false,
          ...(order.isImmediate === true && hasImmediate === true && { is_immediate: true }),
          ...(endsAtMs !== undefined && hasExpiry === true && { expires_at_ms: endsAtMs })
        },
        ...(endsAtMs !== undefined && hasExpiry !== true && { cancels_at_ms: endsAtMs }),
        ...(order.isImmediate === true && hasImmediate !== true && { cancels_rest: true }),
        ...(order.group !== undefined && { group: order.group, decided_after: 0 }),
        ...(terms !== undefined && { terms, decided_after: 0 }),
        reference_price: "100",
        written_at_ms: yield* ports.venueAccounts.nowMs
      })
    )
  })

  /** The attempts of an order, as they are kept. */
  const attemptsOf = ({ bot_id, client_order_id }: OrderAttempt) =>
    ports.venueAccounts.attemptsOf(bot_id, client_order_id)

  /** Has the bot's side take an order back. */
  const takeBack = Effect.fnUntraced(function* (attempt: OrderAttempt) {
    for (const one of yield* attemptsOf(attempt)) {
      yield* ports.venueAccounts.putAttempt({ ...one, is_cancel_wanted: true })
    }
    const { bot_id, client_order_id } = attempt
    const order = Option.getOrThrow(yield* ports.orders.get(bot_id, client_order_id))
    yield* ports.orders.update({ ...order, status: "cancelled" })
  })

  return {
    account,
    attemptsOf,
    begin,
    bots,
    decide,
    key,
    model,
    news,
    ports,
    takeBack,
    woken,
    /** The events that a bot was told. */
    factsOf: (botId: string) => ports.venueAccounts.factsOf(botId, 0),
    orders: Effect.map(model.truth, ordersOf),
    trades: Effect.map(model.truth, tradesOf)
  }
})

/** Lets time pass in steps in which every fibre gets its turn. */
export const pass = (seconds: number): Effect.Effect<void> =>
  Effect.forEach(
    Array.from({ length: seconds * 4 }),
    () => Effect.andThen(TestClock.adjust("250 millis"), Effect.yieldNow),
    { discard: true }
  )
