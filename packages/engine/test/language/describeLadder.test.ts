import { assert, describe, it } from "@effect/vitest"
import { describeStrategy } from "../../src/language/describeStrategy.ts"
import { randomLadder } from "../../src/testing/randomLadder.ts"
import { enter, whole } from "./untypedStrategy.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const usual = new Set(describeStrategy(whole()))

/** The sentences that a strategy has and a plain one has not. */
const told = (changes: object): ReadonlyArray<string> =>
  describeStrategy(whole(changes)).filter((sentence) => !usual.has(sentence))

const rule = "the close is above the SMA(20)"
const fraction = (value: unknown) => ({ type: "fraction", value })

describe("the sentences of ladders", () => {
  it("tell a parameter that is not declared by its name", () => {
    assert.deepStrictEqual(told({ exits: { stop_loss: fraction({ parameter: "far" }) } }), [
      "Stop loss [far] against the entry price."
    ])
  })

  it.each<readonly [name: string, changes: object, sentences: ReadonlyArray<string>]>([
    [
      "orders and their lives",
      {
        entry: { type: "limit", level: { type: "sma", period: 5 }, until: "2030-01-01T00:00:00Z" }
      },
      ["Entries are limit orders at the SMA(5) and expire at 2030-01-01T00:00:00Z."]
    ],
    [
      "an order good till cancelled",
      { entry: { type: "stop_limit", offset: 0.01, limit_offset: 0.002 } },
      [
        "Entries are stop-limit orders 1 % from the last close (above it for a long)," +
          " with the limit 0.2 % beyond the stop, and rest until they are cancelled."
      ]
    ],
    [
      "an immediate order",
      { entry: { type: "limit", offset: 0, immediate: true } },
      [
        "Entries are limit orders 0 % from the last close (below it for a long)" +
          " and fill at the next open or end there."
      ]
    ],
    [
      "a group of orders",
      {
        entry: {
          type: "one_cancels_other",
          orders: [
            { type: "stop", offset: 0.01, expires_after: 1 },
            { type: "limit", offset: 0.02 }
          ]
        }
      },
      [
        "An entry is a group of orders of which the first that fills cancels the others:" +
          " a stop order 1 % from the last close (above it for a long) and expires after 1 candle;" +
          " a limit order 2 % from the last close (below it for a long)" +
          " and rests until it is cancelled."
      ]
    ],
    [
      "additions",
      {
        lots: "by_name",
        additions: [
          { name: "more", enter, times: 3, sizing: { type: "scaled", of: "last", factor: 2 } },
          { name: "dip", against: 0.05, exits: { take_profit: fraction(0.1) } }
        ]
      },
      [
        `Adds "more" to an open position, at most 3 times, when ${rule}, by a market order.`,
        'The addition "more" is worth 2 times the notional of the last entry of the position.',
        'The addition "dip" rests as a limit order 5 % against the first entry price of the position.',
        'The addition "dip" is sized as an entry is.',
        'For the lot "dip": takes profit 10 % beyond the entry price.',
        "Each entry is a lot of its own, and a reduction closes the lots that it names.",
        "Each lot has exits of its own, measured from its own entry price."
      ]
    ],
    [
      "exits of an addition, which replace the common ones",
      {
        lots: "by_name",
        additions: [
          { name: "dip", against: 0.05, exits: { take_profit: fraction(0.1) } },
          { name: "all", enter, exits: { stop_loss: fraction(0.2), time_limit: 3 } }
        ],
        exits: { stop_loss: fraction(0.05), time_limit: 9 }
      },
      [
        'The addition "dip" rests as a limit order 5 % against the first entry price of the position.',
        'The addition "dip" is sized as an entry is.',
        'For the lot "dip": takes profit 10 % beyond the entry price.',
        'Exits of its own replace the common ones for the lot "dip":' +
          " it has no stop loss and no time limit.",
        `Adds "all" to an open position, once, when ${rule}, by a market order.`,
        'The addition "all" is sized as an entry is.',
        'For the lot "all": stop loss 20 % against the entry price.',
        'For the lot "all": decides to exit at the close 3 candles after the entry candle\'s,' +
          " at the latest.",
        'Exits of its own replace the common ones for the lot "all".',
        "Each entry is a lot of its own, and a reduction closes the lots that it names.",
        "Each lot has exits of its own, measured from its own entry price.",
        "Stop loss 5 % against the entry price.",
        "Decides to exit at the close 9 candles after the entry candle's, at the latest."
      ]
    ],
    [
      "exits of an addition beside those of one side",
      {
        lots: "first_in_first_out",
        additions: [{ name: "more", enter, exits: { take_profit: fraction(0.1) } }],
        exits: { time_limit: 9 },
        long: { enter, exits: { trailing_stop: { distance: fraction(0.1) } } },
        short: { enter }
      },
      [
        `Enters short when ${rule}.`,
        ...["long", "short"].flatMap((side) => [
          `For a ${side}: adds "more" to an open position, once, when ${rule}, by a market order.`,
          `For a ${side}: the addition "more" is sized as an entry is.`,
          `For a ${side}: for the lot "more": takes profit 10 % beyond the entry price.`,
          side === "long"
            ? 'For a long: exits of its own replace the common ones for the lot "more":' +
              " it has no trailing stop."
            : 'For a short: exits of its own replace the common ones for the lot "more":' +
              " it has no time limit."
        ]),
        "Each entry is a lot of its own, and the oldest lot is closed first.",
        "Each lot has exits of its own, measured from its own entry price.",
        "For a long: a trailing stop follows the best price by 10 %, from the entry on.",
        "For a short: decides to exit at the close 9 candles after the entry candle's," +
          " at the latest."
      ]
    ],
    [
      "safety orders",
      { safety_orders: { count: 5, distance: 0.01, distance_factor: 1.5, size_factor: 2 } },
      [
        "Rests 5 safety orders as limit orders: the first 1 % against the first entry price" +
          " and of the notional of the first entry, each further distance 1.5 times the one before," +
          " each further notional 2 times the one before."
      ]
    ],
    [
      "targets",
      {
        targets: [
          { at: fraction(0.02), portion: 0.5, stop: "entry" },
          { at: fraction(0.04), portion: 0.5, stop: "previous_target" }
        ]
      },
      [
        "Target 1 closes 50 % of the largest size that the position had," +
          " 2 % beyond the average entry price.",
        "Once target 1 is filled, the stop of the position moves to the average entry price.",
        "Target 2 closes 50 % of the largest size that the position had," +
          " 4 % beyond the average entry price.",
        "Once target 2 is filled, the stop of the position moves to the price of target 1."
      ]
    ],
    [
      "reductions",
      { reductions: [{ when: enter, portion: 0.25, lot: "base" }] },
      [`Reduces the lot "base" by 25 % when ${rule}.`]
    ],
    [
      "parts of a side",
      {
        exits: { time_limit: 3 },
        long: { enter, exits: { stop_loss: fraction(0.1) } },
        short: { enter }
      },
      [
        `Enters short when ${rule}.`,
        "For a long: stop loss 10 % against the entry price.",
        "For a short: decides to exit at the close 3 candles after the entry candle's," +
          " at the latest."
      ]
    ],
    [
      "positions that overlap",
      { overlap: true, max_positions: 3 },
      ["Holds at most 3 positions at a time, several of one market among them."]
    ],
    [
      "positions that do not",
      { max_positions: 3 },
      ["Holds at most 3 positions at a time, one a market."]
    ],
    [
      "orders of code, which may have either side",
      {
        long: undefined,
        code: "mine",
        entry: { type: "limit", offset: 0.01, expires_after: 2 }
      },
      [
        'The code "mine" says when to enter and to exit.',
        "Entries are limit orders 1 % from the last close" +
          " (below it for a long, above it for a short) and expire after 2 candles."
      ]
    ],
    [
      "a grid",
      {
        long: undefined,
        grid: { lower: 100, upper: 200, lines: 11, spacing: "geometric" },
        exits: { stop_loss: fraction(0.1) }
      },
      [
        "A grid has 11 lines from 100 to 200, equal ratios apart.",
        "Each line but the highest buys with a limit order, and its lot is sold one line above.",
        "Stop loss 10 % below the lowest line, for all lots.",
        "All lines together use 100 % of equity."
      ]
    ],
    [
      "rebalancing",
      { long: undefined, rebalance: { weight: 0.5, band: 0.05, when: enter } },
      [
        "Holds each market at a weight of 50 % of equity.",
        "Orders the difference at the market when its weight is off by more than 5 % of equity," +
          ` at closes at which ${rule}.`
      ]
    ]
  ])("tell %s", (_, changes, sentences) => {
    assert.deepStrictEqual(told(changes), sentences)
  })
})

