/**
 * Order scripts whose trades, equity and cash other software computed. The matcher that backtests,
 * sweeps and paper bots open fills all of them by named rules.
 */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Matcher } from "../../src/match/Matcher.ts"
import type { MatcherCandle } from "../../src/match/MatcherCandle.ts"
import type { MatcherOrder } from "../../src/match/MatcherOrder.ts"
import type { ClosedLot, MatcherRow } from "../../src/match/logViews.ts"
import { assertNear } from "./orders/checkTrades.ts"
import { type OrderScript, readScripts, type ScriptAction } from "./orders/readScripts.ts"
import { allIn, sourceOptions } from "./orders/sourceEngine.ts"

const golden = new URL("../../../../test/golden/orders/", import.meta.url)
const vendored = ["micro.json", "fuzz_core.jsonl"].flatMap((file) =>
  readScripts(fileURLToPath(new URL(file, golden)))
)
const oracles = process.env["CANDLEWICK_ORACLES"]
const others =
  oracles === undefined
    ? []
    : ["market", "bracket", "pending", "costs", "full"].flatMap((tier) =>
        readScripts(join(oracles, `orders/fuzz_${tier}.jsonl`))
      )

/** The matcher of a script, by the rules of that software. */
const openMatcher = ({ engine }: OrderScript): Matcher => {
  const options = sourceOptions(engine, 1)
  return Matcher.open(engine.cash, [options], options)
}

/** The tags of a script, which a matcher knows as numbers; 0 is none. */
const tagsOf = ({ script }: OrderScript): ReadonlyArray<string | null> => [
  null,
  ...new Set(script.flatMap(({ tag }) => (tag === undefined ? [] : [tag])))
]

const order: MatcherOrder = {
  side: 1,
  quantity: null,
  limit: null,
  stop: null,
  expiresAfter: null
}

/** All that can be paid, a fraction of that, or units. */
const sizeOf = (size = allIn) => (size < 1 ? { fraction: size } : { quantity: size })

const act = (
  matcher: Matcher,
  action: ScriptAction,
  tags: ReadonlyArray<string | null>,
  isExclusive: boolean
): void => {
  const { op, price = null, tag } = action
  const tagged = matcher.lots(0, tags).filter((lot) => tag === undefined || lot.tag === tag)
  switch (op) {
    case "buy":
    case "sell": {
      const { limit = null, size, sl, stop = null, tp } = action
      const id = matcher.placeEntry(0, {
        ...order,
        ...sizeOf(size),
        side: op === "buy" ? 1 : -1,
        limit,
        stop,
        stopLoss: sl,
        takeProfit: tp,
        tagNumber: tag === undefined ? 0 : tags.indexOf(tag)
      })
      if (id === 0 || !isExclusive) return
      matcher.cancelEntries(0, id)
      return matcher.close(0, null, 1)
    }
    case "close":
      return matcher.close(0, null, action.portion ?? 1)
    case "cancel_pending":
      return matcher.cancelEntries(0)
    case "set_sl":
      for (const { id } of tagged) matcher.protectLot(0, id, { stop: price })
      return
    case "set_tp":
      for (const { id } of tagged) matcher.protectLot(0, id, { target: price })
  }
}

/** Where no equity is left at a close, that software closes all there and stops. */
const endsRuined = (matcher: Matcher): boolean => {
  if (matcher.equity > 0) return false
  matcher.closeAll(0, "liquidation")
  matcher.ruin()
  return true
}

const candleOf = ({ bars }: OrderScript, index: number): MatcherCandle => {
  const [open, high, low, close] = bars[index]!
  return { market: 0, time: index, open, high, low, close }
}

const run = (one: OrderScript) => {
  const { bars, engine, script } = one
  const matcher = openMatcher(one)
  const tags = tagsOf(one)
  const equity = new Float64Array(bars.length)
  let isRuined = false
  for (let index = 0; index < bars.length && !isRuined; index++) {
    matcher.show([candleOf(one, index)])
    equity[index] = matcher.equity
    isRuined = endsRuined(matcher)
    if (isRuined) equity.fill(0, index)
    for (const action of script) {
      const isNow = index > 0 && action.bar === index && !isRuined
      if (isNow) act(matcher, action, tags, engine.exclusive_orders)
    }
  }
  if (engine.finalize_trades && !isRuined) {
    matcher.close(0, null, 1)
    matcher.showAgain(candleOf(one, bars.length - 1))
    equity[bars.length - 1] = matcher.equity
  }
  const isClosed = (row: MatcherRow): row is ClosedLot => row.kind === "closed"
  return { matcher, equity, trades: matcher.drain(tags).filter(isClosed) }
}

const inOrder = <A>(trades: ReadonlyArray<A>, keys: (trade: A) => ReadonlyArray<number>) =>
  [...trades].sort((one, other) => {
    const [mine, its] = [keys(one), keys(other)]
    return mine.reduce((sign, key, nth) => sign || key - its[nth]!, 0)
  })

const check = (one: OrderScript) => {
  const { expected } = one
  const { matcher, equity, trades } = run(one)
  assert.strictEqual(trades.length, expected.trades.length, "closed trades")
  const found = inOrder(trades, ({ direction, entryIndex, entryPrice, exitIndex, ...trade }) => [
    exitIndex,
    entryIndex,
    direction * trade.quantity,
    entryPrice,
    trade.exitPrice
  ])
  const wanted = inOrder(expected.trades, (trade) => [
    trade.exit_bar,
    trade.entry_bar,
    trade.size,
    trade.entry_price,
    trade.exit_price
  ])
  wanted.forEach((trade, nth) => {
    const seen = found[nth]!
    assert.strictEqual(seen.entryIndex, trade.entry_bar, "entry candle")
    assert.strictEqual(seen.exitIndex, trade.exit_bar, "exit candle")
    assertNear(seen.direction * seen.quantity, trade.size, "size")
    assertNear(seen.entryPrice, trade.entry_price, "entry price")
    assertNear(seen.exitPrice, trade.exit_price, "exit price")
    assert.strictEqual(seen.tag, trade.tag, "tag")
  })
  const lots = matcher.lots(0, [])
  assert.strictEqual(lots.length, expected.open_trades.length, "open trades")
  lots.forEach(({ position }, nth) => {
    const trade = expected.open_trades[nth]!
    assertNear(position.quantity, trade.size, "open size")
    assertNear(position.entryPrice, trade.entry_price, "open price")
  })
  expected.equity.forEach((value, nth) => assertNear(equity[nth]!, value, `equity ${nth}`, 1e-6))
  // That software leaves the price of what is held in the cash.
  const held = lots.reduce((sum, { position }) => sum + position.quantity * position.entryPrice, 0)
  assertNear(matcher.cash + held, expected.cash_final, "cash", 1e-6)
  assert.strictEqual(matcher.restingEntryCount(0), expected.pending_orders, "pending orders")
}

describe("order scripts computed by other software", () => {
  for (const one of [...vendored, ...others]) {
    it(`fills ${one.id} as expected`, () => check(one))
  }
})
