import { assert, describe, it } from "@effect/vitest"
import {
  applyFill,
  applyFunding,
  type LedgerFill,
  type LedgerOutcome,
  makeLedger,
  type PositionState
} from "../../src/kernel/ledger.ts"
import { makeRandom } from "../../src/kernel/random.ts"

const capital = 10_000

type Deal = readonly [signed: number, price: number, fee?: number]

const toFill = ([signed, price, fee = 0]: Deal, index: number): LedgerFill => ({
  side: signed > 0 ? 1 : -1,
  quantity: Math.abs(signed),
  price,
  fee,
  index,
  time: index * 60_000
})

/** Books fills one after the other. */
const book = (fills: ReadonlyArray<LedgerFill>) => {
  const ledger = makeLedger(capital)
  const outcomes: Array<LedgerOutcome> = []
  let position: PositionState | null = null
  for (const fill of fills) {
    const outcome = applyFill(ledger, position, fill)
    outcomes.push(outcome)
    position = outcome.position
  }
  return { ledger, outcomes, position }
}

const deal = (...deals: ReadonlyArray<Deal>) => book(deals.map(toFill))

describe("one position", () => {
  it("is opened with what was bought, and costs cash and fee", () => {
    const { ledger, outcomes, position } = deal([2, 100, 3])
    assert.deepStrictEqual(position, {
      quantity: 2,
      entryPrice: 100,
      entryIndex: 0,
      entryTime: 0,
      entryFees: 3
    })
    assert.deepStrictEqual(outcomes[0], {
      position,
      effect: "open",
      closedQuantity: 0,
      closedFees: 0,
      closedPnl: 0
    })
    assert.deepStrictEqual(ledger, {
      cash: 9797,
      realizedPnl: 0,
      feesPaid: 3,
      fundingPaid: 0,
      turnover: 200
    })
  })

  it("has a negative quantity for a short, whose sale brings cash", () => {
    const { ledger, position } = deal([-2, 100, 3])
    assert.strictEqual(position?.quantity, -2)
    assert.deepStrictEqual(ledger, {
      cash: 10_197,
      realizedPnl: 0,
      feesPaid: 3,
      fundingPaid: 0,
      turnover: 200
    })
  })

  it("earns what it was sold for less what it cost, less the fees of both sides", () => {
    const { ledger, outcomes, position } = deal([2, 100, 3], [-2, 110, 4])
    const closed = { effect: "close", closedQuantity: 2, closedFees: 7, closedPnl: 13 } as const
    assert.deepStrictEqual(outcomes[1], { position: null, ...closed })
    assert.isNull(position)
    assert.deepStrictEqual(ledger, {
      cash: 10_013,
      realizedPnl: 13,
      feesPaid: 7,
      fundingPaid: 0,
      turnover: 420
    })
  })

  it("earns the other way round for a short", () => {
    const { ledger, outcomes } = deal([-2, 110, 3], [2, 100, 4])
    assert.strictEqual(outcomes[1]?.closedPnl, 13)
    assert.strictEqual(ledger.cash, 10_013)
    assert.strictEqual(deal([-2, 100, 3], [2, 110, 4]).ledger.cash, 9_973)
  })
})

describe("increasing", () => {
  it("averages the price by quantity and adds fees, and keeps when it was entered", () => {
    for (const sign of [1, -1]) {
      const { outcomes, position } = deal([sign * 1, 100, 1], [sign * 3, 120, 2])
      assert.strictEqual(outcomes[1]?.effect, "increase")
      assert.deepStrictEqual(position, {
        quantity: sign * 4,
        entryPrice: 115,
        entryIndex: 0,
        entryTime: 0,
        entryFees: 3
      })
    }
  })
})

describe("closing in parts", () => {
  it("takes the part's share of the entry fees, and leaves the entry as it was", () => {
    const { outcomes, position, ledger } = deal([4, 100, 8], [-1, 110, 5])
    const [, reduced] = outcomes
    assert.strictEqual(reduced?.effect, "reduce")
    assert.strictEqual(reduced?.closedQuantity, 1)
    assert.strictEqual(reduced?.closedFees, 7)
    assert.strictEqual(reduced?.closedPnl, 3)
    assert.strictEqual(ledger.realizedPnl, 3)
    assert.deepStrictEqual(position, {
      quantity: 3,
      entryPrice: 100,
      entryIndex: 0,
      entryTime: 0,
      entryFees: 6
    })
  })

  it("leaves nothing once the parts add up, though doubles do not", () => {
    for (const sign of [1, -1]) {
      const third: Deal = [sign * -0.1, 110]
      const thirds = deal([sign * 0.3, 100], third, third, third)
      assert.isNull(thirds.position)
      assert.strictEqual(thirds.outcomes[3]?.effect, "close")
      const built = deal([sign * 0.1, 100], [sign * 0.2, 100], [sign * -0.3, 110])
      assert.isNull(built.position)
      assert.closeTo(built.ledger.realizedPnl, sign * 3, 1e-12)
    }
  })

  it("keeps a small rest that is no rounding", () => {
    assert.strictEqual(deal([1, 100], [-(1 - 2 ** -30), 100]).position?.quantity, 2 ** -30)
    assert.strictEqual(deal([1, 100], [-(1 + 2 ** -30), 100]).position?.quantity, -(2 ** -30))
  })
})

