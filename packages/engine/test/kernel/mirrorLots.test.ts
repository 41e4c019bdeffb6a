/**
 * A bot keeps its own picture of positions that grow and shrink, from the reports that it gets. The
 * picture equals the matcher, to the digit.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  cancelOrder,
  makeMatchingAccount,
  makeOutcome,
  type MatchingAccount,
  type OrderRequest,
  placeOrder
} from "../../src/kernel/account.ts"
import { viewAccount } from "../../src/kernel/accountView.ts"
import { adoptHoldings, bookValueOf } from "../../src/kernel/adoptHoldings.ts"
import { SimulatedAccount } from "../../src/kernel/SimulatedAccount.ts"
import { floorToLot } from "../../src/kernel/fill.ts"
import {
  closeCandles,
  keepLots,
  openCandles,
  showEnded,
  showFill,
  showPayment
} from "../../src/kernel/mirror.ts"
import type { Random } from "../../src/kernel/random.ts"
import { atLeast, draws } from "../../../../test/draws.ts"
import {
  candleAt,
  drawExits,
  drawMarket,
  type DrawnMarket,
  drawOrder
} from "../match/drawnStages.ts"

interface Pair {
  readonly markets: ReadonlyArray<DrawnMarket>
  readonly own: MatchingAccount
  matcher: SimulatedAccount
  count: number
  readonly seen: Map<string, number>
}

const note = ({ seen }: Pair, what: string): void => {
  seen.set(what, (seen.get(what) ?? 0) + 1)
}

/** Shows the bot the news of the matcher. */
const tell = (pair: Pair): void => {
  const outcome = makeOutcome()
  pair.matcher.drain(outcome)
  for (const payment of outcome.payments) {
    note(pair, "funding")
    showPayment(pair.own, payment)
  }
  for (const fill of outcome.fills) {
    note(pair, fill.effect)
    const before = pair.own.ledger.realizedPnl
    showFill(pair.own, fill)
    if (fill.closed !== null) {
      assert.strictEqual(pair.own.ledger.realizedPnl, before + fill.closed.pnl)
    }
  }
  for (const ended of outcome.ended) showEnded(pair.own, ended)
}

const compare = ({ matcher, own }: Pair, said: string): void => {
  const view = viewAccount(own)
  assert.deepStrictEqual(own.ledger, matcher.ledger, said)
  assert.strictEqual(view.equity, matcher.equity, said)
  own.books.forEach((book, market) => {
    const theirs = matcher.book(market)
    assert.deepStrictEqual(book.position, theirs.position, said)
    assert.strictEqual(book.lastExitIndex, theirs.lastExitIndex, said)
    if (book.lastExitIndex !== null) assert.strictEqual(book.wasStopped, theirs.wasStopped, said)
    assert.strictEqual(view.committedNotional(market), matcher.committedNotional(market), said)
    assert.strictEqual(view.enteredBeside(market), matcher.enteredBeside(market), said)
    assert.sameMembers(
      book.orders.map(({ id }) => id),
      theirs.orders.map(({ id }) => id),
      said
    )
    const lots = book.lots?.map(({ id, position }) => [id, position.quantity, position.entryPrice])
    if (lots === undefined) return
    assert.deepStrictEqual(
      lots,
      matcher.lots(market).map((lot) => [lot.entryOrderId, lot.quantity, lot.entryPrice]),
      said
    )
  })
}

/** Orders one thing or another of both. */
const act = (pair: Pair, random: Random, market: number, near: number): void => {
  const { matcher, own } = pair
  const { orders, position } = own.books[market]!
  const drawn = drawOrder(random, near)
  const roll = random.next()
  const { index } = own.books[market]!
  if (roll < 0.1 && orders.length > 0) {
    const { id } = random.pick(orders)
    cancelOrder(own, market, id)
    matcher.cancel(market, id)
    return
  }
  const id = `o${pair.count++}`
  const place = (order: OrderRequest): void => {
    placeOrder(own, market, order)
    matcher.place(market, order)
  }
  const plain = { ...drawn, id, reason: "signal", attached: null } as const
  // Lots of both sides may come to nothing.
  if (roll < 0.45 && position !== null && position.quantity !== 0) {
    const held = Math.abs(position.quantity)
    const { lot } = pair.markets[market]!.spec
    const quantity = random.pick([held, floorToLot(held / 3, lot) || held])
    const named = random.next() < 0.4 ? matcher.lots(market)[0]?.entryOrderId : undefined
    const side = position.quantity > 0 ? -1 : 1
    const isBound = random.next() < 0.5
    place({
      ...plain,
      side,
      quantity,
      leg: "exit",
      ...(isBound && { endsWithPosition: true }),
      ...(named !== undefined && { lot: named })
    })
    return
  }
  const side = position === null ? drawn.side : position.quantity > 0 ? 1 : -1
  const isAddition = position !== null && random.next() < 0.7
  place({
    ...plain,
    side,
    leg: "entry",
    attached: drawExits(random),
    ...(isAddition && { endsWithPosition: true }),
    ...(random.next() < 0.4 && { group: `g${market}-${index}` })
  })
}

describe("a bot's picture of positions in parts", () => {
  it.each(["average", "hedging"] as const)("is what a matcher holds that nets by %s", (netting) => {
    const seen = new Map<string, number>()
    for (const { random, seed } of draws(`mirrored ${netting}`, 200)) {
      const markets = Array.from({ length: random.pick([1, 2, 3]) }, () => drawMarket(random, 50))
      const specs = markets.map(({ spec }) => spec)
      const cash = random.pick([600, 3_000, 100_000])
      const own = makeMatchingAccount(cash, markets.length)
      keepLots(own, netting === "hedging")
      const matcher = SimulatedAccount.open(cash, specs, netting)
      const pair: Pair = { markets, own, matcher, count: 0, seen }
      for (let index = 0; index < 50; index++) {
        const candles = markets.flatMap((one, market) =>
          random.next() < 0.9 ? [candleAt(one, market, index)] : []
        )
        if (candles.length === 0) continue
        openCandles(own, candles)
        pair.matcher.show(candles)
        tell(pair)
        closeCandles(own, candles)
        compare(pair, `${seed}, candle ${index}`)
        for (const { close, market } of candles) {
          while (random.next() < 0.6) act(pair, random, market, close)
        }
        if (random.next() < 0.1) pair.matcher = SimulatedAccount.restore(pair.matcher.snapshot())
      }
      const positions = own.books.map(({ position }, market) =>
        position === null ? null : { ...position, lots: pair.matcher.lots(market) }
      )
      const before = bookValueOf(own)
      const adopted = adoptHoldings(own, { cash: pair.matcher.ledger.cash, positions }, 0)
      assert.isAtMost(Math.abs(adopted), 1e-9 * Math.abs(before) + 1e-9, seed)
    }
    for (const what of ["open", "increase", "reduce", "close", "funding"]) {
      assert.isAbove(seen.get(what) ?? 0, atLeast(100), what)
    }
  })
})
