/**
 * Markets whose prices move tick by tick at a model exchange, and whose candles are told as they
 * close.
 *
 * A candle opens where the one before closed. A bot hears of a close a moment after it, and its
 * orders would meet any gap too late.
 */
import { MarketData } from "@candlewick/core"
import { type CandleColumns, makeColumns, type Random, sliceColumns } from "@candlewick/core/kernel"
import type { Exchange, ModelVenue } from "@candlewick/core/testing"
import { Clock, Effect, HashMap, Layer, Option, Stream } from "effect"
import { numberOf } from "../../../packages/core/src/domain/decimals.ts"
import { orderByNumber } from "../../../packages/core/src/testing/modelVenue/Exchange.ts"
import { liveStartMs } from "./drawLive.ts"

const minuteMs = 60_000
const ticksPerUnit = 100

/** Closes before the bot begins. */
export const historyCount = 30

/** Closes that the bot sees. */
export const pathCount = 24

/** A bot orders within this time after a close, and its orders that end then are cancelled. */
const orderMs = 4_000
const stepMs = 1_000
const askAgainMs = 100
const startTicks = 10_000

/** The largest step of a price. A candle goes at most so many of them. */
const stepTicks = 10
const stepsMax = 14

const candlesMax = historyCount + pathCount
const firstMs = liveStartMs - historyCount * minuteMs

/** The price of a number of ticks, the nearest double of its decimals. */
const priceOf = (ticks: number): number => ticks / ticksPerUnit

const priceText = ({ ticks }: { readonly ticks: number }): string => priceOf(ticks).toFixed(2)

/** The candles of one market, of which those that have closed are known. */
class Candles {
  readonly symbol: string
  readonly columns: CandleColumns = makeColumns(candlesMax)
  ticks: number
  #open = 0
  #high = 0
  #low = 0

  constructor(symbol: string, ticks: number) {
    this.symbol = symbol
    this.ticks = ticks
    this.begin()
  }

  begin(): void {
    this.#open = this.ticks
    this.#high = this.ticks
    this.#low = this.ticks
  }

  step(by: number): void {
    this.ticks += by
    this.#high = Math.max(this.#high, this.ticks)
    this.#low = Math.min(this.#low, this.ticks)
  }

