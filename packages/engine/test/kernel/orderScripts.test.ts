/**
 * Order scripts whose trades, equity and cash other software computed. The desk that backtests,
 * sweeps and paper bots open fills all of them by named rules.
 */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Desk } from "../../src/match/Desk.ts"
import type { DeskCandle } from "../../src/match/DeskCandle.ts"
import type { DeskOrder } from "../../src/match/DeskOrder.ts"
import type { ClosedLot, DeskRow } from "../../src/match/logViews.ts"
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

/** The desk of a script, by the rules of that software. */
const openDesk = ({ engine }: OrderScript): Desk => {
  const options = sourceOptions(engine, 1)
  return Desk.open(engine.cash, [options], options)
}

/** The tags of a script, which a desk knows as numbers; 0 is none. */
const tagsOf = ({ script }: OrderScript): ReadonlyArray<string | null> => [
  null,
  ...new Set(script.flatMap(({ tag }) => (tag === undefined ? [] : [tag])))
]

const order: DeskOrder = {
  side: 1,
  quantity: null,
  limit: null,
  stop: null,
  expiresAfter: null
}

/** All that can be paid, a fraction of that, or units. */
const sizeOf = (size = allIn) => (size < 1 ? { fraction: size } : { quantity: size })

const act = (
  desk: Desk,
  action: ScriptAction,
  tags: ReadonlyArray<string | null>,
  isExclusive: boolean
): void => {
  const { op, price = null, tag } = action
  const tagged = desk.lots(0, tags).filter((lot) => tag === undefined || lot.tag === tag)
  switch (op) {
    case "buy":
    case "sell": {
      const { limit = null, size, sl, stop = null, tp } = action
      const id = desk.placeEntry(0, {
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
      desk.cancelEntries(0, id)
      return desk.close(0, null, 1)
    }
    case "close":
      return desk.close(0, null, action.portion ?? 1)
    case "cancel_pending":
      return desk.cancelEntries(0)
    case "set_sl":
      for (const { id } of tagged) desk.protectLot(0, id, { stop: price })
      return
    case "set_tp":
      for (const { id } of tagged) desk.protectLot(0, id, { target: price })
  }
}

/** Where no equity is left at a close, that software closes all there and stops. */
const endsRuined = (desk: Desk): boolean => {
  if (desk.equity > 0) return false
  desk.closeAll(0, "liquidation")
  desk.ruin()
  return true
}

const candleOf = ({ bars }: OrderScript, index: number): DeskCandle => {
  const [open, high, low, close] = bars[index]!
  return { market: 0, time: index, open, high, low, close }
}

const run = (one: OrderScript) => {
  const { bars, engine, script } = one
  const desk = openDesk(one)
  const tags = tagsOf(one)
  const equity = new Float64Array(bars.length)
  let isRuined = false
  for (let index = 0; index < bars.length && !isRuined; index++) {
    desk.show([candleOf(one, index)])
    equity[index] = desk.equity
    isRuined = endsRuined(desk)
    if (isRuined) equity.fill(0, index)
    for (const action of script) {
      const isNow = index > 0 && action.bar === index && !isRuined
      if (isNow) act(desk, action, tags, engine.exclusive_orders)
    }
  }
  if (engine.finalize_trades && !isRuined) {
    desk.close(0, null, 1)
    desk.showAgain(candleOf(one, bars.length - 1))
    equity[bars.length - 1] = desk.equity
  }
  const isClosed = (row: DeskRow): row is ClosedLot => row.kind === "closed"
  return { desk, equity, trades: desk.drain(tags).filter(isClosed) }
}

const inOrder = <A>(trades: ReadonlyArray<A>, keys: (trade: A) => ReadonlyArray<number>) =>
  [...trades].sort((one, other) => {
    const [mine, its] = [keys(one), keys(other)]
    return mine.reduce((sign, key, nth) => sign || key - its[nth]!, 0)
  })

const check = (one: OrderScript) => {
  const { expected } = one
  const { desk, equity, trades } = run(one)
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
  const lots = desk.lots(0, [])
  assert.strictEqual(lots.length, expected.open_trades.length, "open trades")
  lots.forEach(({ position }, nth) => {
    const trade = expected.open_trades[nth]!
    assertNear(position.quantity, trade.size, "open size")
    assertNear(position.entryPrice, trade.entry_price, "open price")
  })
  expected.equity.forEach((value, nth) => assertNear(equity[nth]!, value, `equity ${nth}`, 1e-6))
  // That software leaves the price of what is held in the cash.
  const held = lots.reduce((sum, { position }) => sum + position.quantity * position.entryPrice, 0)
  assertNear(desk.cash + held, expected.cash_final, "cash", 1e-6)
  assert.strictEqual(desk.restingEntryCount(0), expected.pending_orders, "pending orders")
}

describe("order scripts computed by other software", () => {
  for (const one of [...vendored, ...others]) {
    it(`fills ${one.id} as expected`, () => check(one))
  }
})
