/**
 * The troubles that a bot survives: a store that fails, a process that ends, a neighbour, a change
 * of mind.
 */
import {
  Bots,
  defaultValues,
  planStrategy,
  planWarmup,
  riskProfiles,
  StoreError,
  StoreUnavailable,
  type StrategyDefinition,
  toRiskLimits,
  toSignalColumns,
  Transactor,
  VersionConflict
} from "@candlewick/core"
import { makeRandom, simulate } from "@candlewick/core/kernel"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, References, Scope } from "effect"
import { whileTimePasses } from "./passingTime.ts"
import { definition, free, setTheScene, symbol, world } from "./scene.ts"
import { columnsOf, makeScript } from "./scripted.ts"
import { botsOnStores, eventually, type World } from "./world.ts"

/** Closes that cross 100 often. */
const crossing = (seed: string, count: number): ReadonlyArray<number> => {
  const random = makeRandom(seed)
  return Array.from({ length: count }, () => 95 + Math.round(random.next() * 100) / 10)
}

const withProtection: StrategyDefinition = {
  ...definition,
  exits: {
    stop_loss: { type: "fraction", value: 0.02 },
    take_profit: { type: "fraction", value: 0.03 }
  }
}

const tradesOf = (bots: Bots["Service"], accountId: string, id: string) =>
  Effect.map(bots.trades(accountId, id, { limit: 500 }), ({ items }) =>
    items.toReversed().map(({ candle_time, side, amount, price, fee, leg }) => ({
      time: Date.parse(candle_time),
      side,
      quantity: amount,
      price,
      fee,
      leg
    }))
  )

const spec = {
  tick: free.tick,
  lot: free.lot,
  minNotional: 0,
  makerRate: 0,
  takerRate: 0,
  feePerFill: 0,
  slippageRate: 0,
  canShort: false,
  leverage: 1
}

/** The fills of a backtest of the script's candles. */
const simulated = (rules: StrategyDefinition, scripts: ReadonlyArray<ReadonlyArray<number>>) => {
  const values = defaultValues(rules)
  const markets = scripts.map((closes) => {
    const columns = columnsOf(closes)
    return { columns, spec, ...toSignalColumns(rules, values, columns) }
  })
  return simulate({
    markets,
    plan: markets[0]!.plan,
    capital: 10_000,
    limits: toRiskLimits(null),
    fill: "next_open",
    endOfData: "open",
    from: markets.map(() => planWarmup(planStrategy(rules, values)))
  })
}

const simulatedTrades = (rules: StrategyDefinition, closes: ReadonlyArray<number>) =>
  simulated(rules, [closes]).fills.map(({ time, side, quantity, price, fee, leg }) => ({
    time,
    side: side === 1 ? "buy" : "sell",
    quantity,
    price,
    fee,
    leg
  }))

