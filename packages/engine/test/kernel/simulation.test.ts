/**
 * The assumptions of a backtest: each sentence of docs/simulation.md as a test.
 */
import { assert, describe, it } from "@effect/vitest"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import {
  type Bar,
  fraction,
  hourMs,
  runOne,
  type Scripted,
  type Setting
} from "../traps/scripted.ts"

interface Case extends Omit<Scripted & Setting, "long" | "exitLong" | "exitShort" | "timeAt"> {
  /** Candles at whose close an entry is signalled. */
  readonly enter?: ReadonlyArray<number>
  /** Candles at whose close an exit is, whatever is held. */
  readonly exit?: ReadonlyArray<number>
  readonly spacingMs?: number
}

const run = ({ enter = [], exit = [], spacingMs = hourMs, ...one }: Case) =>
  runOne({
    ...one,
    long: enter,
    exitLong: exit,
    exitShort: exit,
    timeAt: (index) => index * spacingMs
  })

/** Entry and exit of the only closed position. */
const only = (one: Case) => {
  const { closed } = run(one)
  assert.strictEqual(closed.length, 1, "one position is closed")
  const { entryIndex, entryPrice, exitIndex, exitPrice, exitReason, isAmbiguous } = closed[0]!
  return { entryIndex, entryPrice, exitIndex, exitPrice, exitReason, isAmbiguous }
}

const flat: Bar = [100, 100, 100, 100]

