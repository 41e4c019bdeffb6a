/**
 * Order scripts whose fills, equity and cash other software computed, driven through the matching
 * engine.
 *
 * Left out are the scripts that need what one net position in a market can't express (several
 * trades at once, hedging) or a size that is a fraction of equity at the fill; each is listed with
 * its reason. The engine of code strategies, which has all of that, fills every script.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import {
  equityOf,
  makeMatchingAccount,
  makeOutcome,
  type MarketSpec,
  type MatchFill,
  moveProtection,
  type OrderRequest,
  placeOrder
} from "../../src/kernel/account.ts"
import { matchCandles } from "../../src/kernel/matching.ts"

interface Action {
  readonly bar: number
  readonly op: "buy" | "sell" | "close" | "cancel_pending" | "set_sl" | "set_tp"
  readonly size?: number
  readonly limit?: number
  readonly stop?: number
  readonly sl?: number
  readonly tp?: number
  readonly portion?: number
  readonly price?: number
}

interface Script {
  readonly id: string
  readonly agreement?: string
  readonly engine: {
    readonly cash: number
    readonly commission: number | readonly [number, number]
    readonly spread: number
    readonly margin: number
  }
  readonly bars: ReadonlyArray<readonly [number, number, number, number]>
  readonly script: ReadonlyArray<Action>
  readonly expected: {
    readonly trades: ReadonlyArray<{
      readonly size: number
      readonly entry_bar: number
      readonly exit_bar: number
      readonly entry_price: number
      readonly exit_price: number
      readonly pnl: number
    }>
    readonly pending_orders: number
    readonly equity: ReadonlyArray<number>
    readonly cash_final: number
  }
}

const golden = new URL("../../../../test/golden/orders/", import.meta.url)
const micro = JSON.parse(readFileSync(new URL("micro.json", golden), "utf8")) as {
  readonly cases: ReadonlyArray<Script>
}
const core = readFileSync(new URL("fuzz_core.jsonl", golden), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Script)

const reasons: Readonly<Record<string, string>> = {
  market_on_close: "fills at the close are the simulator's option, tested there",
  allin_floor: "the size is a fraction of equity at the fill; ours is decided at the close",
  allin_commission: "the size is a fraction of equity at the fill; ours is decided at the close",
  fraction_half: "the size is a fraction of equity at the fill; ours is decided at the close",
  fraction_leverage: "the size is a fraction of equity at the fill; ours is decided at the close",
  close_and_reverse_allin:
    "the size is a fraction of equity at the fill; ours is decided at the close",
  spread_entry_only: "a spread on entries only; ours is on both sides",
  spread_short: "a spread on entries only; ours is on both sides",
  insufficient_cash: "an order too large is dropped there and cut here",
  insufficient_with_commission: "an order too large is dropped there and cut here",
  sl_on_entry_bar_toc: "fills at the close are the simulator's option, tested there",
  reverse_flip: "entries against an open position are not netted here",
  reduce_fifo: "several trades at once in one market",
  hedging: "several trades at once in one market",
  exclusive: "several trades at once in one market",
  pyramid_two_trades: "several trades at once in one market",
  bankrupt: "there ruin closes at the close, here liquidation fills at its own price"
}

const run = (one: Script) => {
  const { commission } = one.engine
  const [feePerFill, rate] = typeof commission === "number" ? [0, commission] : commission
  const spec: MarketSpec = {
    tick: 0,
    lot: 1,
    minNotional: 0,
    makerRate: rate,
    takerRate: rate,
    feePerFill,
    slippageRate: 0,
    canShort: true,
    leverage: 1 / one.engine.margin
  }
  const account = makeMatchingAccount(one.engine.cash, 1)
  const outcome = makeOutcome()
  const equity: Array<number> = []
  one.bars.forEach(([open, high, low, close], index) => {
    matchCandles(account, [{ market: 0, time: index, open, high, low, close }], [spec], outcome)
    equity.push(equityOf(account))
    one.script
      .filter((action) => index > 0 && action.bar === index)
      .forEach((action, nth) => act(action, `${index}.${nth}`, account))
  })
  return { account, outcome, equity }
}

const act = (action: Action, id: string, account: ReturnType<typeof makeMatchingAccount>): void => {
  const book = account.books[0]!
  const level = (value: number | undefined) =>
    value === undefined ? null : ({ kind: "price", value } as const)
  const request = (more: Partial<OrderRequest>): OrderRequest => ({
    id,
    side: 1,
    type: "market",
    leg: "entry",
    quantity: 0,
    limit: action.limit ?? null,
    stop: action.stop ?? null,
    expiresAfter: null,
    reason: "signal",
    attached: null,
    ...more
  })
  switch (action.op) {
    case "buy":
    case "sell":
      return placeOrder(
        account,
        0,
        request({
          side: action.op === "buy" ? 1 : -1,
          type:
            action.stop !== undefined
              ? action.limit === undefined
                ? "stop"
                : "stop_limit"
              : action.limit === undefined
                ? "market"
                : "limit",
          quantity: action.size!,
          attached: {
            stopLoss: level(action.sl),
            takeProfit: level(action.tp),
            trailingStop: null,
            breakEven: null
          }
        })
      )
    case "close": {
      if (book.position === null) return
      const held = book.position.quantity
      const quantity = Math.round(Math.abs(held) * (action.portion ?? 1))
      return placeOrder(
        account,
        0,
        request({ side: held > 0 ? -1 : 1, leg: "exit", quantity, limit: null, stop: null })
      )
    }
    case "cancel_pending":
      book.orders = book.orders.filter((order) => order.leg === "exit")
      return
    case "set_sl":
      return moveProtection(account, 0, { stop: action.price! })
    case "set_tp":
      return moveProtection(account, 0, { target: action.price! })
  }
}

const near = (seen: number, wanted: number, what: string, relative = 1e-9) =>
  assert.isTrue(
    Math.abs(seen - wanted) <= relative * Math.max(1, Math.abs(wanted)),
    `${what}: ${seen} is not ${wanted}`
  )

const check = (one: Script) => {
  const { account, outcome, equity } = run(one)
  const closed = outcome.fills.flatMap((fill: MatchFill) =>
    fill.closed === null ? [] : [fill.closed]
  )
  assert.strictEqual(closed.length, one.expected.trades.length, "closed trades")
  one.expected.trades.forEach((wanted, index) => {
    const seen = closed[index]!
    assert.strictEqual(seen.direction * seen.quantity, wanted.size, "size")
    assert.strictEqual(seen.entryIndex, wanted.entry_bar, "entry candle")
    assert.strictEqual(seen.exitIndex, wanted.exit_bar, "exit candle")
    near(seen.entryPrice, wanted.entry_price, "entry price")
    near(seen.exitPrice, wanted.exit_price, "exit price")
    near(seen.pnl, wanted.pnl, "pnl", 1e-6)
  })
  one.expected.equity.forEach((wanted, index) => near(equity[index]!, wanted, `equity ${index}`))
  // That software leaves the price of what is held in the cash.
  const { position } = account.books[0]!
  const held = position === null ? 0 : position.quantity * position.entryPrice
  near(account.ledger.cash + held, one.expected.cash_final, "cash")
  const pending = account.books[0]!.orders.filter((order) => order.leg === "entry")
  assert.strictEqual(pending.length, one.expected.pending_orders, "pending orders")
}

describe("order scripts computed by other software", () => {
  for (const one of core) it(`fills ${one.id} as expected`, () => check(one))
  for (const one of micro.cases) {
    if (one.agreement === "engine-specific") continue
    if (one.id in reasons) continue
    it(`fills ${one.id} as expected`, () => check(one))
  }

  it("leaves out no script that there isn't", () => {
    const ids = new Set(micro.cases.map(({ id }) => id))
    assert.deepStrictEqual(
      Object.keys(reasons).filter((id) => !ids.has(id)),
      []
    )
  })
})
