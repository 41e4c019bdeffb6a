/**
 * The account's kill switch: what it stops, what it lets go on, and what it leaves as it was.
 */
import {
  Accounts,
  AccountStore,
  Alerts,
  AlertStore,
  BotStore,
  PaperBooks,
  BooksError,
  BooksUnavailable,
  Events,
  KeyedRequest,
  OrderStore,
  riskProfiles,
  StoreError,
  StoreUnavailable
} from "@candlewick/core"
import type { OrderRequest } from "@candlewick/core/kernel"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, References, Stream } from "effect"
import { refusal, setTheScene, symbol, world } from "./scene.ts"
import { makeScript } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

const risk = {
  ...riskProfiles.low,
  max_drawdown: 0.01,
  daily_loss: 1,
  max_exposure: 10,
  risk_per_trade: 1,
  is_stop_loss_mandatory: false
}

const killed = { trading_state: "halted", trading_state_reason: "kill_switch" } as const
const open = { trading_state: "active", trading_state_reason: "none" } as const

describe("a halted account", () => {
  it.live(
    "has its bots' entries cancelled at once, enters nothing, and goes on when resumed",
    () => {
      const script = { [symbol]: [99, 101, 102, 103, 104, 105] }
      const { layer, tellUntil } = world(script)
      return Effect.gen(function* () {
        const { accountId, bot, bots, reaches } = yield* setTheScene(script)
        const broker = yield* PaperBooks
        yield* bots.command(accountId, bot.id, "start")
        // The entry that is decided at 101 rests until the next candle.
        yield* tellUntil(2)
        yield* reaches(1)
        yield* eventually(
          bots.status(accountId, bot.id),
          ({ open_orders }) => open_orders[0]?.status === "accepted"
        )
        const halted = yield* bots.haltAll(accountId, { reason: "too hot" })
        assert.deepInclude(halted, {
          id: accountId,
          is_halted: true,
          halted_reason: "too hot",
          changed: true,
          orders_cancelled: 1,
          bots_waiting: []
        })
        assert.deepStrictEqual((yield* broker.account(bot.id)).openOrders, [])
        const status = yield* bots.status(accountId, bot.id)
        assert.deepInclude(status, { ...killed, status: "running", open_orders: [] })
        assert.deepInclude(yield* bots.get(accountId, bot.id), killed)
        assert.deepInclude((yield* bots.list(accountId, { limit: 5 })).items[0], killed)
        const [ended] = (yield* bots.orders(accountId, bot.id, { limit: 1 })).items
        assert.deepInclude(ended, { status: "cancelled", reason: "the account is halted" })
        yield* tellUntil(4)
        yield* reaches(3)
        assert.lengthOf((yield* bots.trades(accountId, bot.id, { limit: 9 })).items, 0)

        const resumed = yield* bots.resumeAll(accountId)
        assert.deepInclude(resumed, { is_halted: false, halted_reason: null, changed: true })
        assert.deepInclude(yield* bots.status(accountId, bot.id), open)
        yield* tellUntil(6)
        assert.lengthOf((yield* reaches(5)).open_positions, 1)
        const logs = yield* bots.logs(accountId, bot.id, { limit: 100 })
        const lines = logs.items.flatMap(({ event }) =>
          event.startsWith("account.") ? [event] : []
        )
        assert.deepStrictEqual(lines, ["account.resumed", "account.halted"])
      }).pipe(Effect.provide(layer))
    }
  )

  it.live("lets positions be left, by their rules and by hand", () => {
    const script = { [symbol]: [99, 101, 102, 99, 98, 101, 102] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      const byHand = yield* bots.create(accountId, {
        name: "by hand",
        strategy_id: bot.strategy_id,
        capital_allocation: 10_000
      })
      for (const { id } of [bot, byHand]) yield* bots.command(accountId, id, "start")
      yield* tellUntil(3)
      yield* reaches(2)
      yield* eventually(
        bots.status(accountId, byHand.id),
        ({ open_positions }) => open_positions.length === 1
      )
      assert.deepInclude(yield* bots.haltAll(accountId), { changed: true, halted_reason: null })
      const closing = yield* bots.closePositions(accountId, byHand.id)
      assert.deepInclude(closing, { changed: true, ...killed })
      yield* tellUntil(7)
      yield* reaches(6)
      for (const { id } of [bot, byHand]) {
        const flat = yield* eventually(
          bots.status(accountId, id),
          ({ is_data_ended }) => is_data_ended
        )
        assert.lengthOf(flat.open_positions, 0)
        const { items } = yield* bots.trades(accountId, id, { limit: 9 })
        assert.deepStrictEqual(
          items.map(({ leg }) => leg),
          ["exit", "entry"]
        )
      }
    }).pipe(Effect.provide(layer))
  })

  it.live("halts a bot that is made or started later as well", () => {
    const script = { [symbol]: [99, 101, 102, 103] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.haltAll(accountId)
      const made = yield* bots.create(accountId, {
        name: "later",
        strategy_id: bot.strategy_id,
        capital_allocation: 10_000,
        auto_start: true
      })
      assert.deepInclude(made, killed)
      assert.deepInclude(yield* bots.command(accountId, bot.id, "start"), killed)
      yield* tellUntil(4)
      yield* reaches(3)
      for (const id of [bot.id, made.id]) {
        yield* eventually(bots.status(accountId, id), ({ is_data_ended }) => is_data_ended)
        assert.lengthOf((yield* bots.trades(accountId, id, { limit: 9 })).items, 0)
      }
    }).pipe(Effect.provide(layer))
  })

  it.live("leaves each bot's own risk gate as it is, shut or opened meanwhile", () => {
    const script = { [symbol]: [99, 101, 102, 90, 80, 99, 101, 102, 103, 104] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script, { risk })
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(5)
      const own = { trading_state: "halted", trading_state_reason: "max_drawdown" } as const
      assert.deepInclude(yield* reaches(4), own)
      yield* bots.haltAll(accountId)
      assert.deepInclude(yield* bots.status(accountId, bot.id), killed)
      yield* bots.resumeAll(accountId)
      assert.deepInclude(yield* bots.status(accountId, bot.id), own)
      yield* bots.haltAll(accountId)
      assert.deepInclude(yield* bots.resumeRisk(accountId, bot.id), { changed: true, ...killed })
      yield* tellUntil(8)
      assert.lengthOf((yield* reaches(7)).open_orders, 0)
      yield* bots.resumeAll(accountId)
      assert.deepInclude(yield* bots.status(accountId, bot.id), open)
      yield* tellUntil(10)
      assert.lengthOf((yield* reaches(9)).open_positions, 1)
    }).pipe(Effect.provide(layer))
  })

  it.live(
    "changes nothing when it is halted or resumed again, and sends an alert for each halt",
    () => {
      const script = { [symbol]: [99, 101] }
      const { layer } = world(script)
      return Effect.gen(function* () {
        const { accountId, bot, bots } = yield* setTheScene(script)
        const [accounts, alerts, events] = [yield* Accounts, yield* Alerts, yield* Events]
        const heard: Array<{ readonly event: string; readonly body: string }> = []
        yield* Effect.forkScoped(
          Stream.runForEach(events.published, (event) => Effect.sync(() => heard.push(event))),
          { startImmediately: true }
        )
        assert.isFalse((yield* bots.resumeAll(accountId)).changed)
        const first = yield* bots.haltAll(accountId, { reason: "first" })
        const again = yield* bots.haltAll(accountId, { reason: "second" })
        assert.deepStrictEqual(again, { ...first, changed: false })
        const { changed: _, bots_waiting: _w, orders_cancelled: _o, ...account } = first
        assert.deepStrictEqual(yield* accounts.get(accountId), account)
        const { items } = yield* alerts.list(accountId, { limit: 9 })
        assert.lengthOf(items, 1)
        assert.deepInclude(items[0], { metric: "kill_switch", bot_id: null, fired_count: 1 })
        yield* bots.resumeAll(accountId)
        assert.deepInclude(yield* alerts.get(accountId, items[0]!.id), { is_armed: true })
        yield* bots.haltAll(accountId)
        assert.deepInclude(yield* alerts.get(accountId, items[0]!.id), { fired_count: 2 })
        yield* eventually(
          Effect.sync(() => heard.filter(({ event }) => event === "alert.triggered")),
          ({ length }) => length === 2
        )
        const [told] = heard.map(({ body }) => JSON.parse(body).data)
        assert.deepInclude(told, {
          metric: "kill_switch",
          bot_id: null,
          value: 1,
          message: "the account is halted: first"
        })
        const ofBot = { metric: "kill_switch", op: "gt", threshold: 0, bot_id: bot.id } as const
        assert.strictEqual(
          (yield* refusal(alerts.create(accountId, ofBot))).code,
          "validation_failed"
        )
        assert.strictEqual((yield* refusal(bots.haltAll("acc_nobody"))).code, "not_found")
      }).pipe(Effect.scoped, Effect.provide(layer))
    }
  )

  it.live("fills no entry that rests, although its bot was not told before a process ended", () => {
    const script = { [symbol]: [99, 101, 102, 103, 104, 105] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      const accounts = yield* AccountStore
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(2)
      yield* reaches(1)
      const account = Option.getOrThrow(yield* accounts.get(accountId))
      yield* accounts.update({ ...account, is_halted: true })
      yield* tellUntil(4)
      yield* reaches(3)
      assert.lengthOf((yield* bots.trades(accountId, bot.id, { limit: 9 })).items, 0)
      const [ended] = (yield* bots.orders(accountId, bot.id, { limit: 1 })).items
      assert.strictEqual(ended?.status, "cancelled")
      assert.deepStrictEqual((yield* (yield* PaperBooks).account(bot.id)).openOrders, [])
    }).pipe(Effect.provide(layer))
  })

  it.live("sends no entry that a broker did not take before it was halted", () => {
    const script = { [symbol]: [99, 101, 102, 103] }
    const told = makeScript(script)
    const asked: Array<string> = []
    let isDown = true
    // Its bots see it down for a while, and what it is asked for meanwhile never arrives.
    const broker = Layer.effect(
      PaperBooks,
      Effect.map(PaperBooks, (paper) => ({
        ...paper,
        isInStore: false,
        place: (botId: string, market: number, order: OrderRequest) =>
          Effect.suspend(() => {
            asked.push(order.leg)
            const reason = new BooksUnavailable({ cause: "the test pulled the plug" })
            return isDown
              ? Effect.fail(new BooksError({ reason }))
              : paper.place(botId, market, order)
          })
      }))
    ).pipe(Layer.provide(PaperBooks.layer))
    const layer = Layer.provideMerge(botsOnStores(told.layer, broker), MemoryStore.layer)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      const accounts = yield* AccountStore
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(2)
      yield* reaches(1)
      yield* eventually(
        Effect.sync(() => asked.length),
        (count) => count > 0
      )
      const account = Option.getOrThrow(yield* accounts.get(accountId))
      yield* accounts.update({ ...account, is_halted: true })
      const before = asked.length
      isDown = false
      yield* told.tellUntil(4)
      yield* reaches(3)
      assert.strictEqual(asked.length, before)
      const { items } = yield* bots.orders(accountId, bot.id, { limit: 9 })
      assert.deepStrictEqual(
        items.map(({ status }) => status),
        ["cancelled"]
      )
    }).pipe(Effect.provide(layer), Effect.provideService(References.MinimumLogLevel, "Error"))
  })

  it.live("is told to a bot four times, and names the bots that it did not reach", () => {
    const script = { [symbol]: [99, 101, 102, 103] }
    const told = makeScript(script)
    let failing = 0
    let asked = 0
    // A store that can't be reached for so many looks at a bot's orders.
    const orders = Layer.effect(
      OrderStore,
      Effect.map(OrderStore, (kept) => ({
        ...kept,
        listOpen: (botId: string) =>
          Effect.suspend(() => {
            asked++
            const reason = new StoreUnavailable({ cause: "the test pulled the plug" })
            return failing-- > 0 ? Effect.fail(new StoreError({ reason })) : kept.listOpen(botId)
          })
      }))
    )
    const layer = botsOnStores(told.layer).pipe(
      Layer.provideMerge(orders),
      Layer.provideMerge(MemoryStore.layer)
    )
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      const halt = (failures: number) =>
        Effect.suspend(() => {
          failing = failures
          asked = 0
          return bots.haltAll(accountId)
        })
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(2)
      yield* reaches(1)
      yield* eventually(
        bots.status(accountId, bot.id),
        ({ open_orders }) => open_orders[0]?.status === "accepted"
      )
      const first = yield* halt(100)
      const unreached = { orders_cancelled: 0, bots_waiting: [bot.id] }
      assert.deepInclude(first, { is_halted: true, changed: true, ...unreached })
      assert.strictEqual(asked, 4)
      const reached = { orders_cancelled: 1, bots_waiting: [] }
      assert.deepInclude(yield* halt(3), { is_halted: true, changed: false, ...reached })
      assert.strictEqual(asked, 4)
      failing = 0
      assert.deepStrictEqual((yield* (yield* PaperBooks).account(bot.id)).openOrders, [])
      assert.lengthOf((yield* bots.status(accountId, bot.id)).open_orders, 0)
      assert.deepInclude(yield* halt(0), { orders_cancelled: 0, bots_waiting: [] })
    }).pipe(Effect.provide(layer), Effect.provideService(References.MinimumLogLevel, "Error"))
  })

  it.live("has the entry of a bot cancelled that failed with it", () => {
    const script = { [symbol]: [99, 101, 102, 103] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      const store = yield* BotStore
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(2)
      yield* reaches(1)
      const running = Option.getOrThrow(yield* store.get(accountId, bot.id))
      const { updated_at: at } = running
      const error = { code: "internal", message: "it fell over", at, retryable: false }
      yield* store.update({ ...running, status: "error", error })
      const halted = yield* bots.haltAll(accountId)
      assert.deepInclude(halted, { orders_cancelled: 1, bots_waiting: [] })
      assert.deepStrictEqual((yield* (yield* PaperBooks).account(bot.id)).openOrders, [])
    }).pipe(Effect.provide(layer))
  })

  it.live("is not halted anew by the repetition of a request from before it was resumed", () => {
    const script = { [symbol]: [99, 101, 102, 103] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      const accounts = yield* Accounts
      yield* bots.command(accountId, bot.id, "start")
      const kept = new Map<string, unknown>()
      const halting = Effect.provideService(bots.haltAll(accountId), KeyedRequest, {
        once: <A, E, R>(step: string, work: Effect.Effect<A, E, R>) =>
          Effect.suspend(() =>
            kept.has(step)
              ? Effect.succeed(kept.get(step) as A)
              : Effect.tap(work, (value) => Effect.sync(() => kept.set(step, value)))
          )
      })
      assert.isTrue((yield* halting).changed)
      yield* bots.resumeAll(accountId)
      yield* tellUntil(2)
      yield* reaches(1)
      const resting = yield* eventually(
        bots.status(accountId, bot.id),
        ({ open_orders }) => open_orders[0]?.status === "accepted"
      )
      assert.isTrue((yield* halting).changed, "it tells what it did then")
      assert.isFalse((yield* accounts.get(accountId)).is_halted)
      const after = yield* bots.status(accountId, bot.id)
      assert.deepStrictEqual(after.open_orders, resting.open_orders)
    }).pipe(Effect.provide(layer))
  })
})