describe("when things happen", () => {
  it("executes at the open of the next candle what is decided at a close", () => {
    const bars: ReadonlyArray<Bar> = [flat, [101, 105, 101, 104], [103, 106, 102, 105], flat]
    const { fills } = run({ bars, enter: [0], exit: [1] })
    assert.deepStrictEqual(
      fills.map(({ index, price }) => [index, price]),
      [
        [1, 101],
        [2, 103]
      ]
    )
  })

  it("executes at the same close with fill: close", () => {
    const bars: ReadonlyArray<Bar> = [flat, [101, 105, 101, 104], [103, 106, 102, 105]]
    const { fills } = run({ bars, enter: [0], exit: [1], fill: "close" })
    assert.deepStrictEqual(
      fills.map(({ index, price }) => [index, price]),
      [
        [0, 100],
        [1, 104]
      ]
    )
  })

  it("fills a stop that the open has passed at the open", () => {
    const bars: ReadonlyArray<Bar> = [flat, flat, [90, 92, 88, 91]]
    assert.deepInclude(only({ bars, enter: [0], exits: { stopLoss: fraction(0.05) } }), {
      exitPrice: 90,
      exitReason: "stop_loss"
    })
  })

  it("fills a stop that is touched inside at its own price", () => {
    const bars: ReadonlyArray<Bar> = [flat, flat, [99, 99, 90, 91]]
    assert.strictEqual(
      only({ bars, enter: [0], exits: { stopLoss: fraction(0.05) } }).exitPrice,
      95
    )
  })

  it("fills a limit that the open has passed at the open, better", () => {
    const bars: ReadonlyArray<Bar> = [flat, [97, 99, 96, 98], flat]
    const { fills } = run({ bars, enter: [0], entry: { type: "limit", offsetRate: 0.01 } })
    assert.strictEqual(fills[0]?.price, 97)
  })

  it("fills a limit that is touched inside at its own price", () => {
    const bars: ReadonlyArray<Bar> = [flat, [100, 101, 98, 100], flat]
    const { fills } = run({ bars, enter: [0], entry: { type: "limit", offsetRate: 0.01 } })
    assert.strictEqual(fills[0]?.price, 99)
  })

  it("slips market and stop fills against you and lets targets be", () => {
    const spec = { slippageRate: 0.01, makerRate: 0.001, takerRate: 0.002 }
    const up: ReadonlyArray<Bar> = [flat, flat, [104, 120, 104, 119]]
    const won = run({ bars: up, enter: [0], exits: { takeProfit: fraction(0.1) }, spec })
    assert.deepStrictEqual(
      won.fills.map(({ price, fee }) => [price, fee]),
      [
        [101, 101 * 0.002],
        [101 * 1.1, 101 * 1.1 * 0.001]
      ]
    )
    const down: ReadonlyArray<Bar> = [flat, flat, [99, 99, 80, 80]]
    const lost = run({ bars: down, enter: [0], exits: { stopLoss: fraction(0.1) }, spec })
    assert.closeTo(lost.fills[1]!.price, 101 * 0.9 * 0.99, 1e-9)
  })

  it("lets the stop count where one candle touches stop and target, and tells the better reading", () => {
    const bars: ReadonlyArray<Bar> = [flat, flat, [100, 112, 88, 100]]
    const simulation = run({
      bars,
      enter: [0],
      exits: { stopLoss: fraction(0.1), takeProfit: fraction(0.1) }
    })
    const [closed] = simulation.closed
    assert.strictEqual(closed?.exitReason, "stop_loss")
    assert.isTrue(closed?.isAmbiguous)
    assert.closeTo(closed.pnl, -10, 1e-9)
    assert.closeTo(closed.bestPathPnl, 10, 1e-9)
    assert.strictEqual(simulation.ambiguousCount, 1)
  })

  it("fills the target at an open beyond it, although the stop is touched later", () => {
    const bars: ReadonlyArray<Bar> = [flat, flat, [115, 116, 80, 90]]
    assert.deepInclude(
      only({ bars, enter: [0], exits: { stopLoss: fraction(0.1), takeProfit: fraction(0.1) } }),
      { exitPrice: 115, exitReason: "take_profit", isAmbiguous: false }
    )
  })

  it("has protective exits live on the entry candle after a market entry", () => {
    const bars: ReadonlyArray<Bar> = [flat, [100, 101, 90, 95], flat]
    assert.deepInclude(only({ bars, enter: [0], exits: { stopLoss: fraction(0.05) } }), {
      entryIndex: 1,
      exitIndex: 1,
      exitPrice: 95
    })
  })

  it("has protective exits live from the next candle on after a limit or stop entry", () => {
    for (const type of ["limit", "stop"] as const) {
      const bars: ReadonlyArray<Bar> = [flat, [100, 103, 90, 95], [95, 96, 94, 95]]
      const simulation = run({
        bars,
        enter: [0],
        entry: { type, offsetRate: 0.02 },
        exits: { stopLoss: fraction(0.03) }
      })
      assert.deepStrictEqual(
        simulation.fills.map(({ index }) => index),
        [1, 2],
        type
      )
      assert.strictEqual(simulation.fills[1]?.price, 95, type)
    }
  })

  it("has protective exits live from the next candle on with fill: close", () => {
    const bars: ReadonlyArray<Bar> = [
      [100, 110, 80, 100],
      [100, 100, 80, 90]
    ]
    assert.deepInclude(
      only({ bars, enter: [0], exits: { stopLoss: fraction(0.1) }, fill: "close" }),
      { entryIndex: 0, exitIndex: 1, exitPrice: 90 }
    )
  })

  it("raises a trailing stop after it was checked", () => {
    const trailingStop = { distance: fraction(0.1), activation: null }
    const bars: ReadonlyArray<Bar> = [flat, flat, [100, 120, 100, 118], [110, 111, 105, 106]]
    // Raised to 108 by the high of 120 only after that candle's low of 100 was looked at.
    assert.deepInclude(only({ bars, enter: [0], exits: { trailingStop } }), {
      exitIndex: 3,
      exitPrice: 108,
      exitReason: "trailing_stop"
    })
  })

  it("moves the stop to the entry once the price has gone far enough", () => {
    const bars: ReadonlyArray<Bar> = [flat, flat, [100, 106, 100, 105], [104, 104, 95, 96]]
    assert.deepInclude(
      only({
        bars,
        enter: [0],
        exits: {
          stopLoss: fraction(0.1),
          breakEven: { activation: fraction(0.05), offsetRate: 0 }
        }
      }),
      { exitPrice: 100, exitReason: "break_even" }
    )
  })

  it("drops an entry decided while a position is open", () => {
    const bars = Array.from({ length: 6 }, (): Bar => flat)
    assert.strictEqual(run({ bars, enter: [0, 1, 2] }).fills.length, 1)
  })

  it("turns a position whose exit is decided at the same close", () => {
    const bars = Array.from({ length: 5 }, (): Bar => flat)
    const { fills } = run({ bars, enter: [0], short: [2], exit: [2] })
    // Exit and entry of the short at once cancel each other; with the exit of the long alone it
    // turns.
    assert.deepStrictEqual(
      fills.map(({ side }) => side),
      [1, -1]
    )
  })

  it("lets signals both ways on one candle cancel each other", () => {
    const bars = Array.from({ length: 4 }, (): Bar => flat)
    assert.strictEqual(run({ bars, enter: [0], short: [0] }).fills.length, 0)
    assert.strictEqual(run({ bars, enter: [0], exit: [0] }).fills.length, 0)
  })

  it("decides at the close of the last candle of the time limit, and fills as any exit does", () => {
    const bars = Array.from({ length: 8 }, (): Bar => flat)
    const one = { bars, enter: [0], plan: { timeLimit: 3 } }
    assert.deepInclude(only(one), { entryIndex: 1, exitIndex: 5, exitReason: "time_limit" })
    assert.deepInclude(only({ ...one, fill: "close" }), { entryIndex: 0, exitIndex: 3 })
  })

  it("waits for the cooldown before it enters again", () => {
    const bars = Array.from({ length: 12 }, (): Bar => flat)
    const every = Array.from({ length: 12 }, (_, index) => index)
    const { fills } = run({
      bars,
      enter: every,
      plan: { timeLimit: 1, cooldown: 3 }
    })
    const entries = fills.filter(({ leg }) => leg === "entry").map(({ index }) => index)
    assert.deepStrictEqual(entries, [1, 7])
  })

  it("ends a resting entry that is not filled in time", () => {
    const bars = Array.from({ length: 6 }, (): Bar => flat)
    const { ended, fills } = run({
      bars,
      enter: [0],
      entry: { type: "limit", offsetRate: 0.05, expiresAfter: 2 }
    })
    assert.strictEqual(fills.length, 0)
    assert.deepStrictEqual(
      ended.map(({ outcome }) => outcome),
      ["expired"]
    )
  })
})

