/**
 * Stops that move: they follow the price, and never give way.
 */
import { assert, describe, it } from "@effect/vitest"
import { SimulatedAccount } from "../../src/kernel/SimulatedAccount.ts"
import type { AttachedExits, ExitLevel } from "../../src/kernel/protection.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { fraction, freeMarket, hourMs, noExits } from "../traps/scripted.ts"

const distance = (value: number): ExitLevel => ({ kind: "distance", value })
const trailing = (value: number, activation: ExitLevel | null = null) => ({
  trailingStop: { distance: distance(value), activation }
})
const breakEven = (activation: number, offsetRate = 0) => ({
  breakEven: { activation: distance(activation), offsetRate }
})

/** An account with a position that was opened at 100. */
const opened = (exits: Partial<AttachedExits>, side: 1 | -1 = 1): SimulatedAccount => {
  const account = SimulatedAccount.open(100_000, [freeMarket])
  account.place(0, {
    id: "entry",
    side,
    type: "market",
    leg: "entry",
    quantity: 1,
    limit: null,
    stop: null,
    expiresAfter: null,
    reason: "signal",
    attached: { ...noExits, ...exits }
  })
  reach(account, 0, 100, 100)
  return account
}

/** Shows the account a candle between two prices. */
const reach = (account: SimulatedAccount, nth: number, from: number, to: number): void => {
  const [low, high] = from < to ? [from, to] : [to, from]
  account.show([{ market: 0, time: nth * hourMs, open: from, high, low, close: from }])
}

const protectionOf = (account: SimulatedAccount) => account.lots(0)[0]?.protection ?? null

/** The stop and its reason at the entry, and after the candle of each of these extremes. */
const stopsOf = (exits: Partial<AttachedExits>, best: ReadonlyArray<number>) => {
  const long = opened(exits)
  const short = opened(exits, -1)
  const told = (account: SimulatedAccount) => {
    const { stop, stopReason } = protectionOf(account)!
    return `${stop} ${stopReason}`
  }
  const stops = [told(long)]
  best.forEach((price, nth) => {
    reach(long, nth + 1, price - 0.5, price)
    stops.push(told(long))
    reach(short, nth + 1, 200.5 - price, 200 - price)
    const mirrored = 200 - protectionOf(long)!.stop!
    assert.closeTo(protectionOf(short)!.stop!, mirrored, 1e-9, "a short is the mirror of a long")
  })
  return stops
}

describe("the stop in force", () => {
  it("is the stop loss until a wider trailing stop has passed it", () => {
    assert.deepStrictEqual(
      stopsOf({ stopLoss: distance(2), ...trailing(10) }, [101, 107, 108, 109, 105]),
      [
        "98 stop_loss",
        "98 stop_loss",
        "98 stop_loss",
        "98 stop_loss",
        "99 trailing_stop",
        "99 trailing_stop"
      ]
    )
  })

  it("stays where the trailing stop is behind one that break-even has raised", () => {
    assert.deepStrictEqual(
      stopsOf({ stopLoss: distance(8), ...trailing(10), ...breakEven(5) }, [104, 105, 109, 111]),
      ["92 stop_loss", "94 trailing_stop", "100 break_even", "100 break_even", "101 trailing_stop"]
    )
  })

  it("stays where break-even would put it below one that has trailed farther", () => {
    assert.deepStrictEqual(stopsOf({ ...trailing(2), ...breakEven(5, 0.01) }, [104, 106, 105]), [
      "98 trailing_stop",
      "102 trailing_stop",
      "104 trailing_stop",
      "104 trailing_stop"
    ])
  })

  it("stays where an activated trailing stop begins behind it", () => {
    assert.deepStrictEqual(
      stopsOf({ stopLoss: distance(1), ...trailing(6, distance(3)) }, [102, 104, 106]),
      ["99 stop_loss", "99 stop_loss", "99 stop_loss", "100 trailing_stop"]
    )
  })

  it("is never put at a price that is none", () => {
    assert.deepStrictEqual(
      [trailing(150), { stopLoss: fraction(1.5) }].map(
        (exits) => protectionOf(opened(exits))?.stop ?? null
      ),
      [null, null]
    )
  })

  it("never gives way, whatever the exits and the candles", () => {
    let raisedCount = 0
    for (let seed = 0; seed < 200; seed++) {
      const random = makeRandom(`stops that hold ${seed}`)
      const drawn = () => distance(1 + 19 * random.next())
      const exits: Partial<AttachedExits> = {
        stopLoss: random.next() < 0.7 ? drawn() : null,
        trailingStop:
          random.next() < 0.7
            ? { distance: drawn(), activation: random.pick([null, drawn()]) }
            : null,
        breakEven: random.next() < 0.7 ? { activation: drawn(), offsetRate: 0.01 } : null
      }
      const side = random.pick([1, -1] as const)
      const account = opened(exits, side)
      let price = 100
      for (let candle = 1; candle <= 30; candle++) {
        const { stop } = protectionOf(account) ?? { stop: null }
        const last = price
        price += 4 * random.normal()
        reach(account, candle, last, price)
        const after = protectionOf(account)
        if (after === null) break
        if (stop === null) continue
        raisedCount += 1
        assert.isAtLeast((after.stop! - stop) * side, 0, `seed ${seed}, candle ${candle}`)
      }
    }
    assert.isAbove(raisedCount, 200)
  })
})