describe("turning", () => {
  it("closes the whole position and opens the rest the other way, each with its fees", () => {
    for (const sign of [1, -1]) {
      const { outcomes, position, ledger } = deal([sign * 2, 100, 1], [sign * -8, 110, 4])
      const [, turned] = outcomes
      assert.strictEqual(turned?.effect, "close")
      assert.strictEqual(turned?.closedQuantity, 2)
      assert.strictEqual(turned?.closedFees, 2)
      assert.strictEqual(turned?.closedPnl, sign * 20 - 2)
      assert.strictEqual(ledger.realizedPnl, sign * 20 - 2)
      assert.deepStrictEqual(position, {
        quantity: sign * -6,
        entryPrice: 110,
        entryIndex: 1,
        entryTime: 60_000,
        entryFees: 3
      })
    }
  })
})

/** Fills one after the other, many of which reduce, close or turn. */
const drawFills = (seed: string, lot: number, feeRate = 0.01): ReadonlyArray<LedgerFill> => {
  const random = makeRandom(seed)
  let held = 0
  return Array.from({ length: random.integer(1, 40) }, (_, index) => {
    const lots = held !== 0 && random.next() < 0.2 ? -held : random.pick([-9, -3, -1, 1, 2, 7])
    held += lots
    const price = random.integer(8, 2_000) / 8
    return toFill([lots * lot, price, lots * lot * price * feeRate * Math.sign(lots)], index)
  })
}

const sumOf = (fills: ReadonlyArray<LedgerFill>, of: (fill: LedgerFill) => number): number =>
  fills.reduce((sum, fill) => sum + of(fill), 0)

/** The results of pairs: each closing fill takes from the oldest fill that is still open. */
const pairedPnl = (fills: ReadonlyArray<LedgerFill>): number => {
  const open: Array<{ signed: number; price: number }> = []
  let pnl = 0
  for (const { side, quantity, price } of fills) {
    let left = quantity
    while (left > 0 && open.length > 0 && open[0]!.signed > 0 !== side > 0) {
      const oldest = open[0]!
      const taken = Math.min(left, Math.abs(oldest.signed))
      pnl += -side * taken * (price - oldest.price)
      oldest.signed += side * taken
      left -= taken
      if (oldest.signed === 0) open.shift()
    }
    if (left > 0) open.push({ signed: side * left, price })
  }
  return pnl
}

const series = Array.from({ length: 500 }, (_, number) => `fills ${number}`)

