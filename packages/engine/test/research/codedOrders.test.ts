/**
 * Orders that code places: how they fill, what limits them, and what is refused.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  backtest,
  type BacktestOptions,
  candles,
  type CodeContext,
  type CodeDecision,
  type CodedOrder,
  define,
  fractionOf
} from "../../src/research/index.ts"
import { refusal } from "./refusal.ts"

const hourMs = 3_600_000
const start = Date.UTC(2024, 0, 1)

/** Candles that go from close to close, and reach no farther. */
const walk = (...closes: ReadonlyArray<number>) =>
  candles(
    closes.map((close, index) => {
      const open = closes[index - 1] ?? close
      const [high, low] = [Math.max(open, close), Math.min(open, close)]
      return { time: start + index * hourMs, open, high, low, close, volume: 1_000 }
    })
  )

const free = {
  fees: { maker: 0, taker: 0 },
  slippage: 0,
  endOfData: "open",
  market: { tick: 0.01, lot: 0.01 }
} as const satisfies BacktestOptions

const noLimits = {
  max_drawdown: 0.9,
  risk_per_trade: 0.9,
  max_exposure: 1,
  daily_loss: 0.9,
  is_stop_loss_mandatory: false
} as const

type Lots = "average" | "first_in_first_out" | "by_name"

/** Code that says something at some candles, by the hour. */
const script = (
  says: Readonly<Record<number, CodeDecision | ((context: CodeContext) => CodeDecision | null)>>,
  parts: object = {},
  lots: Lots = "by_name"
) =>
  define({
    name: "script",
    symbols: ["BTC/USD"],
    timeframe: "1h",
    lots,
    ...parts,
    onCandle: (context: CodeContext) => {
      const said = says[(context.candle().time - start) / hourMs]
      return typeof said === "function" ? said(context) : said
    }
  })

const buy = (more: Partial<CodedOrder> = {}): CodedOrder => ({ side: "buy", quantity: 1, ...more })
const sell = (more: Partial<CodedOrder> = {}): CodedOrder => ({ ...buy(more), side: "sell" })

const linesOf = (given: ReturnType<typeof backtest>) =>
  given.fills.map(
    ({ index, leg, price, quantity, side }) =>
      `${index} ${side === 1 ? "buy" : "sell"} ${quantity} at ${price} ${leg}`
  )

