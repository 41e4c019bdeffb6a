/**
 * A bot whose books and the exchange's differ: it halts, says so, and takes over what the exchange
 * holds where it is told to.
 */
import {
  Alerts,
  PaperBooks,
  Events,
  type ReconcileOutcome,
  type StorePorts
} from "@candlewick/core"
import { makeRandom, type OrderRequest } from "@candlewick/core/kernel"
import { orderRequest } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, PubSub } from "effect"
import {
  onEveryStore,
  takesMemory
} from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { definition, refusal, setTheScene, symbol } from "./scene.ts"
import { makeScript, type Script, scriptStart } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

const foreign = (fields: Partial<OrderRequest> = {}): OrderRequest =>
  orderRequest({ id: "foreign", quantity: 5, ...fields })

const hourMs = 3_600_000

/** Somebody else's order at the broker, filled without the bot's being told. */
const tradeBehindItsBack = Effect.fnUntraced(function* (
  botId: string,
  order: OrderRequest,
  price = 10
) {
  const broker = yield* PaperBooks
  yield* broker.place(botId, 0, order)
  const time = scriptStart - hourMs
  const candle = { symbol, time, open: price, high: price, low: price, close: price }
  return yield* broker.settle(botId, [candle])
})

/** The position of the outcome's first difference, as the bot and as the exchange have it. */
const quantities = ({ differences }: Pick<ReconcileOutcome, "differences">) =>
  differences.flatMap((one) =>
    one.kind === "position" ? [[one.own?.quantity ?? 0, one.exchange?.quantity ?? 0]] : []
  )