describe("a store that fails now and then", () => {
  /** Transactions that fail before they are kept, or are kept and seem to have failed. */
  const failing = (random: () => number, isOn: { value: boolean }) =>
    Layer.effect(
      Transactor,
      Effect.map(Transactor, (real) => {
        const unavailable = Effect.fail(
          new StoreError({ reason: new StoreUnavailable({ cause: "the test pulled the plug" }) })
        )
        // The refusal that another writer of the same records leaves.
        const conflict = Effect.fail(
          new StoreError({
            reason: new VersionConflict({ entity: "bot", id: "bot_1", version: 1 })
          })
        )
        return Transactor.of({
          ...real,
          transact: (effect) => {
            const chance = isOn.value ? random() : 1
            if (chance < 0.05) return real.transact(Effect.andThen(effect, conflict))
            if (chance < 0.1) return real.transact(Effect.andThen(effect, unavailable))
            if (chance < 0.2) return Effect.andThen(real.transact(effect), unavailable)
            return real.transact(effect)
          }
        })
      })
    )

  it.effect("leaves a bot with the fills of a store that never failed", () => {
    const closes = crossing("faults", 120)
    const script = { [symbol]: closes }
    const told = makeScript(script)
    const isOn = { value: false }
    const random = makeRandom("plug")
    let faults = 0
    const draw = () => {
      const chance = random.next()
      if (chance < 0.2) faults++
      return chance
    }
    const stores = Layer.merge(
      MemoryStore.layer,
      failing(draw, isOn).pipe(Layer.provide(MemoryStore.layer))
    )
    const quiet = Layer.succeed(References.MinimumLogLevel, "None")
    const layer = Layer.provideMerge(botsOnStores(told.layer), Layer.merge(stores, quiet))
    return Effect.gen(function* () {
      const { accountId, bot, bots, becomes } = yield* setTheScene(script, {
        definition: withProtection
      })
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
      isOn.value = true
      yield* told.tellUntil(closes.length)
      // A bot whose transactions fail waits for longer each time.
      yield* Effect.sleep("5 minutes")
      yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)
      isOn.value = false
      const wanted = simulatedTrades(withProtection, closes)
      const seen = yield* tradesOf(bots, accountId, bot.id)
      assert.deepStrictEqual(seen, wanted)
      assert.isAbove(faults, 20, "so few faults prove little")
      assert.isAbove(wanted.length, 30, "so few fills prove little")
    }).pipe(Effect.provide(layer), whileTimePasses)
  })
})

describe("a process that ends", () => {
  it.live("leaves a bot that goes on in the next one, with every fill once", () => {
    const closes = crossing("restart", 90)
    const script = { [symbol]: closes }
    return Effect.gen(function* () {
      const stores = yield* Layer.build(MemoryStore.layer)
      const inProcess = <A, E>(
        use: (
          told: ReturnType<typeof makeScript>
        ) => Effect.Effect<A, E, Layer.Success<typeof World>>
      ) =>
        Effect.gen(function* () {
          const told = makeScript(script)
          const scope = yield* Scope.make()
          const layer = botsOnStores(told.layer).pipe(
            Layer.provideMerge(Layer.succeedContext(stores))
          )
          const services = yield* Layer.buildWithScope(layer, scope)
          const result = yield* Effect.provideContext(use(told), services)
          yield* Scope.close(scope, Exit.void)
          return result
        })
      const first = yield* inProcess((told) =>
        Effect.gen(function* () {
          const scene = yield* setTheScene(script, { definition: withProtection })
          yield* scene.bots.command(scene.accountId, scene.bot.id, "start")
          yield* told.tellUntil(30)
          yield* scene.reaches(29)
          return { accountId: scene.accountId, id: scene.bot.id }
        })
      )
      // A second process that ends in the middle of what the first one left.
      yield* inProcess((told) =>
        Effect.gen(function* () {
          yield* told.tellUntil(60)
          yield* Effect.sleep("15 millis")
        })
      )
      const seen = yield* inProcess((told) =>
        Effect.gen(function* () {
          const bots = yield* Bots
          yield* told.tellUntil(closes.length)
          const ended = eventually(
            bots.status(first.accountId, first.id),
            ({ is_data_ended }) => is_data_ended
          )
          assert.strictEqual((yield* ended).status, "running")
          return yield* tradesOf(bots, first.accountId, first.id)
        })
      )
      const wanted = simulatedTrades(withProtection, closes)
      assert.deepStrictEqual(seen, wanted)
      assert.isAbove(wanted.length, 20, "so few fills prove little")
    }).pipe(Effect.scoped)
  })
})

