import { assert, describe, it } from "@effect/vitest"
import { makeMatchingAccount, type MarketSpec } from "../../src/kernel/account.ts"
import { viewAccount } from "../../src/kernel/accountView.ts"
import { decideOrders } from "../../src/kernel/decide.ts"
import { floorToLot } from "../../src/kernel/fill.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import { sizeEntry, type SizingInput, type SizingRule } from "../../src/kernel/sizing.ts"
import { freeMarket } from "../traps/scripted.ts"

/** An account of ten thousand, a price of one hundred, and nothing that cuts a size. */
const plenty: SizingInput = {
  sizing: { type: "fixed_quantity", quantity: 1 },
  equity: 10_000,
  buyingPower: Infinity,
  committedNotional: 0,
  price: 100,
  stopDistance: Number.NaN,
  volatility: Number.NaN,
  exposureMax: Infinity,
  riskMax: Infinity,
  costRate: 0,
  lot: 0
}

const size = (changes: Partial<SizingInput>): number => sizeEntry({ ...plenty, ...changes })

const quantity = (of: number): SizingRule => ({ type: "fixed_quantity", quantity: of })

const drawInput = (seed: string): SizingInput => {
  const random = makeRandom(seed)
  const equity = 100 + random.next() * 100_000
  const price = Math.exp(2 * random.normal() + 3)
  const sizing = random.pick<SizingRule>([
    { type: "risk_per_trade", fraction: random.next() * 0.05 },
    { type: "equity_fraction", fraction: random.next() },
    { type: "fixed_notional", notional: random.next() * 20_000 },
    { type: "fixed_quantity", quantity: random.next() * 200 },
    { type: "volatility_target", target: random.next() }
  ])
  const committedNotional = random.pick([0, random.next() * equity])
  return {
    sizing,
    equity,
    price,
    committedNotional,
    buyingPower: Math.max(0, equity * random.pick([1, 1, 5]) - committedNotional),
    stopDistance: random.pick([Number.NaN, price * random.next() * 0.1]),
    volatility: random.pick([Number.NaN, random.next()]),
    exposureMax: random.pick([Infinity, random.next() * 2]),
    riskMax: random.pick([Infinity, random.next() * 0.05]),
    costRate: random.pick([0, 0.001, 0.01]),
    lot: random.pick([0, 1e-8, 0.001, 0.1, 1])
  }
}

const inputs = Array.from({ length: 3_000 }, (_, number) => drawInput(`size ${number}`))

describe("the size of each rule", () => {
  it("risk per trade: what the stop may cost, over the distance to it", () => {
    const sizing = { type: "risk_per_trade", fraction: 0.01 } as const
    assert.strictEqual(size({ sizing, stopDistance: 4 }), 25)
    assert.strictEqual(size({ sizing, stopDistance: 8 }), 12.5)
    assert.strictEqual(size({ sizing, stopDistance: 4, equity: 20_000 }), 50)
    assert.strictEqual(size({ sizing, stopDistance: 4, price: 1 }), 25)
  })

  it("risk per trade: nothing without a stop, or with one on the wrong side", () => {
    const sizing = { type: "risk_per_trade", fraction: 0.01 } as const
    for (const stopDistance of [Number.NaN, 0, -0, -1]) {
      assert.strictEqual(size({ sizing, stopDistance }), 0)
    }
  })

  it("equity fraction: that part of equity, at the price", () => {
    const sizing = { type: "equity_fraction", fraction: 0.5 } as const
    assert.strictEqual(size({ sizing }), 50)
    assert.strictEqual(size({ sizing, price: 400 }), 12.5)
    assert.strictEqual(size({ sizing, equity: 1_000 }), 5)
    assert.strictEqual(size({ sizing: { ...sizing, fraction: 3 } }), 300)
  })

  it("fixed notional: so much money, whatever the equity", () => {
    const sizing = { type: "fixed_notional", notional: 250 } as const
    assert.strictEqual(size({ sizing }), 2.5)
    assert.strictEqual(size({ sizing, equity: 1 }), 2.5)
    assert.strictEqual(size({ sizing, price: 1_000 }), 0.25)
  })

  it("fixed quantity: that quantity, whatever the price and the equity", () => {
    assert.strictEqual(size({ sizing: quantity(7), price: 0.01, equity: 1 }), 7)
    assert.strictEqual(size({ sizing: quantity(7), price: 1e6 }), 7)
  })

  it("volatility target: equity at the target over the volatility", () => {
    const sizing = { type: "volatility_target", target: 0.25 } as const
    assert.strictEqual(size({ sizing, volatility: 0.5 }), 50)
    assert.strictEqual(size({ sizing, volatility: 0.125 }), 200)
    assert.strictEqual(size({ sizing, volatility: 0.5, price: 200 }), 25)
  })

  it("volatility target: nothing while the volatility is unknown, or none", () => {
    const sizing = { type: "volatility_target", target: 0.25 } as const
    for (const volatility of [Number.NaN, 0, -0, -0.5]) {
      assert.strictEqual(size({ sizing, volatility }), 0)
    }
  })

  it("nothing where there is nothing to trade with, or what is asked is nothing", () => {
    for (const nothing of [0, -1, Number.NaN]) {
      assert.strictEqual(size({ equity: nothing }), 0)
      assert.strictEqual(size({ price: nothing }), 0)
      assert.strictEqual(size({ sizing: quantity(nothing) }), 0)
      assert.strictEqual(size({ buyingPower: nothing }), 0)
    }
  })
})

