/**
 * Books of a bot on paper, as their tests open them.
 */
import { Effect } from "effect"
import { marketOf } from "@candlewick/core"
import { hourMs, type MarketSpec, type NettingMode } from "@candlewick/core/kernel"
import { PaperBooks, type SettleCandles } from "@candlewick/core"
import { testId, testSymbol } from "@candlewick/core/testing"

const spec: MarketSpec = {
  tick: 0.01,
  lot: 0.001,
  minNotional: 0,
  makerRate: 0.001,
  takerRate: 0.002,
  feePerFill: 0,
  slippageRate: 0,
  canShort: false,
  leverage: 1
}

const candleOf = (
  symbol: string,
  index: number,
  [open, high, low, close]: readonly [number, number, number, number]
) => ({ symbol, time: index * hourMs, open, high, low, close })

/** A bot's account on fresh markets that is closed when the test ends. */
export const openAccount = Effect.fnUntraced(function* (
  capital = 1_000,
  marketCount = 1,
  netting?: NettingMode
) {
  const broker = yield* PaperBooks
  const botId = testId("bot")
  const symbols = Array.from({ length: marketCount }, () => testSymbol())
  const request = {
    botId,
    capital,
    markets: symbols.map((symbol) => ({ market: marketOf(symbol), spec })),
    netting
  }
  yield* Effect.acquireRelease(broker.open(request), () => Effect.ignore(broker.close(botId)))
  const settle = (index: number, prices: readonly [number, number, number, number], market = 0) => {
    const candles: SettleCandles = [candleOf(symbols[market]!, index, prices)]
    return broker.settle(botId, candles)
  }
  return { broker, botId, symbols, request, settle }
})

/** The prices of a candle that moves little. */
export const flat = [100, 101, 99, 100] as const
