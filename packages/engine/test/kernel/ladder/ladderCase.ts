/**
 * A ladder, an account with a position and orders at rest, and the decision there.
 */
import type { MarketSpec, MatchFill } from "../../../src/kernel/account.ts"
import type { OrderView } from "../../../src/kernel/accountView.ts"
import { decideLadder } from "../../../src/kernel/ladder/decideLadder.ts"
import {
  type LadderMemory,
  makeLadderMemory,
  showLadderFill
} from "../../../src/kernel/ladder/LadderMemory.ts"
import type { LadderPlan, SidePlan } from "../../../src/kernel/ladder/LadderPlan.ts"
import type { LadderInput } from "../../../src/kernel/ladder/LadderView.ts"
import { atMarket } from "../../../src/kernel/ladder/ladderWork.ts"
import { noRiskLimits } from "../../../src/kernel/riskGate.ts"

export const spec: MarketSpec = {
  tick: 0.01,
  lot: 0.001,
  minNotional: 0,
  makerRate: 0,
  takerRate: 0,
  feePerFill: 0,
  slippageRate: 0,
  canShort: true,
  leverage: 1
}

export const side: SidePlan = {
  entry: [atMarket],
  sizing: { rule: { type: "fixed_notional", notional: 1_000 }, volatility: null },
  exits: null,
  timeLimit: null,
  additions: [],
  safety: null,
  targets: [],
  reductions: []
}

export const ladder: LadderPlan = {
  lots: "average",
  exitsOf: "lot",
  overlap: false,
  long: side,
  short: side,
  grid: null,
  rebalance: null,
  positionsMax: 1,
  cooldown: 0,
  cooldownAfterStop: 0
}

/** A fill that a test tells; the fields that no ladder reads have no meaning. */
export const fillOf = (
  orderId: string,
  side: 1 | -1,
  quantity: number,
  price: number,
  rest: Partial<MatchFill> = {}
): MatchFill => ({
  orderId,
  market: 0,
  leg: "entry",
  side,
  quantity,
  price,
  fee: 0,
  index: 0,
  time: 0,
  effect: "increase",
  closed: null,
  ...rest
})

/** A memory after some fills. */
export const afterFills = (...fills: ReadonlyArray<MatchFill>): LadderMemory => {
  const memory = makeLadderMemory()
  for (const fill of fills) showLadderFill(memory, fill)
  return memory
}

const silent = { enterLong: false, exitLong: false, enterShort: false, exitShort: false }

/** The fields of an account that a test names; the rest is empty. */
export interface LadderCase {
  readonly plan?: Partial<LadderPlan>
  readonly long?: Partial<SidePlan>
  readonly memory?: LadderMemory
  readonly equity?: number
  readonly close?: number
  readonly orders?: ReadonlyArray<OrderView>
  readonly signal?: Partial<typeof silent>
  readonly rules?: ReadonlyArray<boolean>
  readonly series?: ReadonlyArray<number>
  readonly stop?: number
  readonly input?: Partial<LadderInput>
}

/** The input of a decision: the position is the one that the memory holds. */
export const inputOf = (given: LadderCase): LadderInput => {
  const memory = given.memory ?? makeLadderMemory()
  const close = given.close ?? 100
  const cost = memory.lots.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
  const position =
    memory.side === 0
      ? null
      : {
          quantity: memory.side * memory.held,
          entryPrice: cost / memory.held,
          entryIndex: memory.lots[0]!.index,
          entryTime: 0,
          entryFees: 0
        }
  return {
    account: {
      equity: given.equity ?? 10_000,
      committedNotional: () => memory.held * close,
      enteredBeside: () => 0,
      book: () => ({
        position,
        orders: given.orders ?? [],
        lastClose: close,
        index: 7,
        lastExitIndex: null,
        wasStopped: false
      })
    },
    market: 0,
    stop: given.stop ?? null,
    spec,
    plan: { ...ladder, long: { ...side, ...given.long }, ...given.plan },
    limits: noRiskLimits,
    memories: [memory],
    signals: {
      signal: { ...silent, ...given.signal },
      rule: (slot) => given.rules?.[slot] ?? false,
      series: (slot) => given.series?.[slot] ?? Number.NaN
    },
    canEnter: true,
    ...given.input
  }
}

/** The decision in a line for each instruction. */
export const decided = (given: LadderCase): ReadonlyArray<string> =>
  decideLadder(inputOf(given)).map((instruction) => {
    if (instruction.type === "cancel") return `cancel ${instruction.orderId}`
    if (instruction.type === "move") return `move ${instruction.stop} ${instruction.target}`
    const { id, limit, quantity, side: way, stop, type } = instruction.order
    const price = limit === null ? (stop ?? "") : stop === null ? limit : `${stop}/${limit}`
    return `${way === 1 ? "buy" : "sell"} ${id} ${type} ${quantity}${price === "" ? "" : ` at ${price}`}`
  })
