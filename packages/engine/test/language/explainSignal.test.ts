/** A signal is told by its rule, and by the series that this compares. */
import { assert, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/index.ts"
import { makeSignalStep } from "../../src/plan/signalStep.ts"

const hourMs = 3_600_000

const definition: StrategyDefinition = {
  format: 1,
  symbols: ["BTC/USD"],
  timeframe: "1h",
  parameters: { fast: { kind: "integer", min: 2, max: 9, default: 2 } },
  long: {
    enter: {
      type: "all",
      rules: [
        {
          type: "above",
          left: { type: "sma", period: { parameter: "fast" } },
          right: { type: "constant", value: 10 }
        },
        {
          type: "below",
          left: { type: "shift", of: { type: "price", field: "low" }, by: 1 },
          right: { type: "sma", period: { parameter: "fast" } }
        }
      ]
    }
  },
  sizing: { type: "fixed_quantity", quantity: 1 }
}

it("names each series of a rule once, with its value at the last candle", () => {
  const step = makeSignalStep(definition, { fast: 2 })
  const tell = (index: number, close: number) =>
    step.next({
      time: index * hourMs,
      open: close,
      high: close,
      low: close - 1,
      close,
      volume: 1
    })
  tell(0, 10)
  assert.deepStrictEqual(step.explain?.("enterLong")?.values, {
    "sma(2)": null,
    "shift(low, 1)": null
  })
  assert.isTrue(tell(1, 13).signal.enterLong)
  const reason = step.explain!("enterLong")!
  assert.deepStrictEqual(reason.values, { "sma(2)": 11.5, "shift(low, 1)": 9 })
  assert.match(reason.rule, /SMA\(2 \[fast\]\).* is above 10 and .*1 candle ago/)
  assert.isNull(step.explain!("exitLong"))
  assert.isNull(step.explain!("enterShort"))
})
