/**
 * The effects of a risk tolerance: a position's share of the equity, the distance of stops, the
 * caps of the profile, and the loan where the market lends.
 */
import {
  operatorAccountId,
  Markets,
  riskProfiles,
  Strategies,
  type Strategy
} from "@candlewick/core"
import { backtest } from "@candlewick/core/research"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { candidateAt } from "../../packages/core/src/services/runs/generate/candidates.ts"
import { appetiteFor } from "../../packages/core/src/services/runs/generate/riskAppetite.ts"
import { accountId, appLayer, keepCandles, symbol, walkCandles } from "./runSetting.ts"

const tolerances = ["low", "medium", "high"] as const
type ByTolerance<A> = Readonly<Record<(typeof tolerances)[number], A>>

const columns = walkCandles(4, 1_500)

const generateEach = Effect.fnUntraced(function* () {
  const strategies = yield* Strategies
  const found = yield* Effect.forEach(tolerances, (risk_tolerance) =>
    Effect.gen(function* () {
      const { id } = yield* strategies.generate(accountId, {
        objective: "calmar",
        risk_tolerance,
        timeframe: "1h",
        symbols: [symbol],
        max_candidates: 60
      })
      return [risk_tolerance, yield* strategies.wait(accountId, id, 120)] as const
    })
  )
  return Object.fromEntries(found) as ByTolerance<Strategy>
})

const tradesOf = ({ definition, risk_profile }: Strategy, leverage = 1) => {
  const market = { leverage }
  const { positions } = backtest(columns, definition!, { risk: risk_profile, market })
  return Array.from(positions, ({ entryPrice, entryTime, exitTime, quantity }) => ({
    entryTime,
    exitTime,
    quantity,
    notional: quantity * entryPrice
  }))
}

const drawdownsOf = ({ high, low, medium }: ByTolerance<Strategy>) =>
  [low, medium, high].map(({ evidence }) => evidence!.in_sample!.metrics["max_drawdown"]!)

const runCandidate = (index: number, tolerance: (typeof tolerances)[number], leverage: number) => {
  const { appetite, profile } = appetiteFor(tolerance, leverage)
  const context = {
    symbols: [symbol],
    timeframe: "1h",
    canShort: true,
    appetite,
    atrRate: 0.006,
    range: null,
    seed: 11
  } as const
  const { definition } = candidateAt(context, { index, parentIndex: null })
  // A halt for good, or for a day, would say more of the cap than of the trades.
  const risk = { ...profile, max_drawdown: 1, daily_loss: 1 }
  const run = backtest(columns, definition, { risk, market: { leverage } })
  return { drawdown: run.metrics["max_drawdown"] ?? 0, positions: run.positions }
}

/** Expects other sizes of each run of a candidate, and nearly always more drawdown of each next. */
const expectOrder = (runsOf: (index: number) => ReadonlyArray<ReturnType<typeof runCandidate>>) => {
  let ordered = 0
  let told = 0
  for (let index = 0; index < 96; index++) {
    const runs = runsOf(index)
    if (runs.some(({ positions }) => positions.quantity.length < 10)) continue
    told += 1
    const keys = runs.map(({ positions }) => positions.quantity.join(" "))
    assert.strictEqual(new Set(keys).size, runs.length, `candidate ${index}`)
    const drawdowns = runs.map(({ drawdown }) => drawdown)
    if (drawdowns.every((one, at) => at === 0 || drawdowns[at - 1]! < one)) ordered += 1
  }
  assert.isAbove(told, 50)
  assert.isAtLeast(ordered, 0.95 * told)
}

describe("a risk tolerance", () => {
  for (const leverage of [1, 3]) {
    const title = `trades each candidate otherwise, with drawdowns in its order, at leverage ${leverage}`
    it(title, () => {
      expectOrder((index) =>
        tolerances.map((tolerance) => runCandidate(index, tolerance, leverage))
      )
    })
  }

  it("borrows for each candidate where it is high and the market lends", () => {
    expectOrder((index) => [1, 3].map((leverage) => runCandidate(index, "high", leverage)))
  })

  it.effect("gives generated strategies other trades and drawdowns in its order", () =>
    Effect.gen(function* () {
      yield* keepCandles(columns)
      const found = yield* generateEach()
      const keys = tolerances.map((tolerance) => JSON.stringify(tradesOf(found[tolerance])))
      assert.strictEqual(new Set(keys).size, tolerances.length)
      const [low, medium, high] = drawdownsOf(found)
      assert.isBelow(low!, medium!)
      assert.isBelow(medium!, high!)
      for (const [tolerance, fraction] of [
        ["low", 0.25],
        ["medium", 0.5],
        ["high", 1]
      ] as const) {
        const { definition, risk_profile } = found[tolerance]
        assert.deepStrictEqual(definition!.sizing, { type: "equity_fraction", fraction })
        assert.deepStrictEqual(risk_profile, riskProfiles[tolerance])
      }
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("borrows where the market lends, and searches shorts where it allows them", () =>
    Effect.gen(function* () {
      yield* keepCandles(columns)
      const markets = yield* Markets
      const terms = { can_short: true, max_leverage: 3 }
      yield* markets.update(operatorAccountId, symbol, terms)
      const found = yield* generateEach()
      assert.deepStrictEqual(found.low.risk_profile, riskProfiles.low)
      assert.deepStrictEqual(found.medium.risk_profile, riskProfiles.medium)
      const borrowing = { ...riskProfiles.high, max_exposure: 2, risk_per_trade: 0.04 }
      assert.deepStrictEqual(found.high.risk_profile, borrowing)
      assert.includeMembers(
        [...found.high.description!],
        [
          "An entry is cut where its stop would cost more than 4 % of equity.",
          "An entry is cut where all positions would be worth more than 200 % of equity."
        ]
      )
      // A new name, with the tolerance said again, leaves the borrowing profile.
      const { update } = yield* Strategies
      const renamed = yield* update(accountId, found.high.id, {
        name: "another",
        risk_tolerance: "high"
      })
      assert.deepStrictEqual(renamed.risk_profile, borrowing)
      assert.deepStrictEqual(renamed.description, found.high.description)
      assert.deepStrictEqual(found.high.definition!.sizing, {
        type: "equity_fraction",
        fraction: 2
      })
      const notionals = tradesOf(found.high, 3).map(({ notional }) => notional)
      assert.isAbove(Math.max(...notionals), 1.5 * 10_000)
      const shorts = tolerances.filter((one) => found[one].definition!.short !== undefined)
      assert.isNotEmpty(shorts)
      const [low, medium, high] = drawdownsOf(found)
      assert.isBelow(low!, medium!)
      assert.isBelow(medium!, high!)
    }).pipe(Effect.provide(appLayer()))
  )
})