describe("money", () => {
  it("pays fees on both sides on notional", () => {
    const bars: ReadonlyArray<Bar> = [flat, flat, [110, 110, 110, 110], flat]
    const simulation = run({ bars, enter: [0], exit: [1], spec: { takerRate: 0.01 } })
    assert.closeTo(simulation.closed[0]!.fees, 1 + 1.1, 1e-9)
    assert.closeTo(simulation.ledger.cash, 100_000 + 10 - 2.1, 1e-9)
  })

  it("cuts a size to what cash allows, on the lot, and never spends what is not there", () => {
    const bars: ReadonlyArray<Bar> = [flat, [150, 150, 150, 150], flat]
    const { fills, ledger } = run({
      bars,
      enter: [0],
      capital: 1000,
      plan: { sizing: { type: "equity_fraction", fraction: 1 } },
      spec: { lot: 0.5, takerRate: 0.01 }
    })
    assert.strictEqual(fills[0]?.quantity, 6.5)
    assert.isAtLeast(ledger.cash, 0)
  })

  it("orders nothing below the minimum notional", () => {
    const bars = Array.from({ length: 3 }, (): Bar => flat)
    assert.strictEqual(run({ bars, enter: [0], spec: { minNotional: 101 } }).fills.length, 0)
    assert.strictEqual(run({ bars, enter: [0], spec: { minNotional: 100 } }).fills.length, 1)
  })

  it("takes shorts only where the market allows them", () => {
    const bars = Array.from({ length: 3 }, (): Bar => flat)
    assert.strictEqual(run({ bars, short: [0], spec: { canShort: false } }).fills.length, 0)
    assert.strictEqual(run({ bars, short: [0] }).fills.length, 1)
  })

  it("liquidates before a stop that lies beyond the price at which equity is gone", () => {
    const bars: ReadonlyArray<Bar> = [flat, flat, [100, 300, 100, 300]]
    assert.deepInclude(
      only({
        bars,
        short: [0],
        capital: 100,
        exits: { stopLoss: fraction(1.5) }
      }),
      { exitReason: "liquidation", exitPrice: 200 }
    )
  })

  it("closes at the last close, or reports open, what is open at the end", () => {
    const bars: ReadonlyArray<Bar> = [flat, flat, [100, 105, 100, 104]]
    assert.deepInclude(only({ bars, enter: [0], endOfData: "close" }), {
      exitPrice: 104,
      exitReason: "end_of_data"
    })
    const open = run({ bars, enter: [0], endOfData: "open" })
    assert.strictEqual(open.closed.length, 0)
    assert.lengthOf(open.open, 1)
  })
})

