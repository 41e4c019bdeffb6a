/**
 * Mistakes of programs without types in runs of code and of signals.
 */
import { assert, describe, it } from "@effect/vitest"
import { orderDefaults } from "../../src/kernel/orders/orderOptions.ts"
import { simulateCodeOrders as orderKernel } from "../../src/kernel/orders/simulateCodeOrders.ts"
import { signalDefaults } from "../../src/kernel/signals/signalOptions.ts"
import { simulateEntriesAndExits as signalKernel } from "../../src/kernel/signals/simulateEntriesAndExits.ts"
import * as research from "../../src/research/index.ts"
import { refusal } from "./refusal.ts"

type Untyped = (...given: ReadonlyArray<unknown>) => unknown
const { findLookAhead, simulateOrders, simulateSignals } = research as unknown as Record<
  string,
  Untyped
>

const columns = research.candles(
  Array.from({ length: 40 }, (_, hour) => {
    return [hour * 3_600_000, 100 + (hour % 5), 110, 90, 100 + (hour % 7), 10] as const
  })
)
const hold = research.defineStrategy({
  parameters: { length: 3 },
  indicators: ({ close }, { length }) => ({
    average: research.indicators.sma(close, { period: length })
  }),
  onCandle: ({ buy, close, index, trades, value }) => {
    if (trades().length === 0 && value("average") > 0) buy({ fraction: 0.5 })
    if (index % 9 === 0) close()
  }
})
/** The same with other indicators. */
const having = (indicators: unknown) => ({ ...hold, indicators })
const doing = (onCandle: unknown) => ({ parameters: {}, onCandle })
const buying = (order: unknown) => doing(({ buy }: Record<string, Untyped>) => buy!(order))

const pointersOf = (call: () => unknown): ReadonlyArray<string> =>
  (refusal(call).errors ?? []).map(({ pointer }) => pointer)

describe("a run of code", () => {
  it.each<readonly [string, unknown, unknown, unknown, string]>([
    ["no candles", null, hold, {}, "/candles"],
    [
      "candles with NaN",
      { ...columns, open: columns.open.map((open, at) => (at === 0 ? NaN : open)) },
      hold,
      {},
      "/candles/0"
    ],
    ["no strategy", columns, null, {}, "/strategy"],
    ["a strategy that does nothing", columns, { parameters: {} }, {}, "/strategy/onCandle"],
    ["no parameters", columns, { onCandle: () => undefined }, {}, "/strategy/parameters"],
    ["indicators that are none", columns, having(1), {}, "/strategy/indicators"],
    [
      "an indicator of text",
      columns,
      { ...hold, indicators: () => ({ a: "x" }) },
      {},
      "/indicators/a"
    ],
    [
      "too short an indicator",
      columns,
      { ...hold, indicators: () => ({ a: [1] }) },
      {},
      "/indicators/a"
    ],
    ["no indicators at all", columns, { ...hold, indicators: () => null }, {}, "/indicators"],
    [
      "an indicator by another name",
      columns,
      doing(({ value }: never) => (value as Untyped)("b")),
      {},
      "/indicators"
    ],
    ["an order of text", columns, buying({ quantity: "2" }), {}, "/order/quantity"],
    ["an order with another field", columns, buying({ size: 2 }), {}, "/order/size"],
    ["an order that is none", columns, buying(3), {}, "/order"],
    ["a misspelt option", columns, hold, { takrRate: 0.1 }, "/takrRate"],
    ["a rate of text", columns, hold, { takerRate: "0.1" }, "/takerRate"],
    ["a capital of NaN", columns, hold, { capital: 0 }, "/capital"],
    ["a fill that there is not", columns, hold, { fill: "nxt" }, "/fill"],
    ["options that are none", columns, hold, null, ""]
  ])("is refused by name: %s", (_, candles, strategy, options, pointer) => {
    assert.deepStrictEqual(
      pointersOf(() => simulateOrders!(candles, strategy, options)),
      [pointer]
    )
    assert.deepStrictEqual(
      pointersOf(() => findLookAhead!(candles, strategy, options)),
      [pointer]
    )
  })

  it("is that of the kernel where nothing is at fault", () => {
    const { equity, trades } = research.simulateOrders(columns, hold)
    assert.isAbove(trades.length, 2)
    assert.deepStrictEqual(equity, orderKernel(columns, hold).equity)
    assert.deepStrictEqual(research.simulateOrders(columns, hold, orderDefaults).equity, equity)
    assert.deepStrictEqual(research.findLookAhead(columns, hold), [])
    assert.deepStrictEqual(
      pointersOf(() => findLookAhead!(columns, hold, {}, 0)),
      ["/cuts"]
    )
  })
})

describe("a run of signals", () => {
  const entries = Array.from(columns.close, (_, index) => index % 6 === 1)
  const exits = Array.from(columns.close, (_, index) => index % 6 === 4)
  const signals = { entries, exits }

  it.each<readonly [string, unknown, unknown, unknown, ReadonlyArray<string>]>([
    ["no candles", null, signals, {}, ["/candles"]],
    ["no signals", columns, null, {}, ["/signals"]],
    ["exits that are missing", columns, { entries }, {}, ["/exits"]],
    ["too few signals", columns, { entries: [true], exits: [false] }, {}, ["/entries", "/exits"]],
    ["signals of text", columns, { entries, exits: exits.map(String) }, {}, ["/exits"]],
    ["signals by another name", columns, { ...signals, shorts: exits }, {}, ["/shorts"]],
    ["a misspelt option", columns, signals, { stopLos: 0.1 }, ["/stopLos"]],
    ["a stop on the wrong side", columns, signals, { stopLoss: -0.1 }, ["/stopLoss"]],
    ["a stop of text", columns, signals, { stopLoss: "0.1" }, ["/stopLoss"]],
    ["stops for other candles", columns, signals, { stopLoss: [0.1] }, ["/stopLoss"]],
    ["a trailing that there is not", columns, signals, { trailing: "best" }, ["/trailing"]],
    ["ages that fall", columns, signals, { targets: [target(2), target(1)] }, ["/targets"]],
    ["options that are none", columns, signals, null, [""]]
  ])("is refused by name: %s", (_, candles, given, options, pointers) => {
    assert.deepStrictEqual(
      pointersOf(() => simulateSignals!(candles, given, options)),
      pointers
    )
  })

  it("is that of the kernel where nothing is at fault", () => {
    const options = {
      stopLoss: columns.close.map((_, index) => (index % 2 === 0 ? NaN : 0.05)),
      fillPrice: columns.open,
      targets: [target(1), target(2)]
    }
    for (const chosen of [{}, options, signalDefaults]) {
      const { equity, orders } = research.simulateSignals(columns, signals, chosen)
      assert.isAbove(orders.length, 3)
      assert.deepStrictEqual(equity, signalKernel(columns, signals, chosen).equity)
    }
  })
})

function target(afterMs: number) {
  return { afterMs, profit: 0.1 }
}
