/**
 * The stops of live bots at their exchange: how much they cover, and what is told of them.
 */
import {
  Bots,
  type BotStatusView,
  type StrategyDefinition,
  VenueError,
  VenueRefused
} from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { openOrdersOf, ordersOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import { decimalText } from "../../packages/core/src/domain/decimals.ts"
import type { ModelVenue } from "@candlewick/core/testing"
import {
  holdLive,
  liveWorld,
  makeModel,
  market,
  ordersWhere,
  processesOver,
  protectedDefinition,
  setLive,
  statusWhere
} from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"
import { eventually } from "./world.ts"

/** Sells half at 103.02, two hundredths above the entry at 101. */
const inParts: StrategyDefinition = {
  ...protectedDefinition,
  targets: [{ at: { type: "fraction", value: 0.02 }, portion: 0.5 }]
}

/** The same, far above all closes. */
const far: StrategyDefinition = {
  ...protectedDefinition,
  targets: [{ at: { type: "fraction", value: 0.2 }, portion: 0.5 }]
}

/** Sells all of it at 121.2, far above all closes. */
const whole = {
  ...protectedDefinition,
  exits: {
    ...protectedDefinition.exits,
    take_profit: { type: "fraction", value: 0.2 }
  }
} as const

/** Whether a status shows these orders as open. */
const shows =
  (wanted: ReadonlyArray<string>) =>
  ({ open_orders }: BotStatusView): boolean =>
    open_orders
      .map(({ leg, status }) => `${leg} ${status}`)
      .toSorted()
      .join() === wanted.join()

const openAt = (model: ModelVenue) =>
  Effect.map(model.truth, (exchange) =>
    openOrdersOf(exchange)
      .map(({ quantity, type }) => `${type} ${decimalText(quantity)}`)
      .toSorted()
  )

const opens = (model: ModelVenue, wanted: ReadonlyArray<string>) =>
  eventually(openAt(model), (open) => JSON.stringify(open) === JSON.stringify(wanted))

const targetOf = ({ open_orders }: BotStatusView) => open_orders.find(({ leg }) => leg === "exit")

describe("a ladder's target at an exchange", () => {
  const spotWhere = [
    ["where orders share no quantity", false],
    ["on spot where orders share it", true]
  ] as const
  it.live.each(spotWhere)("is watched %s, and the stop covers all that is held", ([, shares]) =>
    Effect.gen(function* () {
      const model = makeModel({ capabilities: { canShareQuantity: shares } })
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, becomes, bot, bots } = yield* holdLive(model, world, inParts)
        yield* model.moveTo(symbol, "103")
        yield* world.tellUntil(5)
        const watching = yield* becomes((status) => targetOf(status) !== undefined)
        assert.deepInclude(targetOf(watching), { status: "submitted", quantity: 5 })
        yield* opens(model, ["stop 10"])
        assert.strictEqual(watching.protection, "venue")
        assert.strictEqual(watching.open_positions[0]?.protection, "venue")
        yield* model.moveTo(symbol, "104")
        yield* world.tellUntil(6)
        yield* becomes(({ open_positions }) => open_positions[0]?.quantity === 5)
        yield* opens(model, ["stop 5"])
        yield* becomes(({ protection }) => protection === "venue")
        const { items } = yield* bots.trades(accountId, bot.id, { limit: 10 })
        assert.deepInclude(items[0], { side: "sell", amount: 5, price: 104 })
        const { items: orders } = yield* bots.orders(accountId, bot.id, { limit: 10 })
        const sold = orders.find(({ leg, type }) => leg === "exit" && type === "limit")
        assert.deepInclude(sold, { status: "filled", filled_quantity: 5 })
      })
      yield* Effect.provide(story, world.layer)
    })
  )

  it.live("rests beside a stop of the whole where both may share the bot's own position", () =>
    Effect.gen(function* () {
      const netting = { kind: "one_way", hasReduceOnly: true, canShareQuantity: true } as const
      const model = makeModel({ capabilities: netting })
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { becomes } = yield* holdLive(model, world, inParts)
        yield* model.moveTo(symbol, "103")
        yield* world.tellUntil(5)
        yield* opens(model, ["limit 5", "stop 10"])
        const resting = yield* becomes((status) => targetOf(status)?.status === "accepted")
        assert.strictEqual(resting.protection, "venue")
        yield* model.moveTo(symbol, "103.5")
        yield* becomes(({ open_positions }) => open_positions[0]?.quantity === 5)
        yield* opens(model, ["stop 5"])
      })
      yield* Effect.provide(story, world.layer)
    })
  )

  for (const canShareQuantity of [false, true]) {
    const where = canShareQuantity ? ", where orders share quantity as well" : ""
    it.live(`is taken back once another bot enters its netted market${where}`, () =>
      Effect.gen(function* () {
        const netting = { kind: "one_way", hasReduceOnly: true, canShareQuantity } as const
        const model = makeModel({ capabilities: netting })
        const world = liveWorld(model)
        const story = Effect.gen(function* () {
          const { accountId, becomes, bots, request } = yield* holdLive(model, world, far)
          yield* model.moveTo(symbol, "102")
          yield* world.tellUntil(5)
          yield* opens(model, ["limit 5", "stop 10"])
          const second = yield* bots.create(accountId, request)
          yield* bots.command(accountId, second.id, "start")
          yield* world.tellUntil(6)
          yield* eventually(
            bots.status(accountId, second.id),
            ({ open_positions, protection }) =>
              open_positions.length === 1 && protection === "venue"
          )
          yield* opens(model, ["stop 10", "stop 10"])
          const watching = yield* becomes((status) => targetOf(status)?.status === "submitted")
          assert.strictEqual(watching.protection, "venue")
        })
        yield* Effect.provide(story, world.layer)
      })
    )
  }

  it.live("of all that is held leaves the exchange once another bot enters its netted market", () =>
    Effect.gen(function* () {
      const netting = { kind: "one_way", hasReduceOnly: true, canShareQuantity: true } as const
      const model = makeModel({ capabilities: netting })
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, becomes, bot, bots, request } = yield* holdLive(model, world, whole)
        yield* opens(model, ["limit 10", "stop 10"])
        yield* becomes(shows(["stop_loss accepted", "take_profit accepted"]))
        const second = yield* bots.create(accountId, request)
        yield* bots.command(accountId, second.id, "start")
        yield* model.moveTo(symbol, "102")
        yield* world.tellUntil(5)
        const enters = ({ open_positions, protection }: BotStatusView) =>
          open_positions.length === 1 && protection === "venue"
        yield* eventually(bots.status(accountId, second.id), enters)
        yield* opens(model, ["stop 10", "stop 10"])
        yield* becomes(shows(["stop_loss accepted", "take_profit submitted"]))
        yield* bots.command(accountId, bot.id, "stop")
        yield* becomes(
          (now) =>
            now.status === "stopped" && shows(["stop_loss accepted", "take_profit submitted"])(now)
        )
      })
      yield* Effect.provide(story, world.layer)
    })
  )

  it.effect("leaves at a later close where its exchange refuses it at first", () => {
    let sellCount = 0
    const model = makeModel({
      drawFault: (call) =>
        call.type === "submit" && call.order.type === "market" && sellCount++ === 0
          ? { outcome: "refused" }
          : {}
    })
    const world = liveWorld(model)
    const near: StrategyDefinition = {
      ...protectedDefinition,
      targets: [{ at: { type: "fraction", value: 0.01 }, portion: 0.5 }]
    }
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* holdLive(model, world, near)
      yield* model.moveTo(symbol, "103")
      yield* world.tellUntil(5)
      yield* eventually(bots.logs(accountId, bot.id, { limit: 100 }), ({ items }) =>
        items.some(({ event }) => event === "order.refused")
      )
      yield* opens(model, ["stop 10"])
      yield* becomes((status) => targetOf(status)?.status === "submitted")
      yield* model.moveTo(symbol, "104")
      yield* world.tellUntil(6)
      yield* becomes(({ open_positions }) => open_positions[0]?.quantity === 5)
      yield* opens(model, ["stop 5"])
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.live("is no longer watched once its bot closes the position", () =>
    Effect.gen(function* () {
      const model = makeModel()
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, becomes, bot, bots } = yield* holdLive(model, world, inParts)
        yield* model.moveTo(symbol, "103")
        yield* world.tellUntil(5)
        yield* becomes((status) => targetOf(status) !== undefined)
        yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
        yield* world.tellUntil(6)
        yield* becomes(({ status }) => status === "stopped")
        yield* becomes(({ open_orders }) => open_orders.length === 0)
        const sold = ordersOf(yield* model.truth).filter(({ side }) => side === "sell")
        assert.deepStrictEqual(
          sold.map(({ status, type }) => [type, status]),
          [
            ["stop", "cancelled"],
            ["market", "filled"]
          ]
        )
      })
      yield* Effect.provide(story, world.layer)
    })
  )
})