describe("the risk gate in a backtest", () => {
  const every = Array.from({ length: 80 }, (_, index) => index)
  const falling = Array.from({ length: 80 }, (_, index): Bar => {
    const close = 100 - index
    return [close, close, close, close]
  })

  it("halts entries at the drawdown cap to the end", () => {
    const simulation = run({
      bars: falling,
      enter: every,
      capital: 100,
      plan: { timeLimit: 1 },
      limits: { ...noRiskLimits, drawdownMax: 0.05 }
    })
    assert.strictEqual(simulation.gate.state, "halted")
    assert.strictEqual(simulation.gateChanges.length, 1)
    assert.isAtMost(Math.max(...simulation.fills.map(({ index }) => index)), 12)
  })

  it("stops entries after a daily loss until the next UTC day", () => {
    const simulation = run({
      bars: falling,
      enter: every,
      capital: 1000,
      plan: { timeLimit: 1 },
      limits: { ...noRiskLimits, dailyLossMax: 0.003 }
    })
    const days = simulation.gateChanges.map(({ state, time }) => [
      state,
      Math.floor(time / 86_400_000)
    ])
    assert.deepStrictEqual(days.slice(0, 3), [
      ["reducing", 0],
      ["active", 1],
      ["reducing", 1]
    ])
  })
})