  close(index: number): void {
    const { columns } = this
    columns.time[index] = firstMs + index * minuteMs
    columns.open[index] = priceOf(this.#open)
    columns.high[index] = priceOf(this.#high)
    columns.low[index] = priceOf(this.#low)
    columns.close[index] = priceOf(this.ticks)
    columns.volume[index] = 1_000
    this.begin()
  }
}

/** The ticks that a candle goes; a price that is far away tends to come back. */
const drawWay = (random: Random, { ticks }: Candles): number => {
  const pull = Math.max(-0.5, Math.min(0.5, (startTicks - ticks) / 600))
  const reach = stepTicks * random.pick([3, 8, stepsMax])
  return Math.round((random.next() * 2 - 1 + pull) * reach)
}

/**
 * The next step on the way: no order is passed by, so that each fills at its own price, as in a
 * backtest.
 */
const nextStep = (exchange: Exchange, { symbol, ticks }: Candles, way: number): number => {
  const most = Math.sign(way) * Math.min(stepTicks, Math.abs(way))
  const levels = exchange.open.flatMap((number) => {
    const { isTriggered, limitPrice, stopPrice, symbol: at } = orderByNumber(exchange, number)
    if (at !== symbol) return []
    const level = stopPrice === null || isTriggered ? limitPrice : stopPrice
    return level === null ? [] : [Math.round(numberOf(level) * ticksPerUnit) - ticks]
  })
  const onWay = levels.filter((by) => by * most > 0 && Math.abs(by) < Math.abs(most))
  return onWay.reduce((by, other) => (Math.abs(other) < Math.abs(by) ? other : by), most)
}

/** The trades between two states of an exchange. */
const tradesSince = (before: Exchange, { tradeCount, trades }: Exchange) =>
  Array.from({ length: tradeCount - before.tradeCount }, (_, nth) =>
    HashMap.getUnsafe(trades, before.tradeCount + nth)
  )

/** The markets that were entered at a price, and whether a stop came before another entry. */
interface Resting {
  readonly entered: ReadonlySet<string>
  readonly hasLeft: boolean
}

/** Makes markets with the candles before the bot. */
export const makeLiveMarkets = (symbols: ReadonlyArray<string>, random: Random) => {
  const markets = symbols.map((symbol, index) => new Candles(symbol, startTicks + 130 * index))
  let told = 0
  const closeAll = () => {
    for (const market of markets) market.close(told)
    told += 1
  }
  for (let index = 0; index < historyCount; index++) {
    for (const market of markets) market.step(drawWay(random, market))
    closeAll()
  }
  const columnsOf = (symbol: string): CandleColumns =>
    sliceColumns(markets.find((market) => market.symbol === symbol)!.columns, 0, told)
  const candleAt = (symbol: string, index: number) => {
    const { close, high, low, open, time, volume } = columnsOf(symbol)
    return {
      time: time[index]!,
      open: open[index]!,
      high: high[index]!,
      low: low[index]!,
      close: close[index]!,
      volume: volume[index]!
    }
  }
  const layer = Layer.succeed(MarketData, {
    clock: "live",
    history: ({ count = Infinity, symbol, until }) =>
      Effect.sync(() => {
        const known = columnsOf(symbol)
        const end = known.time.filter((time) => time <= until).length
        return sliceColumns(known, Math.max(0, end - count), end)
      }),
    candles: ({ after, symbols: wanted }) => {
      const first = after === null ? 0 : Math.round((after - firstMs) / minuteMs) + 1
      return Stream.paginate(first, (index) =>
        Effect.gen(function* () {
          const isTold = () => index < told
          while (!isTold()) yield* Effect.sleep(askAgainMs)
          const candles = wanted.map((symbol) => ({ symbol, candle: candleAt(symbol, index) }))
          const update = { type: "candles", time: firstMs + index * minuteMs, candles } as const
          return [[update], Option.some(index + 1)] as const
        })
      )
    }
  })

  /**
   * Moves all prices through one minute, in which those of the markets that were entered at a price
   * stay where they are. Returns whether both sides of a market have filled at one moment.
   */
  const passMinute = Effect.fnUntraced(function* <E, R>(
    model: ModelVenue,
    resting: Effect.Effect<Resting, E, R>
  ): Effect.fn.Return<boolean, E, R> {
    yield* Effect.sleep(orderMs)
    // The stop may lie beyond the close at which an entry was decided: docs/known-limits.md.
    let { hasLeft: hasMet } = yield* resting
    const ways = markets.map((market) => {
      const first = drawWay(random, market)
      const legs =
        random.next() < 0.3 ? [first, -Math.sign(first) * random.integer(1, 90)] : [first]
      return { market, legs, turns: legs.length > 1 }
    })
    for (;;) {
      const { entered: atRest } = yield* resting
      const going = ways.filter(({ legs, market }) => legs.length > 0 && !atRest.has(market.symbol))
      if (going.length === 0) break
      for (const { legs, market, turns } of going) {
        const before = yield* model.truth
        const by = nextStep(before, market, legs[0]!)
        if (by === legs[0]) legs.shift()
        else legs[0]! -= by
        market.step(by)
        yield* model.moveTo(market.symbol, priceText(market))
        const filled = tradesSince(before, yield* model.truth)
        if (new Set(filled.map(({ side }) => side)).size > 1) hasMet = true
        // Candles do not say which side a price went to first.
        if (turns && filled.length > 0) legs.length = 0
      }
      yield* Effect.sleep(stepMs)
    }
    const closesAtMs = firstMs + (told + 1) * minuteMs
    yield* Effect.sleep(closesAtMs - (yield* Clock.currentTimeMillis))
    closeAll()
    return hasMet
  })

  /** The last prices of all markets. */
  const prices = () => markets.map((market) => [market.symbol, priceText(market)] as const)
  return { candles: columnsOf, layer, passMinute, prices }
}

/** Markets that move at an exchange. */
export type LiveMarkets = ReturnType<typeof makeLiveMarkets>