describe("random fills", () => {
  it("move cash, fees and turnover by what they say", () => {
    for (const seed of series) {
      const fills = drawFills(seed, 0.1)
      const { ledger } = book(fills)
      const spent = sumOf(fills, (fill) => fill.side * fill.quantity * fill.price + fill.fee)
      const fees = sumOf(fills, ({ fee }) => fee)
      const turnover = sumOf(fills, ({ quantity, price }) => quantity * price)
      assert.closeTo(ledger.cash, capital - spent, 1e-8)
      assert.closeTo(ledger.feesPaid, fees, 1e-9)
      assert.closeTo(ledger.turnover, turnover, 1e-8)
    }
  })

  it("leave the position that they add up to, and none where they add up to nothing", () => {
    let flatCount = 0
    for (const seed of series) {
      const lots = drawFills(seed, 1)
      const tenths = book(drawFills(seed, 0.1))
      tenths.outcomes.forEach(({ position }, at) => {
        const held = sumOf(lots.slice(0, at + 1), (fill) => fill.side * fill.quantity)
        if (held === 0) {
          assert.isNull(position, seed)
          flatCount += 1
        } else assert.closeTo(position?.quantity ?? 0, held / 10, 1e-12, seed)
      })
    }
    assert.isAbove(flatCount, 500)
  })

  it("say what they did", () => {
    const seen = { open: 0, increase: 0, reduce: 0, close: 0 }
    for (const seed of series) {
      const fills = drawFills(seed, 1)
      let held = 0
      book(fills).outcomes.forEach(({ effect, closedQuantity }, at) => {
        const { side, quantity } = fills[at]!
        const isGrowing = held * side >= 0
        const grown = held === 0 ? "open" : "increase"
        const shrunk = quantity < Math.abs(held) ? "reduce" : "close"
        assert.strictEqual(effect, isGrowing ? grown : shrunk)
        assert.strictEqual(closedQuantity, isGrowing ? 0 : Math.min(quantity, Math.abs(held)))
        held += side * quantity
        seen[effect] += 1
      })
    }
    for (const count of Object.values(seen)) assert.isAbove(count, 500)
  })

  it("share every fee between what is closed and what is open", () => {
    for (const seed of series) {
      const { ledger, outcomes, position } = book(drawFills(seed, 1))
      const closed = outcomes.reduce((sum, { closedFees }) => sum + closedFees, 0)
      assert.closeTo(closed + (position?.entryFees ?? 0), ledger.feesPaid, 1e-8)
    }
  })

  it("have an equity of capital, results and what the open position stands at", () => {
    for (const seed of series) {
      const { ledger, outcomes, position } = book(drawFills(seed, 0.1))
      const closed = outcomes.reduce((sum, { closedPnl }) => sum + closedPnl, 0)
      assert.closeTo(ledger.realizedPnl, closed, 1e-8)
      const { quantity, entryPrice, entryFees } = position ?? {
        quantity: 0,
        entryPrice: 0,
        entryFees: 0
      }
      for (const price of [1, 100]) {
        const equity = ledger.cash + quantity * price
        const open = quantity * (price - entryPrice) - entryFees
        assert.closeTo(equity, capital + ledger.realizedPnl + open, 1e-7, seed)
      }
    }
  })

  it("have earned, once all is closed, what pairing first in with first out gives", () => {
    let flatCount = 0
    for (const seed of series) {
      const fills = drawFills(seed, 1, 0)
      const { outcomes } = book(fills)
      let realized = 0
      outcomes.forEach(({ position, closedPnl }, at) => {
        realized += closedPnl
        if (position !== null) return
        flatCount += 1
        assert.closeTo(realized, pairedPnl(fills.slice(0, at + 1)), 1e-8, seed)
      })
    }
    assert.isAbove(flatCount, 500)
  })

  it("earn the same sold short in a market turned upside down", () => {
    for (const seed of series) {
      const fills = drawFills(seed, 1, 0)
      const turned = fills.map((fill) => ({
        ...fill,
        side: fill.side === 1 ? (-1 as const) : (1 as const),
        price: 256 - fill.price
      }))
      const { ledger, outcomes, position } = book(fills)
      const mirrored = book(turned)
      assert.closeTo(mirrored.ledger.realizedPnl, ledger.realizedPnl, 1e-8)
      assert.strictEqual(
        mirrored.position?.quantity,
        position === null ? undefined : -position.quantity
      )
      mirrored.outcomes.forEach(({ effect, closedPnl }, at) => {
        assert.strictEqual(effect, outcomes[at]?.effect)
        assert.closeTo(closedPnl, outcomes[at]?.closedPnl ?? Number.NaN, 1e-9)
      })
    }
  })

  it("never change a position that was given, only return another", () => {
    for (const seed of series.slice(0, 100)) {
      const ledger = makeLedger(capital)
      let position: PositionState | null = null
      for (const fill of drawFills(seed, 1)) {
        const given: PositionState | null = position
        const before = JSON.stringify(given)
        position = applyFill(ledger, given, Object.freeze(fill)).position
        assert.strictEqual(JSON.stringify(given), before)
      }
    }
  })
})

describe("funding", () => {
  it("that is paid leaves the cash, and is a cost of its position once that is closed", () => {
    const ledger = makeLedger(1_000)
    const { position } = applyFill(ledger, null, toFill([2, 100], 0))
    const paid = applyFunding(ledger, position!, 3)
    assert.strictEqual(ledger.cash, 797)
    assert.strictEqual(ledger.fundingPaid, 3)
    assert.deepStrictEqual(paid, { ...position, entryFees: 3 })
    const got = applyFunding(ledger, paid, -1)
    assert.strictEqual(ledger.fundingPaid, 2)
    assert.strictEqual(ledger.cash, 798)
    const closed = applyFill(ledger, got, toFill([-2, 110], 1))
    assert.strictEqual(closed.closedPnl, 18)
    assert.strictEqual(closed.closedFees, 2)
  })
})
