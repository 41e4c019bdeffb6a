/**
 * Order scripts whose fills, equity and cash other software computed, placed in the
 * account of the simulator.
 *
 * Left out are the scripts that need what one net position in a market can't express (several
 * trades at once, hedging) or a size that is a fraction of equity at the fill; each is listed with
 * its reason. `simulateOrders`, which has all of that, fills every script.
 */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import {
  makeOutcome,
  type MarketSpec,
  type MatchFill,
  type OrderRequest
} from "../../src/kernel/account.ts"
import { DeskAccount } from "../../src/kernel/DeskAccount.ts"
import { scriptReason, unsayableScripts } from "../research/sourceReasons.ts"
import { type OrderScript, readScripts, type ScriptAction } from "./orders/readScripts.ts"

const golden = new URL("../../../../test/golden/orders/", import.meta.url)
const vendored = ["micro.json", "fuzz_core.jsonl"].flatMap((file) =>
  readScripts(fileURLToPath(new URL(file, golden)))
)
const oracles = process.env["CANDLEWICK_ORACLES"]
const others =
  oracles === undefined
    ? []
    : ["bracket", "pending"].flatMap((tier) =>
        readScripts(join(oracles, `orders/fuzz_${tier}.jsonl`))
      )

const run = (one: OrderScript) => {
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
  const account = DeskAccount.open(one.engine.cash, [spec])
  const outcome = makeOutcome()
  const equity: Array<number> = []
  one.bars.forEach(([open, high, low, close], index) => {
    account.show([{ market: 0, time: index, open, high, low, close }])
    equity.push(account.equity)
    one.script
      .filter((action) => index > 0 && action.bar === index)
      .forEach((action, nth) => act(action, `${index}.${nth}`, account))
    // Without another candle nothing fills there.
    if (one.engine.trade_on_close && index < one.bars.length - 1) {
      account.atClose(0)
    }
  })
  account.drain(outcome)
  return { account, outcome, equity }
}

const act = (action: ScriptAction, id: string, account: DeskAccount): void => {
  const book = account.book(0)
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
      return account.place(
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
      return account.place(
        0,
        request({ side: held > 0 ? -1 : 1, leg: "exit", quantity, limit: null, stop: null })
      )
    }
    case "cancel_pending":
      for (const { id, leg } of book.orders) if (leg === "entry") account.cancel(0, id)
      return
    case "set_sl":
      return account.protect(0, { stop: action.price! })
    case "set_tp":
      return account.protect(0, { target: action.price! })
  }
}

const near = (seen: number, wanted: number, what: string, relative = 1e-9) =>
  assert.isTrue(
    Math.abs(seen - wanted) <= relative * Math.max(1, Math.abs(wanted)),
    `${what}: ${seen} is not ${wanted}`
  )

const check = (one: OrderScript) => {
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
  const { orders, position } = account.book(0)
  const held = position === null ? 0 : position.quantity * position.entryPrice
  near(account.ledger.cash + held, one.expected.cash_final, "cash")
  const pending = orders.filter((order) => order.leg === "entry")
  assert.strictEqual(pending.length, one.expected.pending_orders, "pending orders")
}

describe("order scripts computed by other software", () => {
  const sayable = [...vendored, ...others].filter(({ id }) => scriptReason(id) === null)
  for (const one of sayable) it(`fills ${one.id} as expected`, () => check(one))

  it("leaves out no script that there isn't", () => {
    const ids = new Set(vendored.map(({ id }) => id))
    assert.deepStrictEqual(
      Object.keys(unsayableScripts).filter((id) => !ids.has(id)),
      []
    )
  })
})
