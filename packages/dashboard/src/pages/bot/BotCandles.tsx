/**
 * The candles that a bot has seen, with its fills, its working orders, and stops and targets.
 */
import type { VNode } from "preact"
import { useMemo, useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { BotRecord, StatusRecord, TradeRecord } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { CandleChart, type PriceLine } from "../../parts/CandleChart.tsx"
import { type ChartCandle, fetchCandles } from "../../parts/candles.ts"
import { secondsOf, shortly, words } from "../../parts/format.ts"
import { marksOf } from "../../parts/marks.ts"
import { Empty, Shown } from "../../parts/states.tsx"

const candlesShown = 1_500
const fillsShown = 100

interface Seen {
  readonly candles: ReadonlyArray<ChartCandle>
  readonly trades: ReadonlyArray<TradeRecord>
}

const load = async (
  bot: BotRecord,
  symbol: string,
  lastAt: string | null,
  signal: AbortSignal
): Promise<Seen> => {
  if (lastAt === null) return { candles: [], trades: [] }
  const stepMs = secondsOf(bot.timeframe) * 1_000
  const last = Date.parse(lastAt)
  const from = new Date(last - candlesShown * stepMs).toISOString()
  const to = new Date(last + stepMs).toISOString()
  const [candles, trades] = await Promise.all([
    fetchCandles({ symbol, timeframe: bot.timeframe, from, to }, signal),
    call("bots.trades", {
      params: { id: bot.id },
      query: { symbol, from, limit: fillsShown },
      signal
    })
  ])
  return { candles, trades: trades.data }
}

/** The lines of open orders at their prices. */
export const linesOf = (status: StatusRecord, symbol: string): ReadonlyArray<PriceLine> => {
  const orders = status.open_orders
    .filter((order) => order.symbol === symbol)
    .flatMap((order): ReadonlyArray<PriceLine> => {
      const at = order.limit_price ?? order.stop_price
      if (at === null) return []
      const kind = order.leg === "stop_loss" || order.leg === "trailing_stop" ? "stop" : "order"
      return [{ price: at, title: `${words(order.leg)} ${shortly(order.quantity)}`, kind }]
    })
  const positions = status.open_positions
    .filter((position) => position.symbol === symbol)
    .flatMap(({ entry_price, stop_price, target_price }): ReadonlyArray<PriceLine> => [
      { price: entry_price, title: "entry", kind: "entry" },
      ...(stop_price === null ? [] : [{ price: stop_price, title: "stop", kind: "stop" } as const]),
      ...(target_price === null
        ? []
        : [{ price: target_price, title: "target", kind: "target" } as const])
    ])
  // A stop that rests as an order is drawn once.
  const atOrders = new Set(orders.map((order) => order.price))
  return [
    ...positions.filter(({ kind, price: at }) => kind === "entry" || !atOrders.has(at)),
    ...orders
  ]
}

const Drawn = (props: Seen & { readonly status: StatusRecord; readonly symbol: string }): VNode => {
  const { candles, status, symbol, trades } = props
  const marks = useMemo(() => marksOf(trades, candles), [trades, candles])
  const written = JSON.stringify(linesOf(status, symbol))
  const lines = useMemo(() => JSON.parse(written) as ReadonlyArray<PriceLine>, [written])
  return candles.length === 0 ? (
    <Empty title="The bot has seen no candle yet">
      Its candles and fills are drawn here once it runs.
    </Empty>
  ) : (
    <CandleChart
      label={`Candles of ${symbol} with ${marks.length} fills and ${lines.length} lines; the tables below have the numbers`}
      candles={candles}
      marks={marks}
      lines={lines}
    />
  )
}

/** The candles of a bot's market. */
export const BotCandles = (props: {
  readonly bot: BotRecord
  readonly status: StatusRecord
}): VNode => {
  const { bot, status } = props
  const [symbol, setSymbol] = useState(bot.symbols[0]!)
  const asked = useAsked(
    (signal) => load(bot, symbol, status.last_candle_at, signal),
    [bot.id, symbol, status.last_candle_at]
  )
  return (
    <section class="card">
      <div class="card-head">
        <h2>{symbol}</h2>
        {bot.symbols.length === 1 ? null : (
          <label>
            Market{" "}
            <select value={symbol} onChange={(event) => setSymbol(event.currentTarget.value)}>
              {bot.symbols.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <Shown asked={asked} what="the candles">
        {(seen) => <Drawn {...seen} status={status} symbol={symbol} />}
      </Shown>
    </section>
  )
}
