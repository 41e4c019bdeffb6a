/**
 * Orders of live bots that an exchange has acknowledged, and does not show later.
 */
import type { BotStatusView, StrategyDefinition, Venue } from "@candlewick/core"
import { openOrdersOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import { decimalText } from "../../packages/core/src/domain/decimals.ts"
import type { ModelVenue } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  holdLive,
  liveWorld,
  makeModel,
  ordersWhere,
  protectedDefinition,
  setLive,
  statusWhere
} from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"

const openAt = (model: ModelVenue) =>
  Effect.map(model.truth, (exchange) =>
    openOrdersOf(exchange).map(({ quantity, type }) => `${type} ${decimalText(quantity)}`)
  )

/** An exchange that leaves orders out of its answers. */
const hiding =
  (hidden: ReadonlySet<string>) =>
  (venue: Venue): Venue => ({
    ...venue,
    order: (of, id) => (hidden.has(id) ? Effect.succeed(Option.none()) : venue.order(of, id)),
    openOrders: Effect.map(venue.openOrders, (all) => all.filter(({ id }) => !hidden.has(id)))
  })

const idOpen = ({ venue }: ModelVenue) => Effect.map(venue.openOrders, ([first]) => first!.id)

describe("an order that its exchange has acknowledged and does not have", () => {
  it.effect("is unknown after a while, and a stop is asked for again", () => {
    const model = makeModel({ capabilities: { windowMs: 5_000 } })
    let isLost = false
    const world = liveWorld(model, (venue) => ({
      ...venue,
      submit: (order) => {
        if (isLost || order.type !== "stop") return venue.submit(order)
        isLost = true
        return Effect.void
      }
    }))
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive(protectedDefinition)
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      const becomes = (isWanted: (status: BotStatusView) => boolean) =>
        statusWhere(bots, accountId, bot.id, isWanted)
      yield* becomes(({ status }) => status === "running")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* becomes(({ open_positions }) => open_positions.length === 1)
      yield* Effect.sleep("70 seconds")
      yield* becomes(({ hindrances }) => hindrances.some(({ kind }) => kind === "unknown_order"))
      yield* Effect.sleep("30 seconds")
      yield* becomes(({ protection }) => protection === "venue")
      assert.deepStrictEqual(yield* openAt(model), ["stop 10"])
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("is asked for again for what it has not filled", () => {
    const below: StrategyDefinition = { ...definition, entry: { type: "limit", offset: 0.01 } }
    const part = { random: 0.99 }
    const model = makeModel({
      capabilities: { windowMs: 5_000 },
      habits: { fillDelayMs: 0, tellDelayMs: 0, partChance: 0.6 },
      random: () => part.random
    })
    const hidden = new Set<string>()
    const world = liveWorld(model, hiding(hidden))
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive(below)
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      const becomes = (isWanted: (status: BotStatusView) => boolean) =>
        statusWhere(bots, accountId, bot.id, isWanted)
      const holds = (quantity: number) =>
        becomes(({ open_positions }) => open_positions[0]?.quantity === quantity)
      yield* becomes(({ status }) => status === "running")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* ordersWhere(model, ([first]) => first?.status === "open")
      part.random = 0.5
      yield* model.moveTo(symbol, "99.9")
      yield* model.moveTo(symbol, "101")
      part.random = 0.99
      yield* holds(5)
      const id = yield* idOpen(model)
      yield* model.venue.cancel(symbol, id)
      hidden.add(id)
      yield* ordersWhere(model, (all) => all.length === 2)
      assert.deepStrictEqual(yield* openAt(model), ["limit 5"])
      yield* model.moveTo(symbol, "99.9")
      yield* holds(10)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  const answers = [
    ["at once", 0],
    ["once the exchange answers", 1]
  ] as const

  it.effect.each(answers)("is cancelled before another one rests: %s", ([, lostMax]) => {
    let lostCount = 0
    const model = makeModel({
      drawFault: ({ type }) =>
        type === "cancel" && lostCount++ < lostMax ? { outcome: "lost_before" } : {},
      capabilities: { windowMs: 5_000 },
      balances: { USD: "10000", STY: "20" }
    })
    const hidden = new Set<string>()
    const world = liveWorld(model, hiding(hidden))
    return Effect.gen(function* () {
      const { becomes } = yield* holdLive(model, world)
      hidden.add(yield* idOpen(model))
      yield* Effect.sleep("2 minutes")
      yield* becomes(({ protection }) => protection === "venue")
      yield* ordersWhere(model, (all) => all.some(({ status }) => status === "cancelled"))
      assert.deepStrictEqual(yield* openAt(model), ["stop 10"])
      yield* model.moveTo(symbol, "80")
      yield* becomes(({ open_positions }) => open_positions.length === 0)
      const { balances } = yield* model.venue.holdings
      assert.strictEqual(balances.get("STY"), "20")
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
