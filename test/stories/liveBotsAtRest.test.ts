/**
 * Live bots that are at rest, or deleted, and what becomes of their stops at the exchange.
 */
import { ArchivedBots, Bots, type Venue, VenueAccountStore } from "@candlewick/core"
import type { ModelVenue } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { openOrdersOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import { venueKeyOf } from "../../packages/core/src/domain/VenueAccount.ts"
import {
  holdLive,
  liveWorld,
  makeModel,
  ordersWhere,
  processesOver,
  protectedDefinition,
  setLive,
  statusWhere
} from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { refusal, symbol } from "./scene.ts"
import { eventually } from "./world.ts"

const stopped = Effect.fnUntraced(function* (
  model: ModelVenue,
  world: Pick<ReturnType<typeof liveWorld>, "tellUntil">
) {
  const scene = yield* holdLive(model, world)
  const { accountId, becomes, bot, bots } = scene
  yield* bots.command(accountId, bot.id, "stop")
  yield* becomes(({ status }) => status === "stopped")
  return scene
})

const deletionOf = Effect.fnUntraced(function* (accountId: string, id: string) {
  const archived = yield* ArchivedBots
  const { items } = yield* archived.logs(accountId, id, { limit: 10 })
  const line = items.find(({ event }) => event === "bot.deleted")!
  return { line, record: yield* archived.get(accountId, id) }
})

describe("a live bot that is deleted with its position", () => {
  it.effect("has its stop cancelled, and says that nothing protects the position", () => {
    const model = makeModel()
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* stopped(model, world)
      yield* bots.remove(accountId, bot.id, "keep")
      yield* ordersWhere(model, (all) => all.at(-1)?.status === "cancelled")
      assert.lengthOf(openOrdersOf(yield* model.truth), 0)
      const { line, record } = yield* deletionOf(accountId, bot.id)
      assert.strictEqual(record.orders_taken_back, 1)
      assert.lengthOf(record.kept_positions, 1)
      assert.deepInclude(line, { level: "warn", data: { orders_taken_back: 1 } })
      assert.include(line.message, "its order at model is taken back; no order protects")
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("leaves what its stop sells before that is cancelled to the account's owner", () => {
    const state = { isSilent: false }
    const model = makeModel({
      drawFault: ({ type }) =>
        state.isSilent && type === "cancel" ? { outcome: "lost_before" } : {}
    })
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* stopped(model, world)
      state.isSilent = true
      yield* bots.remove(accountId, bot.id, "keep")
      yield* model.moveTo(symbol, "80")
      yield* ordersWhere(model, (all) => all.at(-1)?.status === "filled")
      const { get, listOutside } = yield* VenueAccountStore
      const key = venueKeyOf(accountId, "model")
      const { items } = yield* eventually(
        listOutside(key, { limit: 10 }),
        (trades) => trades.items.length > 0
      )
      assert.deepInclude(items[0], { side: "sell", quantity: "10", bot_id: null })
      const account = yield* Effect.flatMap(get(key), Effect.fromOption)
      assert.notInclude(JSON.stringify(account.book), bot.id)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  const others = [
    ["where its account has another bot", 1],
    ["although its account has no other bot", 0]
  ] as const
  it.effect.each(others)("has its stop cancelled after a restart in between, %s", ([, count]) => {
    const state = { isSilent: false }
    const model = makeModel({
      drawFault: ({ type }) =>
        state.isSilent && type === "cancel" ? { outcome: "lost_before" } : {}
    })
    return Effect.gen(function* () {
      const process = yield* processesOver(model)
      const one = yield* process()
      const deleting = Effect.gen(function* () {
        const { accountId, bot, bots, request } = yield* stopped(model, one.world)
        if (count > 0) yield* bots.create(accountId, { ...request, name: "another, which rests" })
        state.isSilent = true
        yield* bots.remove(accountId, bot.id, "keep")
      })
      yield* Effect.provide(deleting, one.services)
      yield* one.end
      assert.lengthOf(openOrdersOf(yield* model.truth), 1)
      state.isSilent = false
      const other = yield* process()
      yield* ordersWhere(model, (all) => all.at(-1)?.status === "cancelled")
      yield* other.end
    }).pipe(whileTimePasses)
  })

  it.effect("says nothing of orders where it holds nothing", () => {
    const model = makeModel()
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* stopped(model, world)
      yield* bots.closePositions(accountId, bot.id)
      yield* becomes(
        ({ open_orders, open_positions }) => open_orders.length + open_positions.length === 0
      )
      yield* bots.remove(accountId, bot.id)
      const { line, record } = yield* deletionOf(accountId, bot.id)
      assert.isUndefined(record.orders_taken_back)
      assert.deepInclude(line, {
        level: "info",
        message: "deleted: its books stay in the archive"
      })
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

describe("a live bot at rest whose entry may fill still", () => {
  it.effect(
    "keeps its account, and so the stop of the entry, until its exchange has ended it",
    () => {
      const model = makeModel()
      const venueOf = (venue: Venue): Venue => ({
        ...venue,
        cancel: (...asked) => Effect.delay(venue.cancel(...asked), "3 seconds")
      })
      const world = liveWorld(model, venueOf)
      const strategy = { ...protectedDefinition, entry: { type: "limit", offset: 0.01 } } as const
      return Effect.gen(function* () {
        const { accountId, bots, request } = yield* setLive(strategy)
        const bot = yield* bots.create(accountId, request)
        yield* bots.command(accountId, bot.id, "start")
        const becomes = (isWanted: Parameters<typeof statusWhere>[3]) =>
          statusWhere(bots, accountId, bot.id, isWanted)
        yield* becomes(({ status }) => status === "running")
        yield* model.moveTo(symbol, "101")
        yield* world.tellUntil(3)
        yield* ordersWhere(model, ([first]) => first?.status === "open")
        yield* bots.command(accountId, bot.id, "stop")
        yield* becomes(({ status }) => status === "stopped")
        const change = bots.update(accountId, bot.id, { capital_allocation: 1_500 })
        assert.deepInclude(yield* refusal(change), { code: "unavailable" })
        yield* model.moveTo(symbol, "99.9")
        yield* model.moveTo(symbol, "101")
        yield* becomes(({ protection }) => protection === "venue")
        assert.deepInclude(yield* refusal(change), { code: "open_positions" })
        yield* bots.closePositions(accountId, bot.id)
        yield* Effect.sleep("10 seconds")
        yield* becomes(({ open_positions }) => open_positions.length === 0)

        yield* eventually(Effect.option(change), Option.isSome)
      }).pipe(Effect.provide(world.layer), whileTimePasses)
    }
  )
})

describe("the stop of a live bot at rest", () => {
  it.effect("is audited after a restart, though no bot of its account runs", () => {
    const model = makeModel()
    return Effect.gen(function* () {
      const process = yield* processesOver(model)
      const one = yield* process()
      const { accountId, bot } = yield* Effect.provide(stopped(model, one.world), one.services)
      yield* one.end
      const [stop] = openOrdersOf(yield* model.truth)
      yield* model.act({ type: "end", id: stop!.id!, status: "cancelled" })
      const other = yield* process()
      yield* ordersWhere(
        model,
        (all) =>
          all.filter(({ type }) => type === "stop").length === 2 && all.at(-1)?.status === "open"
      )
      const own = yield* Effect.provide(Bots, other.services)
      const status = yield* eventually(
        own.status(accountId, bot.id),
        ({ protection }) => protection === "venue"
      )
      assert.strictEqual(status.status, "stopped")
      yield* other.end
    }).pipe(whileTimePasses)
  })
})
