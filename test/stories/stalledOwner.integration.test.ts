/**
 * A process that stands still and goes on may keep one more step of a bot that is another's by
 * then. The next owner goes on after that step: no candle is stepped twice.
 */
import {
  Bots,
  BotStateStore,
  BotStore,
  PaperBooks,
  MarketData,
  StepStore,
  type StorePorts
} from "@candlewick/core"
import { makePlacements, type Placements } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import {
  Context,
  Deferred,
  Effect,
  Exit,
  Fiber,
  Layer,
  Option,
  References,
  Scope,
  Stream
} from "effect"
import {
  onEveryStore,
  takesMemory
} from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { setTheScene, symbol } from "./scene.ts"
import { makeScript, scriptStart } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

const hourMs = 3_600_000
const timeOf = (index: number): number => scriptStart + index * hourMs

/** The tenth candle has the bot enter, and the next ones leave, enter and leave again. */
const closes = [...Array.from({ length: 9 }, () => 99), 101, 102, 98, 97, 103, 104, 96]
const script = { [symbol]: closes }

/** Each order is filled at the open after the close that decided it; the last one rests. */
const fillTimes = [10, 12, 14].map(timeOf)

/** That the late one tries again is no fault. */
const quiet = Effect.provideService(References.MinimumLogLevel, "Error")

/** A process of a name over stores, and the times after which it has asked for candles. */
const begin = Effect.fnUntraced(function* (
  kept: Context.Context<StorePorts>,
  placements: Placements,
  name: string
) {
  const told = makeScript(script)
  const asked: Array<number | null> = []
  const market = Layer.effect(
    MarketData,
    Effect.map(MarketData, (source) => ({
      ...source,
      candles: (request) => {
        asked.push(request.after)
        return source.candles(request)
      }
    }))
  ).pipe(Layer.provide(told.layer))
  const scope = yield* Scope.make()
  const services = yield* Layer.buildWithScope(
    botsOnStores(market).pipe(
      Layer.provide(placements.layer(name)),
      Layer.provideMerge(Layer.succeedContext(kept))
    ),
    scope
  )
  return { asked, told, services, end: Scope.close(scope, Exit.void) }
})

/**
 * Stores that hand over the first state that is read of a bot only when that is `allowed`. `found`
 * reports that the bot's record was read after that.
 */
const slowToOpen = (kept: Context.Context<StorePorts>) => {
  const [bots, steps] = [Context.get(kept, BotStore), Context.get(kept, StepStore)]
  const read = Deferred.makeUnsafe<void>()
  const allowed = Deferred.makeUnsafe<void>()
  const found = Deferred.makeUnsafe<void>()
  let count = 0
  const open: StepStore["Service"]["open"] = (botIds) =>
    Effect.tap(steps.open(botIds), () =>
      count++ === 0
        ? Effect.andThen(Deferred.succeed(read, undefined), Deferred.await(allowed))
        : Effect.void
    )
  const get: BotStore["Service"]["get"] = (accountId, id) =>
    Effect.tap(bots.get(accountId, id), () =>
      count > 0 ? Deferred.succeed(found, undefined) : Effect.void
    )
  const stores = kept.pipe(
    Context.add(BotStore, { ...bots, get }),
    Context.add(StepStore, { ...steps, open })
  )
  return { stores, read, allowed, found }
}

/** A bot that has stepped some candles, whose owner stands still and has lost it. */
const withStalled = Effect.fnUntraced(function* (
  kept: Context.Context<StorePorts>,
  stepCount: number
) {
  const placements = makePlacements()
  const stalled = yield* begin(kept, placements, "stalled")
  const scene = yield* Effect.provide(setTheScene(script), stalled.services)
  const { accountId, bot, bots, reaches } = scene
  yield* bots.command(accountId, bot.id, "start")
  yield* stalled.told.tellUntil(stepCount)
  yield* reaches(stepCount - 1)
  placements.freeze("stalled")
  yield* placements.give(bot.id, "next")
  const { account } = Context.get(stalled.services, PaperBooks)
  /** It goes on for one more candle, which may have it send an order. */
  const goesOn = Effect.fnUntraced(function* (orderCount: number) {
    yield* stalled.told.tellUntil(stepCount + 1)
    yield* reaches(stepCount)
    yield* eventually(account(bot.id), ({ openOrders }) => openOrders.length === orderCount)
  })
  return { ...scene, goesOn, placements, end: stalled.end }
})

