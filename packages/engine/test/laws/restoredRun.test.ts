/**
 * An account, a gate and the memories of ladders were kept as plain data and restored. They go on
 * to the same fills as ones that never were, because nothing that matters is anywhere else.
 */
import { assert, describe, it } from "@effect/vitest"
import { SimulatedAccount } from "../../src/kernel/SimulatedAccount.ts"
import { applyFill, type Ledger, makeLedger, type PositionState } from "../../src/kernel/ledger.ts"
import { type Random } from "../../src/kernel/random.ts"
import { simulate } from "../../src/kernel/simulate.ts"
import { drawCandles } from "./drawnCandles.ts"
import { drawStrategy } from "./drawnStrategies.ts"
import { openMarket, type SignalledInput, simulationInput } from "./simulated.ts"
import { runStepped, type SteppedState } from "./stepped.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const asJson = <A>(state: A): A => JSON.parse(JSON.stringify(state))

/** The state that is restored from all that there is of it. */
const kept = ({ account, gate, memories }: SteppedState): SteppedState => ({
  account: SimulatedAccount.restore(structuredClone(account.snapshot())),
  gate: asJson(gate),
  // JSON has no NaN, which an unknown level is; a host has a form of its own for it.
  memories: structuredClone(memories)
})

/** Runs candle by candle, and keeps and restores everything where it is told to. */
const runKept = (input: SignalledInput, isKept: () => boolean) => {
  const counts = { keptCount: 0, keptWithPosition: 0 }
  const run = runStepped(input, {
    keep: (state) => {
      if (!isKept()) return state
      counts.keptCount += 1
      if (state.account.hasPosition) counts.keptWithPosition += 1
      return kept(state)
    }
  })
  return { ...run, ...counts }
}

const drawInput = (random: Random): SignalledInput => {
  const symbols = random.pick([["AAA/USD"], ["AAA/USD", "BBB/USD", "CCC/USD"]] as const)
  const definition = drawStrategy(random.next, { symbols })
  const candles = symbols.map(() => drawCandles(random, definition.timeframe, 200))
  return simulationInput(
    definition,
    candles,
    {
      limits: { drawdownMax: 0.5, dailyLossMax: 0.1, exposureMax: null, riskPerTrade: null },
      fill: random.pick(["next_open", "close"] as const),
      endOfData: "open"
    },
    { ...openMarket, leverage: random.pick([1, 3]) }
  )
}

describe("a run that was kept and restored", () => {
  it("goes on, kept at random candles, to the same fills", () => {
    const seen = { fills: 0, kept: 0, withPosition: 0, ended: 0, ofLadders: 0 }
    for (const { number, random } of draws("restored", 150)) {
      const input = drawInput(random)
      const whole = simulate(input)
      const rate = random.pick([0.02, 0.3, 1])
      const { keptCount, keptWithPosition, ...found } = runKept(input, () => random.next() < rate)
      const where = `strategy ${number}`
      assert.deepStrictEqual(found.fills, whole.fills, where)
      assert.deepStrictEqual(found.ended, whole.ended, where)
      assert.deepStrictEqual(found.ledger, whole.ledger, where)
      assert.deepStrictEqual(found.open, whole.open, where)
      assert.deepStrictEqual(found.gate, whole.gate, where)
      seen.fills += whole.fills.length
      if (input.markets[0]!.ladder !== undefined) seen.ofLadders += whole.fills.length
      seen.ended += whole.ended.length
      seen.kept += keptCount
      seen.withPosition += keptWithPosition
    }
    for (const [what, count] of Object.entries(seen)) assert.isAbove(count, atLeast(200), what)
  })

  it("books the same from a ledger and a position that were kept as JSON", () => {
    const effects = { open: 0, increase: 0, reduce: 0, close: 0 }
    for (const { number, random } of draws("ledger", 200)) {
      const never = makeLedger(10_000)
      let kept: Ledger = makeLedger(10_000)
      let position: PositionState | null = null
      let keptPosition: PositionState | null = null
      for (let index = 0; index < 60; index += 1) {
        const fill = {
          side: random.pick([1, -1] as const),
          quantity: random.integer(1, 40) / 10,
          price: 50 + random.next() * 100,
          fee: random.next(),
          index,
          time: index * 60_000
        }
        const booked = applyFill(never, position, fill)
        const keptBooked = applyFill(kept, keptPosition, fill)
        assert.deepStrictEqual(keptBooked, booked, `ledger ${number}, fill ${index}`)
        assert.deepStrictEqual(kept, never, `ledger ${number}, fill ${index}`)
        effects[booked.effect] += 1
        position = booked.position
        keptPosition = asJson(keptBooked.position)
        kept = asJson(kept)
      }
    }
    for (const [effect, count] of Object.entries(effects))
      assert.isAbove(count, atLeast(200), effect)
  })

  it("has no target at the entry price from an order whose target was not defined", () => {
    const takeProfit = { kind: "distance", value: Number.NaN } as const
    const account = SimulatedAccount.open(10_000, [openMarket])
    account.place(0, {
      id: "e0",
      side: 1,
      type: "market",
      leg: "entry",
      quantity: 1,
      limit: null,
      stop: null,
      expiresAfter: null,
      reason: "signal",
      attached: { stopLoss: null, takeProfit, trailingStop: null, breakEven: null }
    })
    const restored = SimulatedAccount.restore(account.snapshot())
    for (const one of [account, restored]) {
      one.show([{ market: 0, time: 0, open: 100, high: 110, low: 90, close: 100 }])
      const [held] = one.held()
      assert.deepInclude(held, { quantity: 1, target: null })
    }
  })
})
