/**
 * A session that is opened in the middle decides as one that has followed its markets from the
 * first candle.
 */
import { makeMarketStep, noCode, SeriesTracks } from "@candlewick/engine"
import { type CandleColumns, indexAt, sliceColumns } from "@candlewick/engine/kernel"
import { above, ofSymbol, price, sma, strategy } from "@candlewick/engine/research"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomWalk, withGap } from "../../../../engine/src/testing/randomCandles.ts"
import type { MarketData } from "../../../src/ports/MarketData.ts"
import { makeSnapshot, openSession } from "../../../src/services/bots/botSession.ts"
import { botRecord } from "../../../src/testing/records.ts"

const [traded, read] = ["ETH/USDT", "BTC/USDT"]
const count = 200

/** Long while the other market's close is above its average; each market misses candles. */
const definition = strategy({
  symbols: [traded, read],
  trades: [traded],
  timeframe: "1h",
  long: {
    enter: above(ofSymbol(read, price.close), ofSymbol(read, sma(20))),
    exit: above(ofSymbol(read, sma(20)), ofSymbol(read, price.close))
  }
})
const candles: Readonly<Record<string, CandleColumns>> = {
  [traded]: withGap(randomWalk("traded", { count }), 60, 5),
  [read]: withGap(randomWalk("read", { count }), 95, 10)
}

const candleAt = (columns: CandleColumns, index: number) => ({
  time: columns.time[index]!,
  open: columns.open[index]!,
  high: columns.high[index]!,
  low: columns.low[index]!,
  close: columns.close[index]!,
  volume: columns.volume[index]!
})

/** The part of a market feed that a session asks. */
const marketData = {
  clock: "replay",
  history: ({ symbol, until }: { readonly symbol: string; readonly until: number }) => {
    const columns = candles[symbol]!
    return Effect.succeed(sliceColumns(columns, 0, indexAt(columns, until + 1)))
  }
} as unknown as MarketData["Service"]

describe("openSession", () => {
  it.effect("has seen the other market's candles up to each own one, wherever it begins", () =>
    Effect.gen(function* () {
      const { [read]: others, [traded]: own } = candles
      const whole = makeMarketStep(definition, {}, traded, noCode)
      let next = 0
      let enteringCount = 0
      const snapshot = makeSnapshot(10_000, [], null, 1) as never
      const bot = botRecord({ symbols: [traded, read] })
      for (let at = 0; at + 1 < own!.length; at++) {
        const time = own!.time[at]!
        for (; others!.time[next]! <= time; next++) whole.seeOther(read, candleAt(others!, next))
        const decided = whole.next(candleAt(own!, at))
        const saved = { bot_id: bot.id, cursor: time - 1, snapshot, version: 1 }
        const session = yield* openSession(
          { code: noCode, marketData, seriesTracks: new SeriesTracks() },
          bot,
          definition,
          saved
        )
        session.shared.join()
        const [step] = session.steps
        const same = indexAt(others!, time)
        if (others!.time[same] === time) step!.seeOther(read, candleAt(others!, same))
        assert.deepStrictEqual(step!.next(candleAt(own!, at)), decided, `candle ${at}`)
        if (decided.signal.enterLong) enteringCount++
      }
      assert.isAbove(enteringCount, 50)
    })
  )
})
