/**
 * Order scripts whose trades and equity other software computed, as code strategies of backtests.
 * These have one position at a time, ordered at the market or by one order at rest.
 */
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { dayMs } from "../../src/kernel/calendar.ts"
import { backtest, candles, type CodeDecision, define } from "../../src/research/index.ts"
import { assertNear } from "../kernel/orders/checkTrades.ts"
import { type OrderScript, readScripts, type ScriptAction } from "../kernel/orders/readScripts.ts"
import { unsayableScripts } from "./sourceReasons.ts"
import { checkRows, sourceRunOptions, toRows } from "./sourceRun.ts"

const isEntry = ({ op }: ScriptAction): boolean => op === "buy" || op === "sell"
const isAtMarket = ({ limit, stop }: ScriptAction): boolean =>
  limit === undefined && stop === undefined

/** Code orders entries and leaves as a whole; an order at rest is the definition's, one for all. */
const isCodable = ({ id, script }: OrderScript): boolean => {
  const entries = script.filter(isEntry)
  const isKnown = (action: ScriptAction) =>
    isEntry(action)
      ? action.limit === undefined || action.stop === undefined
      : action.op === "close" && action.portion === undefined
  return (
    !(id in unsayableScripts) &&
    script.every(isKnown) &&
    (entries.every(isAtMarket) || entries.length === 1)
  )
}

const columnsOf = ({ bars }: OrderScript) =>
  candles(
    bars.map(([open, high, low, close], index) => {
      return { time: index * dayMs, open, high, low, close, volume: 1 }
    })
  )

/** How the script's entries are ordered: at the market, or so far from the close. */
const entryOf = ({ bars, script }: OrderScript) => {
  const entry = script.find((action) => isEntry(action) && !isAtMarket(action))
  if (entry === undefined) return { type: "market" } as const
  const offset = Math.abs((entry.limit ?? entry.stop!) / bars[entry.bar]![3] - 1)
  const type = entry.limit === undefined ? "stop" : "limit"
  return { type, offset, expires_after: bars.length } as const
}

const priceLevel = (value: number) => ({ kind: "price", value }) as const

const decisionOf = (actions: ReadonlyArray<ScriptAction>): CodeDecision => {
  const entry = actions.find(isEntry)
  const leaves = actions.some(({ op }) => op === "close")
  return {
    enterLong: entry?.op === "buy",
    enterShort: entry?.op === "sell",
    exitLong: leaves && entry?.op !== "buy",
    exitShort: leaves && entry?.op !== "sell",
    exits: {
      ...(entry?.sl !== undefined && { stopLoss: priceLevel(entry.sl) }),
      ...(entry?.tp !== undefined && { takeProfit: priceLevel(entry.tp) })
    },
    ...(entry?.size !== undefined && { sizing: { type: "fixed_quantity", quantity: entry.size } })
  }
}

const check = (one: OrderScript): void => {
  const { engine, expected, script } = one
  const columns = columnsOf(one)
  const strategy = define({
    name: "scripted",
    symbols: ["A/B"],
    timeframe: "1d",
    entry: entryOf(one),
    onCandle: ({ candle }) => {
      const index = candle().time / dayMs
      return decisionOf(script.filter(({ bar }) => index > 0 && bar === index))
    }
  })
  const result = backtest(columns, strategy, sourceRunOptions(engine))
  checkRows(toRows(result, columns, engine), expected.trades, { hasSizes: true })
  assert.strictEqual(result.equity.length, expected.equity.length, "equity")
  expected.equity.forEach((wanted, index) => {
    assertNear(result.equity[index]!, wanted, `equity ${index}`)
  })
}

describe("order scripts of other software, as code strategies of backtests", () => {
  const scripts = ["micro.json", "fuzz_core.jsonl"].flatMap((file) =>
    readScripts(fileURLToPath(new URL(`../../../../test/golden/orders/${file}`, import.meta.url)))
  )
  for (const one of scripts) {
    if (isCodable(one)) it(`fills ${one.id} as expected`, () => check(one))
  }
})
