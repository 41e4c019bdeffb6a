/**
 * Order scripts whose trades, equity and cash other software computed.
 *
 * The vendored ones always run; those of the folder in CANDLEWICK_ORACLES run too, whatever its
 * files are named.
 */
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it, type TestContext } from "@effect/vitest"
import { makeColumns } from "../../../src/kernel/columns.ts"
import { defineStrategy } from "../../../src/kernel/orders/defineStrategy.ts"
import type { OrderContext } from "../../../src/kernel/orders/orderContext.ts"
import { simulateCodeOrders } from "../../../src/kernel/orders/simulateCodeOrders.ts"
import { leaveOut, noCases, pathsIn } from "../oracleFolder.ts"
import { assertNear, checkTrades, toSourceTrades } from "./checkTrades.ts"
import { type OrderScript, readScripts, type ScriptAction } from "./readScripts.ts"
import { allIn, sourceOptions } from "./sourceEngine.ts"

const candlesOf = ({ bars }: OrderScript) => {
  const candles = makeColumns(bars.length)
  bars.forEach(([open, high, low, close], index) => {
    candles.time[index] = index * 86_400_000
    candles.open[index] = open
    candles.high[index] = high
    candles.low[index] = low
    candles.close[index] = close
  })
  return candles
}

const levelOf = (name: string, value: number | undefined) =>
  value === undefined ? {} : { [name]: value }

const sizeOf = (size = allIn) => (size < 1 ? { fraction: size } : { quantity: size })

const act = (context: OrderContext<object, never>, action: ScriptAction): void => {
  const { op, tag, price = null } = action
  const tagged = () => context.trades().filter((trade) => tag === undefined || trade.tag === tag)
  switch (op) {
    case "buy":
    case "sell":
      context[op]({
        ...sizeOf(action.size),
        ...levelOf("limit", action.limit),
        ...levelOf("stop", action.stop),
        ...levelOf("stopLoss", action.sl),
        ...levelOf("takeProfit", action.tp),
        ...(tag === undefined ? {} : { tag })
      })
      return
    case "close":
      return context.close(action.portion === undefined ? {} : { portion: action.portion })
    case "cancel_pending":
      return context.cancel()
    case "set_sl":
      for (const trade of tagged()) context.setStop(price, { trade })
      return
    case "set_tp":
      for (const trade of tagged()) context.setTarget(price, { trade })
  }
}

const knownOps: ReadonlySet<string> = new Set<ScriptAction["op"]>([
  "buy",
  "sell",
  "close",
  "cancel_pending",
  "set_sl",
  "set_tp"
])

const check = (one: OrderScript, ctx: TestContext): void => {
  const { engine, script, expected } = one
  const stranger = script.find(({ op }) => !knownOps.has(op))
  if (stranger !== undefined) {
    return leaveOut(ctx, "unknown", `the action ${stranger.op} isn't known here`)
  }
  const strategy = defineStrategy({
    parameters: {},
    onCandle: (context) => {
      for (const action of script) if (action.bar === context.index) act(context, action)
    }
  })
  const seen = simulateCodeOrders(candlesOf(one), strategy, sourceOptions(engine, 1))
  checkTrades(toSourceTrades(seen, engine), expected.trades)
  assert.strictEqual(seen.openRoundTrips.length, expected.open_trades.length, "open trades")
  seen.openRoundTrips.forEach(({ position }, index) => {
    const wanted = expected.open_trades[index]!
    assertNear(position.quantity, wanted.size, `open trade ${index}: size`)
    assert.strictEqual(position.entryIndex, wanted.entry_bar, `open trade ${index}: entry`)
    assertNear(position.entryPrice, wanted.entry_price, `open trade ${index}: price`)
  })
  assert.strictEqual(seen.orders.length, expected.pending_orders, "orders at rest")
  assert.strictEqual(seen.equity.length, expected.equity.length, "candles")
  expected.equity.forEach((value, index) =>
    assertNear(seen.equity[index]!, value, `equity ${index}`, 1e-6)
  )
  // The source leaves the price of what is held in the cash.
  const held = seen.openRoundTrips.reduce(
    (sum, { position }) => sum + position.quantity * position.entryPrice,
    0
  )
  assertNear(seen.cash + held, expected.cash_final, "cash", 1e-6)
}

const golden = fileURLToPath(new URL("../../../../../test/golden/orders/", import.meta.url))

for (const name of ["micro.json", "fuzz_core.jsonl"]) {
  describe(`order scripts of ${name}`, () => {
    for (const one of readScripts(join(golden, name))) {
      it(`fills ${one.id} as other software did`, (ctx) => check(one, ctx))
    }
  })
}

const paths = pathsIn("orders").filter((path) => /\.jsonl?$/.test(path))

describe("order scripts of the folder", () => {
  if (paths.length === 0) {
    it("are filled as other software did", (ctx) => ctx.skip(noCases("orders")))
    return
  }
  for (const path of paths) {
    for (const one of readScripts(path)) {
      it(`fills ${one.id} as other software did, of ${basename(path)}`, (ctx) => check(one, ctx))
    }
  }
})