describe("an account that is halted while its store can't take the switch", () => {
  it.live("opens nothing in that process, and is halted in the store once that answers", () => {
    const script = { [symbol]: [99, 101, 102, 103, 104, 105] }
    const told = makeScript(script)
    const disk = { isFull: false }
    const accounts = Layer.effect(
      AccountStore,
      Effect.map(AccountStore, (store) => ({
        ...store,
        update: (...asked: Parameters<typeof store.update>) =>
          Effect.suspend(() =>
            disk.isFull
              ? Effect.fail(new StoreError({ reason: new StoreUnavailable({ cause: "full" }) }))
              : store.update(...asked)
          )
      }))
    )
    const stores = Layer.provideMerge(accounts, MemoryStore.layer)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(1)
      yield* reaches(0)
      disk.isFull = true
      const refused = yield* refusal(bots.haltAll(accountId, { reason: "too hot" }))
      assert.strictEqual(refused.code, "unavailable")
      const kept = yield* AccountStore
      const isHalted = Effect.map(
        kept.get(accountId),
        (found) => Option.getOrThrow(found).is_halted
      )
      assert.isFalse(yield* isHalted)
      yield* told.tellUntil(4)
      assert.deepInclude(yield* reaches(3), { ...killed, open_orders: [], open_positions: [] })
      assert.lengthOf((yield* bots.orders(accountId, bot.id, { limit: 9 })).items, 0)
      disk.isFull = false
      yield* eventually(isHalted, (isOn) => isOn)
      assert.isTrue((yield* bots.resumeAll(accountId)).changed)
      yield* told.tellUntil(6)
      assert.lengthOf((yield* reaches(5)).open_positions, 1)
    }).pipe(
      Effect.provide(Layer.provideMerge(botsOnStores(told.layer), stores)),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  })

  it.live("forgets the switch where somebody resumes the account first", () => {
    const script = { [symbol]: [99, 101, 102, 103, 104, 105] }
    const told = makeScript(script)
    const accounts = Layer.effect(
      AccountStore,
      Effect.map(AccountStore, (store) => ({
        ...store,
        update: (account: Parameters<typeof store.update>[0]) =>
          account.is_halted
            ? Effect.fail(new StoreError({ reason: new StoreUnavailable({ cause: "full" }) }))
            : store.update(account)
      }))
    )
    const stores = Layer.provideMerge(accounts, MemoryStore.layer)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* refusal(bots.haltAll(accountId))
      assert.deepInclude(yield* bots.get(accountId, bot.id), killed)
      assert.isFalse((yield* bots.resumeAll(accountId)).changed)
      assert.deepInclude(yield* bots.get(accountId, bot.id), open)
      yield* told.tellUntil(4)
      assert.lengthOf((yield* reaches(3)).open_positions, 1)
    }).pipe(
      Effect.provide(Layer.provideMerge(botsOnStores(told.layer), stores)),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  })
})