describe("several markets and several bots", () => {
  const other = "TWO/USD"
  const both: StrategyDefinition = { ...definition, symbols: [symbol, other] }

  it.live("a bot of two markets makes the fills of a backtest of both, from one account", () => {
    const script = { [symbol]: crossing("one", 60), [other]: crossing("two", 60) }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* setTheScene(script, { definition: both })
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(60)
      const status = yield* eventually(
        bots.status(accountId, bot.id),
        ({ is_data_ended }) => is_data_ended
      )
      const wanted = simulated(both, [script[symbol], script[other]])
      const { items } = yield* bots.trades(accountId, bot.id, { limit: 500 })
      const seen = items
        .toReversed()
        .map((trade) => [Date.parse(trade.candle_time), trade.symbol, trade.side, trade.price])
      const names = [symbol, other]
      assert.deepStrictEqual(
        seen,
        wanted.fills.map((fill) => [
          fill.time,
          names[fill.market]!,
          fill.side === 1 ? "buy" : "sell",
          fill.price
        ])
      )
      assert.isAbove(wanted.fills.filter(({ market }) => market === 1).length, 10)
      assert.strictEqual(status.equity, wanted.equity.at(-1))
    }).pipe(Effect.provide(layer))
  })

  it.live("two bots of one strategy have two ledgers", () => {
    const script = { [symbol]: crossing("two ledgers", 20) }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, strategy } = yield* setTheScene(script)
      const second = yield* bots.create(accountId, {
        name: "second",
        strategy_id: strategy.id,
        capital_allocation: 50_000
      })
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(20)
      yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)
      const idle = yield* bots.performance(accountId, second.id)
      assert.strictEqual(idle.equity, 50_000)
      assert.strictEqual((yield* tradesOf(bots, accountId, second.id)).length, 0)
      yield* bots.command(accountId, second.id, "start")
      yield* eventually(bots.status(accountId, second.id), ({ is_data_ended }) => is_data_ended)
      const [one, two] = [
        yield* tradesOf(bots, accountId, bot.id),
        yield* tradesOf(bots, accountId, second.id)
      ]
      assert.deepStrictEqual(two, one)
      const [mine, theirs] = [
        yield* bots.performance(accountId, bot.id),
        yield* bots.performance(accountId, second.id)
      ]
      assert.strictEqual(mine.equity - 10_000, theirs.equity - 50_000)
    }).pipe(Effect.provide(layer))
  })
})

describe("risk limits", () => {
  it.live("that change reach a bot at work", () => {
    const script = { [symbol]: [99, 101, 102, 90, 80, 99, 101, 102] }
    const { layer, tellUntil } = world(script)
    const loose = {
      ...riskProfiles.high,
      max_drawdown: 1,
      daily_loss: 1,
      max_exposure: 10,
      is_stop_loss_mandatory: false
    }
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script, { risk: loose })
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(3)
      assert.strictEqual((yield* reaches(2)).trading_state, "active")
      yield* bots.update(accountId, bot.id, { risk: { ...loose, max_drawdown: 0.01 } })
      yield* tellUntil(8)
      const halted = yield* reaches(7)
      assert.strictEqual(halted.trading_state_reason, "max_drawdown")
      assert.strictEqual(halted.open_positions.length, 0, "nothing was entered after the halt")
    }).pipe(Effect.provide(layer))
  })
})

describe("a command that comes at a bad moment", () => {
  it.live("is answered, whatever becomes of the bot", () => {
    const script = { [symbol]: crossing("bad moments", 40) }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, becomes } = yield* setTheScene(script)
      for (let round = 0; round < 12; round++) {
        yield* bots.command(accountId, bot.id, "start")
        yield* tellUntil(3 * round)
        const asked = [
          Effect.ignore(bots.closePositions(accountId, bot.id)),
          Effect.ignore(bots.command(accountId, bot.id, "stop")),
          Effect.ignore(bots.resumeRisk(accountId, bot.id)),
          Effect.ignore(bots.closePositions(accountId, bot.id)),
          Effect.ignore(bots.command(accountId, bot.id, "pause"))
        ]
        const answers = yield* Effect.forEach(
          asked,
          (one) => Effect.timeoutOption(one, "5 seconds"),
          {
            concurrency: "unbounded"
          }
        )
        assert.isTrue(
          answers.every(({ _tag }) => _tag === "Some"),
          `round ${round}`
        )
        yield* Effect.ignore(bots.command(accountId, bot.id, "stop"))
        yield* becomes("stopped")
      }
    }).pipe(Effect.provide(layer))
  })
})
