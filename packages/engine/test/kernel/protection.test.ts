/**
 * Stops that move: they follow the price, and never give way.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  type AttachedExits,
  type ExitLevel,
  type Protection,
  protect,
  raise,
  stopAfter,
  stopOnceTrailing
} from "../../src/kernel/protection.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { fraction, noExits } from "../traps/scripted.ts"

const distance = (value: number): ExitLevel => ({ kind: "distance", value })
const trailing = (value: number, activation: ExitLevel | null = null) => ({
  trailingStop: { distance: distance(value), activation }
})
const breakEven = (activation: number, offsetRate = 0) => ({
  breakEven: { activation: distance(activation), offsetRate }
})

/** The exits of a position that was opened at 100. */
const opened = (exits: Partial<AttachedExits>, side: 1 | -1 = 1): Protection =>
  protect({ id: "entry", side }, { ...noExits, ...exits }, 100, 1, 0)

/** The stop and its reason at the entry, and after the candle of each of these extremes. */
const stopsOf = (exits: Partial<AttachedExits>, best: ReadonlyArray<number>) => {
  const long = opened(exits)
  const short = opened(exits, -1)
  const told = ({ stop, stopReason }: Protection) => `${stop} ${stopReason}`
  const stops = [told(long)]
  for (const price of best) {
    raise(long, price, price - 1)
    stops.push(told(long))
    raise(short, 201 - price, 200 - price)
    assert.closeTo(short.stop!, 200 - long.stop!, 1e-9, "a short is the mirror of a long")
  }
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
    assert.deepStrictEqual(stopsOf({ ...trailing(2), ...breakEven(5, 0.01) }, [104, 106, 103]), [
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
      [opened(trailing(150)).stop, opened({ stopLoss: fraction(1.5) }).stop],
      [null, null]
    )
  })

  it("never gives way, whatever the exits and the candles", () => {
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
      const protection = opened(exits, side)
      let price = 100
      for (let candle = 0; candle < 30; candle++) {
        price += 4 * random.normal()
        const { stop } = protection
        const ahead = stopAfter(protection, price)
        raise(protection, price, price)
        const where = `seed ${seed}, candle ${candle}`
        assert.strictEqual(protection.stop, ahead, where)
        if (stop === null) continue
        assert.isAtLeast((protection.stop! - stop) * side, 0, where)
      }
    }
  })
})

describe("a stop that is raised on the way to a price", () => {
  it("is none where what trails stays behind the stop in force", () => {
    const protection = opened({ stopLoss: distance(2), ...trailing(10) })
    assert.isNull(stopOnceTrailing(protection, 100, 107))
    assert.isNull(stopOnceTrailing(opened({ ...trailing(2), ...breakEven(5, -0.05) }), 100, 100))
  })

  it("begins at the stop in force where it passes that on the way", () => {
    const protection = opened({ stopLoss: distance(2), ...trailing(10) })
    assert.strictEqual(stopOnceTrailing(protection, 100, 112), 98)
  })
})
