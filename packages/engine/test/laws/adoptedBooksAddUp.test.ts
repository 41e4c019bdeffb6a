import { assert, describe, it } from "@effect/vitest"
import { equityOf, makeMatchingAccount } from "../../src/kernel/account.ts"
import { adoptHoldings, bookValueOf } from "../../src/kernel/adoptHoldings.ts"
import { closeCandles, openCandles, showFill, showPayment } from "../../src/kernel/mirror.ts"
import { type Random } from "../../src/kernel/random.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const capital = 10_000
const markets = [0, 1, 2]

const priceOf = (random: Random) => 50 + random.next() * 100
const sideOf = (random: Random) => random.pick([1, -1] as const)

const drawHolding = (random: Random) =>
  random.next() < 0.4
    ? null
    : { quantity: sideOf(random) * (1 + random.next() * 20), entryPrice: priceOf(random) }

describe("books that took over what another says", () => {
  it("hold just that, and add up: capital, results, adjustments and what is open", () => {
    let adoptedCount = 0
    let keptCount = 0
    for (const { number, random } of draws("adopted", 100)) {
      const account = makeMatchingAccount(capital, markets.length)
      let adjusted = 0
      for (let step = 0; step < 60; step += 1) {
        const time = step * 3_600_000
        const candles = markets.map((market) => {
          const close = priceOf(random)
          return { market, time, open: close, high: close, low: close, close }
        })
        openCandles(account, candles)
        const market = random.pick(markets)
        const chance = random.next()
        if (chance < 0.6) {
          showFill(account, {
            orderId: `${step}`,
            market,
            leg: "entry",
            side: sideOf(random),
            quantity: 1 + random.next() * 10,
            price: priceOf(random),
            fee: random.next(),
            index: step,
            time,
            effect: "open",
            closed: null
          })
        } else if (chance < 0.8) {
          showPayment(account, { market, time, amount: random.next() - 0.5 })
        } else {
          const before = structuredClone(account)
          const positions = markets.map(() => drawHolding(random))
          const cash = random.next() * 2 * capital
          adjusted += adoptHoldings(account, { cash, positions }, time)
          adoptedCount += 1
          assert.strictEqual(account.ledger.cash, cash)
          account.books.forEach(({ position }, at) => {
            const held = positions[at] ?? null
            const own = before.books[at]!.position
            assert.deepStrictEqual(
              position && { quantity: position.quantity, entryPrice: position.entryPrice },
              held
            )
            if (own === null || position === null) return
            if (own.quantity > 0 !== position.quantity > 0) return
            assert.strictEqual(position.entryTime, own.entryTime)
            assert.strictEqual(position.entryFees, own.entryFees)
            keptCount += 1
          })
          const { cash: _was, ...totals } = before.ledger
          assert.deepInclude(account.ledger, totals, "nothing was traded")
          assert.strictEqual(
            adoptHoldings(structuredClone(account), { cash, positions }, time),
            0,
            "a second time changes nothing"
          )
        }
        closeCandles(account, candles)
        const owed = capital + account.ledger.realizedPnl + adjusted
        assert.closeTo(bookValueOf(account), owed, 1e-6, `${number}, step ${step}`)
        const unrealized = account.books.reduce(
          (sum, { lastClose, position }) =>
            position === null
              ? sum
              : sum + position.quantity * (lastClose! - position.entryPrice) - position.entryFees,
          0
        )
        assert.closeTo(equityOf(account), owed + unrealized, 1e-6, `${number}, step ${step}`)
      }
    }
    assert.isAbove(adoptedCount, atLeast(500))
    assert.isAbove(keptCount, atLeast(100))
  })
})
