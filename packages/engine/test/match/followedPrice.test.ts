/**
 * Exits that lie beside the price of a fill or follow the price. A matcher leaves where the
 * simulator's matching leaves, at the same price and for the same reason.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  makeMatchingAccount,
  makeOutcome,
  type MarketSpec,
  placeOrder
} from "../../src/kernel/account.ts"
import { matchCandles } from "./plain/matching.ts"
import { orderDefaults } from "../../src/kernel/orders/orderOptions.ts"
import type { AttachedExits, ExitLevel } from "../../src/kernel/protection.ts"
import type { Random } from "../../src/kernel/random.ts"
import { Matcher } from "../../src/match/Matcher.ts"
import { atLeast, draws } from "../../../../test/draws.ts"
import { drawTickCandles } from "./drawnScripts.ts"

const noTags = [null]

const drawLevel = (random: Random): ExitLevel =>
  random.next() < 0.5
    ? { kind: "fraction", value: random.pick([0.01, 0.03, 0.1]) }
    : { kind: "distance", value: random.pick([0.5, 2, 6.25]) }

const drawExits = (random: Random): AttachedExits => {
  const perhaps = <A>(make: () => A): A | null => (random.next() < 0.5 ? make() : null)
  return {
    stopLoss: perhaps(() => drawLevel(random)),
    takeProfit: perhaps(() => drawLevel(random)),
    trailingStop: perhaps(() => ({
      distance: drawLevel(random),
      activation: perhaps(() => drawLevel(random))
    })),
    breakEven: perhaps(() => ({
      activation: drawLevel(random),
      offsetRate: random.pick([0, 0.002])
    }))
  }
}

/** The order at the close of a candle on which nothing rests and nothing is held. */
const drawEntry = (random: Random, near: number) => {
  const type = random.pick(["market", "limit", "stop", "stop_limit"] as const)
  const price = (): number => Math.max(2, Math.round(near) + random.integer(-4, 4))
  return {
    side: random.pick([1, -1] as const),
    type,
    quantity: random.pick([1, 2.5]),
    limit: type === "limit" || type === "stop_limit" ? price() : null,
    stop: type === "stop" || type === "stop_limit" ? price() : null
  }
}

const drawSpec = (random: Random): MarketSpec => ({
  tick: random.pick([0, 0.01, 0.25]),
  lot: 0,
  minNotional: random.pick([0, 0, 200]),
  makerRate: random.pick([0, 0.0005]),
  takerRate: random.pick([0, 0.001]),
  feePerFill: random.pick([0, 1]),
  slippageRate: random.pick([0, 0.002]),
  canShort: true,
  leverage: 1
})

describe("exits that follow the price", () => {
  it("close a lot where the simulator closes a position", () => {
    const seen = new Map<string, number>()
    for (const { random, seed } of draws("followed prices", 2000)) {
      const spec = drawSpec(random)
      const candles = drawTickCandles(random, 80)
      const account = makeMatchingAccount(1_000_000, 1)
      // The simulator lets a stop-limit order wait where its limit may have been touched before.
      const rules = { ...orderDefaults, stopLimitGap: "wait" } as const
      const matcher = Matcher.open(1_000_000, [{ ...spec, entrySpread: 0 }], rules)
      for (let index = 0; index < candles.length; index++) {
        const outcome = makeOutcome()
        const [time, open] = [candles.time[index]!, candles.open[index]!]
        const [high, low, close] = [
          candles.high[index]!,
          candles.low[index]!,
          candles.close[index]!
        ]
        const candle = { market: 0, time, open, high, low, close }
        matchCandles(account, [candle], [spec], outcome)
        matcher.show([candle])
        const wanted = outcome.fills.flatMap(({ closed }) => (closed === null ? [] : [closed]))
        const rows = matcher.drain(noTags)
        const found = rows.filter((row) => row.kind === "closed")
        const ended = rows.filter((row) => row.kind === "ended")
        assert.deepStrictEqual(
          ended.map((row) => row.outcome),
          outcome.ended.map((one) => one.outcome),
          `${seed}, candle ${index}`
        )
        for (const one of ended) seen.set(one.outcome, (seen.get(one.outcome) ?? 0) + 1)
        assert.deepStrictEqual(
          found.map((row) => [row.exitIndex, row.exitPrice, row.exitReason, row.fees, row.pnl]),
          wanted.map((one) => [one.exitIndex, one.exitPrice, one.exitReason, one.fees, one.pnl]),
          `${seed}, candle ${index}`
        )
        for (const { exitReason } of wanted) seen.set(exitReason, (seen.get(exitReason) ?? 0) + 1)
        const { orders, position, protection } = account.books[0]!
        const [lot] = matcher.lots(0, noTags)
        assert.strictEqual(lot?.position.quantity, position?.quantity, `${seed}, ${index}`)
        assert.strictEqual(lot?.stopLoss ?? null, protection?.stop ?? null, `${seed}, ${index}`)
        assert.strictEqual(matcher.cash, account.ledger.cash, `${seed}, ${index}`)
        if (position !== null || orders.length > 0) continue
        const { limit, quantity, side, stop, type } = drawEntry(random, close)
        const exits = drawExits(random)
        const expiresAfter = random.pick([null, 1, 3])
        placeOrder(account, 0, {
          id: `order ${index}`,
          side,
          type,
          leg: "entry",
          quantity,
          limit,
          stop,
          expiresAfter,
          reason: "signal",
          attached: exits
        })
        matcher.placeEntry(0, { side, quantity, limit, stop, expiresAfter }, exits)
      }
    }
    for (const reason of ["stop_loss", "take_profit", "trailing_stop", "break_even", "expired"]) {
      assert.isAbove(seen.get(reason) ?? 0, atLeast(400), reason)
    }
  })
})