const tellOf = (name: string, store: Layer.Layer<StorePorts>): void => {
  const world = (script: Script) => {
    const told = makeScript(script)
    return { ...told, layer: Layer.provideMerge(botsOnStores(told.layer), store) }
  }
  const slow = { timeout: 900_000 }

  describe(`a bot that the exchange contradicts (${name})`, () => {
    const script = { [symbol]: [99, 101, 102, 103, 104, 105] }

    it.live(
      "halts at its start, and tells of it in its status, its log and one alert",
      () => {
        const { layer, tellUntil } = world(script)
        return Effect.gen(function* () {
          const { accountId, becomes, bot, bots, reaches } = yield* setTheScene(script)
          const events = yield* Events
          const heard = yield* events.subscribe
          yield* tradeBehindItsBack(bot.id, foreign())
          yield* bots.command(accountId, bot.id, "start")
          yield* becomes("running")
          yield* tellUntil(4)
          const status = yield* reaches(3)
          assert.strictEqual(status.trading_state, "halted")
          assert.strictEqual(status.trading_state_reason, "reconcile_mismatch")
          assert.deepStrictEqual(status.mismatch?.differences, [
            {
              kind: "position",
              symbol,
              own: null,
              exchange: { quantity: 5, entry_price: 10 }
            },
            { kind: "cash", own: 10_000, exchange: 9_950 }
          ])
          assert.lengthOf((yield* bots.trades(accountId, bot.id, { limit: 10 })).items, 0)

          const { items } = yield* bots.logs(accountId, bot.id, { limit: 50, level: "error" })
          assert.deepStrictEqual(
            items.map(({ event }) => event),
            ["reconcile.mismatch"]
          )
          assert.deepStrictEqual(items[0]?.data["differences"], status.mismatch?.differences)

          yield* events.flush
          const told = (yield* PubSub.takeAll(heard)).filter(
            ({ event }) => event === "alert.triggered"
          )
          assert.lengthOf(told, 1)
          const { data } = JSON.parse(told[0]!.body) as { data: Record<string, unknown> }
          assert.deepInclude(data, {
            bot_id: bot.id,
            kind: "performance",
            metric: "reconcile_mismatch",
            operator: "gt",
            threshold: 0,
            value: 2,
            occurrence: 1
          })
          assert.match(String(data["message"]), /STY\/USD: 0 here, 5 at the exchange/)
          const alerts = yield* Alerts
          const alert = yield* alerts.get(accountId, String(data["alert_id"]))
          assert.deepInclude(alert, { fired_count: 1, is_armed: false, bot_id: bot.id })

          // The same mismatch is no news.
          yield* bots.command(accountId, bot.id, "stop")
          yield* becomes("stopped")
          yield* bots.command(accountId, bot.id, "start")
          yield* becomes("running")
          assert.strictEqual((yield* alerts.get(accountId, alert.id)).fired_count, 1)
          const early = yield* refusal(bots.resumeRisk(accountId, bot.id))
          assert.deepInclude(early, { code: "invalid_transition", allowed: ["reconcile"] })
        }).pipe(Effect.scoped, Effect.provide(layer))
      },
      slow
    )

    it.live(
      "reports what differs, takes it over when told to, and trades on",
      () => {
        const { layer, tellUntil } = world(script)
        return Effect.gen(function* () {
          const { accountId, becomes, bot, bots, reaches } = yield* setTheScene(script)
          const broker = yield* PaperBooks
          yield* tradeBehindItsBack(bot.id, foreign())
          yield* bots.command(accountId, bot.id, "start")
          yield* becomes("running")
          yield* tellUntil(3)
          const halted = yield* reaches(2)

          const { version } = yield* bots.get(accountId, bot.id)
          const reported = yield* bots.reconcile(accountId, bot.id)
          assert.isFalse(reported.changed)
          assert.strictEqual(reported.version, version)
          assert.deepStrictEqual(reported.differences, halted.mismatch!.differences)
          assert.isNull(reported.adjustment)
          const stale = yield* refusal(
            bots.reconcile(accountId, bot.id, { accept: true }, version - 1)
          )
          assert.strictEqual(stale.code, "precondition_failed")

          const taken = yield* bots.reconcile(accountId, bot.id, { accept: true }, version)
          assert.isTrue(taken.changed)
          assert.deepStrictEqual(taken.differences, reported.differences)
          assert.deepInclude(taken, { trading_state: "active", trading_state_reason: "none" })
          // Five for fifty, without a fee: what was paid stands in the books as a position.
          assert.strictEqual(taken.adjustment?.amount, 0)
          const after = yield* bots.status(accountId, bot.id)
          assert.isNull(after.mismatch)
          assert.strictEqual(after.cash, 9_950)
          assert.deepInclude(after.open_positions[0], { quantity: 5, entry_price: 10, price: 102 })
          assert.strictEqual(after.equity, 9_950 + 5 * 102)
          const performance = yield* bots.performance(accountId, bot.id)
          assert.deepStrictEqual(performance.adjustments, [taken.adjustment!])
          assert.strictEqual(
            performance.capital_allocation +
              performance.realized_pnl +
              performance.adjusted +
              performance.unrealized_pnl,
            performance.equity
          )

          const again = yield* bots.reconcile(accountId, bot.id, { accept: true })
          assert.isFalse(again.changed)
          assert.deepStrictEqual(again.differences, [])
          assert.isNull(again.adjustment)
          assert.strictEqual(again.version, taken.version)

          yield* bots.closePositions(accountId, bot.id)
          yield* tellUntil(5)
          yield* reaches(4)
          assert.deepStrictEqual(
            (yield* broker.account(bot.id)).positions.filter(({ quantity }) => quantity === 5),
            []
          )
          const [first] = (yield* bots.trades(accountId, bot.id, { limit: 10 })).items.toReversed()
          assert.deepInclude(first, { side: "sell", amount: 5, realized_pnl: 5 * (102 - 10) })
          const { items } = yield* bots.logs(accountId, bot.id, { limit: 50, level: "warn" })
          assert.include(
            items.map(({ event }) => event),
            "reconcile.accepted"
          )
        }).pipe(Effect.provide(layer))
      },
      slow
    )

    // The store's calls for it are shown.
    if (name !== "memory") return

    it.live(
      "lets go of a position that the exchange does not have, and of its stop",
      () => {
        const { layer, tellUntil } = world(script)
        const rules = {
          ...definition,
          exits: { stop_loss: { type: "fraction", value: 0.2 } }
        } as const
        return Effect.gen(function* () {
          const { accountId, bot, bots, reaches } = yield* setTheScene(script, {
            definition: rules
          })
          yield* bots.command(accountId, bot.id, "start")
          yield* tellUntil(4)
          const held = yield* reaches(3)
          assert.strictEqual(held.open_positions[0]?.quantity, 10)
          assert.lengthOf(held.open_orders, 1)
          // Sold there for ninety each, which nobody told the bot of.
          const sale = foreign({ side: -1, leg: "exit", quantity: 10 })
          yield* tradeBehindItsBack(bot.id, sale, 90)
          const found = yield* bots.reconcile(accountId, bot.id)
          assert.isTrue(found.changed)
          assert.strictEqual(found.trading_state_reason, "reconcile_mismatch")
          assert.deepStrictEqual(quantities(found), [[10, 0]])
          const taken = yield* bots.reconcile(accountId, bot.id, { accept: true })
          assert.closeTo(taken.adjustment!.amount, 10 * (90 - 101), 1e-9)
          const after = yield* bots.status(accountId, bot.id)
          assert.deepStrictEqual([after.open_positions, after.open_orders], [[], []])
          assert.closeTo(after.equity, 10_000 - 110, 1e-9)
          const performance = yield* bots.performance(accountId, bot.id)
          assert.strictEqual(performance.positions_closed, 0, "it closed none itself")
          assert.closeTo(performance.adjusted, -110, 1e-9)
          assert.closeTo(performance.unrealized_pnl, 0, 1e-9)
        }).pipe(Effect.provide(layer))
      },
      slow
    )

    it.live(
      "ends orders that the exchange does not have, and cancels those of others there",
      () => {
        const { layer, tellUntil } = world(script)
        return Effect.gen(function* () {
          const { accountId, bot, bots, reaches } = yield* setTheScene(script)
          const broker = yield* PaperBooks
          yield* bots.command(accountId, bot.id, "start")
          // The entry that is decided at 101 rests until the next candle.
          yield* tellUntil(2)
          yield* reaches(1)
          const { open_orders: resting } = yield* eventually(
            bots.status(accountId, bot.id),
            ({ open_orders }) => open_orders[0]?.status === "accepted"
          )
          const own = resting[0]!.client_order_id
          yield* broker.cancel(bot.id, 0, own)
          yield* broker.place(bot.id, 0, foreign({ type: "limit", limit: 1 }))
          const found = yield* bots.reconcile(accountId, bot.id)
          assert.deepStrictEqual(found.differences, [
            { kind: "order", symbol, client_order_id: own, own: "open", exchange: "over" },
            { kind: "order", symbol, client_order_id: "foreign", own: "none", exchange: "open" }
          ])
          const taken = yield* bots.reconcile(accountId, bot.id, { accept: true })
          assert.deepInclude(taken.adjustment, { amount: 0, differences: found.differences })
          assert.deepStrictEqual((yield* broker.account(bot.id)).openOrders, [])
          const [ended] = (yield* bots.orders(accountId, bot.id, { limit: 1 })).items
          assert.deepInclude(ended, { client_order_id: own, status: "cancelled" })
          assert.isFalse((yield* bots.reconcile(accountId, bot.id)).changed)
        }).pipe(Effect.provide(layer))
      },
      slow
    )

    it.live(
      "is as it was before, where the difference is gone by itself",
      () => {
        const { layer } = world(script)
        return Effect.gen(function* () {
          const { accountId, bot, bots } = yield* setTheScene(script)
          const alerts = yield* Alerts
          yield* tradeBehindItsBack(bot.id, foreign())
          const found = yield* bots.reconcile(accountId, bot.id)
          assert.deepStrictEqual([found.changed, found.trading_state], [true, "halted"])
          const sale = foreign({ id: "back", side: -1, leg: "exit" })
          yield* tradeBehindItsBack(bot.id, sale)
          const back = yield* bots.reconcile(accountId, bot.id)
          assert.deepStrictEqual([back.changed, back.trading_state], [true, "active"])
          assert.deepStrictEqual(back.differences, [])
          const [alert] = (yield* alerts.list(accountId, { limit: 10 })).items
          assert.deepInclude(alert, { fired_count: 1, is_armed: true, last_value: 0 })
          yield* tradeBehindItsBack(bot.id, foreign({ id: "more" }))
          yield* bots.reconcile(accountId, bot.id)
          assert.deepInclude(yield* alerts.get(accountId, alert!.id), { fired_count: 2 })
        }).pipe(Effect.provide(layer))
      },
      slow
    )
  })
}