describe("orders of code", () => {
  it("reverse at market, reduce at rest, and add on the side of the position", () => {
    const turning = script({
      0: { orders: [buy({ quantity: 2 })] },
      1: { orders: [buy({ quantity: 1, tag: "more" })] },
      2: { orders: [sell({ quantity: 1, limit: 105 })] },
      5: { orders: [sell({ quantity: 6 })] },
      6: { orders: [buy({ quantity: undefined, sizing: { type: "fixed_quantity", quantity: 4 } })] }
    })
    const result = backtest(walk(100, 100, 101, 103, 106, 106, 106, 100), turning, {
      ...free,
      market: { ...free.market, canShort: true }
    })
    assert.deepStrictEqual(linesOf(result), [
      "1 buy 2 at 100 entry",
      "2 buy 1 at 100 entry",
      "4 sell 1 at 105 take_profit",
      "6 sell 1 at 106 exit",
      "6 sell 1 at 106 exit",
      "6 sell 4 at 106 entry",
      "7 buy 4 at 106 exit",
      "7 buy 4 at 106 entry"
    ])
    assert.deepStrictEqual(
      result.open.map(({ direction, quantity }) => [direction, quantity]),
      [["long", 4]]
    )
  })

  it("close lots by name, and the oldest first without one", () => {
    const open = { orders: [buy({ tag: "first" }), buy({ tag: "second", quantity: 2 })] }
    const left = (lot: string | undefined, portion: number) =>
      backtest(
        walk(100, 100, 110, 110, 110),
        script({ 0: open, 2: { close: { lot, portion } } }),
        free
      )
        .fills.filter(({ side }) => side === -1)
        .map(({ lot: closed, quantity }) => [closed?.split(".")[1], quantity])
    assert.deepStrictEqual(left("second", 0.5), [["second", 1]])
    assert.deepStrictEqual(left("second", 1), [["second", 2]])
    assert.deepStrictEqual(left(undefined, 0.5), [
      ["first", 1],
      ["second", 0.5]
    ])
    const byOrder = backtest(
      walk(100, 100, 110, 110),
      script({ 0: open, 1: { orders: [sell({ lot: "second", limit: 105, quantity: 1.5 })] } }),
      free
    )
    assert.deepStrictEqual(linesOf(byOrder).slice(2), ["2 sell 1.5 at 105 take_profit"])
  })

  it("move and take away the levels of a lot, or of all", () => {
    const exits = { stop_loss: fractionOf(0.1), take_profit: fractionOf(0.04) }
    const seen: Array<unknown> = []
    const protecting = script(
      {
        0: { orders: [buy({ tag: "low" }), buy({ tag: "high" })] },
        1: {
          protect: [
            { lot: "low", stop: 99, target: null },
            { lot: "high", target: 120 }
          ]
        },
        2: ({ lots }) => {
          seen.push(...lots.map(({ stop, tag, target }) => [tag, stop, target]))
          return { protect: { stop: 98, target: null } }
        },
        3: ({ lots }) => {
          seen.push(...lots.map(({ stop, tag, target }) => [tag, stop, target]))
          return null
        }
      },
      { exits }
    )
    const result = backtest(walk(100, 100, 110, 110, 97), protecting, free)
    assert.deepStrictEqual(seen, [
      ["low", 99, null],
      ["high", 90, 120],
      ["low", 98, null],
      ["high", 98, null]
    ])
    assert.deepStrictEqual(linesOf(result).slice(2), [
      "4 sell 1 at 98 stop_loss",
      "4 sell 1 at 98 stop_loss"
    ])
  })

  it("fill one of a group, end with their position, and end at their time", () => {
    const group = script({
      0: {
        orders: [
          buy({ stop: 105, group: "entry", tag: "up" }),
          sell({ limit: 120, group: "entry", tag: "down" }),
          buy({ limit: 90, tag: "late", until: start + 3 * hourMs }),
          buy({ limit: 89, tag: "short_lived", expiresAfter: 2 })
        ].toSorted(({ side }) => (side === "sell" ? 1 : 0))
      }
    })
    // Entries both ways in one answer need one group.
    const { errors } = refusal(() => backtest(walk(100, 100), group, free))
    assert.strictEqual(errors[0]?.code, "contradiction")
    const alone = script({
      0: {
        orders: [
          buy({ stop: 105, group: "entry", tag: "up" }),
          sell({ limit: 120, group: "entry", tag: "down" })
        ]
      },
      2: {
        orders: [
          buy({ limit: 90, tag: "late", until: start + 4 * hourMs }),
          buy({ limit: 89, tag: "short_lived", expiresAfter: 1 }),
          buy({ limit: 80, tag: "now", isImmediate: true }),
          buy({ limit: 88, tag: "add", endsWithPosition: true })
        ]
      },
      3: { close: {} }
    })
    const result = backtest(walk(100, 100, 106, 106, 106, 85, 125), alone, {
      ...free,
      market: { ...free.market, canShort: true }
    })
    assert.deepStrictEqual(linesOf(result), ["2 buy 1 at 105 entry", "4 sell 1 at 106 exit"])
    const ended = result.ended.map(({ orderId, outcome }) => [orderId.split(".")[1], outcome])
    assert.sameDeepMembers(ended, [
      ["down", "cancelled"],
      ["now", "expired"],
      ["late", "expired"],
      ["short_lived", "expired"],
      ["add", "cancelled"]
    ])
  })

  it("are taken back by tag, and all at once", () => {
    const resting: Array<ReadonlyArray<string>> = []
    const note = ({ orders }: CodeContext): null => {
      resting.push(orders.map(({ tag }) => tag))
      return null
    }
    const placing = {
      orders: [buy({ limit: 90, tag: "one" }), buy({ limit: 80, tag: "two" }), buy({ limit: 70 })]
    }
    const taking = script({
      0: placing,
      1: { cancel: ["one"] },
      2: note,
      3: { cancel: true },
      4: note
    })
    backtest(walk(100, 100, 100, 100, 100), taking, free)
    assert.deepStrictEqual(resting, [["two", "base"], []])
  })

  it("keep to the limits, the cash, the lot and the permissions of their market", () => {
    const orders = [
      buy({ quantity: 60 }),
      buy({ quantity: 0.001, tag: "small" }),
      buy({ limit: 50, quantity: 100, tag: "rest" })
    ]
    const greedy = script({ 0: { orders } })
    const cut = backtest(walk(100, 100, 40), greedy, free)
    assert.deepStrictEqual(linesOf(cut), ["1 buy 60 at 100 entry", "2 buy 80 at 50 entry"])
    assert.strictEqual(cut.tooSmallCount, 1)
    const capped = backtest(walk(100, 100, 40), greedy, {
      ...free,
      risk: { ...noLimits, max_exposure: 0.5 }
    })
    assert.deepStrictEqual(linesOf(capped), ["1 buy 50 at 100 entry"])
    const misplaced = script({
      0: { orders: [buy({ exits: { stopLoss: { kind: "price", value: 101 } } })] }
    })
    assert.strictEqual(backtest(walk(100, 100), misplaced, free).misplacedStopCount, 1)
    const short = backtest(walk(100, 100), script({ 0: { orders: [sell()] } }), {
      ...free,
      market: { ...free.market, canShort: false }
    })
    assert.deepStrictEqual(linesOf(short), [])
  })

  it("wait for a cooldown, and are taken back when the gate shuts", () => {
    const again = script(
      { 0: { orders: [buy()] }, 1: { close: {} }, 2: { orders: [buy()] }, 4: { orders: [buy()] } },
      {
        reentry: { cooldown: 2 }
      }
    )
    const result = backtest(walk(100, 100, 100, 100, 100, 100), again, free)
    assert.deepStrictEqual(linesOf(result), [
      "1 buy 1 at 100 entry",
      "2 sell 1 at 100 exit",
      "5 buy 1 at 100 entry"
    ])
    const halted = script({
      0: { orders: [buy({ quantity: 50 }), buy({ limit: 60, tag: "deep" })] }
    })
    const shut = backtest(walk(100, 100, 70, 55), halted, {
      ...free,
      risk: { ...noLimits, max_drawdown: 0.1 }
    })
    assert.deepStrictEqual(linesOf(shut), ["1 buy 50 at 100 entry"])
  })

  it("are never held both ways, and give way to a signal the other way", () => {
    const shorts = { ...free, market: { ...free.market, canShort: true } }
    const sellAbove = { orders: [sell({ limit: 105, tag: "above" })] }
    const parts = { sizing: { type: "fixed_quantity", quantity: 2 } }
    const signalled = script({ 0: sellAbove, 1: { enterLong: true } }, parts)
    const ordered = script({ 0: sellAbove, 1: { orders: [buy({ quantity: 2 })] } })
    for (const strategy of [signalled, ordered]) {
      const result = backtest(walk(100, 100, 100, 106, 106), strategy, shorts)
      assert.deepStrictEqual(linesOf(result), ["2 buy 2 at 100 entry"])
    }
    const kept = script({ 0: sellAbove, 1: { exitLong: true } }, parts)
    const result = backtest(walk(100, 100, 100, 106, 106), kept, shorts)
    assert.deepStrictEqual(linesOf(result), ["3 sell 1 at 105 entry"])
  })

  it("see cash and equity", () => {
    const seen: Array<readonly [number, number]> = []
    const looking = script({
      0: { orders: [buy({ quantity: 10 })] },
      2: ({ cash, equity }) => {
        seen.push([cash, equity])
        return null
      }
    })
    backtest(walk(100, 100, 110), looking, free)
    const plain = define({
      name: "plain",
      symbols: ["BTC/USD"],
      timeframe: "1h",
      sizing: { type: "fixed_quantity", quantity: 10 },
      onCandle: ({ cash, equity, position }) => {
        if (position !== null) seen.push([cash, equity])
        return { enterLong: position === null }
      }
    })
    const { equity } = backtest(walk(100, 100, 110, 120), plain, free)
    assert.deepStrictEqual(seen, [
      [9_000, 10_100],
      [9_000, 10_000],
      [9_000, 10_100],
      [9_000, 10_200]
    ])
    assert.deepStrictEqual(Array.from(equity.subarray(1)), [10_000, 10_100, 10_200])
  })
})

