/**
 * An account and a gate that were kept as JSON and restored go on to the same fills as ones that
 * never were: between any two candles nothing that matters is anywhere else.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  cancelOrder,
  type CandleInput,
  equityOf,
  makeMatchingAccount,
  makeOutcome,
  type MatchingAccount,
  placeOrder
} from "../../src/kernel/account.ts"
import { viewAccount } from "../../src/kernel/accountView.ts"
import { decideOrders } from "../../src/kernel/decide.ts"
import { applyFill, type Ledger, makeLedger, type PositionState } from "../../src/kernel/ledger.ts"
import { matchAtClose, matchCandles } from "../../src/kernel/matching.ts"
import { type Random } from "../../src/kernel/random.ts"
import {
  allowsEntry,
  makeRiskGate,
  observeEquity,
  type RiskGate
} from "../../src/kernel/riskGate.ts"
import { simulate } from "../../src/kernel/simulate.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { candleAt, drawCandles } from "./drawnCandles.ts"
import { openMarket, type SignalledInput, simulationInput } from "./simulated.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

interface State {
  readonly account: MatchingAccount
  readonly gate: RiskGate
}

type Keep = <A>(state: A) => A

const asJson: Keep = (state) => JSON.parse(JSON.stringify(state))

/** The candles of all markets, those of one time together. */
const batchesOf = ({ markets }: SignalledInput): ReadonlyArray<ReadonlyArray<CandleInput>> => {
  const batches = new Map<number, Array<CandleInput>>()
  markets.forEach(({ columns }, market) => {
    for (let at = 0; at < columns.length; at += 1) {
      const candle = { market, ...candleAt(columns, at) }
      const batch = batches.get(candle.time)
      if (batch === undefined) batches.set(candle.time, [candle])
      else batch.push(candle)
    }
  })
  return [...batches].toSorted(([one], [other]) => one - other).map((entry) => entry[1])
}

/** Orders what the strategy says of a candle. */
const decideAt = (input: SignalledInput, { account, gate }: State, market: number): void => {
  const { levelsAt, signals, spec } = input.markets[market]!
  const { index } = account.books[market]!
  const instructions = decideOrders({
    account: viewAccount(account),
    market,
    spec,
    plan: input.plan,
    limits: input.limits,
    signal: {
      enterLong: signals.enterLong?.[index] === 1,
      exitLong: signals.exitLong?.[index] === 1,
      enterShort: signals.enterShort?.[index] === 1,
      exitShort: signals.exitShort?.[index] === 1
    },
    levels: levelsAt(index),
    canEnter: allowsEntry(gate)
  })
  for (const instruction of instructions) {
    if (instruction.type === "place") placeOrder(account, market, instruction.order)
    else cancelOrder(account, market, instruction.orderId)
  }
}

/** Runs candle by candle, and keeps and restores everything where it is told to. */
const runKept = (input: SignalledInput, isKept: () => boolean, keep: Keep) => {
  let state: State = {
    account: makeMatchingAccount(input.capital, input.markets.length),
    gate: makeRiskGate(input.capital)
  }
  const outcome = makeOutcome()
  const specs = input.markets.map(({ spec }) => spec)
  let keptCount = 0
  let keptWithPosition = 0
  const keepNow = (): void => {
    if (!isKept()) return
    keptCount += 1
    if (state.account.books.some(({ position }) => position !== null)) keptWithPosition += 1
    state = keep(state)
  }
  for (const candles of batchesOf(input)) {
    matchCandles(state.account, candles, specs, outcome)
    // Also between what a candle did to the account and what is then decided.
    keepNow()
    observeEquity(state.gate, input.limits, candles[0]!.time, equityOf(state.account))
    for (const { market } of candles) {
      decideAt(input, state, market)
      if (input.fill === "close") matchAtClose(state.account, market, specs[market]!, outcome)
    }
    keepNow()
  }
  return { fills: outcome.fills, ended: outcome.ended, keptCount, keptWithPosition, ...state }
}

const drawInput = (random: Random): SignalledInput => {
  const symbols = random.pick([["AAA/USD"], ["AAA/USD", "BBB/USD", "CCC/USD"]] as const)
  const definition = randomDefinition(random.next, { symbols })
  const candles = symbols.map(() => drawCandles(random, definition.timeframe, 200))
  return simulationInput(
    definition,
    candles,
    {
      limits: { maxDrawdown: 0.5, dailyLoss: 0.1, maxExposure: null, riskPerTrade: null },
      fill: random.pick(["next_open", "close"] as const),
      endOfData: "open"
    },
    { ...openMarket, leverage: random.pick([1, 3]) }
  )
}

describe("a run that was kept and restored", () => {
  it.each([
    { title: "as JSON", keep: asJson },
    { title: "as a structured clone", keep: structuredClone }
  ])("goes on, kept $title at random candles, to the same fills", ({ keep }) => {
    const seen = { fills: 0, kept: 0, withPosition: 0, ended: 0 }
    for (const { number, random } of draws("restored", 150)) {
      const input = drawInput(random)
      const whole = simulate(input)
      const rate = random.pick([0.02, 0.3, 1])
      const { keptCount, keptWithPosition, ...kept } = runKept(
        input,
        () => random.next() < rate,
        keep
      )
      const where = `strategy ${number}`
      assert.deepStrictEqual(kept.fills, whole.fills, where)
      assert.deepStrictEqual(kept.ended, whole.ended, where)
      assert.deepStrictEqual(kept.account, whole.account, where)
      assert.deepStrictEqual(kept.gate, whole.gate, where)
      seen.fills += whole.fills.length
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
    const account = makeMatchingAccount(10_000, 1)
    placeOrder(account, 0, {
      id: "e0",
      side: 1,
      type: "market",
      leg: "entry",
      quantity: 1,
      limit: null,
      stop: null,
      expiresAfter: null,
      reason: "signal",
      attached: {
        stopLoss: null,
        takeProfit: { kind: "distance", value: Number.NaN },
        trailingStop: null,
        breakEven: null
      }
    })
    const candle = { market: 0, time: 0, open: 100, high: 110, low: 90, close: 100 }
    const kept = asJson(account)
    const whole = matchCandles(account, [candle], [openMarket], makeOutcome())
    assert.deepStrictEqual(matchCandles(kept, [candle], [openMarket], makeOutcome()), whole)
  })
})
