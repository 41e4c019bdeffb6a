/** A server in this process begins with sample candles, or with the markets of these alone. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { openEmbedded, readSettings } from "../../src/main/index.ts"

const listsOf = (options?: Parameters<typeof openEmbedded>[1]) =>
  Effect.scoped(
    Effect.gen(function* () {
      const settings = readSettings({ CANDLEWICK_DATA_DIR: ":memory:" })
      const { apiKey, baseUrl, fetch } = yield* openEmbedded(settings, options)
      const symbolsOf = (list: string) =>
        Effect.promise(async () => {
          const headers = { authorization: `Bearer ${apiKey}` }
          const answer = await fetch(`${baseUrl}/v1/${list}`, { headers })
          const { data } = (await answer.json()) as {
            readonly data: ReadonlyArray<{ readonly symbol: string; readonly tick?: number }>
          }
          return data.map(({ symbol, tick }) => (tick === undefined ? symbol : `${symbol} ${tick}`))
        })
      return { candles: yield* symbolsOf("candles"), markets: yield* symbolsOf("markets") }
    })
  )

const markets = ["BTC/USD 0.01", "GBP/USD 0.00001", "SPY/USD 0.01"]

it.live("begins with sample candles", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* listsOf(), {
      candles: ["BTC/USD", "GBP/USD", "SPY/USD"],
      markets
    })
  })
)

it.live("begins without them where it is told so, and knows their markets", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* listsOf({ hasSampleCandles: false }), { candles: [], markets })
  })
)