const stopOf = ({ open_orders }: BotStatusView) =>
  open_orders.find(({ leg }) => leg === "stop_loss")

describe("a stop that its exchange refuses", () => {
  for (const canShareQuantity of [false, true]) {
    const where = canShareQuantity ? "where orders share quantity" : "where orders share none"

    it.live(`is told at once, and asked for again, ${where}`, () =>
      Effect.gen(function* () {
        let refusedCount = 0
        const model = makeModel({
          capabilities: { canShareQuantity },
          drawFault: (call) =>
            call.type === "submit" && call.order.type === "stop" && refusedCount++ === 0
              ? { outcome: "refused" }
              : {}
        })
        const world = liveWorld(model)
        const story = Effect.gen(function* () {
          const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
          const rests = yield* becomes((status) => stopOf(status)?.status === "accepted")
          assert.deepInclude(stopOf(rests), { reason: null })
          const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
          const line = items.find(({ event }) => event === "protection.refused")
          assert.include(line?.message, "by a fault")
        })
        yield* Effect.provide(story, world.layer)
      })
    )

    it.live(`is at no moment said to be at the exchange, ${where}`, () =>
      Effect.gen(function* () {
        const model = makeModel({
          capabilities: { canShareQuantity },
          drawFault: (call) =>
            call.type === "submit" && call.order.type === "stop" ? { outcome: "refused" } : {}
        })
        const world = liveWorld(model)
        const story = Effect.gen(function* () {
          const { accountId, bots, request } = yield* setLive()
          const bot = yield* bots.create(accountId, request)
          const status = bots.status(accountId, bot.id)
          yield* bots.command(accountId, bot.id, "start")
          yield* eventually(status, (now) => now.status === "running")
          yield* model.moveTo(symbol, "101")
          yield* world.tellUntil(4)
          const refused = yield* eventually(
            Effect.tap(status, ({ protection }) =>
              Effect.sync(() => assert.notStrictEqual(protection, "venue"))
            ),
            (now) => stopOf(now)?.reason !== null && stopOf(now) !== undefined
          )
          assert.deepInclude(stopOf(refused), { status: "submitted" })
          assert.include(stopOf(refused)?.reason, "by a fault")
          assert.deepInclude(refused, { protection: "local" })
          assert.strictEqual(refused.open_positions[0]?.protection, "local")
          // No process watches it any more.
          yield* bots.command(accountId, bot.id, "stop")
          const stopped = yield* eventually(status, (now) => now.status === "stopped")
          assert.deepInclude(stopped, { protection: "none" })
        })
        yield* Effect.provide(story, world.layer)
      })
    )
  }
})

