/**
 * A model exchange, a bot that trades live there, and what both tell.
 */
import {
  Bots,
  type BotStatusView,
  Candles,
  operatorAccountId,
  type RiskProfile,
  type StrategyDefinition,
  type Venue,
  Venues
} from "@candlewick/core"
import { makeModelVenue, type ModelVenue, type ModelVenueOptions } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { Effect, Exit, Layer, Scope } from "effect"
import { ordersOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import { definition, free, symbol } from "./scene.ts"
import { columnsOf, makeScript, type Script } from "./scripted.ts"
import { botsOnStores, eventually, keepStrategy, makeAccount } from "./world.ts"

export const market = {
  symbol,
  base: "STY",
  quote: "USD",
  quantityStep: "0.5",
  priceStep: "0.01",
  minQuantity: "0.5",
  minNotional: "5",
  makerRate: "0",
  takerRate: "0",
  price: "100"
}

const shortCloses = [100, 99, 101, 102, 103, 104, 99, 98]

/** Protected by a stop a tenth below the entry. */
export const protectedDefinition = {
  ...definition,
  exits: { stop_loss: { type: "fraction", value: 0.1 } }
} as const

export const setLive = Effect.fnUntraced(function* (
  strategy: StrategyDefinition = protectedDefinition,
  closes: ReadonlyArray<number> = shortCloses,
  terms: Partial<typeof free> & { readonly can_short?: boolean } = {}
) {
  const bots = yield* Bots
  const candles = yield* Candles
  yield* candles.import(operatorAccountId, {
    key: { symbol, timeframe: "1h" },
    columns: columnsOf(closes),
    market: { ...free, ...terms }
  })
  const accountId = yield* makeAccount
  const kept = yield* keepStrategy(accountId, strategy)
  const request = {
    name: "live",
    strategy_id: kept.id,
    capital_allocation: 2_000,
    mode: "live",
    exchange: "model"
  } as const
  return { accountId, bots, request }
})

/** A world whose markets go through a script. */
export const scriptedWorld = (
  model: ModelVenue,
  script: Script,
  venueOf: (venue: Venue) => Venue = (venue) => venue,
  isRehearsal = () => true,
  clock?: "live" | "replay"
) => {
  const told = makeScript(script, clock)
  const venues = Layer.succeed(Venues, {
    find: ({ exchange }) =>
      exchange === "model"
        ? Effect.succeedSome({ venue: venueOf(model.venue), isRehearsal: isRehearsal() })
        : Effect.succeedNone
  })
  const services = Layer.provide(botsOnStores(told.layer), venues)
  const layer = Layer.provideMerge(services, MemoryStore.layer)
  return { ...told, layer, services }
}

export const liveWorld = (
  model: ModelVenue,
  venueOf?: (venue: Venue) => Venue,
  isRehearsal?: () => boolean,
  closes: ReadonlyArray<number> = shortCloses,
  clock?: "live" | "replay"
) => scriptedWorld(model, { [symbol]: closes }, venueOf, isRehearsal, clock)

export const makeModel = (options: Partial<ModelVenueOptions> = {}) =>
  makeModelVenue({ markets: [market], balances: { USD: "10000" }, ...options })

/** The status once it is as wanted. */
export const statusWhere = (
  bots: Bots["Service"],
  accountId: string,
  id: string,
  isWanted: (status: BotStatusView) => boolean
) => eventually(bots.status(accountId, id), isWanted)

/** The orders of an exchange once they are as wanted. */
export const ordersWhere = (
  model: ModelVenue,
  isWanted: (orders: ReturnType<typeof ordersOf>) => boolean
) => eventually(Effect.map(model.truth, ordersOf), isWanted)

/** A bot that holds 10 at 101 at the exchange, with its stop at rest there. */
export const holdLive = Effect.fnUntraced(function* (
  model: ModelVenue,
  { tellUntil }: Pick<ReturnType<typeof liveWorld>, "tellUntil">,
  strategy: StrategyDefinition = protectedDefinition,
  fields: { readonly risk?: RiskProfile } = {}
) {
  const scene = yield* setLive(strategy)
  const { accountId, bots, request } = scene
  const bot = yield* bots.create(accountId, { ...request, ...fields })
  yield* bots.command(accountId, bot.id, "start")
  yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
  yield* model.moveTo(symbol, "101")
  yield* tellUntil(4)
  const holds = ({ open_positions, protection }: BotStatusView) =>
    open_positions.length === 1 && protection === "venue"
  yield* statusWhere(bots, accountId, bot.id, holds)
  yield* ordersWhere(model, (all) =>
    all.some(({ status, type }) => type === "stop" && status === "open")
  )
  const becomes = (isWanted: (status: BotStatusView) => boolean) =>
    statusWhere(bots, accountId, bot.id, isWanted)
  return { ...scene, bot, becomes }
})

/** Processes of which each goes on from what the one before has kept. */
export const processesOver = Effect.fnUntraced(function* (
  model: ModelVenue,
  venueOf?: (venue: Venue) => Venue,
  closes?: ReadonlyArray<number>
) {
  const stores = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
  return Effect.fnUntraced(function* () {
    const world = liveWorld(model, venueOf, undefined, closes)
    const scope = yield* Scope.make()
    const built = Layer.provideMerge(world.services, stores)
    const services = yield* Layer.buildWithScope(built, scope)
    return { end: Scope.close(scope, Exit.void), services, world }
  })
})
