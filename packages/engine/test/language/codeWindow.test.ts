/**
 * How much of the past the code of a strategy sees, in a backtest and as a bot steps.
 */
import { assert, describe, it } from "@effect/vitest"
import { Limits } from "../../../core/src/domain/Limits.ts"
import { makeMarketStep, toMarketRules } from "../../src/plan/codeSignals.ts"
import { define } from "../../src/plan/define.ts"
import { makeMatchingAccount } from "../../src/kernel/account.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { indicators } from "../../src/research/indicators.ts"
import { candleAt, drawCandles } from "../laws/drawnCandles.ts"

const frame = { symbols: ["AAA/USD"], timeframe: "1h" } as const
const book = makeMatchingAccount(0, 1).books[0]!

/** A sum of all that is seen: it tells every window from every other. */
const sums = (values: ArrayLike<number>): Float64Array => {
  const found = new Float64Array(values.length)
  let sum = 0
  for (let index = 0; index < values.length; index++) found[index] = sum += values[index]!
  return found
}

type Seen = Array<ReadonlyArray<number>>

/** Says what it saw, and how many candles it was shown at most. */
const watching = (lookback: number | undefined, backs: ReadonlyArray<number>) => {
  const seen: Seen = []
  const shown = { most: 0 }
  const strategy = define({
    ...frame,
    name: "watching",
    lookback,
    indicators: (candles: CandleColumns) => {
      shown.most = Math.max(shown.most, candles.length)
      return { sum: sums(candles.close), smooth: indicators.ema(candles.close, { period: 5 }) }
    },
    onCandle: ({ candle, value }) => {
      const ago = backs.flatMap((at) => [candle(at).close, value("sum", at), value("smooth", at)])
      seen.push([candle().time, ...ago])
      return null
    }
  })
  return { seen, shown, strategy, code: new Map([["watching", strategy.rules]]) }
}

const stepped = (columns: CandleColumns, { code, strategy }: ReturnType<typeof watching>) => {
  const step = makeMarketStep(strategy.definition, {}, "AAA/USD", code)
  for (let index = 0; index < columns.length; index++) step.next(candleAt(columns, index), book)
}

const columns = drawCandles(makeRandom("windows of code"), "1h", 5_000)

describe("the past that code sees", () => {
  it("is the same at every candle of a backtest and of a bot, wherever windows begin", () => {
    for (const lookback of [1, 2, 7, 100, 255, 256, 300, 4_999, 5_000]) {
      const backs = [0, 1, Math.floor(lookback / 2), lookback]
      const [bot, test] = [watching(lookback, backs), watching(lookback, backs)]
      stepped(columns, bot)
      const { definition } = test.strategy
      const { rules } = toMarketRules(definition, {}, columns, "AAA/USD", test.code)
      for (let index = 0; index < columns.length; index++) rules.decide?.(index, book)
      assert.lengthOf(bot.seen, columns.length)
      assert.deepStrictEqual(bot.seen, test.seen, `look-back ${lookback}`)
    }
  })

  it("is at least the look-back, and never more than twice as many candles", () => {
    const bot = watching(50, [0, 50])
    stepped(columns, bot)
    assert.strictEqual(bot.shown.most, 100)
    const told = bot.seen.map(([, now, , , before]) => [now, before])
    const wanted = Array.from(columns.close, (close, index) => [
      close,
      columns.close[index - 50] ?? Number.NaN
    ])
    assert.deepStrictEqual(told, wanted)
  })

  it("is bounded where nothing is said, and goes with the warm-up", () => {
    const unsaid = watching(undefined, [0])
    stepped(columns, unsaid)
    assert.strictEqual(unsaid.shown.most, 2 * Limits.codeLookbackCandles)
    const shownWith = (counts: object) => {
      let most = 0
      const strategy = define({
        ...frame,
        ...counts,
        name: "warm",
        indicators: ({ length }: CandleColumns) => {
          most = Math.max(most, length)
          return {}
        },
        onCandle: () => null
      })
      const code = new Map([["warm", strategy.rules]])
      toMarketRules(strategy.definition, {}, columns, "AAA/USD", code)
      return most
    }
    assert.strictEqual(shownWith({ warmup: 240 }), 4_800)
    assert.strictEqual(shownWith({ warmup: 240, lookback: 300 }), 600)
    assert.strictEqual(shownWith({ warmup: () => 240, lookback: () => 100 }), 480)
  })

  it("is refused where it is none, and farther back", () => {
    assert.throws(() => watching(0, []), "lookback must be a whole number from 1 on")
    const far = watching(10, [11])
    assert.throws(() => stepped(columns, far), "a strategy sees 10 candles back")
    const fractional = define({ ...frame, name: "a", lookback: () => 2.5, onCandle: () => null })
    const code = new Map([["a", fractional.rules]])
    assert.throws(
      () => makeMarketStep(fractional.definition, {}, "AAA/USD", code),
      "lookback above 0: 2.5"
    )
  })
})
