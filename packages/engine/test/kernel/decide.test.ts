/**
 * Orders that follow from one candle: what is held, ordered and cooling down decides them.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  makeMatchingAccount,
  type MatchingAccount,
  type OrderRequest,
  placeOrder
} from "../../src/kernel/account.ts"
import { viewAccount } from "../../src/kernel/accountView.ts"
import {
  type DecisionInput,
  decideOrders,
  noLevels,
  type Signal,
  type TradingPlan
} from "../../src/kernel/decide.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import { freeMarket, runAll, flatBars } from "../traps/scripted.ts"

const price = 100
const quiet: Signal = { enterLong: false, exitLong: false, enterShort: false, exitShort: false }

const plan: TradingPlan = {
  entry: { type: "market", offsetRate: 0, expiresAfter: null },
  sizing: { type: "fixed_quantity", quantity: 1 },
  timeLimit: null,
  maxPositions: 10,
  cooldown: 0,
  cooldownAfterStop: 0
}

const resting: OrderRequest = {
  id: "resting",
  side: 1,
  type: "limit",
  leg: "entry",
  quantity: 1,
  limit: 90,
  stop: null,
  expiresAfter: null,
  reason: "signal",
  attached: null
}

/** An account that has seen ten candles of each market, all of them at one price. */
const accountOf = (cash: number, marketCount = 1): MatchingAccount => {
  const account = makeMatchingAccount(cash, marketCount)
  for (const book of account.books) Object.assign(book, { index: 9, lastClose: price, lastTime: 9 })
  return account
}

/** Holds so much in a market, bought at the price that all candles have. */
const hold = (account: MatchingAccount, market: number, quantity: number): void => {
  account.ledger.cash -= quantity * price
  account.books[market]!.position = {
    quantity,
    entryPrice: price,
    entryFees: 0,
    entryIndex: 5,
    entryTime: 5
  }
}

const decided = (
  account: MatchingAccount,
  signal: Partial<Signal>,
  changes: Partial<Omit<DecisionInput, "account" | "signal">> = {}
) =>
  decideOrders({
    account: viewAccount(account),
    market: 0,
    spec: freeMarket,
    plan,
    limits: noRiskLimits,
    levels: noLevels,
    canEnter: true,
    ...changes,
    signal: { ...quiet, ...signal }
  }).map((one) =>
    one.type === "cancel"
      ? `cancel ${one.orderId}`
      : `${one.order.side > 0 ? "buy" : "sell"} ${one.order.quantity}`
  )

describe("the most positions of an account", () => {
  it("are held or ordered elsewhere, and not one more is ordered", () => {
    const entered = (maxPositions: number) => {
      const account = accountOf(1000, 3)
      hold(account, 1, 1)
      placeOrder(account, 2, resting)
      return decided(account, { enterLong: true }, { plan: { ...plan, maxPositions } })
    }
    assert.deepStrictEqual(entered(3), ["buy 1"])
    assert.deepStrictEqual(entered(2), [])
    assert.deepStrictEqual(entered(1), [])
  })

  it("count positions and resting entries, and no resting exit", () => {
    const account = accountOf(1000, 2)
    placeOrder(account, 1, { ...resting, leg: "exit", side: -1 })
    const single = { plan: { ...plan, maxPositions: 1 } }
    assert.deepStrictEqual(decided(account, { enterLong: true }, single), ["buy 1"])
  })

  it.each([1, 2, 3])("let a simulation of three markets hold %i at once", (maxPositions) => {
    const bars = flatBars(6)
    const markets = Array.from({ length: 3 }, () => ({ bars, long: [0, 1, 2, 3, 4] }))
    const { fills } = runAll(markets, { plan: { maxPositions } })
    assert.deepStrictEqual(
      fills.map(({ market }) => market),
      [0, 1, 2].slice(0, maxPositions)
    )
  })
})

describe("the wait after an exit", () => {
  /** How many candles pass from an exit until the plan lets an entry through. */
  const waitOf = (cooldown: number, cooldownAfterStop: number, wasStopped: boolean): number => {
    for (let passed = 0; passed < 20; passed++) {
      const account = accountOf(1000)
      Object.assign(account.books[0]!, { index: 9 + passed, lastExitIndex: 9, wasStopped })
      const waiting = { plan: { ...plan, cooldown, cooldownAfterStop } }
      if (decided(account, { enterLong: true }, waiting).length > 0) return passed
    }
    return Infinity
  }

  it("is the longer of both after a stop, whichever that is", () => {
    assert.strictEqual(waitOf(2, 5, true), 5)
    assert.strictEqual(waitOf(5, 2, true), 5)
    assert.strictEqual(waitOf(4, 0, true), 4)
  })

  it("is the ordinary one after any other exit", () => {
    assert.strictEqual(waitOf(2, 5, false), 2)
    assert.strictEqual(waitOf(5, 2, false), 5)
  })
})

describe("a resting entry", () => {
  const rests = (order: Partial<OrderRequest> = {}) => {
    const account = accountOf(1000)
    placeOrder(account, 0, { ...resting, ...order })
    return account
  }
  const short = { side: -1, limit: 110 } as const

  it("is cancelled by an exit signal of its own direction", () => {
    assert.deepStrictEqual(decided(rests(), { exitLong: true }), ["cancel resting"])
    assert.deepStrictEqual(decided(rests(short), { exitShort: true }), ["cancel resting"])
  })

  it("is kept by an exit signal of the other direction, and where nothing is said", () => {
    assert.deepStrictEqual(decided(rests(), { exitShort: true }), [])
    assert.deepStrictEqual(decided(rests(short), { exitLong: true }), [])
    assert.deepStrictEqual(decided(rests(), {}), [])
  })

  it("is kept in place of a second one where its signal comes again", () => {
    assert.deepStrictEqual(decided(rests(), { enterLong: true }), [])
  })

  it("is replaced by an entry the other way", () => {
    assert.deepStrictEqual(decided(rests(), { enterShort: true }), ["cancel resting", "sell 1"])
  })

  it("is cancelled where no entry is allowed", () => {
    assert.deepStrictEqual(decided(rests(), { enterLong: true }, { canEnter: false }), [
      "cancel resting"
    ])
  })
})

describe("a turn", () => {
  const turn = { exitLong: true, enterShort: true }
  const limits = (maxExposure: number) => ({
    limits: { ...noRiskLimits, maxExposure },
    plan: { ...plan, sizing: { type: "fixed_quantity", quantity: 10 } } as const
  })

  it("has the room of the position that it leaves", () => {
    const account = accountOf(1000)
    hold(account, 0, 10)
    assert.deepStrictEqual(decided(account, turn, limits(1)), ["sell 10", "sell 10"])
    assert.deepStrictEqual(decided(account, turn, limits(0.5)), ["sell 10", "sell 5"])
  })

  it("leaves what other markets hold out of its room", () => {
    const account = accountOf(1000, 2)
    hold(account, 0, 4)
    hold(account, 1, 3)
    assert.deepStrictEqual(decided(account, turn, limits(0.5)), ["sell 4", "sell 2"])
  })
})
