/**
 * Order scripts whose trades, equity and cash other software computed. The desk of backtests and
 * paper accounts fills them by stages, with lots that an entry the other way closes, or lots of
 * both sides.
 *
 * Left out are the scripts that follow another rule than this desk's; each is listed with its
 * reason. `simulateOrders`, which can follow those rules too, fills every script.
 */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Desk } from "../../src/match/Desk.ts"
import type { DeskExit } from "../../src/match/DeskOrder.ts"
import type { ClosedLot, DeskRow } from "../../src/match/logViews.ts"
import { otherRules, scriptReason } from "../research/sourceReasons.ts"
import { assertNear } from "./orders/checkTrades.ts"
import { type OrderScript, readScripts, type ScriptAction } from "./orders/readScripts.ts"
import { feesOf } from "./orders/sourceEngine.ts"

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

const openDesk = ({ engine }: OrderScript): Desk => {
  const [feePerFill, rate] = feesOf(engine)
  const market = {
    lot: engine.fractional_unit ?? 1,
    makerRate: rate,
    takerRate: rate,
    feePerFill,
    slippageRate: 0,
    entrySpread: engine.spread,
    canShort: true,
    leverage: 1 / engine.margin
  }
  return Desk.open(engine.cash, [market], { netting: engine.hedging ? "hedging" : "fifo" })
}

/** The tags of a script, which a desk knows as numbers; 0 is none. */
const tagsOf = ({ script }: OrderScript): ReadonlyArray<string | null> => [
  null,
  ...new Set(script.flatMap(({ tag }) => (tag === undefined ? [] : [tag])))
]

const order: DeskExit = { side: 1, quantity: 0, limit: null, stop: null, expiresAfter: null }

/** Part of so many units, halves to the even number, and one at least. */
const portionOf = (held: number, portion = 1): number => {
  const units = held * portion
  const below = Math.floor(units)
  const isUp = units - below > 0.5 || (units - below === 0.5 && below % 2 === 1)
  return portion >= 1 ? held : Math.max(1, isUp ? below + 1 : below)
}

/** Takes entries back that rest. */
const cancelEntries = (desk: Desk): void => {
  for (const { id, leg } of desk.resting(0)) if (leg === "entry") desk.withdraw(0, id)
}

/** Orders a part of each lot closed; the other software puts each order in front of its queue. */
const closeLots = (desk: Desk, portion?: number): void => {
  for (const { id, position } of desk.lots(0, []).toReversed()) {
    const quantity = portionOf(Math.abs(position.quantity), portion)
    const side = position.quantity > 0 ? -1 : 1
    desk.placeExit(0, { ...order, side, quantity, lotId: id }, "signal")
  }
}

const act = (
  desk: Desk,
  action: ScriptAction,
  tags: ReadonlyArray<string | null>,
  isExclusive: boolean
): void => {
  const { op, price = null, tag } = action
  const lots = desk.lots(0, tags)
  const tagged = lots.filter((lot) => tag === undefined || lot.tag === tag)
  const level = (value: number | undefined) =>
    value === undefined ? null : ({ kind: "price", value } as const)
  switch (op) {
    case "buy":
    case "sell": {
      const { limit = null, size, sl, stop = null, tp } = action
      const side = op === "buy" ? 1 : -1
      if (isExclusive) cancelEntries(desk)
      if (isExclusive) closeLots(desk)
      const tagNumber = tag === undefined ? 0 : tags.indexOf(tag)
      const exits = { trailingStop: null, breakEven: null }
      desk.placeEntry(
        0,
        { ...order, side, quantity: size!, limit, stop, tagNumber },
        { ...exits, stopLoss: level(sl), takeProfit: level(tp) }
      )
      return
    }
    case "close":
      return closeLots(desk, action.portion)
    case "cancel_pending":
      return cancelEntries(desk)
    case "set_sl":
      for (const { id } of tagged) desk.protectLot(0, id, { stop: price })
      return
    case "set_tp":
      for (const { id } of tagged) desk.protectLot(0, id, { target: price })
  }
}

const run = (one: OrderScript) => {
  const { bars, engine, script } = one
  const desk = openDesk(one)
  const tags = tagsOf(one)
  const equity: Array<number> = []
  bars.forEach(([open, high, low, close], index) => {
    desk.show([{ market: 0, time: index, open, high, low, close }])
    equity.push(desk.equity)
    for (const action of script) {
      if (index > 0 && action.bar === index) act(desk, action, tags, engine.exclusive_orders)
    }
    // Without another candle nothing fills there.
    if (engine.trade_on_close && index < bars.length - 1) desk.matchClose(0)
  })
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
  expected.equity.forEach((value, nth) => assertNear(equity[nth]!, value, `equity ${nth}`))
  // That software leaves the price of what is held in the cash.
  const held = lots.reduce((sum, { position }) => sum + position.quantity * position.entryPrice, 0)
  assertNear(desk.cash + held, expected.cash_final, "cash", 1e-6)
  assert.strictEqual(desk.restingEntryCount(0), expected.pending_orders, "pending orders")
}

describe("order scripts computed by other software", () => {
  const sayable = [...vendored, ...others].filter(({ id }) => scriptReason(id) === null)
  for (const one of sayable) it(`fills ${one.id} as expected`, () => check(one))

  it("leaves out no script that there isn't", () => {
    const ids = new Set([...vendored, ...others].map(({ id }) => id))
    const isRead = (id: string) => others.length > 0 || !/^(bracket|pending)-/.test(id)
    assert.deepStrictEqual(
      Object.keys(otherRules).filter((id) => isRead(id) && !ids.has(id)),
      []
    )
  })
})