if (takesMemory) tellOf("memory", MemoryStore.layer)
onEveryStore("stores", tellOf)

describe("books after the exchange's truth was accepted", () => {
  const random = makeRandom("truths")
  const closes = Array.from({ length: 60 }, () => 95 + Math.round(random.next() * 100) / 10)
  const script = { [symbol]: closes }

  it.live(
    "hold what the exchange does, and add up, whatever was done behind the bot's back",
    () => {
      const told = makeScript(script)
      const layer = Layer.provideMerge(botsOnStores(told.layer), MemoryStore.layer)
      return Effect.gen(function* () {
        const { accountId, bot, bots, reaches } = yield* setTheScene(script)
        const broker = yield* PaperBooks
        yield* bots.command(accountId, bot.id, "start")
        let acceptedCount = 0
        for (let at = 4; at <= closes.length; at += 4) {
          yield* told.tellUntil(at)
          yield* reaches(at - 1)
          const before = (yield* broker.account(bot.id)).positions[0]?.quantity ?? 0
          const isSale = before > 0 && random.next() < 0.7
          const order = isSale
            ? foreign({ id: `f${at}`, side: -1, leg: "exit", quantity: random.integer(1, before) })
            : foreign({ id: `f${at}`, quantity: random.integer(1, 9) })
          // Any resting order of the bot itself is filled at the broker as well, and not told.
          yield* tradeBehindItsBack(bot.id, order, random.integer(80, 120))
          const taken = yield* bots.reconcile(accountId, bot.id, { accept: true })
          acceptedCount += taken.adjustment === null ? 0 : 1
          const held = yield* broker.account(bot.id)
          const status = yield* bots.status(accountId, bot.id)
          assert.deepStrictEqual(
            status.open_positions.map(({ entry_price, quantity }) => [quantity, entry_price]),
            held.positions.map(({ entryPrice, quantity }) => [quantity, entryPrice])
          )
          assert.strictEqual(status.cash, held.cash)
          assert.isNull(status.mismatch)
          const sum = status.open_positions.reduce((total, { value }) => total + value, status.cash)
          assert.closeTo(status.equity, sum, 1e-9)
          const shown = yield* bots.performance(accountId, bot.id)
          const fromEntries = status.open_positions.reduce(
            (total, { unrealized_pnl }) => total + unrealized_pnl,
            0
          )
          // No fees in this market, so that open positions are worth their distance from the entry.
          assert.closeTo(
            shown.capital_allocation + shown.realized_pnl + shown.adjusted + fromEntries,
            status.equity,
            1e-6
          )
          assert.closeTo(
            shown.adjustments.reduce((total, { amount }) => total + amount, 0),
            shown.adjusted,
            1e-9
          )
        }
        assert.isAbove(acceptedCount, 10)
      }).pipe(Effect.provide(layer))
    }
  )
})
