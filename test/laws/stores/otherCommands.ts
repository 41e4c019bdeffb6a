/**
 * Commands to the stores of what is not a versioned record of an account: orders, journals,
 * candles, keys, events, deliveries, leases and checkpoints.
 */
import {
  BotJournal,
  CandleStore,
  DeliveryQueue,
  DeliveryStore,
  EndpointStore,
  fromTimestamp,
  IdempotencyStore,
  logLevels,
  MarketStore,
  OrderStore,
  Outbox,
  PaperAccountStore,
  RunCheckpoints,
  sharedOwner,
  StepStore,
  timeframeMs,
  Transactor
} from "@candlewick/core"
import { copyColumns } from "@candlewick/core/kernel"
import type { Random } from "@candlewick/core/kernel"
import {
  deliveryRecord,
  eventRecord,
  logEntryRecord,
  marketRecord,
  orderRecord,
  randomCandles,
  seriesRecord,
  tradeRecord
} from "@candlewick/core/testing"
import { Effect, Option } from "effect"
import {
  anyJson,
  anyNumber,
  anyPage,
  anyText,
  anyTime,
  anyTimeframe,
  type MakeCommand,
  ownerOf,
  ownOnly,
  type World
} from "./draw.ts"

const anyOrder = (random: Random, { accounts, bots, clientOrders, orders }: World) =>
  orderRecord({
    id: random.pick(orders),
    account_id: random.pick(accounts),
    bot_id: random.pick(bots),
    client_order_id: random.pick(clientOrders),
    quantity: anyNumber(random),
    reason: random.pick([null, anyText(random)]),
    status: random.pick(["accepted", "partially_filled", "filled", "cancelled"])
  })

const orderCommands: ReadonlyArray<MakeCommand> = [
  (random, world) => {
    const order = anyOrder(random, world)
    return {
      name: "OrderStore.insert",
      run: Effect.flatMap(OrderStore, (store) => store.insert(order))
    }
  },
  (random, world) => {
    const order = anyOrder(random, world)
    const away = random.pick([0, 0, 0, 1])
    return {
      name: "OrderStore.update",
      run: Effect.flatMap(OrderStore, (store) =>
        Effect.flatMap(store.get(order.bot_id, order.client_order_id), (stored) =>
          store.update(
            // An order keeps its id and its owner as it is filled.
            Option.match(stored, {
              onNone: () => order,
              onSome: ({ account_id, id, version }) => ({
                ...order,
                account_id,
                id,
                version: version + away
              })
            })
          )
        )
      )
    }
  },
  (random, { accounts, bots, orders }) => {
    const [account, bot, page] = [random.pick(accounts), random.pick(bots), anyPage(random, orders)]
    return {
      name: "OrderStore.list",
      run: Effect.flatMap(OrderStore, (store) => store.list(account, bot, page))
    }
  },
  (random, { bots }) => {
    const bot = random.pick(bots)
    return {
      name: "OrderStore.listOpen",
      run: Effect.flatMap(OrderStore, (store) => store.listOpen(bot))
    }
  },
  (random, { accounts, bots, trades }) => {
    const trade = tradeRecord({
      id: random.pick(trades),
      account_id: random.pick(accounts),
      bot_id: random.pick(bots),
      price: anyNumber(random),
      realized_pnl: random.pick([null, anyNumber(random)])
    })
    return {
      name: "OrderStore.appendTrade",
      run: Effect.flatMap(OrderStore, (store) => store.appendTrade(trade))
    }
  },
  (random, { accounts, bots, trades }) => {
    const [account, bot, page] = [random.pick(accounts), random.pick(bots), anyPage(random, trades)]
    return {
      name: "OrderStore.listTrades",
      run: Effect.flatMap(OrderStore, (store) => store.listTrades(account, bot, page))
    }
  },
  (random, { bots }) => {
    const [bot, isDone] = [random.pick(bots), random.next() < 0.3]
    return {
      name: "OrderStore.removeOfBot",
      run: Effect.flatMap(OrderStore, (store) => (isDone ? store.removeOfBot(bot) : Effect.void))
    }
  }
]

