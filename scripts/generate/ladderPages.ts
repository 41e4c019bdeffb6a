/**
 * Pages of positions that are built and sold in parts: the formula of each, its JSON, and a run.
 *
 * The output on a page is the output of the run when the page was written.
 */
import { readFileSync } from "node:fs"
import { checkStrategy, describeStrategy, type StrategyDefinition } from "@candlewick/core"
import type { CandleColumns } from "@candlewick/engine/kernel"
import { backtest, type BacktestResult, candles } from "@candlewick/engine/research"
import { code, page } from "./markdown.ts"

const candleCount = 500

interface LadderPage {
  readonly path: string
  readonly title: string
  readonly intro: ReadonlyArray<string>
  readonly definition: StrategyDefinition
  readonly notes: ReadonlyArray<string>
}

const close = { type: "price", field: "close" } as const
const mean = { type: "sma", period: 50 } as const
const rises = { type: "crosses_above", left: close, right: mean } as const
const falls = { type: "crosses_below", left: close, right: mean } as const
const always = { type: "above", left: close, right: { type: "constant", value: 0 } } as const

const base = { format: 1, symbols: ["BTC/USD"], timeframe: "1d", parameters: {} } as const

const dca: LadderPage = {
  path: "docs/ladder-dca.md",
  title: "A DCA position",
  intro: [
    "A base order enters; safety orders rest below it, each farther and larger than the one before; one target above the average price sells everything. A short is the mirror of it.",
    "Let the first fill be at `P` with a base notional `B`, a distance `d`, a distance factor `s` and a size factor `m`. Safety order `k = 0, 1, …` then rests at `P × (1 − d × (1 + s + … + s^k))` with the notional `B × m^k`. Its quantity is that notional over its price, on the lot. `B` is the notional that `sizing` names, or the notional of the first fill where the size depends on more.",
    "The target counts from the average price, and moves with each fill from the next candle on."
  ],
  definition: {
    ...base,
    long: { enter: always },
    sizing: { type: "fixed_notional", notional: 600 },
    safety_orders: { count: 5, distance: 0.03, distance_factor: 1.4, size_factor: 1.5 },
    exits: { take_profit: { type: "fraction", value: 0.03 } }
  },
  notes: [
    "Safety orders rest from the close at which the position is open. Where a candle reaches the target and a safety order, the target counts, and resting orders are cancelled. Where it reaches a safety order on the way to a stop, or its open has passed one, the order fills first."
  ]
}

const grid: LadderPage = {
  path: "docs/ladder-grid.md",
  title: "A grid",
  intro: [
    "Each line buys where the price falls to it, and sells one line above. The highest line only sells.",
    "Line `i` of `n` lies at `lower + (upper − lower) × i / (n − 1)` where the spacing is arithmetic, and at `lower × (upper / lower)^(i / (n − 1))` where it is geometric, on the tick.",
    "At each close above a line that neither holds nor rests, a limit rests there. Its buy is sold at line `i + 1` from the next candle on, and then the line is free again. Each line has a lot of its own."
  ],
  definition: {
    ...base,
    grid: { lower: 3000, upper: 12_000, lines: 16, spacing: "geometric" },
    sizing: { type: "equity_fraction", fraction: 0.9 }
  },
  notes: [
    "With `equity_fraction` the fraction is that of all lines together; `fixed_notional` and `fixed_quantity` are those of one line. A `stop_loss` of `exits` closes all that is held: a fraction of the lowest line below it, or a level."
  ]
}

const pyramid: LadderPage = {
  path: "docs/ladder-pyramid.md",
  title: "A pyramid",
  intro: [
    "A position that wins grows: further entries rest above its first price, or follow a rule.",
    "An addition with `in_favour` rests once, as a stop order at `P × (1 + in_favour)` for a long whose first fill was at `P`. One with `against` rests as a limit at `P × (1 − against)`. One with `enter` is ordered at each close at which its rule holds, up to `times` for one position.",
    "`scaled` is a multiple of the notional of the first entry of the position, or of the last one."
  ],
  definition: {
    ...base,
    long: { enter: rises, exit: falls },
    sizing: { type: "equity_fraction", fraction: 0.25 },
    additions: [
      {
        name: "second",
        in_favour: 0.05,
        sizing: { type: "scaled", of: "first", factor: 0.5 }
      },
      {
        name: "third",
        in_favour: 0.1,
        sizing: { type: "scaled", of: "first", factor: 0.25 }
      }
    ],
    exits: { stop_loss: { type: "fraction", value: 0.1 } }
  },
  notes: [
    "All entries are one lot at their average price unless `lots` says otherwise, and the exits are measured from that average after each fill. Additions end with their position."
  ]
}