/** The table of candles that other engines test with: entry at 5000, the open of candle 1. */
const table: ReadonlyArray<{
  readonly name: string
  readonly one: Case
  readonly exitIndex: number
  readonly exitPrice: number
}> = [
  {
    name: "a stop of 1 % inside a candle",
    one: {
      bars: [
        [5000, 5000, 5000, 5000],
        [5000, 5025, 4975, 4987],
        [4987, 5012, 4600, 4600]
      ],
      enter: [0],
      exits: { stopLoss: fraction(0.01) }
    },
    exitIndex: 2,
    exitPrice: 4950
  },
  {
    name: "stop and target in one candle, stop first",
    one: {
      bars: [
        [5000, 5000, 5000, 5000],
        [5000, 5025, 4975, 4987],
        [4987, 5750, 4850, 5750]
      ],
      enter: [0],
      exits: { stopLoss: fraction(0.02), takeProfit: fraction(0.06) }
    },
    exitIndex: 2,
    exitPrice: 4900
  },
  {
    name: "a target of 3 % before a stop of 2 %",
    one: {
      bars: [
        [5000, 5000, 5000, 5000],
        [5000, 5025, 4975, 4987],
        [4987, 5300, 4950, 5050]
      ],
      enter: [0],
      exits: { stopLoss: fraction(0.02), takeProfit: fraction(0.03) }
    },
    exitIndex: 2,
    exitPrice: 5150
  },
  {
    name: "a trailing stop of 10 % that the high has raised",
    one: {
      bars: [
        [5000, 5000, 5000, 5000],
        [5000, 5050, 4950, 5000],
        [5000, 5250, 4750, 4850],
        [4850, 5050, 4650, 4750]
      ],
      enter: [0],
      exits: { trailingStop: { distance: fraction(0.1), activation: null } }
    },
    exitIndex: 3,
    exitPrice: 4725
  },
  {
    name: "a trailing stop that the open has passed, at the open and not at the stop",
    one: {
      bars: [
        [5000, 5000, 5000, 5000],
        [5000, 5050, 4950, 5000],
        [5100, 5251, 5100, 5100],
        [4850, 5050, 4650, 4750]
      ],
      enter: [0],
      exits: { trailingStop: { distance: fraction(0.03), activation: fraction(0.05) } }
    },
    exitIndex: 3,
    exitPrice: 4850
  },
  {
    name: "a trailing stop that the open has passed, for a short",
    one: {
      bars: [
        [5000, 5000, 5000, 5000],
        [5000, 5050, 4950, 5000],
        [4890, 4890, 4749, 4890],
        [5150, 5350, 4950, 4950]
      ],
      short: [0],
      exits: { trailingStop: { distance: fraction(0.03), activation: fraction(0.05) } }
    },
    exitIndex: 3,
    exitPrice: 5150
  },
  {
    name: "a target on the entry candle",
    one: {
      bars: [
        [5000, 5000, 5000, 5000],
        [5000, 5100, 4950, 5100]
      ],
      enter: [0],
      exits: { takeProfit: fraction(0.01) }
    },
    exitIndex: 1,
    exitPrice: 5050
  },
  {
    name: "a stop on the entry candle",
    one: {
      bars: [
        [5000, 5000, 5000, 5000],
        [5000, 5100, 4600, 5100]
      ],
      enter: [0],
      exits: { stopLoss: fraction(0.05) }
    },
    exitIndex: 1,
    exitPrice: 4750
  },
  {
    name: "a stop on the candle of the exit signal",
    one: {
      bars: [
        [5000, 5000, 5000, 5000],
        [5000, 5025, 4975, 4987],
        [4987, 5012, 4986, 5010],
        [5010, 5010, 4855, 5010],
        [5010, 5010, 5010, 5010]
      ],
      enter: [0],
      exit: [3],
      exits: { stopLoss: fraction(0.01) }
    },
    exitIndex: 3,
    exitPrice: 4950
  },
  {
    name: "an exit signal before the stop of the next candle",
    one: {
      bars: [
        [5000, 5000, 5000, 5000],
        [5000, 5025, 4975, 4987],
        [4987, 5012, 4986, 5010],
        [5010, 5010, 4986, 5010],
        [5010, 5010, 4855, 4995]
      ],
      enter: [0],
      exit: [3],
      exits: { stopLoss: fraction(0.01) }
    },
    exitIndex: 4,
    exitPrice: 5010
  },
  {
    name: "a target of a limit entry below the open, not on the same candle",
    one: {
      bars: [
        [5000, 5000, 5000, 5000],
        [5000, 5500, 4951, 4999],
        [5000, 5100, 4990, 5050]
      ],
      enter: [0],
      entry: { type: "limit", offsetRate: 0.0096 },
      exits: { takeProfit: fraction(0.01) }
    },
    exitIndex: 2,
    exitPrice: 5001.52
  },
  {
    name: "a buy stop that the open has passed",
    one: {
      bars: [
        [290, 290, 290, 290],
        [291.5, 292.5, 291.5, 291.5],
        [291, 291, 280, 281]
      ],
      enter: [0],
      entry: { type: "stop", offsetRate: 0.5 / 290 },
      exits: { stopLoss: fraction(0.02) }
    },
    exitIndex: 2,
    exitPrice: 291.5 * 0.98
  }
]

describe("the table of candles", () => {
  for (const { name, one, exitIndex, exitPrice } of table) {
    it(name, () => {
      const seen = only(one)
      assert.strictEqual(seen.exitIndex, exitIndex)
      assert.closeTo(seen.exitPrice, exitPrice, 1e-6)
    })
  }

  it("no trade where a limit is never reached", () => {
    const bars: ReadonlyArray<Bar> = [
      [5000, 5000, 5000, 5000],
      [5000, 5050, 4950, 5000],
      [5000, 5050, 4950, 5000]
    ]
    const entry = { type: "limit", offsetRate: 0.16 } as const
    assert.strictEqual(run({ bars, enter: [0], entry }).fills.length, 0)
  })
})