/** Allows a stop to be missing for twenty seconds. */
const risk = {
  max_drawdown: 1,
  risk_per_trade: 1,
  max_exposure: 1,
  daily_loss: 1,
  is_stop_loss_mandatory: true,
  unprotected_max_seconds: 20
}

/** An exchange that takes no stops as long as that is said. */
const stopless = () => {
  const state = { isRefusing: false }
  const model = makeModel({
    drawFault: (call) =>
      state.isRefusing && call.type === "submit" && call.order.type === "stop"
        ? { outcome: "refused" }
        : {}
  })
  return { model, state, world: liveWorld(model) }
}

const endStop = (model: ModelVenue) =>
  Effect.gen(function* () {
    const stop = openOrdersOf(yield* model.truth).find(({ type }) => type === "stop")!
    yield* model.act({ type: "end", id: stop.id!, status: "cancelled" })
  })

/** The line that tells of a missing stop, and how long after that was seen first. */
const toldOf = Effect.fnUntraced(function* (bots: Bots["Service"], accountId: string, id: string) {
  const { items } = yield* eventually(bots.logs(accountId, id, { limit: 100 }), (logs) =>
    logs.items.some(({ event }) => event === "protection.missing")
  )
  const lines = items.filter(({ event }) => event === "protection.missing")
  assert.lengthOf(lines, 1)
  const alerted = items.filter(({ event }) => event === "alert.triggered")
  const isTold = alerted.some(({ message }) => message === lines[0]!.message)
  assert.isTrue(isTold, JSON.stringify(alerted))
  const { data, timestamp } = lines[0]!
  return (Date.parse(timestamp) - Date.parse(data.since as string)) / 1_000
})

