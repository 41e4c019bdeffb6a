/**
 * Examples of the parts that make a position a ladder, for the page of the strategy format.
 */
import type { Rule, Series, StrategyDefinition } from "@candlewick/core"

type Part = Partial<StrategyDefinition>

const close: Series = { type: "price", field: "close" }
const average: Series = { type: "sma", period: 20 }
const strength: Series = { type: "rsi", period: 14 }
const isAboveAverage: Rule = { type: "above", left: close, right: average }
const isWeak: Rule = { type: "below", left: strength, right: { type: "constant", value: 30 } }
const isStrong: Rule = { type: "above", left: strength, right: { type: "constant", value: 70 } }
const profitable = { take_profit: { type: "fraction", value: 0.1 } } as const
const stopped = { stop_loss: { type: "fraction", value: 0.05 } } as const

/** Entry orders besides those at a distance for some candles. */
export const orderExamples: ReadonlyArray<Part> = [
  { entry: { type: "limit", offset: 0.01 } },
  { entry: { type: "limit", level: { type: "lowest", of: close, period: 20 } } },
  { entry: { type: "stop_limit", offset: 0.01, limit_offset: 0.002, expires_after: 5 } },
  { entry: { type: "stop", offset: 0.01, until: "2030-01-01T00:00:00.000Z" } },
  { entry: { type: "limit", offset: 0.001, immediate: true } },
  {
    entry: {
      type: "one_cancels_other",
      orders: [
        { type: "stop", offset: 0.01, expires_after: 3 },
        { type: "limit", offset: 0.02, expires_after: 3 }
      ]
    }
  }
]

/** Positions that are built and left in parts. */
export const ladderExamples: ReadonlyArray<Part> = [
  {
    additions: [
      { name: "dip", against: 0.03, sizing: { type: "scaled", of: "first", factor: 2 } },
      { name: "rise", in_favour: 0.03 },
      { name: "weak", enter: isWeak, times: 3 }
    ]
  },
  { safety_orders: { count: 5, distance: 0.01, distance_factor: 1.5, size_factor: 2 } },
  {
    targets: [
      { at: { type: "fraction", value: 0.03 }, portion: 0.5, stop: "entry" },
      { at: { type: "fraction", value: 0.06 }, portion: 0.5 }
    ]
  },
  { reductions: [{ when: isStrong, portion: 0.5 }] },
  { lots: "average", additions: [{ name: "dip", against: 0.03 }] },
  {
    lots: "by_name",
    exits_of: "lot",
    additions: [{ name: "dip", against: 0.03, exits: stopped }],
    reductions: [{ when: isStrong, portion: 1, lot: "dip" }]
  },
  {
    lots: "by_name",
    additions: [{ name: "dip", against: 0.03, exits: profitable }],
    exits: stopped
  },
  {
    lots: "first_in_first_out",
    exits_of: "position",
    additions: [{ name: "dip", against: 0.03 }],
    exits: stopped
  },
  {
    long: { enter: isAboveAverage, exits: stopped },
    short: { enter: isWeak },
    exits: { time_limit: 48 }
  },
  {
    long: {
      enter: isAboveAverage,
      entry: { type: "stop", level: { type: "highest", of: close, period: 20 } },
      sizing: { type: "equity_fraction", fraction: 0.5 },
      targets: [{ at: { type: "fraction", value: 0.05 }, portion: 0.5 }]
    },
    short: { enter: isWeak, reductions: [{ when: isAboveAverage, portion: 0.5 }] }
  },
  { overlap: true, max_positions: 3 }
]

/** The parts that stand in place of rules. */
export const ruleless: ReadonlyArray<Part> = [
  { grid: { lower: 20_000, upper: 30_000, lines: 20, spacing: "geometric" }, exits: stopped },
  { rebalance: { weight: 0.5, band: 0.05 } },
  { rebalance: { weight: 0.5, band: 0, when: { type: "weekdays", days: ["monday"] } } }
]

/** The place of each name, and its exact meaning. */
export const ladderFields: ReadonlyArray<ReadonlyArray<string>> = [
  [
    "`entry`, `exits`, `sizing`, `additions`, `safety_orders`, `targets`, `reductions`",
    "at the top, or in `long` or `short`, where it takes the place of the one at the top, whole"
  ],
  [
    "`additions`",
    "1 to 20 further entries into an open position, each with a `name`. The rule `enter` enters at each close at which it holds, up to `times`. Or an order enters once, which rests the fraction `against` (limit) or `in_favour` (stop) away from the first entry price. `entry` is the order of one by a rule. `sizing` may be `scaled`: `factor` times the notional `of` the `first` or the `last` entry. Without it the position's sizing holds. `exits` of its own take the place of the common ones, whole: the lot has no time limit where they name none. Only lots with exits of their own may have them. Additions end with the position"
  ],
  [
    "`safety_orders`",
    "limit orders that average the position. Let `distance` be d, `distance_factor` s and `size_factor` m. Order k of `count` (from 0) rests at first entry price × (1 − d·(1 + s + … + s^k)), above it for a short. It is worth the first entry times m^k"
  ],
  [
    "`targets`",
    "1 to 10 limit orders that only reduce: `portion` of the largest size that the position had, `at` a distance from the average entry price. `stop` moves the stop of the position once the target has filled: to the average `entry` price, or to the `previous_target`"
  ],
  [
    "`reductions`",
    "1 to 10 rules: where `when` holds, `portion` of the position is closed at the next open. A `lot` that is named (`base` is the first entry) limits it to that lot, and needs `lots` to be `by_name`"
  ],
  [
    "`lots`",
    "`average`: all entries of a position are one lot at the average price. `first_in_first_out` and `by_name` keep each entry as a lot with exits of its own. Where neither additions nor orders of code make a second lot, `lots` changes no fill, and a sweep goes candle by candle"
  ],
  [
    "`exits_of`",
    "the exits of lots that are kept apart. By default they are of each `lot`, from its own entry price; or of the `position`, from the average"
  ],
  [
    "`overlap`",
    "`true`: an entry opens a further position while one is open, up to `max_positions`, which it needs. Each position is a lot with exits of its own. It goes with no other part of a ladder"
  ],
  [
    "`grid`",
    "in place of rules, long only. Of n `lines`, line i lies at lower + (upper − lower)·i/(n − 1), or at lower·(upper/lower)^(i/(n − 1)), as `spacing` is `arithmetic` or `geometric`. Each line but the highest buys with a limit order and sells one line above. `sizing` is applied to each line: a fraction of equity is shared by the n − 1 lines"
  ],
  [
    "`rebalance`",
    "in place of rules. At closes at which `when` holds, the bot brings the position back to `weight` of equity where it is off by more than `band`"
  ]
]