/** The writes of a step besides that of its state, in one transaction. */
const stepCommands: ReadonlyArray<MakeCommand> = [
  (random, world) => {
    const order = anyOrder(random, world)
    const [isNew, away] = [random.next() < 0.5, random.pick([0, 0, 0, 1])]
    const { bot_id: bot } = order
    const trade = tradeRecord({
      id: random.pick(world.trades),
      bot_id: bot,
      price: anyNumber(random)
    })
    const lines = Array.from({ length: random.integer(0, 3) }, () =>
      logEntryRecord({ bot_id: bot, timestamp: anyTime(random), message: anyText(random) })
    )
    return {
      name: "StepStore.write",
      run: Effect.gen(function* () {
        const { write } = yield* StepStore
        const { transact } = yield* Transactor
        const stored = yield* (yield* OrderStore).get(bot, order.client_order_id)
        const { account_id, id, version } = Option.getOrElse(stored, () => order)
        const versionBefore = isNew ? 0 : version + away
        const kept = isNew ? order : { ...order, account_id, id }
        const orders = [{ order: { ...kept, version: versionBefore + 1 }, versionBefore }]
        return yield* transact(write([{ botId: bot, orders, trades: [trade], lines }]))
      })
    }
  }
]

const journalCommands: ReadonlyArray<MakeCommand> = [
  (random, { bots }) => {
    const entry = logEntryRecord({
      bot_id: random.pick(bots),
      level: random.pick(logLevels),
      timestamp: anyTime(random),
      message: anyText(random),
      data: anyJson(random)
    })
    return {
      name: "BotJournal.append",
      run: Effect.flatMap(BotJournal, (store) => store.append(entry))
    }
  },
  (random, { bots }) => {
    const bot = random.pick(bots)
    const page = {
      limit: random.integer(1, 3),
      before: random.pick([undefined, "1", "2", "3"]),
      after: random.pick([undefined, undefined, "0", "1", "2"]),
      level: random.pick([undefined, ...logLevels]),
      since: random.pick([undefined, anyTime(random)])
    }
    return {
      name: "BotJournal.list",
      run: Effect.flatMap(BotJournal, (store) => store.list(bot, page))
    }
  },
  (random, { bots }) => {
    const [bot, point] = [random.pick(bots), { time: anyTime(random), equity: anyNumber(random) }]
    return {
      name: "BotJournal.appendEquity",
      run: Effect.flatMap(BotJournal, (store) => store.appendEquity(bot, point))
    }
  },
  (random, { bots }) => {
    const bot = random.pick(bots)
    const page = {
      limit: random.integer(1, 3),
      after: random.pick([undefined, fromTimestamp(anyTime(random))])
    }
    return {
      name: "BotJournal.listEquity",
      run: Effect.flatMap(BotJournal, (store) => store.listEquity(bot, page))
    }
  },
  (random, { bots }) => {
    const bot = random.pick(bots)
    const page = {
      limit: random.integer(1, 3),
      before: random.pick([undefined, String(fromTimestamp(anyTime(random)))])
    }
    return {
      name: "BotJournal.pageEquity",
      run: Effect.flatMap(BotJournal, (store) => store.pageEquity(bot, page))
    }
  },
  (random, { bots }) => {
    const bot = random.pick(bots)
    const times = [anyTime(random), anyTime(random), anyTime(random)].map(fromTimestamp)
    return {
      name: "BotJournal.equityAt",
      run: Effect.flatMap(BotJournal, (store) => store.equityAt(bot, times))
    }
  },
  (random, { bots }) => {
    const bot = random.pick(bots)
    const dayMs = 86_400_000
    const dayOf = (time: string) => Math.floor(fromTimestamp(time) / dayMs) * dayMs
    const from = random.pick([undefined, dayOf(anyTime(random))])
    const range = { from, before: dayOf(anyTime(random)) }
    return {
      name: "BotJournal.thinEquity",
      run: Effect.flatMap(BotJournal, (store) => store.thinEquity(bot, range))
    }
  },
  ...(["clearEquity", "removeOfBot"] as const).map((method): MakeCommand => (random, { bots }) => {
    const bot = random.pick(bots)
    return {
      name: `BotJournal.${method}`,
      run: Effect.flatMap(BotJournal, (store): Effect.Effect<unknown, unknown> =>
        store[method](bot)
      )
    }
  })
]

/**
 * The owner of candles or of a market: mostly `shared`, so that an earlier record is found again.
 */
const anyOwner = (random: Random, accounts: ReadonlyArray<string>): string =>
  random.next() < 0.7 ? sharedOwner : random.pick(accounts)