const targets: LadderPage = {
  path: "docs/ladder-targets.md",
  title: "Targets in parts",
  intro: [
    "A position is sold in portions, each at a target of its own, and the stop follows the targets.",
    "Target `i` rests as a limit that only reduces, at its distance from the average price. Its quantity is `portion` of the position's largest size, on the lot. Where the portions add up to 1, the last target sells the rest.",
    "Once a target with `stop` has filled, the stop of the position moves at that close. It moves to the average price (`entry`), or to the price of the target before (`previous_target`). It never moves back."
  ],
  definition: {
    ...base,
    long: { enter: rises, exit: falls },
    sizing: { type: "equity_fraction", fraction: 0.5 },
    exits: { stop_loss: { type: "fraction", value: 0.08 } },
    targets: [
      { at: { type: "fraction", value: 0.05 }, portion: 0.4, stop: "entry" },
      { at: { type: "fraction", value: 0.1 }, portion: 0.3, stop: "previous_target" },
      { at: { type: "fraction", value: 0.2 }, portion: 0.3 }
    ]
  },
  notes: [
    "Targets rest from the close at which the position is open. Where one candle reaches the stop and a target, the stop counts. Of targets on one side the nearest to the open fills first, `take_profit` among them. A position that was left in parts counts as one, at its average prices."
  ]
}

const rebalance: LadderPage = {
  path: "docs/ladder-rebalance.md",
  title: "Rebalancing to a weight",
  intro: [
    "A position is kept at a weight in equity.",
    "At each close, or at each one at which `when` holds, the weight of the position is `quantity × close / equity`. Where it differs from `weight` by more than `band`, the difference is ordered at the market: `weight × equity / close − quantity`, on the lot."
  ],
  definition: { ...base, rebalance: { weight: 0.5, band: 0.05 } },
  notes: [
    "With several symbols each one is kept at that weight, and all share the cash. A buy is cut to the quantity that the cash allows."
  ]
}

/** The run of each page, with its own text as the page shows it. */
const show = ({ fills, metrics, positions }: BacktestResult): ReadonlyArray<string> => [
  ...fills
    .slice(0, 10)
    .map(
      ({ index, leg, orderId, price, quantity, side }) =>
        `${index} ${side === 1 ? "buys" : "sells"} ${quantity} at ${price} (${leg}, ${orderId})`
    ),
  `${fills.length} fills, ${positions.length} closed positions`,
  `total return ${metrics.total_return}, largest drawdown ${metrics.max_drawdown}`
]

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

const script = `import { readFileSync } from "node:fs"
import { backtest, candles } from "@candlewick/engine/research"

const [, ...lines] = readFileSync("samples/bitcoin_1d.csv", "utf8").trim().split("\\n")
const rows = lines.slice(0, ${candleCount}).map((line) => {
  const [time, open, high, low, close, volume] = line.split(",").map(Number)
  return { time, open, high, low, close, volume }
})
const { fills, metrics, positions } = backtest(candles(rows), definition, {
  market: { tick: 0.01, lot: 0.00001 }
})
for (const { index, leg, orderId, price, quantity, side } of fills.slice(0, 10)) {
  const verb = side === 1 ? "buys" : "sells"
  console.log(\`\${index} \${verb} \${quantity} at \${price} (\${leg}, \${orderId})\`)
}
console.log(\`\${fills.length} fills, \${positions.length} closed positions\`)
console.log(\`total return \${metrics.total_return}, largest drawdown \${metrics.max_drawdown}\`)`

const readSample = (): CandleColumns => {
  const text = readFileSync(new URL("../../samples/bitcoin_1d.csv", import.meta.url), "utf8")
  const lines = text
    .trim()
    .split("\n")
    .slice(1, 1 + candleCount)
  return candles(
    lines.map((line) => {
      const [time, open, high, low, last, volume] = line.split(",").map(Number)
      return { time: time!, open: open!, high: high!, low: low!, close: last!, volume: volume! }
    })
  )
}

const ladderPage = (columns: CandleColumns, { definition, intro, notes, title }: LadderPage) => {
  const faults = checkStrategy(definition)
  if (faults.length > 0) throw new Error(`${title}: ${JSON.stringify(faults)}`)
  const result = backtest(columns, definition, { market: { tick: 0.01, lot: 0.000_01 } })
  return page(
    title,
    "This page is for a strategy that builds or closes its positions in parts. It has the rules, a whole definition and a run.",
    ...intro,
    fence("json", JSON.stringify(definition, null, 2)),
    "In sentences:",
    describeStrategy(definition)
      .map((sentence) => `* ${sentence}`)
      .join("\n"),
    ...notes,
    "## A run",
    `On the first ${candleCount} candles of ${code("samples/bitcoin_1d.csv")}, with ${code("definition")} as above:`,
    fence("js setup=json", script),
    "prints",
    fence("text output", show(result).join("\n")),
    "[The strategy format](strategy-format.md) has all fields, [what a backtest assumes](simulation.md) the rules of fills."
  )
}

/** Path and text of each page of a ladder. */
export const ladderPages = (): ReadonlyArray<readonly [string, string]> => {
  const columns = readSample()
  return [dca, grid, pyramid, targets, rebalance].map((one) => [one.path, ladderPage(columns, one)])
}