/** The same with the number at each place changed, one place at a time. */
const withEachNumberChanged = (value: unknown): ReadonlyArray<unknown> => {
  if (typeof value === "number") return [value * 2 + 1]
  if (typeof value !== "object" || value === null) return []
  if (Array.isArray(value)) {
    return value.flatMap((part, at) =>
      withEachNumberChanged(part).map((changed) => value.with(at, changed))
    )
  }
  return Object.entries(value).flatMap(([name, part]) =>
    withEachNumberChanged(part).map((changed) => ({ ...value, [name]: changed }))
  )
}

describe("a number of a ladder", () => {
  it("is told wherever it stands", () => {
    let toldCount = 0
    for (const { random } of draws("numbers of ladders", 100)) {
      const { format, parameters, symbols, ...parts } = randomLadder(random.next, { depth: 2 })
      const frame = { format, parameters, symbols }
      const before = describeStrategy({ ...frame, ...parts }).join("\n")
      for (const changed of withEachNumberChanged(parts)) {
        const definition = { ...frame, ...(changed as typeof parts) }
        assert.notStrictEqual(
          describeStrategy(definition).join("\n"),
          before,
          JSON.stringify(changed)
        )
        toldCount += 1
      }
    }
    assert.isAbove(toldCount, atLeast(500))
  })
})
