/**
 * Live bots on spot whose exchange takes the fees in a coin that one of them trades.
 */
import {
  type BotStatusView,
  Candles,
  operatorAccountId,
  Portfolio,
  type StrategyDefinition
} from "@candlewick/core"
import type { ModelVenueOptions } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  makeModel,
  market,
  protectedDefinition,
  scriptedWorld,
  setLive,
  statusWhere
} from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, free, symbol } from "./scene.ts"
import { columnsOf } from "./scripted.ts"
import { keepStrategy } from "./world.ts"

const coin = "BNB"
const bnb = `${coin}/USD`

/** The holder buys its coin at 101 and keeps it until 89; the other enters and leaves. */
const closes = {
  [bnb]: [99, 101, 101, 101, 101, 101, 89, 89, 89, 89],
  [symbol]: [99, 99, 101, 99, 101, 99, 99, 99, 101, 101]
}

/** An exchange that takes a hundredth of each trade in the coin, of which its owner has some. */
const exchange = (
  owners: string,
  namedCoin?: string,
  capabilities: ModelVenueOptions["capabilities"] = {}
) => {
  const fees = { takerRate: "0.01", makerRate: "0.01", quantityStep: "0.001", minQuantity: "0.001" }
  const named = namedCoin === undefined ? {} : { feeCoin: namedCoin }
  return makeModel({
    markets: [
      { ...market, ...fees, ...named },
      { ...market, ...fees, ...named, symbol: bnb, base: coin }
    ],
    balances: { USD: "10000", [coin]: owners },
    capabilities,
    feeCoin: { coin, price: "100" }
  })
}

/** A bot that trades the coin, and one that trades another market. */
const twoBots = Effect.fnUntraced(function* (
  model: ReturnType<typeof exchange>,
  world: ReturnType<typeof scriptedWorld>,
  holding: StrategyDefinition = protectedDefinition
) {
  const { accountId, bots, request } = yield* setLive(protectedDefinition, closes[symbol])
  yield* (yield* Candles).import(operatorAccountId, {
    key: { symbol: bnb, timeframe: "1h" },
    columns: columnsOf(closes[bnb]),
    market: free
  })
  const ofCoin = yield* keepStrategy(accountId, { ...holding, symbols: [bnb] })
  const made = [
    yield* bots.create(accountId, { ...request, strategy_id: ofCoin.id }),
    yield* bots.create(accountId, request)
  ]
  for (const { id } of made) {
    yield* bots.command(accountId, id, "start")
    yield* statusWhere(bots, accountId, id, ({ status }) => status === "running")
  }
  const [holder, other] = made.map(({ id }) => ({
    id,
    becomes: (isWanted: (status: BotStatusView) => boolean) =>
      statusWhere(bots, accountId, id, isWanted)
  }))
  /** Lets candles close up to one. */
  const closeUntil = Effect.fnUntraced(function* (count: number) {
    yield* model.moveTo(bnb, String(closes[bnb][count - 1]))
    yield* model.moveTo(symbol, String(closes[symbol][count - 1]))
    yield* world.tellUntil(count)
    yield* Effect.sleep("5 seconds")
  })
  const coins = Effect.map((yield* Portfolio).holdings(accountId, "model"), ({ holdings }) =>
    holdings.find(({ name }) => name === coin)
  )
  const rejected = (id: string) =>
    Effect.map(bots.orders(accountId, id, { limit: 20 }), ({ items }) =>
      items.flatMap(({ reason, status }) => (status === "rejected" ? [reason] : []))
    )
  return { accountId, bots, closeUntil, coins, holder: holder!, other: other!, rejected }
})

const isHolding = ({ open_positions, protection }: BotStatusView) =>
  open_positions.length === 1 && protection === "venue"

const isFlat = ({ open_positions }: BotStatusView) => open_positions.length === 0

