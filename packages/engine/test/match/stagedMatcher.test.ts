/**
 * A matcher that goes by stages equals the simulator's matching to the digit, over markets that
 * share cash. That covers fills, orders that ended and why, funding, cash, equity and results of
 * other paths.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  type CandleInput,
  cancelOrder,
  committedNotionalOf,
  equityOf,
  makeMatchingAccount,
  makeOutcome,
  type MatchingAccount,
  type MatchOutcome,
  openNotionalOf,
  placeOrder
} from "../../src/kernel/account.ts"
import { floorToLot, roundToLot } from "../../src/kernel/fill.ts"
import { addRow } from "../../src/kernel/matcherRows.ts"
import { matchAtClose, matchCandles, moveProtection } from "./plain/matching.ts"
import type { Random } from "../../src/kernel/random.ts"
import { Matcher } from "../../src/match/Matcher.ts"
import { atLeast, draws } from "../../../../test/draws.ts"
import { candleAt, drawExits, drawMarket, type DrawnMarket, drawOrder } from "./drawnStages.ts"

const noTags = [null]

/** Both engines, and what was seen of them. */
interface Pair {
  account: MatchingAccount
  matcher: Matcher
  readonly markets: ReadonlyArray<DrawnMarket>
  ambiguousCount: number
  readonly seen: Map<string, number>
}

const note = ({ seen }: Pair, what: string): void => {
  seen.set(what, (seen.get(what) ?? 0) + 1)
}

const compareRows = (pair: Pair, outcome: MatchOutcome, said: string): void => {
  const { ended, fills, payments } = makeOutcome()
  for (const row of pair.matcher.drain(noTags))
    addRow({ ...outcome, ended, fills, payments }, row, String, false)
  // The simulator forgets which entry opened a position whose first stop was set later.
  const found = fills.map((fill, nth) => {
    const { orderId = "" } = outcome.fills[nth] ?? {}
    return orderId.startsWith("moved:") ? { ...fill, orderId } : fill
  })
  assert.deepStrictEqual(found, outcome.fills, said)
  assert.deepStrictEqual(ended, outcome.ended, said)
  assert.deepStrictEqual(payments, outcome.payments, said)
  for (const { closed } of fills) {
    if (closed === null) continue
    note(pair, closed.exitReason)
    if (closed.isAmbiguous) note(pair, "ambiguous")
  }
  for (const { reason } of outcome.ended) note(pair, reason)
  outcome.payments.forEach(() => note(pair, "funding"))
}

const compare = (pair: Pair, outcome: MatchOutcome, said: string): void => {
  compareRows(pair, outcome, said)
  const { account, matcher } = pair
  const { cash, feesPaid, fundingPaid, realizedPnl, turnover } = account.ledger
  assert.deepStrictEqual(
    [matcher.cash, matcher.feesPaid, matcher.fundingPaid, matcher.realizedPnl, matcher.turnover],
    [cash, feesPaid, fundingPaid, realizedPnl, turnover],
    said
  )
  assert.strictEqual(matcher.equity, equityOf(account), said)
  assert.strictEqual(matcher.ambiguousCount, pair.ambiguousCount, said)
  assert.strictEqual(matcher.isHeld, outcome.isHeld, said)
  assert.strictEqual(matcher.openNotional, openNotionalOf(account), said)
  account.books.forEach((_, market) => {
    assert.strictEqual(
      matcher.committedNotional(market),
      committedNotionalOf(account, market),
      said
    )
  })
  account.books.forEach(({ lastExitIndex, position, protection, wasStopped }, market) => {
    const [lot] = matcher.lots(market, noTags)
    assert.deepStrictEqual(lot?.position ?? null, position, said)
    assert.strictEqual(lot?.stopLoss ?? null, protection?.stop ?? null, said)
    assert.strictEqual(lot?.takeProfit ?? null, protection?.target ?? null, said)
    const last = lastExitIndex === null ? null : { index: lastExitIndex, wasStopped }
    assert.deepStrictEqual(matcher.lastExit(market), last, said)
  })
}