/** How many candles a bot has stepped, and when its orders were filled. */
const stepsOf = Effect.fnUntraced(function* (
  states: BotStateStore["Service"],
  bots: Bots["Service"],
  accountId: string,
  botId: string
) {
  const { snapshot } = Option.getOrThrow(yield* states.get(botId))
  const { account } = snapshot as unknown as { account: { books: [{ index: number }] } }
  const { items } = yield* bots.trades(accountId, botId, { limit: 100 })
  const times = items.toReversed().map(({ executed_at }) => Date.parse(executed_at))
  return { count: account.books[0].index + 1, times }
})

const wanted = { count: closes.length, times: fillTimes }

const tellOf = (name: string, store: Layer.Layer<StorePorts>): void => {
  describe(`the next owner of a bot (${name})`, () => {
    it.live("goes on after a step that was kept while it opened the bot", () =>
      Effect.gen(function* () {
        const kept = yield* Layer.build(store)
        const { accountId, bot, end, goesOn, placements } = yield* withStalled(kept, 7)
        const { allowed, found, read, stores } = slowToOpen(kept)
        const next = yield* begin(stores, placements, "next")
        const bots = Context.get(next.services, Bots)
        yield* Deferred.await(read)
        // Before any command it takes over the kept state.
        const asking = yield* Effect.forkChild(bots.reconcile(accountId, bot.id))
        yield* Deferred.await(found)
        yield* goesOn(0)
        yield* Deferred.succeed(allowed, undefined)
        assert.deepStrictEqual((yield* Fiber.join(asking)).differences, [])
        yield* next.told.tellUntil(closes.length)
        yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)
        const steps = yield* stepsOf(Context.get(kept, BotStateStore), bots, accountId, bot.id)
        assert.deepStrictEqual(steps, wanted)
        assert.deepStrictEqual(next.asked, [timeOf(7)])
        yield* end
        yield* next.end
      }).pipe(Effect.scoped, quiet)
    )

    it.live("goes on after a step that was kept while it followed the market", () =>
      Effect.gen(function* () {
        const kept = yield* Layer.build(store)
        const { accountId, bot, end, goesOn, placements } = yield* withStalled(kept, 9)
        const next = yield* begin(kept, placements, "next")
        const bots = Context.get(next.services, Bots)
        yield* eventually(
          Effect.sync(() => next.asked.length),
          (count) => count === 1
        )
        // Its order would be filled at the open of the very candle that decided it.
        yield* goesOn(1)
        assert.deepStrictEqual((yield* bots.reconcile(accountId, bot.id)).differences, [])
        yield* next.told.tellUntil(closes.length)
        yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)
        const steps = yield* stepsOf(Context.get(kept, BotStateStore), bots, accountId, bot.id)
        assert.deepStrictEqual(steps, wanted)
        assert.deepStrictEqual(next.asked, [timeOf(8), timeOf(9)])
        yield* end
        yield* next.end
      }).pipe(Effect.scoped, quiet)
    )
  })
}

if (takesMemory) tellOf("memory", MemoryStore.layer)
onEveryStore("stalled owners", tellOf)

describe("a source that repeats its candles", () => {
  it.live("has none of them stepped again", () =>
    Effect.gen(function* () {
      const told = makeScript(script)
      const repeating = Layer.effect(
        MarketData,
        Effect.map(MarketData, (source) => ({
          ...source,
          candles: (request) =>
            Stream.flatMap(source.candles(request), (update) => Stream.make(update, update))
        }))
      ).pipe(Layer.provide(told.layer))
      const layer = Layer.provideMerge(botsOnStores(repeating), MemoryStore.layer)
      yield* Effect.gen(function* () {
        const { accountId, bot, bots } = yield* setTheScene(script)
        yield* bots.command(accountId, bot.id, "start")
        yield* told.tellUntil(closes.length)
        yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)
        assert.deepStrictEqual(
          yield* stepsOf(yield* BotStateStore, bots, accountId, bot.id),
          wanted
        )
      }).pipe(Effect.provide(layer))
    })
  )
})
