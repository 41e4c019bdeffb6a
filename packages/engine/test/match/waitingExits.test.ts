/**
 * An exit may fill in part by a candle's volume. Its rest waits, and so does an entry that would
 * meet the lots which the exit leaves.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Matcher } from "../../src/match/Matcher.ts"
import type { MatcherExit } from "../../src/match/MatcherOrder.ts"
import { addition, candle, held, market, noTags, order, told } from "./heldMatcher.ts"

const shared = { ...market, volumeShare: { max: 0.5, slippageRate: 0 } }

/** Candles of which an order gets half a unit. */
const thin = (nth: number, open = 100) => ({ ...candle(nth, open), volume: 1 })

const exit: MatcherExit = { ...order, side: -1 }

const showAll = (matcher: Matcher, ...candles: ReadonlyArray<Parameters<Matcher["show"]>[0][0]>) =>
  candles.map((one) => {
    matcher.show([one])
    return told(matcher.drain(noTags))
  })

describe("an exit of more than is held", () => {
  it("goes on after a part, and is told to be over once nothing is left to reduce", () => {
    const matcher = held(null, "average", shared)
    const id = matcher.placeExit(0, { ...exit, quantity: 3 }, "signal")
    assert.deepStrictEqual(showAll(matcher, thin(2), thin(3)), [
      [["signal", 1, 0.5, 100]],
      [
        ["cancelled", id, "there is no more to reduce"],
        ["signal", 1, 0.5, 100]
      ]
    ])
    assert.deepStrictEqual(matcher.resting(0), [])
  })
})

describe("an entry that is decided together with an exit", () => {
  for (const netting of ["single", "average", "hedging"] as const) {
    it(`waits until the exit is filled, with lots that are ${netting}`, () => {
      const matcher = held(null, netting, shared)
      matcher.placeExit(0, exit, "signal")
      const id = matcher.placeEntry(0, { ...order, side: -1, quantity: 0.25 }, null)
      assert.deepStrictEqual(showAll(matcher, thin(2), thin(3, 110)), [
        [["signal", 1, 0.5, 100]],
        [
          ["signal", 1, 0.5, 110],
          ["opened", id, 0.25, 110]
        ]
      ])
    })

    it(`waits with a price too, with lots that are ${netting}`, () => {
      const matcher = held(null, netting, shared)
      matcher.placeExit(0, exit, "signal")
      const id = matcher.placeEntry(0, { ...order, side: -1, quantity: 0.25, limit: 95 }, null)
      const other = { ...order, side: -1, limit: 90, isImmediate: true } as const
      const immediate = matcher.placeEntry(0, other, null)
      assert.deepStrictEqual(showAll(matcher, thin(2), thin(3, 110)), [
        [
          ["signal", 1, 0.5, 100],
          ["expired", immediate, "it was not filled in time"]
        ],
        [
          ["signal", 1, 0.5, 110],
          ["opened", id, 0.25, 110]
        ]
      ])
    })
  }

  it("waits where fills are those of a close", () => {
    const matcher = held(null, "hedging", shared)
    matcher.placeExit(0, exit, "signal")
    const id = matcher.placeEntry(0, { ...order, side: -1, quantity: 0.25 }, null)
    matcher.matchClose(0, 1)
    assert.deepStrictEqual(told(matcher.drain(noTags)), [["signal", 1, 0.5, 100]])
    matcher.matchClose(0, 1)
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["signal", 1, 0.5, 100],
      ["opened", id, 0.25, 100]
    ])
  })

  it("waits no longer than the position is held that the exit leaves", () => {
    const stopLoss = { kind: "fraction", value: 0.05 } as const
    const exits = { stopLoss, takeProfit: null, trailingStop: null, breakEven: null }
    const matcher = held(exits, "single", shared)
    const rest = matcher.placeExit(0, exit, "signal")
    const id = matcher.placeEntry(0, { ...order, side: -1, quantity: 0.25 }, null)
    const falling = { ...candle(2, 100, 94), volume: 1 }
    assert.deepStrictEqual(showAll(matcher, falling, thin(3, 94)), [
      [
        ["signal", 1, 0.5, 100],
        ["stop_loss", 1, 0.5, 95]
      ],
      [
        ["rejected", rest, "there is no position to reduce"],
        ["opened", id, 0.25, 94]
      ]
    ])
  })

  it("fills beside the rest where its lot is of the same side, as additions do", () => {
    for (const [netting, entry] of [
      ["hedging", order],
      ["average", addition]
    ] as const) {
      const matcher = held(null, netting, shared)
      matcher.placeExit(0, exit, "signal")
      const id = matcher.placeEntry(0, { ...entry, quantity: 0.25 }, null)
      assert.deepStrictEqual(showAll(matcher, thin(2)), [
        [
          ["signal", 1, 0.5, 100],
          ["opened", id, 0.25, 100]
        ]
      ])
    }
  })
})