describe("the caps of a size", () => {
  it("the exposure cap, positions that are open counted", () => {
    assert.strictEqual(size({ sizing: quantity(100), exposureMax: 0.5 }), 50)
    assert.strictEqual(size({ sizing: quantity(50), exposureMax: 0.5 }), 50)
    const held = { sizing: quantity(100), exposureMax: 0.5, committedNotional: 4_000 }
    assert.strictEqual(size(held), 10)
    assert.strictEqual(size({ ...held, committedNotional: 5_000 }), 0)
    assert.strictEqual(size({ ...held, committedNotional: 9_000 }), 0)
    assert.strictEqual(size({ ...held, exposureMax: Infinity }), 100)
  })

  it("the risk cap, where a stop is known", () => {
    const capped = { sizing: quantity(100), riskMax: 0.01, stopDistance: 4 }
    assert.strictEqual(size(capped), 25)
    assert.strictEqual(size({ ...capped, sizing: quantity(25) }), 25)
    assert.strictEqual(size({ ...capped, stopDistance: Number.NaN }), 100)
  })

  it("the affordable size, with fees and slippage", () => {
    const poor = { sizing: quantity(100), buyingPower: 5_000 }
    assert.strictEqual(size(poor), 50)
    assert.strictEqual(size({ ...poor, costRate: 0.25 }), 40)
    assert.strictEqual(size({ ...poor, sizing: quantity(40), costRate: 0.25 }), 40)
  })

  it("the lot, last of all and always downwards", () => {
    assert.strictEqual(size({ sizing: quantity(1.99), lot: 1 }), 1)
    assert.strictEqual(size({ sizing: quantity(0.99), lot: 1 }), 0)
    assert.strictEqual(size({ sizing: quantity(0.3), lot: 0.1 }), 0.3)
    assert.strictEqual(size({ sizing: quantity(100), buyingPower: 4_999, lot: 1 }), 49)
    assert.strictEqual(size({ sizing: quantity(100), exposureMax: 0.499, lot: 0.5 }), 49.5)
  })
})

describe("random sizes", () => {
  it("stay within every cap, on the lot, and never ask for more than the rule", () => {
    let sized = 0
    for (const input of inputs) {
      const given = sizeEntry(input)
      const { equity, price, lot } = input
      const slack = 1 + 1e-9
      assert.isTrue(given >= 0 && Number.isFinite(given))
      assert.isAtMost(given * price * (1 + input.costRate), input.buyingPower * slack)
      if (given === 0) continue
      sized += 1
      assert.isAtMost(input.committedNotional + given * price, equity * input.exposureMax * slack)
      if (input.stopDistance > 0) {
        assert.isAtMost(given * input.stopDistance, equity * input.riskMax * slack)
      }
      const free = { ...input, buyingPower: Infinity, exposureMax: Infinity, riskMax: Infinity }
      assert.isAtMost(given, sizeEntry({ ...free, lot: 0 }) * slack)
      assert.strictEqual(floorToLot(given, lot), given)
    }
    assert.isAbove(sized, 1_000)
  })

  it("never grow with costs, with what is held, or with a tighter cap", () => {
    for (const input of inputs) {
      const most = sizeEntry(input) * (1 + 1e-9)
      assert.isAtMost(sizeEntry({ ...input, costRate: input.costRate + 0.01 }), most)
      assert.isAtMost(
        sizeEntry({ ...input, committedNotional: input.committedNotional + 10 }),
        most
      )
      assert.isAtMost(sizeEntry({ ...input, buyingPower: input.buyingPower / 2 }), most)
      assert.isAtMost(sizeEntry({ ...input, exposureMax: input.exposureMax / 2 }), most)
      assert.isAtMost(sizeEntry({ ...input, riskMax: input.riskMax / 2 }), most)
    }
  })

  it("are the same, to the bit, in a currency of which it takes four for one", () => {
    for (const input of inputs) {
      const { sizing } = input
      const dearer: SizingInput = {
        ...input,
        sizing:
          sizing.type === "fixed_notional" ? { ...sizing, notional: sizing.notional * 4 } : sizing,
        equity: input.equity * 4,
        buyingPower: input.buyingPower * 4,
        committedNotional: input.committedNotional * 4,
        price: input.price * 4,
        stopDistance: input.stopDistance * 4
      }
      assert.strictEqual(sizeEntry(dearer), sizeEntry(input))
    }
  })
})

