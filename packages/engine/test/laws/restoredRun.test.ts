/**
 * An account, a gate and the memories of ladders that were kept as plain data and restored go on to
 * the same fills as ones that never were: between any two candles nothing that matters is anywhere else.
 */
import { assert, describe, it } from "@effect/vitest"
import { type CandleInput, makeOutcome, type MatchOutcome } from "../../src/kernel/account.ts"
import { decideOrders } from "../../src/kernel/decide.ts"
import { DeskAccount } from "../../src/kernel/DeskAccount.ts"
import { restLadder, workOutLadder } from "../../src/kernel/ladder/decideLadder.ts"
import {
  type LadderMemory,
  makeLadderMemory,
  showLadderFill
} from "../../src/kernel/ladder/LadderMemory.ts"
import type { LadderInput, LadderInstruction } from "../../src/kernel/ladder/LadderView.ts"
import { nettingOf } from "../../src/kernel/ladder/marketLadders.ts"
import { applyFill, type Ledger, makeLedger, type PositionState } from "../../src/kernel/ledger.ts"
import { type Random } from "../../src/kernel/random.ts"
import {
  allowsEntry,
  makeRiskGate,
  observeEquity,
  type RiskGate
} from "../../src/kernel/riskGate.ts"
import { simulate } from "../../src/kernel/simulate.ts"
import { candleAt, drawCandles } from "./drawnCandles.ts"
import { drawStrategy } from "./drawnStrategies.ts"
import { openMarket, type SignalledInput, simulationInput } from "./simulated.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

interface State {
  readonly account: DeskAccount
  readonly gate: RiskGate
  /** What the ladder of each market remembers. */
  readonly memories: ReadonlyArray<LadderMemory>
}

const asJson = <A>(state: A): A => JSON.parse(JSON.stringify(state))

/** The state that is restored from all that there is of it. */
const kept = ({ account, gate, memories }: State): State => ({
  account: DeskAccount.restore(structuredClone(account.snapshot())),
  gate: asJson(gate),
  // JSON has no NaN, which an unknown level is; a host has a form of its own for it.
  memories: structuredClone(memories)
})

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

const signalAt = ({ signals }: SignalledInput["markets"][number], index: number) => ({
  enterLong: signals.enterLong?.[index] === 1,
  exitLong: signals.exitLong?.[index] === 1,
  enterShort: signals.enterShort?.[index] === 1,
  exitShort: signals.exitShort?.[index] === 1
})

const carryOut = (
  account: DeskAccount,
  market: number,
  instructions: ReadonlyArray<LadderInstruction>
): void => {
  for (const instruction of instructions) {
    if (instruction.type === "place") account.place(market, instruction.order)
    else if (instruction.type === "cancel") account.cancel(market, instruction.orderId)
    else {
      const { stop, target } = instruction
      account.protect(market, {
        ...(stop !== undefined && { stop }),
        ...(target !== undefined && { target })
      })
    }
  }
}

/** The ground of a ladder's decision, or null where the strategy has no ladder. */
const ladderInput = (
  { limits, markets }: SignalledInput,
  { account, gate, memories }: State,
  market: number
): LadderInput | null => {
  const { ladder, spec, ...simulated } = markets[market]!
  if (ladder === undefined) return null
  const { index } = account.book(market)
  return {
    account,
    market,
    stop: account.stop(market),
    spec,
    plan: ladder.plan,
    limits,
    memories,
    signals: {
      signal: signalAt({ ...simulated, spec }, index),
      rule: (slot) => ladder.rule(slot, index),
      series: (slot) => ladder.series(slot, index)
    },
    canEnter: allowsEntry(gate)
  }
}

/** Orders what the strategy says of a candle. */
const decideAt = (input: SignalledInput, state: State, market: number): void => {
  const { account, gate } = state
  const inParts = ladderInput(input, state, market)
  if (inParts !== null) {
    carryOut(account, market, workOutLadder(inParts).instructions)
    return
  }
  const simulated = input.markets[market]!
  const { index } = account.book(market)
  const { limits, plan } = input
  const signal = signalAt(simulated, index)
  const levels = simulated.levelsAt(index)
  const canEnter = allowsEntry(gate)
  const { spec } = simulated
  carryOut(
    account,
    market,
    decideOrders({ account, market, spec, plan, limits, signal, levels, canEnter })
  )
}

/** Shows a ladder the fills that it has not seen; true where there are any news. */
const remember = ({ account, memories }: State, outcome: MatchOutcome): boolean => {
  if (!account.hasNews) return false
  const known = outcome.fills.length
  account.drain(outcome)
  for (const fill of outcome.fills.slice(known)) showLadderFill(memories[fill.market]!, fill)
  return true
}

/** Runs candle by candle, and keeps and restores everything where it is told to. */
const runKept = (input: SignalledInput, isKept: () => boolean) => {
  const { markets } = input
  const isLadder = markets[0]!.ladder !== undefined
  let state: State = {
    account: DeskAccount.open(
      input.capital,
      markets.map(({ spec }) => spec),
      nettingOf(markets)
    ),
    gate: makeRiskGate(input.capital),
    memories: markets.map(() => makeLadderMemory())
  }
  const outcome = makeOutcome()
  let keptCount = 0
  let keptWithPosition = 0
  const keepNow = (): void => {
    if (!isKept()) return
    keptCount += 1
    if (state.account.hasPosition) keptWithPosition += 1
    state = kept(state)
  }
  /** Without a ladder, the news stay in the account and are kept with it. */
  const tell = (): boolean => isLadder && remember(state, outcome)
  for (const candles of batchesOf(input)) {
    state.account.show(candles)
    // Also between what a candle did to the account and what is then decided.
    keepNow()
    tell()
    observeEquity(state.gate, input.limits, candles[0]!.time, state.account.equity)
    for (const { market, volume } of candles) {
      keepNow()
      decideAt(input, state, market)
      if (input.fill !== "close") continue
      keepNow()
      state.account.atClose(market, volume)
      const inParts = tell() ? ladderInput(input, state, market) : null
      if (inParts !== null) carryOut(state.account, market, restLadder(inParts))
    }
    keepNow()
  }
  state.account.drain(outcome)
  const { ended, fills } = outcome
  const { account, gate } = state
  return {
    ended,
    fills,
    gate,
    ledger: account.ledger,
    open: account.held(),
    keptCount,
    keptWithPosition
  }
}

const drawInput = (random: Random): SignalledInput => {
  const symbols = random.pick([["AAA/USD"], ["AAA/USD", "BBB/USD", "CCC/USD"]] as const)
  const definition = drawStrategy(random.next, { symbols })
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
    const account = DeskAccount.open(10_000, [openMarket])
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
    const restored = DeskAccount.restore(account.snapshot())
    for (const one of [account, restored]) {
      one.show([{ market: 0, time: 0, open: 100, high: 110, low: 90, close: 100 }])
      const [held] = one.held()
      assert.deepInclude(held, { quantity: 1, target: null })
    }
  })
})
