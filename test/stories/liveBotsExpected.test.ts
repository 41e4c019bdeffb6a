/**
 * Live bots beside their backtests, whose accounts are no bounds of an exchange.
 */
import {
  Candles,
  operatorAccountId,
  type RiskProfile,
  type StrategyDefinition
} from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { liveWorld, makeModel, market, scriptedWorld, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, free, symbol } from "./scene.ts"
import { columnsOf, scriptStart } from "./scripted.ts"
import { eventually } from "./world.ts"

const takerRate = 0.001
const close = { type: "price", field: "close" } as const
const level = { type: "constant", value: 100 } as const
const isAbove = { type: "above", left: close, right: level } as const
const isBelow = { type: "below", left: close, right: level } as const

const risk: RiskProfile = {
  max_drawdown: 0.5,
  risk_per_trade: 1,
  max_exposure: 1,
  daily_loss: 0.5,
  is_stop_loss_mandatory: false
}

/** Turns from long to short at one open, each time with all of its equity. */
const turning: StrategyDefinition = {
  ...definition,
  long: { enter: isAbove, exit: isBelow },
  short: { enter: isBelow, exit: isAbove },
  sizing: { type: "equity_fraction", fraction: 1 }
}

interface Scene {
  readonly closes: ReadonlyArray<number>
  readonly strategy: StrategyDefinition
  readonly risk?: RiskProfile
}

/** A bot at an exchange whose prices are those of its candles. */
const setTrading = Effect.fnUntraced(function* (
  model: ReturnType<typeof makeModel>,
  world: ReturnType<typeof liveWorld>,
  { closes, strategy, risk }: Scene
) {
  const terms = { taker_rate: takerRate, lot: 0.001, can_short: true }
  const { accountId, bots, request } = yield* setLive(strategy, closes, terms)
  const bot = yield* bots.create(accountId, { ...request, ...(risk && { risk }) })
  const becomes = (status: string) =>
    statusWhere(bots, accountId, bot.id, (now) => now.status === status)
  const start = Effect.andThen(bots.command(accountId, bot.id, "start"), becomes("running"))
  yield* start
  /** Goes on until a candle has closed, and the orders that it decides are filled. */
  const pass = Effect.fnUntraced(function* (index: number, tradeCount: number) {
    yield* model.moveTo(symbol, String(closes[index]))
    yield* world.tellUntil(index + 1)
    const time = new Date(scriptStart + index * 3_600_000).toISOString()
    yield* statusWhere(bots, accountId, bot.id, ({ last_candle_at }) => last_candle_at === time)
    yield* eventually(
      bots.trades(accountId, bot.id, { limit: 20 }),
      ({ items }) => items.length === tradeCount
    )
  })
  const expected = bots.expected(accountId, bot.id)
  return { accountId, becomes, bot, bots, expected, pass, start }
})

const makeFutures = () =>
  makeModel({
    markets: [{ ...market, quantityStep: "0.001", takerRate: String(takerRate) }],
    capabilities: { kind: "one_way", hasReduceOnly: true }
  })