describe("an entry that is decided just before its account is halted", () => {
  it.live("is not sent, although the store has not taken the switch", () => {
    const script = { [symbol]: [99, 101, 102, 103] }
    const told = makeScript(script)
    const asked: Array<string> = []
    const stepping: { halt: Effect.Effect<void> } = { halt: Effect.void }
    const failing = Effect.fail(new StoreError({ reason: new StoreUnavailable({ cause: "full" }) }))
    const hooked = Layer.mergeAll(
      Layer.effect(
        AccountStore,
        Effect.map(AccountStore, (store) => ({ ...store, update: () => failing }))
      ),
      // Alerts are looked at in each step, after its orders are decided.
      Layer.effect(
        AlertStore,
        Effect.map(AlertStore, (store) => ({
          ...store,
          listOfBots: (...of: Parameters<typeof store.listOfBots>) =>
            Effect.andThen(
              Effect.suspend(() => stepping.halt),
              store.listOfBots(...of)
            )
        }))
      )
    )
    const broker = Layer.effect(
      PaperBooks,
      Effect.map(PaperBooks, (paper) => ({
        ...paper,
        place: (...order: Parameters<typeof paper.place>) =>
          Effect.suspend(() => {
            asked.push(order[2].leg)
            return paper.place(...order)
          })
      }))
    ).pipe(Layer.provide(PaperBooks.layer))
    const stores = Layer.provideMerge(hooked, MemoryStore.layer)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(1)
      yield* reaches(0)
      stepping.halt = Effect.suspend(() => {
        stepping.halt = Effect.void
        const halting = Effect.forkDetach(Effect.ignore(bots.haltAll(accountId)))
        return Effect.andThen(halting, Effect.sleep("20 millis"))
      })
      yield* told.tellUntil(2)
      yield* reaches(1)
      const taken = yield* eventually(
        bots.orders(accountId, bot.id, { limit: 9 }),
        ({ items }) => items[0]?.status === "cancelled"
      )
      assert.lengthOf(taken.items, 1)
      assert.deepStrictEqual(asked, [])
    }).pipe(
      Effect.provide(Layer.provideMerge(botsOnStores(told.layer, broker), stores)),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  })
})
