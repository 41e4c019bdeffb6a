import { assert, describe, it } from "@effect/vitest"
import { dayMs, hourMs } from "../../src/kernel/calendar.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import {
  allowsEntry,
  endMismatch,
  haltForMismatch,
  isStale,
  makeRiskGate,
  noRiskLimits,
  observeEquity,
  resumeRiskGate,
  type RiskGate
} from "../../src/kernel/riskGate.ts"

/** A gate that saw these equities, each six hours after the one before, from midnight on. */
const shown = (
  limits: { readonly drawdownMax?: number; readonly dailyLossMax?: number },
  equities: ReadonlyArray<number>,
  gate: RiskGate = makeRiskGate(1000)
) => {
  const said = equities.map((equity, at) => {
    const hasChanged = observeEquity(gate, { ...noRiskLimits, ...limits }, at * 6 * hourMs, equity)
    return `${gate.state} ${gate.reason}${hasChanged ? " changed" : ""}`
  })
  return { gate, said }
}

const open = "active none"

describe("the gate without limits", () => {
  it("lets every entry pass, whatever is lost", () => {
    const { gate, said } = shown({}, [1000, 500, 1, 0, -100])
    assert.deepStrictEqual(said, [open, open, open, open, open])
    assert.isTrue(allowsEntry(gate))
  })
})

describe("the drawdown cap", () => {
  it("halts exactly at the cap, not a hair before it, and once", () => {
    const { gate, said } = shown({ drawdownMax: 0.25 }, [1000, 750.001, 750, 700])
    const halted = "halted max_drawdown"
    assert.deepStrictEqual(said, [open, open, `${halted} changed`, halted])
    assert.isFalse(allowsEntry(gate))
  })

  it("measures from the highest equity so far, not from the first", () => {
    const { said } = shown({ drawdownMax: 0.25 }, [2000, 1501, 4000, 3001, 3000])
    assert.deepStrictEqual(said.at(3), open)
    assert.deepStrictEqual(said.at(4), "halted max_drawdown changed")
  })

  it("stays halted when equity comes back, and on all later days", () => {
    const { gate } = shown({ drawdownMax: 0.25, dailyLossMax: 0.5 }, [
      700,
      ...Array.from({ length: 20 }, () => 5000)
    ])
    assert.strictEqual(gate.reason, "max_drawdown")
    assert.isFalse(allowsEntry(gate))
  })

  it("begins anew from the present equity once resumed", () => {
    const { gate } = shown({ drawdownMax: 0.25 }, [1000, 600])
    resumeRiskGate(gate)
    assert.isTrue(allowsEntry(gate))
    const { said } = shown({ drawdownMax: 0.25 }, [600, 451, 450], gate)
    assert.deepStrictEqual(said, [open, open, "halted max_drawdown changed"])
  })
})

describe("the daily loss limit", () => {
  const reducing = "reducing daily_loss"

  it("stops entries exactly at the limit, until the next UTC day", () => {
    const { gate, said } = shown({ dailyLossMax: 0.125 }, [1000, 875.001, 875, 990, 990])
    assert.deepStrictEqual(said, [open, open, `${reducing} changed`, reducing, `${open} changed`])
    assert.isTrue(allowsEntry(gate))
  })

  it("measures from the last equity of the day before, not from the day's highest", () => {
    const day = [1000, 1000, 1000, 800]
    const { said } = shown({ dailyLossMax: 0.25 }, [...day, 2000, 601, 600])
    assert.deepStrictEqual(said.slice(4), [open, open, `${reducing} changed`])
  })

  it("counts a loss overnight as the new day's", () => {
    const { said } = shown({ dailyLossMax: 0.25 }, [1000, 1000, 1000, 1000, 750])
    assert.strictEqual(said.at(4), `${reducing} changed`)
  })

  it("shuts again at once where the new day begins with such a loss, which changes nothing", () => {
    const { gate, said } = shown({ dailyLossMax: 0.25 }, [1000, 750, 750, 750, 500])
    assert.strictEqual(said.at(4), reducing)
    assert.isFalse(allowsEntry(gate))
  })

  it("gives way to the drawdown cap, on the same candle or later", () => {
    const limits = { dailyLossMax: 0.125, drawdownMax: 0.25 }
    assert.deepStrictEqual(shown(limits, [750]).said, ["halted max_drawdown changed"])
    const { said } = shown(limits, [875, 750, 750, 750, 1000])
    const halted = "halted max_drawdown"
    assert.deepStrictEqual(said, [
      `${reducing} changed`,
      `${halted} changed`,
      halted,
      halted,
      halted
    ])
  })

  it("begins anew from the present equity once resumed on the same day", () => {
    const { gate } = shown({ dailyLossMax: 0.25 }, [750])
    resumeRiskGate(gate)
    const { said } = shown({ dailyLossMax: 0.25 }, [750, 563, 562.5], gate)
    assert.deepStrictEqual(said, [open, open, `${reducing} changed`])
  })

  it("has its days begin at midnight UTC", () => {
    const gate = makeRiskGate(1000)
    const limits = { ...noRiskLimits, dailyLossMax: 0.25 }
    observeEquity(gate, limits, 5 * dayMs, 700)
    assert.isFalse(observeEquity(gate, limits, 6 * dayMs - 1, 1000))
    assert.isFalse(allowsEntry(gate))
    assert.isTrue(observeEquity(gate, limits, 6 * dayMs, 1000))
    assert.isTrue(allowsEntry(gate))
  })
})