describe("a live bot beside its backtest", () => {
  it.effect("turns its position by no more than it can pay after the fee of the exit", () => {
    const closes = [100, 101, 99, 99]
    const model = makeFutures()
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const { expected, pass } = yield* setTrading(model, world, { closes, strategy: turning })
      yield* pass(0, 0)
      yield* pass(1, 1)
      yield* pass(2, 3)
      yield* pass(3, 3)
      const view = yield* eventually(expected, ({ expected_trade_count: count }) => count === 3)
      assert.strictEqual(view.realized_trade_count, 3)
      assert.deepStrictEqual(view.differences, [])
      assert.strictEqual(view.unexplained, 0)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("enters while the gate of the backtest is shut by a loss that it has missed", () => {
    const closes = [100, 101, 95, 99, 101, 101]
    const model = makeFutures()
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots, expected, pass, start } = yield* setTrading(
        model,
        world,
        {
          closes,
          strategy: { ...definition, sizing: { type: "equity_fraction", fraction: 0.9 } },
          risk: { ...risk, daily_loss: 0.03 }
        }
      )
      yield* pass(0, 0)
      yield* bots.command(accountId, bot.id, "pause")
      yield* becomes("paused")
      yield* pass(1, 0)
      yield* pass(2, 0)
      yield* start
      yield* pass(3, 0)
      yield* pass(4, 1)
      yield* pass(5, 1)
      const view = yield* eventually(expected, ({ realized_trade_count: count }) => count === 1)
      assert.deepStrictEqual(
        view.differences.map(({ cause, follows, side }) => [cause, follows, side]),
        [
          ["command", false, "buy"],
          ["command", true, "sell"],
          ["command", true, "buy"]
        ]
      )
      assert.strictEqual(view.expected_trade_count, 2)
      assert.strictEqual(view.unexplained, 0)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

const coin = "BNB"
const bnb = `${coin}/USD`

/** A grid whose two lines take all of the money, in a market and in that of a coin. */
const grid: StrategyDefinition = {
  format: 1,
  symbols: [symbol, bnb],
  timeframe: "1h",
  parameters: {},
  grid: { lower: 99, upper: 105, lines: 3, spacing: "arithmetic" }
}

/** Enters either market below its close, with all of the money. */
const below: StrategyDefinition = {
  format: 1,
  symbols: [symbol, bnb],
  timeframe: "1h",
  parameters: {},
  long: { enter: isAbove },
  entry: { type: "limit", offset: 0.05 },
  sizing: { type: "equity_fraction", fraction: 1 }
}

/** The same nearer to the close, up to a price, and with a target. */
const targeted: StrategyDefinition = {
  ...below,
  long: {
    enter: { type: "between", of: close, low: level, high: { type: "constant", value: 102 } }
  },
  entry: { type: "limit", offset: 0.02 },
  // Beside a stop, a target is watched on spot, and leaves after a close.
  exits: {
    stop_loss: { type: "fraction", value: 0.5 },
    take_profit: { type: "fraction", value: 0.05 }
  }
}

/** An exchange with both markets, which may take its fees in the coin. */
const makeTwo = (feeCoin?: string) => {
  const rates = { takerRate: String(takerRate), makerRate: String(takerRate) }
  const steps = { quantityStep: "0.001", minQuantity: "0.001" }
  const of = { ...market, ...rates, ...steps, ...(feeCoin !== undefined && { feeCoin }) }
  return makeModel({
    markets: [of, { ...of, symbol: bnb, base: coin }],
    balances: { USD: "10000", [coin]: "0" },
    ...(feeCoin !== undefined && { feeCoin: { coin: feeCoin, price: "102" } })
  })
}

/** A bot that trades both markets. */
const setTwo = Effect.fnUntraced(function* (
  model: ReturnType<typeof makeTwo>,
  world: ReturnType<typeof scriptedWorld>,
  strategy: StrategyDefinition,
  closes: { readonly [of in typeof symbol | typeof bnb]: ReadonlyArray<number> }
) {
  const terms = { taker_rate: takerRate, maker_rate: takerRate, lot: 0.001 }
  const { accountId, bots, request } = yield* setLive(strategy, closes[symbol], terms)
  yield* (yield* Candles).import(operatorAccountId, {
    key: { symbol: bnb, timeframe: "1h" },
    columns: columnsOf(closes[bnb]),
    market: { ...free, ...terms }
  })
  const { id } = yield* bots.create(accountId, request)
  const becomes = (status: string) =>
    statusWhere(bots, accountId, id, (now) => now.status === status)
  const command = (name: "pause" | "start", status: string) =>
    Effect.andThen(bots.command(accountId, id, name), becomes(status))
  yield* command("start", "running")
  const closeUntil = Effect.fnUntraced(function* (count: number) {
    yield* model.moveTo(bnb, String(closes[bnb][count - 1]))
    yield* model.moveTo(symbol, String(closes[symbol][count - 1]))
    yield* world.tellUntil(count)
    yield* Effect.sleep("5 seconds")
  })
  const orders = Effect.map(bots.orders(accountId, id, { limit: 20 }), ({ items }) => items)
  return { closeUntil, command, expected: bots.expected(accountId, id), orders }
})

describe("a live bot that has money which an entry takes in its backtest", () => {
  it.effect("enters because that entry was refused for a coin of fees", () => {
    const closes = {
      [symbol]: [100.2, 101, 102.5, 101.9, 101.9],
      [bnb]: [100.2, 102.2, 102.2, 102.2, 102.2]
    }
    const model = makeTwo(coin)
    const world = scriptedWorld(model, closes)
    return Effect.gen(function* () {
      const { closeUntil, expected, orders } = yield* setTwo(model, world, grid, closes)
      for (let count = 1; count <= closes[symbol].length; count++) yield* closeUntil(count)
      const refused = (yield* orders).filter(({ status }) => status === "rejected")
      assert.isNotEmpty(refused)
      for (const { reason, symbol: of } of refused) {
        assert.match(reason ?? "", /^fee_coin: /)
        assert.strictEqual(of, bnb)
      }
      const view = yield* expected
      assert.strictEqual(view.expected_trade_count, 0)
      assert.deepStrictEqual(
        view.differences.map(({ cause, leg, symbol: of }) => [cause, leg, of]),
        [["refusal", "entry", symbol]]
      )
      assert.strictEqual(view.unexplained, 0)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("enters because a command took that entry back, or kept the bot from it", () => {
    const closes = { [symbol]: [99, 101, 99, 99, 99, 99], [bnb]: [99, 99, 99, 101, 94, 94] }
    const model = makeTwo()
    const causesWith = (pausesAfter: number) => {
      const world = scriptedWorld(model, closes)
      return Effect.gen(function* () {
        const { closeUntil, command, expected } = yield* setTwo(model, world, below, closes)
        for (let count = 1; count <= closes[symbol].length; count++) {
          yield* closeUntil(count)
          if (count === pausesAfter) yield* command("pause", "paused")
          if (count === 3) yield* command("start", "running")
        }
        const view = yield* expected
        assert.strictEqual(view.unexplained, 0)
        return view.differences.map(({ cause, leg, symbol: of }) => [cause, leg, of])
      }).pipe(Effect.provide(world.layer))
    }
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* causesWith(2), [["command", "entry", bnb]])
      assert.deepStrictEqual(yield* causesWith(1), [["command", "entry", bnb]])
    }).pipe(whileTimePasses)
  })

  it.effect("lacks an entry because a delay elsewhere has its money", () => {
    const model = makeTwo()
    const causesWith = (third: number) => {
      const closes = {
        [symbol]: [99, 101, third, 99, 106, 106, 106],
        [bnb]: [99, 99, 99, 99, 101, 104, 98]
      }
      const world = scriptedWorld(model, closes)
      return Effect.gen(function* () {
        const { closeUntil, expected } = yield* setTwo(model, world, targeted, closes)
        for (let count = 1; count <= closes[symbol].length; count++) yield* closeUntil(count)
        const view = yield* expected
        assert.strictEqual(view.unexplained, 0)
        const ofCoin = view.differences.filter(({ symbol: of }) => of === bnb)
        return ofCoin.map(({ cause, follows, leg }) => [cause, follows, leg])
      }).pipe(Effect.provide(world.layer))
    }
    return Effect.gen(function* () {
      // It leaves its position a candle later: a close has to reach the target first.
      assert.deepStrictEqual(yield* causesWith(98), [["delay", true, "entry"]])
      // Its exchange does not reach the price of its entry, which rests still.
      assert.deepStrictEqual(yield* causesWith(99), [["delay", true, "entry"]])
    }).pipe(whileTimePasses)
  })
})