describe("an answer that is no order", () => {
  const faultOf = (decision: unknown, lots: Lots | undefined = "by_name", before = {}) => {
    const strategy = script({ 0: before, 2: decision as CodeDecision }, { lots })
    const { errors } = refusal(() => backtest(walk(100, 100, 100), strategy, free))
    return [errors[0]?.pointer, errors[0]?.code]
  }
  const order = (more: object) => ({ orders: [{ side: "buy", quantity: 1, ...more }] })
  const held = { orders: [buy({ tag: "first" })] }

  const cases: ReadonlyArray<
    readonly [told: string, decision: unknown, pointer: string, code: string]
  > = [
    ["no list", { orders: {} }, "/orders", "wrong_type"],
    ["no object", { orders: [1] }, "/orders/0", "wrong_type"],
    ["an unknown field", order({ price: 1 }), "/orders/0/price", "unknown_field"],
    ["no side", { orders: [{ quantity: 1 }] }, "/orders/0/side", "wrong_type"],
    ["a quantity that is NaN", order({ quantity: Number.NaN }), "/orders/0/quantity", "wrong_type"],
    ["a limit as text", order({ limit: "90" }), "/orders/0/limit", "wrong_type"],
    ["a stop below zero", order({ stop: -1 }), "/orders/0/stop", "out_of_bounds"],
    [
      "a life in parts of candles",
      order({ limit: 90, expiresAfter: 1.5 }),
      "/orders/0/expiresAfter",
      "wrong_type"
    ],
    ["a life at market", order({ expiresAfter: 2 }), "/orders/0/expiresAfter", "contradiction"],
    [
      "an immediate stop",
      order({ stop: 110, isImmediate: true }),
      "/orders/0/isImmediate",
      "contradiction"
    ],
    [
      "a flag as a number",
      order({ endsWithPosition: 1 }),
      "/orders/0/endsWithPosition",
      "wrong_type"
    ],
    [
      "two sizes",
      order({ sizing: { type: "fixed_notional", notional: 1 } }),
      "/orders/0/sizing",
      "contradiction"
    ],
    [
      "an exit that is NaN",
      order({ exits: { stopLoss: { kind: "price", value: Number.NaN } } }),
      "/orders/0/exits",
      "wrong_type"
    ],
    [
      "a size of nothing",
      { orders: [{ side: "buy", sizing: { type: "equity_fraction", fraction: 0 } }] },
      "/orders/0/sizing/fraction",
      "out_of_bounds"
    ],
    [
      "a size below zero",
      { orders: [buy(), { side: "buy", sizing: { type: "equity_fraction", fraction: -1 } }] },
      "/orders/1/sizing/fraction",
      "out_of_bounds"
    ],
    [
      "a size that is NaN",
      { orders: [{ side: "buy", sizing: { type: "fixed_quantity", quantity: Number.NaN } }] },
      "/orders/0/sizing/quantity",
      "unknown_size"
    ],
    [
      "a risk without a stop",
      { orders: [{ side: "buy", sizing: { type: "risk_per_trade", fraction: 0.01 } }] },
      "/orders/0/sizing/type",
      "stop_loss_required"
    ],
    [
      "an unknown field of a size",
      { orders: [{ side: "buy", sizing: { type: "equity_fraction", fraction: 0.5, of: 1 } }] },
      "/orders/0/sizing/of",
      "unknown_field"
    ],
    [
      "an unknown field of a level",
      order({ exits: { stopLoss: { kind: "price", value: 90, offset: 1 } } }),
      "/orders/0/exits/stopLoss/offset",
      "unknown_field"
    ],
    ["a date", order({ limit: 90, until: new Date() }), "/orders/0/until", "wrong_type"],
    ["a tag with a space", order({ tag: "my tag" }), "/orders/0/tag", "wrong_type"],
    [
      "an unknown lot",
      { orders: [{ side: "sell", lot: "second" }] },
      "/orders/0/lot",
      "unknown_lot"
    ],
    [
      "the side of a lot",
      { orders: [{ side: "buy", lot: "first" }] },
      "/orders/0/side",
      "contradiction"
    ],
    ["an unknown lot to close", { close: { lot: "second" } }, "/close/lot", "unknown_lot"],
    ["a portion above one", { close: [{ portion: 2 }] }, "/close/0/portion", "out_of_bounds"],
    [
      "an unknown lot to protect",
      { protect: { lot: "second", stop: 1 } },
      "/protect/lot",
      "unknown_lot"
    ],
    ["a stop that is NaN", { protect: { stop: Number.NaN } }, "/protect/stop", "wrong_type"],
    ["an unknown order", { cancel: "second" }, "/cancel", "unknown_order"],
    ["a number for a tag", { cancel: [1] }, "/cancel/0", "wrong_type"],
    ["an unknown name", { order: [] }, "/order", "unknown_field"]
  ]
  for (const [told, decision, pointer, code] of cases) {
    it(`is refused with ${told}`, () => {
      assert.deepStrictEqual(faultOf(decision, "by_name", held), [`/decision${pointer}`, code])
    })
  }

  it("is an order where its risk has a stop, its own or that of the strategy", () => {
    const sizing = { type: "risk_per_trade", fraction: 0.01 } as const
    const own = { stopLoss: { kind: "fraction", value: 0.1 } } as const
    const says = (exits?: CodedOrder["exits"]) => ({
      0: { orders: [{ side: "buy", sizing, exits }] } as const
    })
    const held = [script(says(own)), script(says(), { exits: { stop_loss: fractionOf(0.1) } })]
    for (const strategy of held) {
      const result = backtest(walk(100, 100, 100), strategy, free)
      assert.deepStrictEqual(linesOf(result), ["1 buy 10 at 100 entry"])
    }
  })

  it("is told which type a time has", () => {
    const dated = script({
      0: { orders: [buy({ limit: 90, until: new Date(start) as never })] }
    })
    const { errors } = refusal(() => backtest(walk(100, 100), dated, free))
    assert.include(errors[0]?.message, "epoch milliseconds")
  })

  it("is refused where the strategy has no lots, or one alone", () => {
    const plain = define({
      name: "plain",
      symbols: ["BTC/USD"],
      timeframe: "1h",
      onCandle: () => ({ orders: [buy()] })
    })
    const { errors } = refusal(() => backtest(walk(100, 100), plain, free))
    assert.deepInclude(errors[0], { pointer: "/decision/orders", code: "required" })
    assert.deepStrictEqual(faultOf({ close: { lot: "base" } }, "average", { orders: [buy()] }), [
      "/decision/close/lot",
      "contradiction"
    ])
  })

  it("is refused where it takes a name of the definition's own orders", () => {
    const parts = {
      safety_orders: { count: 2, distance: 0.02, distance_factor: 1, size_factor: 1 }
    }
    const strategy = script({ 0: { orders: [buy({ tag: "safety0" })] } }, parts, "average")
    const { errors } = refusal(() => backtest(walk(100, 100), strategy, free))
    assert.deepInclude(errors[0], { pointer: "/decision/orders/0/tag", code: "reserved_name" })
  })
})
