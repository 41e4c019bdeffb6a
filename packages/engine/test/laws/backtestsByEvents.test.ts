/**
 * A backtest that goes from event to event gives, to the bit, all that a matcher gives which is
 * shown each candle.
 */
import { assert, describe, it } from "@effect/vitest"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import { riskProfiles } from "../../src/language/RiskProfile.ts"
import { backtest, toBacktestTerms } from "../../src/research/backtest.ts"
import { type BacktestRun, runByEvents, runOnMatcher } from "../../src/research/runBacktest.ts"
import { drawCandles } from "./drawnCandles.ts"
import { drawCase } from "./drawnRuns.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

/** All that a run tells at once. */
const toldOf = ({ positions, ...run }: BacktestRun) => {
  const { entryPrice, entryTime, exitPrice, exitTime, pnl, quantity, returnRate } = positions
  const { equity, fundingPaid, gateChanges, measured, time, tooSmallCount } = run
  const columns = { entryPrice, entryTime, exitPrice, exitTime, pnl, quantity, returnRate }
  return { columns, equity, fundingPaid, gateChanges, measured, time, tooSmallCount }
}

/** No limits, or limits whose gate may shut. */
const drawRisk = (random: Random) => {
  const profile = random.pick([null, null, null, riskProfiles.low, riskProfiles.high])
  return profile && { ...profile, is_stop_loss_mandatory: false }
}

const seen = { runs: 0, positions: 0, held: 0, funded: 0, tooSmall: 0, gated: 0, matchers: 0 }

describe("a backtest from event to event", () => {
  it("is the backtest that shows each candle, to the bit", () => {
    for (const { random } of draws("backtests by events", 2_000)) {
      const { columns, definition, options, sets } = drawCase(random)
      const given = { ...options, risk: drawRisk(random), parameters: random.pick(sets) }
      const terms = toBacktestTerms(columns, definition, given)
      const found = runByEvents(terms)
      if (found === null) {
        seen.matchers++
        continue
      }
      const expected = runOnMatcher(terms)
      assert.deepStrictEqual(toldOf(found), toldOf(expected), JSON.stringify({ definition, given }))
      seen.runs++
      seen.positions += expected.positions.length
      seen.held += expected.details().open.length
      if (given.risk !== null && expected.positions.length > 0) seen.gated++
      if (expected.fundingPaid !== 0) seen.funded++
      if (expected.tooSmallCount > 0) seen.tooSmall++
    }
    assert.isAbove(seen.runs, atLeast(500))
    assert.isAbove(seen.positions, atLeast(1_500))
    assert.isAbove(seen.held, atLeast(30))
    assert.isAbove(seen.funded, atLeast(50))
    assert.isAbove(seen.tooSmall, atLeast(50))
    assert.isAbove(seen.gated, atLeast(20))
    assert.isAbove(seen.matchers, atLeast(100))
  })
  it("tells of fills and of positions as objects when they are read", () => {
    const close = { type: "price", field: "close" } as const
    const average = { type: "sma", period: 5 } as const
    const definition = {
      format: 1,
      symbols: ["AAA/USD"],
      timeframe: "1h",
      parameters: {},
      long: { enter: { type: "crosses_above", left: close, right: average } },
      exits: {
        stop_loss: { type: "fraction", value: 0.01 },
        take_profit: { type: "fraction", value: 0.01 }
      }
    } as const
    const columns = drawCandles(makeRandom("read late"), "1h", 2_500)
    const options = { endOfData: "open" } as const
    const found = backtest(columns, definition, options)
    const terms = toBacktestTerms(columns, definition, options)
    assert.isNotNull(runByEvents(terms))
    const matcher = runOnMatcher(terms)
    const { ambiguousCount, ended, fills, misplacedStopCount, open } = matcher.details()
    assert.isAbove(ambiguousCount, 0)
    assert.isAbove(fills.length, 100)
    assert.deepStrictEqual(found.fills, fills)
    assert.deepStrictEqual(found.ended, ended)
    assert.strictEqual(found.open.length, open.length)
    assert.strictEqual(found.ambiguousCount, ambiguousCount)
    assert.strictEqual(found.misplacedStopCount, misplacedStopCount)
    assert.deepStrictEqual([...found.positions], [...matcher.positions])
    assert.deepStrictEqual(found.positions.at(-1), matcher.positions.at(-1))
  })
})