/** Orders one thing or another of both, in a market. */
const act = (pair: Pair, random: Random, market: number, near: number): void => {
  const { account, matcher } = pair
  const book = account.books[market]!
  const order = drawOrder(random, near)
  const roll = random.next()
  if (roll < 0.08) {
    const stop = Math.max(1, near + random.integer(-9, 3))
    const levels = random.pick([{ stop }, { target: near + 6 }, { stop, target: near + 3 }])
    moveProtection(account, market, levels)
    matcher.protect(market, levels)
  } else if (roll < 0.14 && book.orders.length > 0) {
    const { id } = random.pick(book.orders)
    assert.isTrue(cancelOrder(account, market, id))
    assert.isTrue(matcher.withdraw(market, Number(id)))
  } else if (roll < 0.4 && book.position !== null) {
    const side = random.next() < 0.9 && book.position.quantity > 0 ? -1 : 1
    const held = Math.abs(book.position.quantity)
    const { lot } = pair.markets[market]!.spec
    // The simulator turns a position of which less than a lot is left.
    const quantity = random.pick([
      held,
      floorToLot(held / 2, lot) || held,
      roundToLot(held + 1, lot)
    ])
    const reason = random.pick(["signal", "time_limit", "kill_switch"] as const)
    const exit = { ...order, side, quantity } as const
    const id = String(matcher.placeExit(market, exit, reason))
    placeOrder(account, market, { ...exit, id, leg: "exit", reason, attached: null })
  } else if (book.position === null || roll > 0.97) {
    const attached = drawExits(random)
    const id = String(matcher.placeEntry(market, order, attached))
    placeOrder(account, market, { ...order, id, leg: "entry", reason: "signal", attached })
  }
}

/** One time: its candles are shown to both, then both are told what to do. */
const step = (pair: Pair, random: Random, candles: ReadonlyArray<CandleInput>, said: string) => {
  const outcome = makeOutcome()
  const specs = pair.markets.map(({ spec }) => spec)
  matchCandles(pair.account, candles, specs, outcome)
  pair.ambiguousCount += outcome.ambiguousCount
  pair.matcher.show(candles)
  compare(pair, outcome, said)
  for (const { close, market, volume } of candles) {
    while (random.next() < 0.6) act(pair, random, market, close)
    if (random.next() > 0.2) continue
    const closing = { ...makeOutcome(), isHeld: outcome.isHeld }
    const withEntries = random.next() < 0.7
    const legs = withEntries ? (["exit", "entry"] as const) : (["exit"] as const)
    matchAtClose(pair.account, market, specs[market]!, closing, { legs, volume })
    pair.matcher.matchClose(market, volume, withEntries)
    compare(pair, closing, `${said}, close of ${market}`)
  }
}

const whatIsSeen = [
  "signal",
  "time_limit",
  "stop_loss",
  "take_profit",
  "trailing_stop",
  "break_even",
  "liquidation",
  "ambiguous",
  "funding",
  "a position is open",
  "there is no position to reduce",
  "there is no more to reduce",
  "this market can't be shorted",
  "the candle has too little volume",
  "there is not enough cash",
  "there is not enough cash for the rest",
  "there is not enough volume for the rest",
  "it is below the minimum notional",
  "not filled within 1 candles"
]

describe("a matcher that goes by stages", () => {
  it("fills, ends, pays and is worth what the simulator's matching says", () => {
    const seen = new Map<string, number>()
    for (const { random, seed } of draws("staged matchers", 1000)) {
      const cash = random.pick([150, 600, 3_000, 100_000])
      const markets = Array.from({ length: random.pick([1, 2, 3]) }, () => drawMarket(random, 60))
      const matcher = Matcher.open(
        cash,
        markets.map(({ spec }) => ({ ...spec, entrySpread: 0 }))
      )
      const account = makeMatchingAccount(cash, markets.length)
      const pair: Pair = { account, matcher, markets, ambiguousCount: 0, seen }
      for (let index = 0; index < 60; index++) {
        const candles = markets.flatMap((one, market) =>
          random.next() < 0.9 ? [candleAt(one, market, index)] : []
        )
        if (candles.length === 0) continue
        step(pair, random, candles, `${seed}, candle ${index}`)
        // A matcher is its bytes.
        if (random.next() < 0.05) pair.matcher = Matcher.restore(pair.matcher.snapshot())
      }
    }
    for (const what of whatIsSeen) assert.isAbove(seen.get(what) ?? 0, atLeast(50), what)
  })
})
