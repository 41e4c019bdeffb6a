/**
 * A backtest's loop, candle by candle, without the simulator's passes over quiet candles. Laws look
 * at the state of a run between any two of its steps, or put another in its place.
 */
import { type CandleInput, makeOutcome, type MatchOutcome } from "../../src/kernel/account.ts"
import { decideOrders } from "../../src/kernel/decide.ts"
import { SimulatedAccount } from "../../src/kernel/SimulatedAccount.ts"
import { restLadder, workOutLadder } from "../../src/kernel/ladder/decideLadder.ts"
import {
  type LadderMemory,
  makeLadderMemory,
  showLadderFill
} from "../../src/kernel/ladder/LadderMemory.ts"
import {
  type LadderInput,
  type LadderInstruction,
  ladderPlanOf
} from "../../src/kernel/ladder/LadderView.ts"
import { nettingOf } from "../../src/kernel/ladder/LadderPlan.ts"
import {
  allowsEntry,
  makeRiskGate,
  observeEquity,
  type RiskGate
} from "../../src/kernel/riskGate.ts"
import { candleAt } from "./drawnCandles.ts"
import type { SignalledInput } from "./simulated.ts"

type Instructions = ReadonlyArray<LadderInstruction>

/** The state of a run between any two of its steps. */
export interface SteppedState {
  readonly account: SimulatedAccount
  readonly gate: RiskGate
  /** The memory of each market's ladder. */
  readonly memories: ReadonlyArray<LadderMemory>
}

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

const carryOut = (account: SimulatedAccount, market: number, instructions: Instructions): void => {
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
  { account, gate, memories }: SteppedState,
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

/** The orders that the strategy asks for at a candle. */
const decideAt = (input: SignalledInput, state: SteppedState, market: number): Instructions => {
  const { account, gate } = state
  const inParts = ladderInput(input, state, market)
  if (inParts !== null) {
    return workOutLadder(inParts).instructions
  }
  const simulated = input.markets[market]!
  const { index } = account.book(market)
  const { limits, plan } = input
  const signal = signalAt(simulated, index)
  const levels = simulated.levelsAt(index)
  const canEnter = allowsEntry(gate)
  const { spec } = simulated
  return decideOrders({ account, market, spec, plan, limits, signal, levels, canEnter })
}

/** Shows a ladder the fills that it has not seen; true where there are any news. */
const remember = ({ account, memories }: SteppedState, outcome: MatchOutcome): boolean => {
  if (!account.hasNews) return false
  const known = outcome.fills.length
  account.drain(outcome)
  for (const fill of outcome.fills.slice(known)) showLadderFill(memories[fill.market]!, fill)
  return true
}

/** The looks of a law at a run. */
export interface StepLooks {
  /** The state that the run goes on with, asked for between any two steps. */
  readonly keep?: (state: SteppedState) => SteppedState
  /** Called once the orders of a market's close are placed. */
  readonly decided?: (state: SteppedState, market: number, instructions: Instructions) => void
}

/** Runs a simulation that leaves open what is held at its end. */
export const runStepped = (input: SignalledInput, looks: StepLooks) => {
  const { markets } = input
  const isLadder = markets[0]!.ladder !== undefined
  const specs = markets.map(({ spec }) => spec)
  let state: SteppedState = {
    account: SimulatedAccount.open(input.capital, specs, nettingOf(ladderPlanOf(markets))),
    gate: makeRiskGate(input.capital),
    memories: markets.map(() => makeLadderMemory())
  }
  const outcome = makeOutcome()
  const keep = (): void => {
    state = looks.keep?.(state) ?? state
  }
  /** Without a ladder, the news stay in the account and are kept with it. */
  const tell = (): boolean => isLadder && remember(state, outcome)
  const order = (market: number, instructions: Instructions): void => {
    carryOut(state.account, market, instructions)
    looks.decided?.(state, market, instructions)
  }
  for (const candles of batchesOf(input)) {
    state.account.show(candles)
    // Also between what a candle did to the account and what is then decided.
    keep()
    tell()
    observeEquity(state.gate, input.limits, candles[0]!.time, state.account.equity)
    for (const { market, volume } of candles) {
      keep()
      order(market, decideAt(input, state, market))
      if (input.fill !== "close") continue
      keep()
      state.account.atClose(market, volume)
      const inParts = tell() ? ladderInput(input, state, market) : null
      if (inParts !== null) order(market, restLadder(inParts))
    }
    keep()
  }
  state.account.drain(outcome)
  const { ended, fills } = outcome
  const { account, gate } = state
  return { ended, fills, gate, ledger: account.ledger, open: account.held() }
}