describe("the minimum notional", () => {
  /** Quantities of the orders that an entry signal at a close of 100 leads to. */
  const ordered = (wanted: number, changes: Partial<MarketSpec>): ReadonlyArray<number> => {
    const account = makeMatchingAccount(10_000, 1)
    account.books[0]!.lastClose = 100
    account.books[0]!.index = 0
    const instructions = decideOrders({
      account: viewAccount(account),
      market: 0,
      spec: { ...freeMarket, ...changes },
      plan: {
        entry: { type: "market", offsetRate: 0, expiresAfter: null },
        sizing: quantity(wanted),
        timeLimit: null,
        positionsMax: 1,
        cooldown: 0,
        cooldownAfterStop: 0
      },
      limits: noRiskLimits,
      signal: { enterLong: true, exitLong: false, enterShort: false, exitShort: false },
      levels: { long: null, short: null, volatility: Number.NaN },
      canEnter: true
    })
    return instructions.flatMap((one) => (one.type === "place" ? [one.order.quantity] : []))
  }

  it("is enough exactly, and a hair below it nothing is ordered", () => {
    assert.deepStrictEqual(ordered(0.1, { minNotional: 10 }), [0.1])
    assert.deepStrictEqual(ordered(0.0999, { minNotional: 10 }), [])
  })

  it("is measured after the lot", () => {
    assert.deepStrictEqual(ordered(0.19, { minNotional: 10, lot: 0.1 }), [0.1])
    assert.deepStrictEqual(ordered(0.19, { minNotional: 11, lot: 0.1 }), [])
  })
})

describe("an order that turns a position", () => {
  const spec: MarketSpec = { ...freeMarket, takerRate: 0.01 }

  /** The order where the first of these positions is closed and another one begins. */
  const turned = (cash: number, held: ReadonlyArray<number>, changes: Partial<MarketSpec> = {}) => {
    const account = makeMatchingAccount(cash, held.length)
    held.forEach((heldQuantity, market) => {
      const book = account.books[market]!
      book.lastClose = 100
      book.index = 5
      const entry = { entryPrice: 100, entryIndex: 1, entryTime: 0, entryFees: 0 }
      book.position = { ...entry, quantity: heldQuantity }
    })
    const isLong = held[0]! > 0
    const instructions = decideOrders({
      account: viewAccount(account),
      market: 0,
      spec: { ...spec, ...changes },
      plan: {
        entry: { type: "market", offsetRate: 0, expiresAfter: null },
        sizing: quantity(1_000),
        timeLimit: null,
        positionsMax: 5,
        cooldown: 0,
        cooldownAfterStop: 0
      },
      limits: noRiskLimits,
      signal: {
        enterLong: !isLong,
        exitLong: isLong,
        enterShort: isLong,
        exitShort: !isLong
      },
      levels: { long: null, short: null, volatility: Number.NaN },
      canEnter: true
    })
    return instructions.flatMap((one) =>
      one.type === "place" && one.order.leg === "entry" ? [one.order.quantity] : []
    )
  }

  it("is paid of the equity, whether the position has won or lost", () => {
    // A short of 1 000 that has lost, one that has won, and a long: 900 and 1 100 of equity.
    assert.deepStrictEqual(turned(1_900, [-10]), [900 / 101])
    assert.deepStrictEqual(turned(2_100, [-10]), [1_100 / 101])
    assert.deepStrictEqual(turned(100, [10]), [1_100 / 101])
  })

  it("borrows as often as the market lets it", () => {
    assert.deepStrictEqual(turned(1_900, [-10], { leverage: 3 }), [2_700 / 101])
  })

  it("leaves what the other markets hold", () => {
    // 2 000 of equity, of which the other market has 500, and 1 500.
    assert.deepStrictEqual(turned(2_500, [-10, 5]), [1_500 / 101])
    assert.deepStrictEqual(turned(1_500, [-10, 15]), [500 / 101])
  })

  it("is not ordered where the other markets hold more than there is", () => {
    // The short of the other market is twice as large as the equity.
    assert.deepStrictEqual(turned(2_500, [5, -20]), [])
  })
})
