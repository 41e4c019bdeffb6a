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
  exitOrder,
  isCoolingDown,
  netSignal,
  noLevels,
  type Signal,
  stopDistanceOf,
  type TradingPlan
} from "../../src/kernel/decide.ts"
import type { AttachedExits, ExitLevel } from "../../src/kernel/protection.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import { flatBars, freeMarket, noExits, runAll } from "../traps/scripted.ts"

const price = 100
const quiet: Signal = { enterLong: false, exitLong: false, enterShort: false, exitShort: false }

const plan: TradingPlan = {
  entry: { type: "market", offsetRate: 0, expiresAfter: null },
  sizing: { type: "fixed_quantity", quantity: 1 },
  timeLimit: null,
  positionsMax: 10,
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
    const entered = (positionsMax: number) => {
      const account = accountOf(1000, 3)
      hold(account, 1, 1)
      placeOrder(account, 2, resting)
      return decided(account, { enterLong: true }, { plan: { ...plan, positionsMax } })
    }
    assert.deepStrictEqual(entered(3), ["buy 1"])
    assert.deepStrictEqual(entered(2), [])
    assert.deepStrictEqual(entered(1), [])
  })

  it("count positions and resting entries, and no resting exit", () => {
    const account = accountOf(1000, 2)
    placeOrder(account, 1, { ...resting, leg: "exit", side: -1 })
    const single = { plan: { ...plan, positionsMax: 1 } }
    assert.deepStrictEqual(decided(account, { enterLong: true }, single), ["buy 1"])
  })

  it.each([1, 2, 3])("let a simulation of three markets hold %i at once", (positionsMax) => {
    const bars = flatBars(6)
    const markets = Array.from({ length: 3 }, () => ({ bars, long: [0, 1, 2, 3, 4] }))
    const { fills } = runAll(markets, { plan: { positionsMax } })
    assert.deepStrictEqual(
      fills.map(({ market }) => market),
      [0, 1, 2].slice(0, positionsMax)
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
  const limits = (exposureMax: number) => ({
    limits: { ...noRiskLimits, exposureMax },
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

/** The instructions of one candle, whole. */
const instructed = (
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
  })

const leavingOrder: OrderRequest = {
  ...resting,
  id: "leaving",
  side: -1,
  type: "market",
  leg: "exit",
  limit: null
}

describe("signals of one candle", () => {
  it("cancel each other where they enter both ways, or enter and leave one way", () => {
    const account = accountOf(1000)
    assert.deepStrictEqual(instructed(account, { enterLong: true, enterShort: true }), [])
    assert.deepStrictEqual(instructed(account, { enterLong: true, exitLong: true }), [])
    hold(account, 0, 1)
    assert.deepStrictEqual(instructed(account, { enterLong: true, exitLong: true }), [])
  })

  it("add nothing to a position that stays", () => {
    const account = accountOf(1000)
    hold(account, 0, 1)
    assert.deepStrictEqual(instructed(account, { enterLong: true }), [])
    assert.deepStrictEqual(instructed(account, { enterShort: true }), [])
  })

  it("leave one another alone: a net signal has neither or what was said", () => {
    assert.deepStrictEqual(netSignal(true, true), { enters: false, exits: false })
    assert.deepStrictEqual(netSignal(true, false), { enters: true, exits: false })
    assert.deepStrictEqual(netSignal(false, true), { enters: false, exits: true })
  })
})

describe("an exit", () => {
  const closing = (side: 1 | -1, reason: "signal" | "time_limit") => ({
    type: "place" as const,
    order: {
      id: "x9",
      side,
      type: "market" as const,
      leg: "exit" as const,
      quantity: 2,
      limit: null,
      stop: null,
      expiresAfter: null,
      reason,
      attached: null
    }
  })

  it("closes the whole position, by the rules of its own direction", () => {
    const long = accountOf(1000)
    hold(long, 0, 2)
    assert.deepStrictEqual(instructed(long, { exitLong: true }), [closing(-1, "signal")])
    assert.deepStrictEqual(instructed(long, { exitShort: true }), [])
    const short = accountOf(1000)
    hold(short, 0, -2)
    assert.deepStrictEqual(instructed(short, { exitShort: true }), [closing(1, "signal")])
    assert.deepStrictEqual(instructed(short, { exitLong: true }), [])
  })

  it("of a time limit comes once the position was held for so many candles", () => {
    const account = accountOf(1000)
    // Entered at candle 5, and it is candle 9.
    hold(account, 0, 2)
    const limited = (timeLimit: number) => ({ plan: { ...plan, timeLimit } })
    assert.deepStrictEqual(instructed(account, {}, limited(4)), [closing(-1, "time_limit")])
    assert.deepStrictEqual(instructed(account, {}, limited(3)), [closing(-1, "time_limit")])
    assert.deepStrictEqual(instructed(account, {}, limited(5)), [])
    assert.deepStrictEqual(instructed(account, { exitLong: true }, limited(4)), [
      closing(-1, "signal")
    ])
  })

  it("is not ordered beside one at the market, and is beside one at a price", () => {
    const account = accountOf(1000)
    hold(account, 0, 2)
    placeOrder(account, 0, leavingOrder)
    assert.deepStrictEqual(instructed(account, { exitLong: true }), [])
    const atPrice = accountOf(1000)
    hold(atPrice, 0, 2)
    placeOrder(atPrice, 0, { ...leavingOrder, type: "limit", limit: 110 })
    assert.deepStrictEqual(instructed(atPrice, { exitLong: true }), [closing(-1, "signal")])
  })

  it("of what is not held is an order of nothing", () => {
    const order = exitOrder(viewAccount(accountOf(1000)).book(0), "signal")
    assert.deepInclude(order, { quantity: 0, side: 1 })
  })
})

describe("an entry", () => {
  const stopped = (stopLoss: ExitLevel): AttachedExits => ({ ...noExits, stopLoss })

  it("at the market has no price, and carries the exits of its direction", () => {
    const levels = {
      ...noLevels,
      long: stopped({ kind: "fraction", value: 0.1 }),
      short: stopped({ kind: "fraction", value: 0.2 })
    }
    const expiring = { ...plan, entry: { ...plan.entry, expiresAfter: 7 } }
    const entry = (side: 1 | -1) => ({
      type: "place",
      order: {
        id: "e9",
        side,
        type: "market",
        leg: "entry",
        quantity: 1,
        limit: null,
        stop: null,
        expiresAfter: null,
        reason: "signal",
        attached: side === 1 ? levels.long : levels.short
      }
    })
    const changes = { levels, plan: expiring }
    assert.deepStrictEqual<unknown>(instructed(accountOf(1000), { enterLong: true }, changes), [
      entry(1)
    ])
    assert.deepStrictEqual<unknown>(instructed(accountOf(1000), { enterShort: true }, changes), [
      entry(-1)
    ])
  })

  it("waits below the close for a limit and above it for a stop, the other way round short", () => {
    const priced = (type: "limit" | "stop", signal: Partial<Signal>) => {
      const changes = {
        spec: { ...freeMarket, tick: 0.5 },
        plan: { ...plan, entry: { type, offsetRate: 0.0306, expiresAfter: 4 } }
      }
      const [one] = instructed(accountOf(1000), signal, changes)
      assert.strictEqual(one?.type, "place")
      const { order } = one as Extract<typeof one, { type: "place" }>
      assert.strictEqual(order.type, type)
      assert.strictEqual(order.expiresAfter, 4)
      return [order.limit, order.stop]
    }
    assert.deepStrictEqual(priced("limit", { enterLong: true }), [97, null])
    assert.deepStrictEqual(priced("limit", { enterShort: true }), [103, null])
    assert.deepStrictEqual(priced("stop", { enterLong: true }), [null, 103])
    assert.deepStrictEqual(priced("stop", { enterShort: true }), [null, 97])
  })

  it("is not ordered where entries are not allowed", () => {
    const changes = { canEnter: false }
    assert.deepStrictEqual(instructed(accountOf(1000), { enterLong: true }, changes), [])
  })

  it("short is dropped and counted where the market allows none, and a long one is not", () => {
    const dropped = { misplacedStops: 0, tooSmall: 0, forbiddenShorts: 0 }
    const changes = { dropped, spec: { ...freeMarket, canShort: false } }
    assert.deepStrictEqual(instructed(accountOf(1000), { enterShort: true }, changes), [])
    assert.deepStrictEqual(dropped, { misplacedStops: 0, tooSmall: 0, forbiddenShorts: 1 })
    assert.lengthOf(instructed(accountOf(1000), { enterLong: true }, changes), 1)
    assert.deepStrictEqual(
      instructed(accountOf(1000), { enterShort: true }, { spec: changes.spec }),
      []
    )
    assert.lengthOf(instructed(accountOf(1000), { enterShort: true }, { dropped }), 1)
    assert.strictEqual(dropped.forbiddenShorts, 1)
  })

  it("is dropped where its stop is not on the losing side, and counted where that is known", () => {
    const dropped = { misplacedStops: 0, tooSmall: 0, forbiddenShorts: 0 }
    const at = (value: number, signal: Partial<Signal>) => {
      const exits = stopped({ kind: "price", value })
      const levels = { ...noLevels, long: exits, short: exits }
      const made = instructed(accountOf(1000), signal, { dropped, levels })
      assert.deepStrictEqual(instructed(accountOf(1000), signal, { levels }), made)
      return made.length
    }
    assert.strictEqual(at(99, { enterLong: true }), 1)
    assert.strictEqual(at(101, { enterShort: true }), 1)
    assert.strictEqual(dropped.misplacedStops, 0)
    assert.strictEqual(at(101, { enterLong: true }), 0)
    assert.strictEqual(at(99, { enterShort: true }), 0)
    assert.strictEqual(at(100, { enterLong: true }), 0)
    assert.strictEqual(dropped.misplacedStops, 3)
    // A level that is not known yet is no fault of the strategy.
    assert.strictEqual(at(Number.NaN, { enterLong: true }), 0)
    assert.strictEqual(dropped.misplacedStops, 3)
    assert.strictEqual(dropped.tooSmall, 0)
  })

  it("below a lot or the least notional is dropped and counted, and exactly that much is not", () => {
    const dropped = { misplacedStops: 0, tooSmall: 0, forbiddenShorts: 0 }
    const sized = (quantity: number, spec: Partial<typeof freeMarket>) => {
      const changes = {
        spec: { ...freeMarket, ...spec },
        plan: { ...plan, sizing: { type: "fixed_quantity", quantity } } as const
      }
      const made = instructed(accountOf(1000), { enterLong: true }, { ...changes, dropped })
      assert.deepStrictEqual(instructed(accountOf(1000), { enterLong: true }, changes), made)
      return made.length
    }
    assert.strictEqual(sized(2, { lot: 1, minNotional: 200 }), 1)
    assert.strictEqual(sized(2, { minNotional: 200.5 }), 0)
    assert.strictEqual(dropped.tooSmall, 1)
    assert.strictEqual(sized(0.5, { lot: 1 }), 0)
    assert.strictEqual(dropped.tooSmall, 2)
    // A size that is none is not too small.
    assert.strictEqual(sized(0, { lot: 1 }), 0)
    assert.strictEqual(dropped.tooSmall, 2)
  })

  it("is cut to the risk that is allowed, which costs and the stop's distance decide", () => {
    const size = (changes: Partial<Omit<DecisionInput, "account" | "signal">>) => {
      const [one] = instructed(accountOf(1000), { enterLong: true }, changes)
      return one?.type === "place" ? one.order.quantity : 0
    }
    const ten = { ...plan, sizing: { type: "fixed_quantity", quantity: 10 } } as const
    const long = stopped({ kind: "fraction", value: 0.1 })
    const limits = { ...noRiskLimits, riskPerTrade: 0.05 }
    assert.strictEqual(size({ plan: ten, levels: { ...noLevels, long } }), 10)
    assert.strictEqual(size({ plan: ten, levels: { ...noLevels, long }, limits }), 5)
    assert.strictEqual(size({ plan: ten, limits }), 10)
    const costly = { ...freeMarket, takerRate: 0.2, slippageRate: 0.05 }
    assert.strictEqual(size({ plan: ten, spec: costly }), 8)
  })

  it("has a size of its own where its levels name one", () => {
    const levels = { ...noLevels, sizing: { type: "fixed_quantity", quantity: 3 } } as const
    assert.deepStrictEqual(decided(accountOf(1000), { enterLong: true }, { levels }), ["buy 3"])
  })

  it("with an exit waits for the cooldown that the exit begins", () => {
    const account = accountOf(1000)
    hold(account, 0, 1)
    const turn = { exitLong: true, enterShort: true }
    assert.deepStrictEqual(decided(account, turn, { plan: { ...plan, cooldown: 1 } }), ["sell 1"])
    assert.deepStrictEqual(decided(account, turn), ["sell 1", "sell 1"])
  })
})

describe("the distance to a stop", () => {
  const trailing = (value: number): AttachedExits => ({
    ...noExits,
    trailingStop: { distance: { kind: "distance", value }, activation: null }
  })

  it("is none without exits or without a stop among them", () => {
    assert.isNull(stopDistanceOf(null, 100, 1))
    assert.isNull(stopDistanceOf(noExits, 100, 1))
  })

  it("is that of the stop, or of the trailing stop where there is no other", () => {
    const stop = { ...trailing(4), stopLoss: { kind: "fraction", value: 0.25 } } as const
    for (const side of [1, -1] as const) {
      assert.strictEqual(stopDistanceOf(trailing(4), 100, side), 4)
      assert.strictEqual(stopDistanceOf(stop, 100, side), 25)
    }
  })
})

describe("a cooldown", () => {
  it("needs an exit to begin", () => {
    const never = { index: 0, lastExitIndex: null, wasStopped: false }
    assert.isFalse(isCoolingDown(never, { cooldown: 5, cooldownAfterStop: 5 }))
  })
})