describe("a gate that a mismatch has shut", () => {
  it("refuses entries, neither opened nor renamed by equity, until the mismatch ends", () => {
    const gate = makeRiskGate(1000)
    haltForMismatch(gate)
    const { said } = shown({ drawdownMax: 0.25, dailyLossMax: 0.125 }, [900, 5, 5, 5, 9000], gate)
    assert.deepStrictEqual(new Set(said), new Set(["halted reconcile_mismatch"]))
    assert.isFalse(allowsEntry(gate))
    assert.throws(
      () => resumeRiskGate(gate),
      "The table of the risk gate has no row from reconcile_mismatch on resume."
    )
    endMismatch(gate, "none")
    assert.isTrue(allowsEntry(gate))
    assert.strictEqual(gate.peakEquity, 9000)
  })

  it("stays halted for the drawdown that was there before, and forgets a day's loss", () => {
    for (const [before, after] of [
      ["max_drawdown", "halted max_drawdown"],
      ["daily_loss", open],
      ["none", open]
    ] as const) {
      const gate = makeRiskGate(1000)
      haltForMismatch(gate)
      endMismatch(gate, before)
      assert.strictEqual(`${gate.state} ${gate.reason}`, after)
    }
  })
})

describe("the gate over random equities", () => {
  it("is shut exactly where a limit was reached since it had to be", () => {
    const seen = { active: 0, reducing: 0, halted: 0 }
    for (let number = 0; number < 500; number += 1) {
      const random = makeRandom(`gate ${number}`)
      const drawdownMax = random.pick([null, 0.125, 0.25, 0.5])
      const dailyLossMax = random.pick([null, 0.03125, 0.125])
      const stepMs = random.pick([hourMs, 7 * hourMs, dayMs, 3 * dayMs])
      const gate = makeRiskGate(1000)
      const times: Array<number> = []
      const equities: Array<number> = []
      let equity = 1000
      let before = "active"
      for (let at = 0; at < 60; at += 1) {
        equity = Math.max(1, Math.round(equity * (1 + 0.04 * random.normal())))
        times.push(at * stepMs)
        equities.push(equity)
        const hasChanged = observeEquity(
          gate,
          { ...noRiskLimits, drawdownMax, dailyLossMax },
          at * stepMs,
          equity
        )
        const day = (of: number): number => Math.floor(times[of]! / dayMs)
        const dropsAt = (of: number): boolean => {
          const peak = Math.max(1000, ...equities.slice(0, of + 1))
          return drawdownMax !== null && 1 - equities[of]! / peak >= drawdownMax
        }
        const losesAt = (of: number): boolean => {
          const first = times.findIndex((_, other) => day(other) === day(of))
          const start = first === 0 ? 1000 : equities[first - 1]!
          return dailyLossMax !== null && 1 - equities[of]! / start >= dailyLossMax
        }
        const all = times.map((_, of) => of)
        const expected = all.some(dropsAt)
          ? "halted"
          : all.some((of) => day(of) === day(at) && losesAt(of))
            ? "reducing"
            : "active"
        assert.strictEqual(gate.state, expected, `path ${number}, candle ${at}`)
        assert.strictEqual(allowsEntry(gate), expected === "active")
        assert.strictEqual(hasChanged, expected !== before)
        before = expected
        seen[expected] += 1
      }
    }
    for (const count of Object.values(seen)) assert.isAbove(count, 1_000)
  })
})

describe("stale candles", () => {
  it("are those that opened more than one and a half timeframes ago", () => {
    const at = 1_704_067_200_000
    for (const timeframeMs of [60_000, hourMs, dayMs]) {
      assert.isFalse(isStale(at, timeframeMs, at))
      assert.isFalse(isStale(at, timeframeMs, at + timeframeMs))
      assert.isFalse(isStale(at, timeframeMs, at + 1.5 * timeframeMs))
      assert.isTrue(isStale(at, timeframeMs, at + 1.5 * timeframeMs + 1))
      assert.isFalse(isStale(at, timeframeMs, at - dayMs), "a clock that is behind")
    }
  })
})
