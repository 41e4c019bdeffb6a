/**
 * A matcher that goes by stages and plain objects do the same with positions that grow and shrink.
 */
import { assert, describe, it } from "@effect/vitest"
import type { MatcherMarket } from "../../src/match/matcherRules.ts"
import type { AttachedExits, ExitLevel } from "../../src/match/AttachedExits.ts"
import type { Random } from "../../src/kernel/random.ts"
import { Matcher } from "../../src/match/Matcher.ts"
import type { MatcherExit } from "../../src/match/MatcherOrder.ts"
import type { MatcherRow } from "../../src/match/logViews.ts"
import { atLeast, draws } from "../../../../test/draws.ts"
import { drawTickCandles } from "./drawnScripts.ts"
import { PlainPositions } from "./plainPositions.ts"

const market: MatcherMarket = {
  lot: 0,
  takerRate: 0,
  makerRate: 0,
  feePerFill: 0,
  slippageRate: 0,
  entrySpread: 0,
  leverage: 1,
  canShort: true
}

const noTags = [null]
const cash = 1_000_000

interface Pair {
  matcher: Matcher
  readonly plain: PlainPositions
  readonly random: Random
  readonly seen: Map<string, number>
}

const part = (value: number): ExitLevel => ({ kind: "fraction", value })

const drawExits = (random: Random): AttachedExits | null => {
  if (random.next() < 0.2) return null
  const perhaps = <A>(make: () => A): A | null => (random.next() < 0.5 ? make() : null)
  return {
    stopLoss: perhaps(() => part(random.pick([0.02, 0.05, 0.1]))),
    takeProfit: perhaps(() => part(random.pick([0.02, 0.05, 0.1]))),
    trailingStop: perhaps(() => ({
      distance: part(random.pick([0.03, 0.08])),
      activation: perhaps(() => part(random.pick([0, 0.02])))
    })),
    breakEven: perhaps(() => ({
      activation: part(random.pick([0.01, 0.03])),
      offsetRate: random.pick([0, 0.005])
    }))
  }
}

const drawOrder = (random: Random, near: number): MatcherExit => {
  const type = random.pick(["market", "limit", "limit", "stop"] as const)
  const level = Math.max(2, Math.round((near + random.normal() * 5) * 2) / 2)
  return {
    side: random.pick([1, 1, -1] as const),
    quantity: random.pick([0.5, 1, 2, 4]),
    limit: type === "limit" ? level : null,
    stop: type === "stop" ? level : null,
    expiresAfter: random.pick([null, null, 1, 5]),
    isImmediate: type === "limit" && random.next() < 0.2,
    endsWithPosition: random.next() < 0.6,
    groupId: random.pick([undefined, undefined, 1, 2])
  }
}

const act = ({ matcher, plain, random }: Pair, near: number): void => {
  const order = drawOrder(random, near)
  const placedAt = plain.index
  const roll = random.next()
  const lot = plain.lots.length === 0 ? undefined : random.pick(plain.lots)
  if (roll < 0.45) {
    const exits = drawExits(random)
    const id = matcher.placeEntry(0, order, exits)
    plain.place({ ...order, id, leg: "entry", exits, placedAt })
  } else if (roll < 0.8) {
    const lotId = random.pick([undefined, lot?.id, 1])
    const side = random.next() < 0.8 && lot !== undefined ? (lot.side === 1 ? -1 : 1) : order.side
    const exit: MatcherExit = { ...order, side, ...(lotId !== undefined && { lotId }) }
    const id = matcher.placeExit(0, exit, "signal")
    plain.place({ ...exit, id, leg: "exit", exits: null, placedAt })
  } else if (roll < 0.9 && plain.orders.length > 0) {
    const { id } = random.pick(plain.orders)
    assert.isTrue(matcher.withdraw(0, id))
    plain.withdraw(id)
  } else if (lot !== undefined) {
    const level = random.pick([undefined, null, near - lot.side * random.integer(1, 6)])
    const levels = { stop: level, target: random.pick([undefined, null, near + lot.side * 4]) }
    matcher.protectLot(0, lot.id, levels)
    plain.protect(lot.id, levels)
  }
}

const toldOf = (row: MatcherRow): ReadonlyArray<string | number> => {
  if (row.kind === "opened") return ["opened", row.orderId, row.quantity, row.price]
  if (row.kind === "closed") return [row.exitReason, row.lotId, row.quantity, row.exitPrice]
  return row.kind === "ended" ? [row.outcome, row.order.id, row.reason] : [row.kind]
}

const compare = ({ matcher, plain, seen }: Pair, said: string): void => {
  const told = matcher.drain(noTags).map(toldOf)
  assert.deepStrictEqual(told, plain.told, said)
  for (const row of told) {
    const what = String(typeof row[2] === "string" ? row[2] : row[0])
    seen.set(what, (seen.get(what) ?? 0) + 1)
  }
  plain.told = []
  assert.deepStrictEqual(
    matcher.lots(0, noTags).map(({ id, position, stopLoss, takeProfit }) => ({
      id,
      quantity: Math.abs(position.quantity),
      side: position.quantity > 0 ? 1 : -1,
      entryPrice: position.entryPrice,
      stop: stopLoss,
      target: takeProfit
    })),
    plain.lots.map(({ entryPrice, id, quantity, side, stop, target }) => ({
      id,
      quantity,
      side,
      entryPrice,
      stop,
      target
    })),
    said
  )
  assert.deepStrictEqual(
    matcher.resting(0).map(({ id }) => id),
    plain.orders.map(({ id }) => id),
    said
  )
  assert.closeTo(matcher.cash, plain.cash, 1e-6, said)
}

const whatIsSeen = [
  "opened",
  "signal",
  "stop_loss",
  "take_profit",
  "trailing_stop",
  "break_even",
  "another of its group was filled",
  "the position that it adds to is closed",
  "there is no position to reduce",
  "there is no more to reduce",
  "it was not filled in time"
]

describe("positions that grow and shrink", () => {
  for (const netting of ["average", "hedging"] as const) {
    it(`are on a matcher what plain objects say, with lots that are ${netting}`, () => {
      const seen = new Map<string, number>()
      for (const { random, seed } of draws(`plain positions, ${netting}`, 1000)) {
        const columns = drawTickCandles(random, 60)
        const matcher = Matcher.open(cash, [market], { netting })
        const plain = new PlainPositions(cash, netting === "average")
        const pair: Pair = { matcher, plain, random, seen }
        for (let index = 0; index < columns.length; index++) {
          const candle = {
            market: 0,
            time: columns.time[index]!,
            open: columns.open[index]!,
            high: columns.high[index]!,
            low: columns.low[index]!,
            close: columns.close[index]!
          }
          pair.matcher.show([candle])
          plain.show(candle)
          compare(pair, `${seed}, candle ${index}`)
          while (random.next() < 0.5) act(pair, candle.close)
          compare(pair, `${seed}, after candle ${index}`)
          if (random.next() < 0.05) pair.matcher = Matcher.restore(pair.matcher.snapshot())
        }
      }
      const all = netting === "average" ? [...whatIsSeen, "a position is open"] : whatIsSeen
      for (const what of all) assert.isAbove(seen.get(what) ?? 0, atLeast(50), what)
    })
  }
})
