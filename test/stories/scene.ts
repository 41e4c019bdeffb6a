/**
 * An account with candles, a strategy and a bot on them, which stories begin with.
 */
import {
  operatorAccountId,
  Bots,
  type BotStatusView,
  Candles,
  Problem,
  type RiskProfile,
  type StrategyDefinition
} from "@candlewick/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { columnsOf, makeScript, type Script } from "./scripted.ts"
import { botsOver, eventually, keepStrategy, makeAccount } from "./world.ts"

export const symbol = "STY/USD"
const hourMs = 3_600_000

/** Enters above 100 and leaves below it, with everything; no costs, so that sums are easy. */
export const definition: StrategyDefinition = {
  format: 1,
  symbols: [symbol],
  timeframe: "1h",
  parameters: {},
  long: {
    enter: {
      type: "above",
      left: { type: "price", field: "close" },
      right: { type: "constant", value: 100 }
    },
    exit: {
      type: "below",
      left: { type: "price", field: "close" },
      right: { type: "constant", value: 100 }
    }
  },
  sizing: { type: "fixed_quantity", quantity: 10 }
}

/** The same with a stop loss that is never touched. */
export const stopped: StrategyDefinition = {
  ...definition,
  exits: { stop_loss: { type: "fraction", value: 0.9 } }
}

export const free = {
  maker_rate: 0,
  taker_rate: 0,
  slippage_rate: 0,
  spread_rate: 0,
  tick: 0.01,
  lot: 1
}

export const world = (script: Script) => {
  const told = makeScript(script)
  return { ...told, layer: botsOver(told.layer) }
}

/** An account with the candles of the script and one bot on them. */
export const setTheScene = Effect.fnUntraced(function* (
  script: Script,
  options: {
    readonly definition?: StrategyDefinition
    readonly risk?: RiskProfile
    readonly market?: Partial<typeof free> & {
      readonly can_short?: boolean
      readonly volume_share_max?: number
    }
  } = {}
) {
  const candles = yield* Candles
  const bots = yield* Bots
  for (const [name, closes] of Object.entries(script)) {
    yield* candles.import(operatorAccountId, {
      key: { symbol: name, timeframe: "1h" },
      columns: columnsOf(closes),
      market: { ...free, ...options.market }
    })
  }
  const accountId = yield* makeAccount
  const strategy = yield* keepStrategy(accountId, options.definition ?? definition, {
    risk_profile: options.risk ?? null
  })
  const bot = yield* bots.create(accountId, {
    name: "story",
    strategy_id: strategy.id,
    capital_allocation: 10_000
  })
  const reaches = (index: number) =>
    eventually(
      bots.status(accountId, bot.id),
      ({ last_candle_at }) =>
        last_candle_at !== null &&
        Date.parse(last_candle_at) >= Date.UTC(2024, 0, 1) + index * hourMs
    )
  const becomes = (status: BotStatusView["status"]) =>
    eventually(bots.status(accountId, bot.id), (now) => now.status === status)
  return { accountId, bot, bots, strategy, reaches, becomes }
})

export const refusal = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, Problem)
    return error
  })