describe("bots of an exchange that takes fees in a coin which one of them trades", () => {
  it.effect("owe the coins of their owner, and the holder sells all of its own", () => {
    const model = exchange("5")
    const world = scriptedWorld(model, closes)
    return Effect.gen(function* () {
      const { closeUntil, coins, holder, other, rejected } = yield* twoBots(model, world)
      yield* closeUntil(2)
      const { open_positions } = yield* holder.becomes(isHolding)
      assert.strictEqual(open_positions[0]?.quantity, 9.899)
      for (const count of [3, 4, 5, 6]) yield* closeUntil(count)
      yield* other.becomes(isFlat)
      assert.deepStrictEqual(yield* rejected(other.id), [])
      const before = yield* coins
      assert.closeTo(Number(before?.owners[other.id]), -0.404, 0.01)
      yield* closeUntil(7)
      const { trading_state } = yield* holder.becomes(isFlat)
      assert.strictEqual(trading_state, "active")
      const after = yield* coins
      assert.isBelow(Math.abs(Number(after?.owners[holder.id] ?? "0")), 0.1)
      // The owner's coins paid the fees of both, and nothing else.
      assert.strictEqual(after?.outside, "5")
      assert.isAbove(Number(after?.amount), 4.4)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("enter nothing that would cost the holder its coins, once the venue names them", () => {
    const model = exchange("0", coin)
    const world = scriptedWorld(model, closes)
    return Effect.gen(function* () {
      const { closeUntil, coins, holder, other, rejected } = yield* twoBots(model, world)
      for (const count of [2, 3]) yield* closeUntil(count)
      yield* holder.becomes(isHolding)
      const [reason] = yield* rejected(other.id)
      assert.match(
        reason ?? "",
        /^fee_coin: fees may take 0\.\d+ BNB, of which 0 belongs to no bot/
      )
      const held = yield* coins
      assert.strictEqual(held?.owners[holder.id], held?.amount)
      for (const count of [4, 5, 6, 7]) yield* closeUntil(count)
      yield* holder.becomes(isFlat)
      for (const count of [8, 9]) yield* closeUntil(count)
      // Without a holder, the exchange takes its fees from what the account has.
      yield* other.becomes(isHolding)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect(
    "enter beside an order for the coin that only rests, with the coins of their owner",
    () => {
      const model = exchange("5", coin)
      const world = scriptedWorld(model, closes)
      const resting: StrategyDefinition = { ...definition, entry: { type: "limit", offset: 0.3 } }
      return Effect.gen(function* () {
        const { closeUntil, other, rejected } = yield* twoBots(model, world, resting)
        yield* closeUntil(2)
        yield* Effect.sleep("1 minute")
        yield* closeUntil(3)
        yield* other.becomes(isHolding)
        assert.deepStrictEqual(yield* rejected(other.id), [])
      }).pipe(Effect.provide(world.layer), whileTimePasses)
    }
  )

  it.effect("report coins that a first fee took from the holder, who sells what is there", () => {
    const model = exchange("0")
    const world = scriptedWorld(model, closes)
    return Effect.gen(function* () {
      // No stop locks the coins of the holder.
      const scene = yield* twoBots(model, world, definition)
      const { accountId, bots, closeUntil, coins, holder, other, rejected } = scene
      for (const count of [2, 3]) yield* closeUntil(count)
      yield* Effect.sleep("1 minute")
      yield* holder.becomes(({ trading_state_reason: why }) => why === "reconcile_mismatch")
      yield* closeUntil(4)
      yield* Effect.sleep("1 minute")
      yield* closeUntil(5)
      assert.match((yield* rejected(other.id))[0] ?? "", /^fee_coin: /)
      for (const count of [6, 7]) yield* closeUntil(count)
      const there = yield* coins
      assert.isBelow(Number(there?.amount), 0.1, "all that the exchange had was sold")
      yield* bots.reconcile(accountId, holder.id, { accept: true })
      const after = yield* holder.becomes(({ trading_state }) => trading_state === "active")
      assert.deepStrictEqual(after.open_positions, [])
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