const candleCommands: ReadonlyArray<MakeCommand> = [
  (random, { accounts, symbols }) => {
    const timeframe = anyTimeframe(random)
    const stepMs = timeframeMs(timeframe) * random.pick([1, 1, 997])
    const columns = randomCandles(random.integer(0, 9), {
      count: random.pick([0, 1, 40, 40, 5_000]),
      stepMs,
      startMs: timeframeMs(timeframe) * random.pick([-3, 0, 400_000])
    })
    const series = seriesRecord({
      owner: anyOwner(random, accounts),
      symbol: random.pick(symbols),
      timeframe,
      candle_count: columns.length,
      revision: random.integer(1, 4),
      source: random.pick([null, anyText(random)])
    })
    return {
      name: `CandleStore.put of ${columns.length}`,
      run: Effect.flatMap(CandleStore, (store) => store.put(series, columns))
    }
  },
  (random, { accounts, symbols }) => {
    const owner = anyOwner(random, accounts)
    const key = { owner, symbol: random.pick(symbols), timeframe: anyTimeframe(random) }
    const stepMs = timeframeMs(key.timeframe)
    const bound = () => random.pick([undefined, 0, stepMs * 400_020, stepMs * 400_020 + 1])
    const range = { from: bound(), to: bound() }
    return {
      name: "CandleStore.load",
      run: Effect.flatMap(CandleStore, (store) =>
        // A part of longer columns or columns of their own: what counts is what is in them.
        Effect.map(store.load(key, range), Option.map(copyColumns))
      )
    }
  },
  (random, { accounts, symbols }) => {
    const owner = anyOwner(random, accounts)
    const key = { owner, symbol: random.pick(symbols), timeframe: anyTimeframe(random) }
    const method = random.pick(["describe", "describe", "lastRevision", "remove"] as const)
    return {
      name: `CandleStore.${method}`,
      run: Effect.flatMap(CandleStore, (store): Effect.Effect<unknown, unknown> =>
        store[method](key)
      )
    }
  },
  (random, { accounts, symbols }) => {
    const owner = anyOwner(random, accounts)
    return {
      name: "CandleStore.list",
      run: Effect.flatMap(CandleStore, (store) =>
        Effect.map(store.list(owner), (all) => all.filter(({ symbol }) => symbols.includes(symbol)))
      )
    }
  },
  (random, { accounts, symbols }) => {
    const market = marketRecord({
      id: "mkt_of_the_run",
      owner: anyOwner(random, accounts),
      symbol: random.pick(symbols),
      base: anyText(random),
      revision: random.integer(1, 12),
      min_notional: 0.1 + 0.2
    })
    return {
      name: "MarketStore.insert",
      run: Effect.flatMap(MarketStore, (store) => store.insert(market))
    }
  },
  (random, { accounts, symbols }) => {
    const [owner, symbol] = [anyOwner(random, accounts), random.pick(symbols)]
    const page = {
      limit: random.integer(1, 3),
      before: random.pick([undefined, "1", "2", "11"])
    }
    const revision = random.integer(0, 13)
    return {
      name: "MarketStore.newest, get and listRevisions",
      run: Effect.flatMap(MarketStore, (store) =>
        Effect.all([
          store.newest(owner, symbol),
          store.get(owner, symbol, revision),
          store.listRevisions(owner, symbol, page)
        ])
      )
    }
  },
  (random, { accounts, symbols }) => {
    const owner = anyOwner(random, accounts)
    return {
      name: "MarketStore.list",
      run: Effect.flatMap(MarketStore, (store) =>
        Effect.map(store.list(owner), (all) => all.filter(({ symbol }) => symbols.includes(symbol)))
      )
    }
  }
]

