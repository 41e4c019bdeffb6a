import { assert } from "@effect/vitest"
import type { OrdersResult } from "../../../src/kernel/orders/simulateCodeOrders.ts"
import type { ScriptTrade } from "./readScripts.ts"
import { feesOf, type SourceEngine } from "./sourceEngine.ts"

/** Equal but for a relative part. */
export const assertNear = (seen: number, wanted: number, what: string, relative = 1e-9): void =>
  assert.isTrue(
    Math.abs(seen - wanted) <= relative * Math.max(1, Math.abs(wanted)),
    `${what}: ${seen} is not ${wanted}`
  )

/**
 * Trades as the source reports them. Each part of a trade bears the fixed fee of its entry, which
 * is paid once, and parts closed before the last one have no levels.
 */
export const toSourceTrades = (
  { trades, openRoundTrips }: OrdersResult,
  engine: SourceEngine
): ReadonlyArray<ScriptTrade> => {
  const [fixed, rate] = feesOf(engine)
  const isOpen = new Set(openRoundTrips.map(({ id }) => id))
  const rows: Array<ScriptTrade> = []
  for (const trade of trades.toReversed()) {
    const { direction, quantity, entryPrice, exitPrice, tradeId } = trade
    const commission = 2 * fixed + rate * quantity * (entryPrice + exitPrice)
    const pnl = direction * quantity * (exitPrice - entryPrice) - commission
    const isPart = isOpen.has(tradeId)
    isOpen.add(tradeId)
    rows.unshift({
      size: direction * quantity,
      entry_bar: trade.entryIndex,
      exit_bar: trade.exitIndex,
      entry_price: entryPrice,
      exit_price: exitPrice,
      sl: isPart ? null : trade.stopLoss,
      tp: isPart ? null : trade.takeProfit,
      pnl,
      commission,
      return_frac: pnl / (quantity * entryPrice),
      tag: trade.tag
    })
  }
  return rows
}

const inOrder = (trades: ReadonlyArray<ScriptTrade>): ReadonlyArray<ScriptTrade> =>
  [...trades].sort(
    (one, other) =>
      one.exit_bar - other.exit_bar ||
      one.entry_bar - other.entry_bar ||
      one.size - other.size ||
      one.entry_price - other.entry_price ||
      one.exit_price - other.exit_price
  )

/** The same trades, whatever the order of those that close on one candle. */
export const checkTrades = (
  seen: ReadonlyArray<ScriptTrade>,
  wanted: ReadonlyArray<ScriptTrade>
): void => {
  assert.strictEqual(seen.length, wanted.length, "trades")
  const found = inOrder(seen)
  inOrder(wanted).forEach((trade, index) => {
    const what = `trade ${index} (${trade.entry_bar} to ${trade.exit_bar})`
    const one = found[index]!
    assert.strictEqual(one.entry_bar, trade.entry_bar, `${what}: entry`)
    assert.strictEqual(one.exit_bar, trade.exit_bar, `${what}: exit`)
    assertNear(one.size, trade.size, `${what}: size`)
    assertNear(one.entry_price, trade.entry_price, `${what}: entry price`)
    assertNear(one.exit_price, trade.exit_price, `${what}: exit price`)
    assertNear(one.pnl, trade.pnl, `${what}: pnl`, 1e-6)
    assertNear(one.commission, trade.commission, `${what}: commission`, 1e-6)
    assertNear(one.return_frac, trade.return_frac, `${what}: return`)
    assert.strictEqual(one.tag ?? null, trade.tag, `${what}: tag`)
    for (const level of ["sl", "tp"] as const) {
      const price = trade[level]
      if (price === null) assert.isNull(one[level], `${what}: ${level}`)
      else assertNear(one[level] ?? Number.NaN, price, `${what}: ${level}`)
    }
  })
}