const leavesAtMarket = (model: ModelVenue) =>
  ordersWhere(model, (all) =>
    all.some(
      ({ side, status, type }) => side === "sell" && type === "market" && status === "filled"
    )
  )

describe("a stop of a position that was entered without one", () => {
  it.effect("rests once the position comes to break even, and has a record", () => {
    const model = makeModel()
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const activation = { type: "fraction", value: 0.02 } as const
      const strategy = { ...definition, exits: { break_even: { activation } } }
      const { accountId, bots, request } = yield* setLive(strategy)
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      const becomes = (isWanted: (status: BotStatusView) => boolean) =>
        statusWhere(bots, accountId, bot.id, isWanted)
      yield* becomes(({ status }) => status === "running")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* becomes(({ open_positions }) => open_positions.length === 1)
      yield* opens(model, [])
      yield* model.moveTo(symbol, "103")
      yield* world.tellUntil(5)
      yield* opens(model, ["stop 10"])
      const shown = yield* becomes(({ protection }) => protection === "venue")
      assert.deepInclude(shown.open_orders[0], { leg: "stop_loss", quantity: 10, stop_price: 101 })
      yield* model.moveTo(symbol, "100.9")
      yield* becomes(({ open_positions }) => open_positions.length === 0)
      const { items } = yield* bots.orders(accountId, bot.id, { limit: 10 })
      const stop = items.find(({ leg }) => leg === "stop_loss")
      assert.deepInclude(stop, { status: "filled", filled_quantity: 10 })
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

describe("a stop at an exchange without stops", () => {
  it.live("is watched with its target, and no order is said to be accepted", () =>
    Effect.gen(function* () {
      const model = makeModel({ capabilities: { hasStops: false } })
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, bots, request } = yield* setLive(whole)
        const bot = yield* bots.create(accountId, request)
        const status = bots.status(accountId, bot.id)
        yield* bots.command(accountId, bot.id, "start")
        yield* eventually(status, (now) => now.status === "running")
        yield* model.moveTo(symbol, "101")
        yield* world.tellUntil(4)
        const holds = yield* eventually(status, ({ open_orders: open }) => open.length === 2)
        assert.isTrue(shows(["stop_loss submitted", "take_profit submitted"])(holds))
        assert.deepInclude(holds, { protection: "local" })
        yield* opens(model, [])
      })
      yield* Effect.provide(story, world.layer)
    })
  )
})

describe("a stop that its exchange refuses three times", () => {
  it.effect("is asked for again once a minute is over", () => {
    const model = makeModel()
    const refusal = new VenueError({
      reason: new VenueRefused({ code: "invalid_order", why: "a test" })
    })
    const askedAtMs: Array<number> = []
    const world = liveWorld(model, (venue) => ({
      ...venue,
      submit: (order) =>
        Effect.gen(function* () {
          if (order.type !== "stop") return yield* venue.submit(order)
          askedAtMs.push(yield* Clock.currentTimeMillis)
          if (askedAtMs.length > 3) return yield* venue.submit(order)
          return yield* refusal
        })
    }))
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive()
      const patient = { ...request, risk: { ...risk, unprotected_max_seconds: 300 } }
      const bot = yield* bots.create(accountId, patient)
      yield* bots.command(accountId, bot.id, "start")
      yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(4)
      yield* statusWhere(bots, accountId, bot.id, ({ open_positions }) => open_positions.length > 0)
      yield* Effect.sleep("70 seconds")
      // The comparisons of its account come each minute, and so a moment too early.
      yield* statusWhere(bots, accountId, bot.id, ({ protection }) => protection === "venue")
      assert.isBelow(askedAtMs[3]! - askedAtMs[0]!, 70_000)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

describe("a lot whose exit its exchange refuses as well as its stop", () => {
  it.effect("has its stop again once the exchange takes that", () => {
    let stopCount = 0
    const model = makeModel({
      drawFault: (call) => {
        if (call.type !== "submit") return {}
        const isRefused = call.order.type === "stop" ? stopCount++ < 3 : call.order.side === "sell"
        return isRefused ? { outcome: "refused" } : {}
      }
    })
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive()
      const bot = yield* bots.create(accountId, { ...request, risk })
      yield* bots.command(accountId, bot.id, "start")
      yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(4)
      yield* statusWhere(bots, accountId, bot.id, ({ open_positions }) => open_positions.length > 0)
      yield* Effect.sleep("3 minutes")
      const sales = ordersOf(yield* model.truth).filter(({ side }) => side === "sell")
      assert.deepStrictEqual(
        sales.map(({ status, type }) => [type, status]),
        [["stop", "open"]]
      )
      yield* statusWhere(bots, accountId, bot.id, ({ protection }) => protection === "venue")
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

describe("a stop that is missing for longer than its risk profile allows", () => {
  it.effect("is told of at the end of that time, and the position leaves then", () => {
    const { model, state, world } = stopless()
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* holdLive(model, world, undefined, { risk })
      state.isRefusing = true
      yield* endStop(model)
      const waited = yield* toldOf(bots, accountId, bot.id)
      // The next comparison of the account, or its next candle, comes later.
      assert.isTrue(waited >= 20 && waited < 25, `told after ${waited} s`)
      yield* leavesAtMarket(model)
      yield* becomes(({ open_positions }) => open_positions.length === 0)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("is told of while its bot is at rest, and the position leaves then", () => {
    const { model, state, world } = stopless()
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* holdLive(model, world, undefined, { risk })
      yield* bots.command(accountId, bot.id, "stop")
      yield* becomes(({ status }) => status === "stopped")
      state.isRefusing = true
      yield* endStop(model)
      const waited = yield* toldOf(bots, accountId, bot.id)
      assert.isTrue(waited >= 20 && waited < 25, `told after ${waited} s`)
      yield* leavesAtMarket(model)
      yield* becomes(({ open_positions }) => open_positions.length === 0)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  const exits = [
    ["the bot's rule", protectedDefinition, 7, "99"],
    ["a target of a part", inParts, 6, "104"]
  ] as const
  it.effect.each(exits)(
    "is told of while it is taken back without an answer, for %s",
    ([, strategy, until, price]) => {
      const state = { isSilent: false }
      const model = makeModel({
        drawFault: ({ type }) =>
          state.isSilent && (type === "cancel" || type === "order")
            ? { outcome: "hangs_after" }
            : {}
      })
      const world = liveWorld(model)
      return Effect.gen(function* () {
        const scene = yield* holdLive(model, world, strategy, { risk })
        const { accountId, becomes, bot, bots } = scene
        state.isSilent = true
        yield* model.moveTo(symbol, price)
        yield* world.tellUntil(until)
        yield* becomes(({ protection }) => protection === "local")
        const waited = yield* toldOf(bots, accountId, bot.id)
        assert.isTrue(waited >= 20 && waited < 25, `told after ${waited} s`)
        yield* becomes(
          ({ hindrances, open_positions: [held] }) =>
            held?.quantity === 10 && hindrances.some(({ kind }) => kind === "unprotected")
        )
        state.isSilent = false
        yield* leavesAtMarket(model)
        yield* becomes(({ open_positions }) => open_positions.length === 0)
      }).pipe(Effect.provide(world.layer), whileTimePasses)
    }
  )

  const confirmed = [
    ["by an answer", undefined],
    ["by a look-up", "lost_after"]
  ] as const
  it.effect.each(confirmed)(
    "is missing from a slow exit on, and not from its entry, where it was confirmed %s",
    ([, outcome]) => {
      const slowMs = { cancel: 6_000, submit: 4_000 } as Record<string, number>
      const state = { isSlow: false }
      const model = makeModel({
        drawFault: (call) => {
          if (state.isSlow) return { delayMs: slowMs[call.type] }
          const isStop = call.type === "submit" && call.order.type === "stop"
          // The account's first comparison audits the stops as well, and comes before this answer.
          return isStop ? { answerMs: 3_000, outcome } : {}
        }
      })
      // The candle after the entry's two is that of the exit: no other one audits the stops.
      const world = liveWorld(model, undefined, undefined, [100, 99, 101, 102, 98])
      return Effect.gen(function* () {
        const scene = yield* holdLive(model, world, undefined, { risk })
        const { accountId, becomes, bot, bots } = scene
        const { items: entries } = yield* bots.trades(accountId, bot.id, { limit: 10 })
        const heldMs = (yield* Clock.currentTimeMillis) - Date.parse(entries[0]!.executed_at)
        // The exit begins before the time that a lot may be bare is over, and ends after it.
        yield* Effect.sleep(15_000 - heldMs)
        state.isSlow = true
        yield* world.tellUntil(5)
        yield* becomes(({ open_positions }) => open_positions.length === 0)
        const { items: trades } = yield* bots.trades(accountId, bot.id, { limit: 10 })
        const [left, entered] = trades.map(({ executed_at: at }) => Date.parse(at))
        assert.isAbove(left! - entered!, 22_000)
        const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
        assert.notInclude(
          items.map(({ event }) => event),
          "protection.missing"
        )
      }).pipe(Effect.provide(world.layer), whileTimePasses)
    }
  )

  it.effect("is put back at once where the exchange takes it, and nothing leaves", () => {
    const { model, world } = stopless()
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* holdLive(model, world, undefined, { risk })
      yield* endStop(model)
      yield* ordersWhere(
        model,
        (all) =>
          all.filter(({ type }) => type === "stop").length === 2 && all.at(-1)?.status === "open"
      )
      yield* becomes(({ protection }) => protection === "venue")
      yield* Effect.sleep("30 seconds")
      const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
      assert.isFalse(items.some(({ event }) => event === "protection.missing"))
      yield* opens(model, ["stop 10"])
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

/** An exchange that refuses sales at the market, and ends each stop a second after it has come. */
const ending = () => {
  const state = { isEnding: true }
  const model = makeModel({
    drawFault: (call) =>
      call.type === "submit" && call.order.side === "sell" && call.order.type === "market"
        ? { outcome: "refused" }
        : {}
  })
  const endStops = Effect.gen(function* () {
    yield* Effect.sleep("1 second")
    const rests = openOrdersOf(yield* model.truth).some(({ type }) => type === "stop")
    if (state.isEnding && rests) yield* endStop(model)
  })
  return { endStops: Effect.forever(endStops), model, state }
}

describe("a stop that its exchange ends each time a second after it has taken it", () => {
  it.effect("is told of once, whatever process goes on, until one has rested for long", () => {
    const { endStops, model, state } = ending()
    const story = Effect.gen(function* () {
      const begin = yield* processesOver(model)
      const first = yield* begin()
      const scene = yield* Effect.provide(
        holdLive(model, first.world, undefined, { risk }),
        first.services
      )
      const { accountId, becomes, bot } = scene
      const countsIn = Effect.fnUntraced(function* (bots: Bots["Service"]) {
        const { items } = yield* bots.logs(accountId, bot.id, { limit: 500 })
        const countOf = (name: string) => items.filter(({ event }) => event === name).length
        return {
          alerts: countOf("alert.triggered"),
          refusedSales: countOf("protection.refused"),
          told: countOf("protection.missing")
        }
      })
      yield* Effect.forkScoped(endStops)
      yield* Effect.sleep("2 minutes")
      const once = yield* countsIn(scene.bots)
      assert.deepInclude(once, { alerts: 1, told: 1 })
      assert.isAtLeast(once.refusedSales, 6, "its exit is asked for all the time")
      yield* becomes(({ hindrances }) => hindrances.some(({ kind }) => kind === "unprotected"))
      state.isEnding = false
      yield* becomes(
        ({ hindrances, protection }) => protection === "venue" && hindrances.length === 0
      )
      yield* first.end
      state.isEnding = true
      const second = yield* begin()
      const bots = yield* Effect.provide(Effect.service(Bots), second.services)
      yield* second.world.tellUntil(4)
      yield* Effect.sleep("90 seconds")
      const later = yield* countsIn(bots)
      assert.deepInclude(later, { alerts: 1, told: 1 })
      assert.isAbove(later.refusedSales, once.refusedSales)
      state.isEnding = false
      yield* Effect.sleep("150 seconds")
      const rests = yield* bots.status(accountId, bot.id)
      assert.deepInclude(rests, { hindrances: [], protection: "venue" })
      state.isEnding = true
      yield* Effect.sleep("2 minutes")
      assert.deepInclude(yield* countsIn(bots), { alerts: 2, told: 2 })
      yield* second.end
    })
    return Effect.scoped(story).pipe(whileTimePasses)
  })
})

/** A venue without a window that loses orders of a type, and knows nothing of them. */
const losing = (type: "market" | "stop" = "stop") => {
  const state = { isLosing: false }
  const model = makeModel({
    capabilities: { windowMs: null },
    drawFault: (call) =>
      state.isLosing && call.type === "submit" && call.order.type === type
        ? { outcome: "lost_before" }
        : {}
  })
  return { model, state, world: liveWorld(model) }
}

const asks = ({ hindrances }: BotStatusView) =>
  hindrances.some(({ kind }) => kind === "unknown_order")

describe("a stop that is lost at a venue without a window", () => {
  it.effect("is not sent again by itself, and its owner is asked; the position leaves", () => {
    const { model, state, world } = losing()
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* holdLive(model, world, undefined, { risk })
      state.isLosing = true
      yield* endStop(model)
      yield* eventually(bots.logs(accountId, bot.id, { limit: 100 }), ({ items }) =>
        items.some(({ event }) => event === "order.asks_operator")
      )
      state.isLosing = false
      yield* leavesAtMarket(model)
      yield* becomes(({ open_positions }) => open_positions.length === 0)
      const sent = ordersOf(yield* model.truth).map(({ status, type }) => [type, status])
      assert.deepStrictEqual(sent, [
        ["limit", "filled"],
        ["stop", "cancelled"],
        ["market", "filled"]
      ])
      yield* becomes(asks)
      yield* bots.reconcile(accountId, bot.id, { accept: true })
      yield* becomes((status) => !asks(status))
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("is put back once its owner says that the venue does not have it", () => {
    const { model, state, world } = losing()
    return Effect.gen(function* () {
      const patient = { risk: { ...risk, unprotected_max_seconds: 3_600 } }
      const { accountId, becomes, bot, bots } = yield* holdLive(model, world, undefined, patient)
      state.isLosing = true
      yield* endStop(model)
      yield* becomes(asks)
      state.isLosing = false
      yield* Effect.sleep("2 minutes")
      yield* opens(model, [])
      yield* bots.reconcile(accountId, bot.id, { accept: true })
      yield* opens(model, ["stop 10"])
      yield* becomes((status) => !asks(status) && status.protection === "venue")
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

describe("an exit that is lost at a venue without a window", () => {
  it.effect("keeps the position until a person answers, and says that nothing rests", () => {
    const { model, state, world } = losing("market")
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* holdLive(model, world, undefined, { risk })
      state.isLosing = true
      yield* bots.closePositions(accountId, bot.id)
      const { items } = yield* eventually(bots.logs(accountId, bot.id, { limit: 100 }), (lines) =>
        lines.items.some(({ event }) => event === "protection.missing")
      )
      state.isLosing = false
      const told = items.find(({ event }) => event === "protection.missing")
      assert.include(told?.message, "it can't leave before the outcome of its exit is known")
      const shown = yield* becomes(asks)
      assert.deepStrictEqual(
        shown.open_orders.map(({ leg, status }) => [leg, status]),
        [
          ["stop_loss", "submitted"],
          ["exit", "unknown"]
        ]
      )
      const kinds = shown.hindrances.map(({ kind }) => kind)
      assert.strictEqual(kinds.filter((kind) => kind === "unknown_order").length, 1)
      yield* Effect.sleep("2 minutes")
      yield* opens(model, [])
      yield* bots.reconcile(accountId, bot.id, { accept: true })
      yield* becomes(({ open_positions }) => open_positions.length === 0)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

describe("a stop that would be too small for its exchange", () => {
  it.effect("leaves it, whatever entries rest, and the position follows", () => {
    const most: StrategyDefinition = {
      ...protectedDefinition,
      targets: [{ at: { type: "fraction", value: 0.02 }, portion: 0.8 }],
      safety_orders: { count: 1, distance: 0.4, distance_factor: 1, size_factor: 1 }
    }
    const model = makeModel({
      balances: { USD: "10000", STY: "20" },
      markets: [{ ...market, minNotional: "200" }]
    })
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* holdLive(model, world, most)
      yield* ordersWhere(model, (all) => all.some(({ type }) => type === "stop"))
      yield* model.moveTo(symbol, "103.5")
      yield* world.tellUntil(6)
      yield* becomes(({ open_positions: [held] }) => held?.quantity === 2)
      yield* Effect.sleep("10 seconds")
      const stops = (yield* openAt(model)).filter((order) => order.startsWith("stop"))
      assert.deepStrictEqual(stops, [])
      yield* Effect.sleep("2 minutes")
      yield* becomes(({ open_positions }) => open_positions.length === 0)
      const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
      assert.isTrue(items.some(({ event }) => event === "protection.missing"))
      assert.strictEqual((yield* model.venue.holdings).balances.get("STY"), "20")
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

describe("a target of a position without a stop", () => {
  const whole: StrategyDefinition = {
    ...definition,
    exits: { take_profit: { type: "fraction", value: 0.02 } }
  }
  const strategies = [
    ["alone", whole, 1],
    [
      "beside a farther one of a half",
      { ...whole, targets: [{ at: { type: "fraction", value: 0.05 }, portion: 0.5 }] },
      2
    ]
  ] as const

  it.effect.each(strategies)("rests on spot for all that is held: %s", ([, strategy, count]) => {
    const model = makeModel({ habits: { fillDelayMs: 0 }, random: () => 0.99 })
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive(strategy)
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      const becomes = (isWanted: (status: BotStatusView) => boolean) =>
        statusWhere(bots, accountId, bot.id, isWanted)
      yield* becomes(({ status }) => status === "running")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* becomes(({ open_positions }) => open_positions.length === 1)
      yield* world.tellUntil(5)
      yield* becomes(({ open_orders }) => open_orders.length === count)
      yield* opens(model, ["limit 10"])
      yield* model.moveTo(symbol, "103.1")
      const { items } = yield* eventually(
        bots.trades(accountId, bot.id, { limit: 5 }),
        (trades) => trades.items.length > 1
      )
      const sold = items.find(({ side }) => side === "sell")
      assert.deepInclude(sold, { amount: 10, leg: "take_profit", price: 103.02 })
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