const keyCommands: ReadonlyArray<MakeCommand> = [
  (random, { scopes }) => {
    const claim = {
      scope: random.pick(scopes),
      key: random.pick(["a", "b", ""]),
      fingerprint: random.pick(["one", "two"]),
      keptForMs: random.integer(1, 4)
    }
    return {
      name: "IdempotencyStore.claim",
      run: Effect.flatMap(IdempotencyStore, (store) => store.claim(claim))
    }
  },
  (random, { scopes }) => {
    const [scope, key] = [random.pick(scopes), random.pick(["a", "b", ""])]
    const answer = { status: 201, headers: { location: anyText(random) }, body: anyText(random) }
    const keptForMs = random.integer(1, 30)
    return {
      name: "IdempotencyStore.answer",
      run: Effect.flatMap(IdempotencyStore, (store) => store.answer(scope, key, answer, keptForMs))
    }
  },
  (random, { scopes }) => {
    const outcomes = ["made", "started"]
    const kept = {
      scope: random.pick(scopes),
      key: random.pick(["a", "b", ""]),
      fingerprint: random.pick(["one", "two"]),
      before: random.pick([null, ...outcomes]),
      outcome: random.pick(outcomes),
      keptForMs: random.integer(1, 30)
    }
    return {
      name: "IdempotencyStore.keepOutcome",
      run: Effect.flatMap(IdempotencyStore, (store) => store.keepOutcome(kept))
    }
  },
  (random, { scopes }) => {
    const [scope, key] = [random.pick(scopes), random.pick(["a", "b", ""])]
    return {
      name: "IdempotencyStore.release",
      run: Effect.flatMap(IdempotencyStore, (store) => store.release(scope, key))
    }
  },
  () => ({
    name: "IdempotencyStore.nowMs",
    run: Effect.flatMap(IdempotencyStore, ({ nowMs }) => nowMs)
  })
]

const eventCommands: ReadonlyArray<MakeCommand> = [
  (random, { accounts, events }) => {
    const event = eventRecord({
      id: random.pick(events),
      account_id: random.pick(accounts),
      body: anyText(random)
    })
    return { name: "Outbox.append", run: Effect.flatMap(Outbox, (store) => store.append(event)) }
  },
  (random, { accounts, events }) => {
    const many = Array.from({ length: random.integer(0, 2) }, () =>
      eventRecord({ id: random.pick(events), account_id: random.pick(accounts) })
    )
    return {
      name: "Outbox.appendAll",
      run: Effect.gen(function* () {
        const { appendAll } = yield* Outbox
        return yield* (yield* Transactor).transact(appendAll(many))
      })
    }
  },
  (_, { events }) => ({
    name: "Outbox.peek",
    run: Effect.flatMap(Outbox, (store) => Effect.map(store.peek(10_000), ownOnly(events)))
  }),
  (random, { events }) => {
    const id = random.pick(events)
    return {
      name: "Outbox.acknowledge",
      run: Effect.flatMap(Outbox, (store) => store.acknowledge(id))
    }
  }
]

const paperCommands: ReadonlyArray<MakeCommand> = [
  (random, { bots }) => {
    const [bot, snapshot] = [
      random.pick(bots),
      random.pick([null, anyNumber(random), anyJson(random)])
    ]
    return {
      name: "PaperAccountStore.put",
      run: Effect.flatMap(PaperAccountStore, (store) => store.put(bot, snapshot))
    }
  },
  ...(["get", "get", "remove"] as const).map((method): MakeCommand => (random, { bots }) => {
    const bot = random.pick(bots)
    return {
      name: `PaperAccountStore.${method}`,
      run: Effect.flatMap(PaperAccountStore, (store): Effect.Effect<unknown, unknown> =>
        store[method](bot)
      )
    }
  })
]

/** A delivery with the id at this place. */
export const anyDelivery = (
  random: Random,
  { accounts, deliveries, events, webhooks }: World,
  index: number
) => {
  const webhook = ownerOf(random, webhooks, deliveries, deliveries[index]!)
  return deliveryRecord(
    { id: webhook, account_id: ownerOf(random, accounts, webhooks, webhook) },
    {
      id: deliveries[index]!,
      event_id: random.pick(events),
      body: anyText(random),
      // Times of their own, because which of equals comes first is left to a store.
      due_in_ms: index / 64
    }
  )
}

