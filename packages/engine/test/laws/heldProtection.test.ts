/**
 * Exits of positions that no matcher keeps lie where a matcher has them, candle by candle.
 */
import { assert, it } from "@effect/vitest"
import { SimulatedAccount } from "../../src/kernel/SimulatedAccount.ts"
import {
  moveProtection,
  protectEntry,
  type ProtectedEntry,
  raiseProtection
} from "../../src/kernel/heldProtection.ts"
import type { MarketSpec } from "../../src/kernel/account.ts"
import type { AttachedExits, ExitLevel, Protection } from "../../src/kernel/protection.ts"
import type { Random } from "../../src/kernel/random.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const spec: MarketSpec = {
  tick: 0.1,
  lot: 0.001,
  minNotional: 0,
  makerRate: 0,
  takerRate: 0.001,
  feePerFill: 0,
  slippageRate: 0.0005,
  canShort: true,
  leverage: 5
}

const drawLevel = (random: Random, price: number, away: number): ExitLevel => {
  const part = 0.005 + random.next() * 0.05
  return random.pick<ExitLevel>([
    { kind: "fraction", value: part },
    { kind: "distance", value: price * part },
    { kind: "price", value: price * (1 + away * part) }
  ])
}

const sometimes = <A>(random: Random, value: A): A | null => (random.next() < 0.6 ? value : null)

const drawExits = (random: Random, side: number): AttachedExits => ({
  stopLoss: sometimes(random, drawLevel(random, 100, -side)),
  takeProfit: sometimes(random, { kind: "fraction", value: 0.3 }),
  trailingStop: sometimes(random, {
    distance: drawLevel(random, 100, -side),
    activation: sometimes(random, drawLevel(random, 100, side))
  }),
  breakEven: sometimes(random, {
    activation: drawLevel(random, 100, side),
    offsetRate: random.next() * 0.004
  })
})

const levelsOf = (protection: Pick<Protection, "stop" | "stopReason" | "target"> | null) =>
  protection && {
    stop: protection.stop,
    stopReason: protection.stopReason,
    target: protection.target
  }

it("lie where a matcher has them while a position is held", () => {
  const met = { candles: 0, trailing_stop: 0, break_even: 0, moved: 0, merged: 0 }
  for (const { random, seed } of draws("held protection", 2_000)) {
    const side = random.pick([1, -1] as const)
    // Levels that code has moved are its own: another entry is none of that.
    const isMerged = random.next() < 0.5
    const netting = isMerged ? "average" : "single"
    const matcher = SimulatedAccount.open(100_000, [spec], netting)
    const isLimit = random.next() < 0.5
    const attached = drawExits(random, side)
    const common = {
      side,
      leg: "entry",
      quantity: 1,
      stop: null,
      expiresAfter: null,
      reason: "signal",
      attached
    } as const
    matcher.place(0, {
      ...common,
      id: "entry",
      type: isLimit ? "limit" : "market",
      // Prices go on where they were, so that a limit is always reached inside a candle.
      limit: isLimit ? 100 - side * 0.7 : null
    })
    let held = 1
    let hasLimit = false
    let own: Protection | null = null
    let entry: ProtectedEntry | null = null
    let open = 100
    for (let index = 0; index < 30; index++) {
      const close = open * (1 + (random.next() - 0.47) * 0.03)
      const high = Math.max(open, close) * (1 + random.next() * 0.004)
      const low = Math.min(open, close) * (1 - random.next() * 0.004)
      matcher.show([{ market: 0, time: index, open, high, low, close }])
      const [lot] = matcher.lots(0)
      // An order that was to be merged may open another position.
      if (entry !== null && lot?.entryOrderId !== "entry") break
      if (lot === undefined) {
        open = close
        continue
      }
      if (entry === null) {
        const liveFrom = isLimit ? index + 1 : index
        const { entryPrice } = lot
        entry = { entryOrderId: "entry", direction: side, entryPrice, tick: spec.tick, liveFrom }
        own = protectEntry(entry, attached)
      }
      if (Math.abs(lot.quantity) > held) {
        held = Math.abs(lot.quantity)
        const liveFrom = hasLimit ? index + 1 : index
        entry = { ...entry, entryPrice: lot.entryPrice, liveFrom }
        own = protectEntry(entry, attached, own)
        met.merged++
      }
      if (own !== null) own = raiseProtection(own, { index, high, low })
      const theirs = levelsOf(lot.protection)
      assert.deepStrictEqual(levelsOf(own), theirs, `${seed}, candle ${index}`)
      met.candles++
      if (theirs !== null && theirs.stopReason !== "stop_loss") met[theirs.stopReason]++
      if (!isMerged && random.next() < 0.05) {
        const stop = random.pick([null, undefined, Math.round(close * (1 - side * 0.1))])
        const target = random.pick([null, undefined, Math.round(close * (1 + side * 0.4))])
        matcher.protect(0, { stop, target })
        own = moveProtection({ ...entry, liveFrom: index + 1 }, own, { stop, target })
        met.moved++
      }
      if (isMerged && random.next() < 0.1) {
        hasLimit = random.next() < 0.5
        matcher.place(0, {
          ...common,
          id: `more ${index}`,
          expiresAfter: 1,
          type: hasLimit ? "limit" : "market",
          limit: hasLimit ? close - side * 0.3 : null
        })
      }
      open = close
    }
  }
  assert.isAbove(met.candles, atLeast(10_000))
  assert.isAbove(met.trailing_stop, atLeast(1_000))
  assert.isAbove(met.break_even, atLeast(100))
  assert.isAbove(met.moved, atLeast(500))
  assert.isAbove(met.merged, atLeast(500))
})
