/**
 * Groups of orders that code places, at an exchange.
 */
import {
  Bots,
  type BotStatusView,
  layerCodeStrategies,
  type StrategyDefinition
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  bothWays,
  eitherExit,
  halves,
  namedExit,
  nowOrNever,
  ownStop,
  reducedShort,
  reducedStop
} from "./hostGroups.ts"
import { liveWorld, makeModel, market, ordersWhere, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { symbol } from "./scene.ts"
import { eventually } from "./world.ts"

const hostCode = layerCodeStrategies(new URL("./hostGroups.ts", import.meta.url))

const quiet = [100, 101, 101.5, 101.5, 101.5, 101.5]

const spot = {}
const oneWay = {
  capabilities: { kind: "one_way", hasReduceOnly: true, canShareQuantity: true },
  leverage: 3
} as const

/** A bot by code, and its exchange. */
interface Scene {
  readonly model: ReturnType<typeof makeModel>
  readonly tellUntil: ReturnType<typeof liveWorld>["tellUntil"]
  /** Waits until the exchange has these orders, the oldest first. */
  readonly ordersAre: (wanted: string) => Effect.Effect<unknown>
  readonly holds: (direction: "long" | "short", quantity: number) => Effect.Effect<void>
  /** Accepts, once the exchange was compared, that it has less. */
  readonly accept: Effect.Effect<void>
}

/** Runs a bot by code, at a model whose price is 101. */
const runCode = (
  definition: StrategyDefinition,
  options: Parameters<typeof makeModel>[0],
  use: (scene: Scene) => Effect.Effect<unknown>,
  closes = quiet
) => {
  const model = makeModel(options)
  const world = liveWorld(model, undefined, undefined, closes)
  const services = Layer.provide(world.services, hostCode)
  return Effect.gen(function* () {
    const { accountId, bots, request } = yield* setLive(definition, closes, { can_short: true })
    const bot = yield* bots.create(accountId, request)
    yield* bots.command(accountId, bot.id, "start")
    yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
    yield* model.moveTo(symbol, "101")
    yield* world.tellUntil(2)
    yield* use({
      model,
      tellUntil: world.tellUntil,
      accept: Effect.gen(function* () {
        const halted = ({ trading_state }: BotStatusView) => trading_state !== "active"
        yield* Effect.sleep("2 minutes")
        yield* statusWhere(bots, accountId, bot.id, halted)
        yield* bots.reconcile(accountId, bot.id, { accept: true })
      }).pipe(Effect.orDie),
      ordersAre: (wanted) =>
        ordersWhere(
          model,
          (all) => all.map((one) => `${one.side} ${one.type} ${one.status}`).join(", ") === wanted
        ),
      holds: (direction, quantity) =>
        Effect.orDie(
          Effect.asVoid(
            statusWhere(bots, accountId, bot.id, ({ open_positions: [held] }) => {
              return held?.direction === direction && held.quantity === quantity
            })
          )
        )
    })
    yield* world.tellUntil(6)
    const { unexplained } = yield* eventually(
      Effect.flatMap(Bots, (own) => own.expected(accountId, bot.id)),
      ({ until }) => until === "2024-01-01T05:00:00.000Z"
    )
    assert.strictEqual(unexplained, 0)
  }).pipe(Effect.provide(Layer.provideMerge(services, MemoryStore.layer)), whileTimePasses)
}

describe("entries both ways of one group at an exchange", () => {
  const ways = [
    ["long", "102.5", "buy stop filled, sell stop cancelled"],
    ["short", "99.5", "buy stop cancelled, sell stop filled"]
  ] as const

  it.effect.each(ways)("are over with the first that fills: %s", ([direction, price, wanted]) =>
    runCode(bothWays.definition, oneWay, ({ holds, model, ordersAre }) =>
      Effect.gen(function* () {
        yield* ordersAre("buy stop open, sell stop open")
        yield* model.moveTo(symbol, price)
        yield* ordersAre(wanted)
        yield* model.moveTo(symbol, direction === "long" ? "99" : "103")
        yield* holds(direction, 5)
      })
    )
  )
})

describe("exits of one group at an exchange", () => {
  const exits = [
    ["spot, above", spot, "103.5", "sell limit filled, sell stop cancelled"],
    ["spot, below", spot, "98.5", "sell limit cancelled, sell stop filled"],
    ["positions, above", oneWay, "103.5", "sell limit filled, sell stop cancelled"],
    ["positions, below", oneWay, "98.5", "sell limit cancelled, sell stop filled"]
  ] as const

  it.effect.each(exits)("are over with the first that fills: %s", ([, terms, price, wanted]) =>
    runCode(eitherExit.definition, terms, ({ holds, model, ordersAre, tellUntil }) =>
      Effect.gen(function* () {
        yield* holds("long", 10)
        yield* tellUntil(3)
        const entry = `buy ${terms === spot ? "limit" : "market"} filled`
        yield* ordersAre(`${entry}, sell limit open, sell stop open`)
        yield* model.moveTo(symbol, price)
        yield* ordersAre(`${entry}, ${wanted}`)
        yield* model.moveTo(symbol, price === "98.5" ? "104" : "98")
        yield* holds("long", 6)
      })
    )
  )
})

describe("exits of code at an exchange", () => {
  it.effect("bound a loss by their own stop at rest, also beside a target", () => {
    const take_profit = { type: "fraction", value: 0.05 } as const
    const definition = { ...ownStop.definition, exits: { take_profit } }
    return runCode(definition, spot, ({ holds, model, ordersAre, tellUntil }) =>
      Effect.gen(function* () {
        yield* holds("long", 10)
        yield* tellUntil(3)
        yield* ordersAre("buy limit filled, sell limit cancelled, sell stop open")
        yield* model.moveTo(symbol, "98.5")
        yield* ordersAre("buy limit filled, sell limit cancelled, sell stop filled")
      })
    )
  })

  it.effect("rest for what is left, once a part of their quantity is sold", () =>
    runCode(reducedStop.definition, spot, ({ holds, model, ordersAre, tellUntil }) =>
      Effect.gen(function* () {
        yield* holds("long", 10)
        yield* tellUntil(3)
        yield* ordersAre("buy limit filled, sell stop open")
        yield* tellUntil(4)
        yield* holds("long", 6)
        yield* ordersAre(
          "buy limit filled, sell stop cancelled, sell market filled, sell stop open"
        )
        yield* model.moveTo(symbol, "98.5")
        yield* ordersAre(
          "buy limit filled, sell stop cancelled, sell market filled, sell stop filled"
        )
      })
    )
  )

  it.effect("make way for a target of the position that a close has reached", () => {
    const take_profit = { type: "fraction", value: 0.02 } as const
    const definition = { ...ownStop.definition, exits: { take_profit } }
    const reaching = [100, 101, 101.5, 101.5, 104, 104]
    const atTarget = ({ holds, model, ordersAre, tellUntil }: Scene) =>
      Effect.gen(function* () {
        yield* holds("long", 10)
        yield* tellUntil(4)
        yield* ordersAre("buy limit filled, sell limit cancelled, sell stop open")
        yield* model.moveTo(symbol, "104")
        yield* tellUntil(5)
        const left = "sell limit cancelled, sell stop cancelled, sell market filled"
        yield* ordersAre(`buy limit filled, ${left}`)
      })
    return runCode(definition, spot, atTarget, reaching)
  })

  const sale = { symbol, side: "sell", type: "market", quantity: "10", isReduceOnly: true } as const
  it.effect.each([
    ["spot", spot],
    ["positions", oneWay]
  ] as const)("end with a position that their owner accepts as gone: %s", ([, terms]) =>
    runCode(ownStop.definition, terms, ({ accept, holds, model, ordersAre, tellUntil }) =>
      Effect.gen(function* () {
        yield* holds("long", 10)
        yield* tellUntil(3)
        const entry = `buy ${terms === spot ? "limit" : "market"} filled`
        yield* ordersAre(`${entry}, sell stop open`)
        if (terms === spot) yield* model.act({ type: "deposit", coin: "STY", amount: "-10" })
        else yield* model.placeByHand({ ...sale, limitPrice: null, stopPrice: null })
        yield* accept
        const hand = terms === spot ? "" : ", sell market filled"
        yield* ordersAre(`${entry}, sell stop cancelled${hand}`)
      })
    )
  )

  it.effect.each([
    ["that ends such orders", true],
    ["where they are cancelled", false]
  ] as const)("end at once where they ask for that, on spot %s", ([, hasImmediate]) => {
    const stop_loss = { type: "fraction", value: 0.05 } as const
    const definition = { ...nowOrNever.definition, exits: { stop_loss } }
    const atOnce = ({ holds, model, tellUntil }: Scene) =>
      Effect.gen(function* () {
        yield* holds("long", 10)
        yield* tellUntil(3)
        const over = hasImmediate ? "expired" : "cancelled"
        yield* ordersWhere(
          model,
          (all) =>
            all.some(({ status, type }) => type === "limit" && status === over) &&
            all.at(-1)?.type === "stop" &&
            all.at(-1)?.status === "open"
        )
        yield* model.moveTo(symbol, "104")
        yield* Effect.sleep("5 seconds")
        yield* holds("long", 10)
      })
    const once = [100, 101, 101.5, 102, 104, 104]
    return runCode(definition, { capabilities: { hasImmediate } }, atOnce, once)
  })

  it.effect(
    "stay where another leaves as much as they ask for, though it is worth too little",
    () => {
      const large = { ...market, minNotional: "600" }
      const terms = { ...oneWay, capabilities: { kind: "one_way" }, markets: [large] } as const
      return runCode(halves.definition, terms, ({ holds, model, ordersAre, tellUntil }) =>
        Effect.gen(function* () {
          yield* holds("long", 12.5)
          yield* tellUntil(3)
          yield* ordersAre("buy market filled, sell limit open, sell stop open")
          yield* model.moveTo(symbol, "98")
          yield* holds("long", 6)
          yield* Effect.sleep("5 seconds")
          yield* ordersAre("buy market filled, sell limit open, sell stop filled")
          yield* model.moveTo(symbol, "103.5")
          yield* ordersAre("buy market filled, sell limit filled, sell stop filled")
        })
      )
    }
  )

  it.effect("stay where they are cut to a rest that is worth too little", () => {
    const large = { ...market, minNotional: "620" }
    const terms = { ...oneWay, capabilities: { kind: "one_way" }, markets: [large] } as const
    return runCode(reducedShort.definition, terms, ({ holds, model, ordersAre, tellUntil }) =>
      Effect.gen(function* () {
        yield* holds("short", 12.5)
        yield* tellUntil(3)
        yield* ordersAre("sell market filled, buy stop open")
        yield* tellUntil(4)
        yield* holds("short", 6)
        yield* Effect.sleep("5 seconds")
        const cut = "sell market filled, buy stop cancelled, buy market filled"
        yield* ordersAre(`${cut}, buy stop open`)
        yield* model.moveTo(symbol, "104.5")
        yield* ordersAre(`${cut}, buy stop filled`)
      })
    )
  })

  it.effect("end with the lot that they name", () =>
    runCode(namedExit.definition, spot, ({ holds, model, ordersAre, tellUntil }) =>
      Effect.gen(function* () {
        yield* holds("long", 10)
        yield* tellUntil(3)
        const entries = "buy limit filled, buy limit filled"
        yield* ordersAre(`${entries}, sell limit open`)
        yield* tellUntil(4)
        yield* ordersAre(`${entries}, sell limit cancelled, sell market filled`)
        yield* model.moveTo(symbol, "103.5")
        yield* Effect.sleep("5 seconds")
        yield* holds("long", 5)
      })
    )
  )
})