/** Commands to the deliveries of webhooks, one or all of them at once. */
export const deliveryCommands: ReadonlyArray<MakeCommand> = [
  (random, world) => {
    const delivery = anyDelivery(random, world, random.integer(0, world.deliveries.length - 1))
    return {
      name: "DeliveryStore.insert",
      run: Effect.gen(function* () {
        const { get } = yield* EndpointStore
        const { insert } = yield* DeliveryStore
        const found = yield* get(delivery.account_id, delivery.webhook_id)
        return Option.isSome(found) ? yield* insert(delivery) : undefined
      })
    }
  },
  (random) => {
    const request = {
      leaseMs: random.integer(1, 9),
      slowAfterMs: 100,
      limit: 1_000,
      accountMax: 1_000,
      accountKept: 0,
      allowances: new Map()
    }
    return {
      name: "DeliveryQueue.claim",
      run: Effect.flatMap(DeliveryQueue, (store) => store.claim(request))
    }
  },
  (random, { deliveries, webhooks }) => {
    const index = random.integer(0, deliveries.length - 1)
    const webhook = ownerOf(random, webhooks, deliveries, deliveries[index]!)
    const status = random.pick(["retrying", "succeeded", "failed"] as const)
    const away = random.pick([0, 0, 0, 1])
    return {
      name: "DeliveryStore.update",
      run: Effect.flatMap(DeliveryStore, (store) =>
        Effect.flatMap(store.get(webhook, deliveries[index]!), (found) =>
          Option.isNone(found)
            ? Effect.void
            : store.update({
                ...found.value,
                status,
                version: found.value.version + away,
                due_in_ms: 100 + index / 64,
                leased_until_ms: null
              })
        )
      )
    }
  },
  (random, { deliveries, webhooks }) => {
    const [webhook, page] = [random.pick(webhooks), anyPage(random, deliveries)]
    const status = random.pick([undefined, "pending", "sending", "failed", "cancelled"] as const)
    const after = random.pick([undefined, random.pick(deliveries)])
    return {
      name: "DeliveryStore.list",
      run: Effect.flatMap(DeliveryStore, (store) => store.list(webhook, { ...page, after, status }))
    }
  },
  (random, { webhooks }) => {
    const webhook = random.pick(webhooks)
    return {
      name: "DeliveryQueue.cancelWaiting",
      run: Effect.flatMap(DeliveryQueue, (store) => store.cancelWaiting(webhook))
    }
  },
  (random, { deliveries }) => {
    const request = { before: random.pick(deliveries), limit: 1_000 }
    return {
      name: "DeliveryStore.removeFinished",
      run: Effect.flatMap(DeliveryStore, (store) => store.removeFinished(request))
    }
  },
  () => ({
    name: "DeliveryQueue.nextDueInMs",
    run: Effect.flatMap(DeliveryQueue, (store) => store.nextDueInMs)
  }),
  () => ({
    name: "DeliveryQueue.countOpen",
    run: Effect.flatMap(DeliveryQueue, (store) => store.countOpen)
  }),
  (random, { accounts }) => {
    const account = random.pick(accounts)
    const event = random.pick(["trade.executed", "alert.triggered"] as const)
    return {
      name: "EndpointStore.listSubscribed",
      run: Effect.flatMap(EndpointStore, (store) => store.listSubscribed(account, event))
    }
  },
  (random) => {
    const until = random.pick(["2000-01-01T00:00:00.000Z", "2100-01-01T00:00:00.000Z"])
    return {
      name: "EndpointStore.eraseSpentSecrets",
      run: Effect.flatMap(EndpointStore, (store) => store.eraseSpentSecrets({ until, limit: 100 }))
    }
  }
]

const checkpointCommands: ReadonlyArray<MakeCommand> = [
  (random, { backtests }) => {
    const run = random.pick(backtests)
    const steps = Array.from({ length: random.integer(0, 3) }, (_, index) => ({
      step: `${random.pick(["a", "B", "10", "9"])}${index}`,
      value: anyJson(random)
    }))
    return {
      name: "RunCheckpoints.keep",
      run: Effect.flatMap(RunCheckpoints, (store) => store.keep(run, steps))
    }
  },
  ...(["list", "list", "clear"] as const).map((method): MakeCommand => (random, { backtests }) => {
    const run = random.pick(backtests)
    return {
      name: `RunCheckpoints.${method}`,
      run: Effect.flatMap(RunCheckpoints, (store): Effect.Effect<unknown, unknown> =>
        store[method](run)
      )
    }
  }),
  (random, { backtests }) => {
    const [run, step] = [random.pick(backtests), random.pick(["a0", "B1", "10"])]
    return {
      name: "RunCheckpoints.get",
      run: Effect.flatMap(RunCheckpoints, (store) => store.get(run, step))
    }
  }
]

/** One list of commands for each port. */
export const otherCommands = [
  orderCommands,
  stepCommands,
  journalCommands,
  candleCommands,
  keyCommands,
  eventCommands,
  paperCommands,
  deliveryCommands,
  checkpointCommands
]
