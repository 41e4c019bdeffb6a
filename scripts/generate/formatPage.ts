/**
 * The page of the strategy format. Before it is printed, every example on it is checked as a
 * caller's strategy, described in the words of the service, and asked for its path.
 */
import { readFileSync } from "node:fs"
import {
  decodeStrategy,
  describeRule,
  describeSeries,
  describeStrategy,
  marketOf,
  riskProfiles,
  type Rule,
  type Series,
  type SettingText,
  strategyDepthMax,
  type SettingBounds,
  strategyNodeCountMax,
  type StrategyDefinition,
  timeframeAliases,
  timeframeNames,
  toMarketSpec,
  tradeBounds
} from "@candlewick/core"
import { planPath, planSharedPath } from "@candlewick/engine/fast"
import { Result } from "effect"
import { ladderExamples, ladderFields, orderExamples, ruleless } from "./ladderExamples.ts"
import { code, jsonCode, page, table } from "./markdown.ts"
import { showcase } from "./showcase.ts"

const source = readFileSync(new URL("./showcase.ts", import.meta.url), "utf8")
const written = source.slice(source.indexOf("import {")).replace(/\/\*\*.*\*\/\nexport /, "")

const text: SettingText = (setting) =>
  typeof setting === "number" ? String(setting) : setting.parameter

const price = (field: "close" | "high"): Series => ({ type: "price", field })
const constant = (value: number): Series => ({ type: "constant", value })
const close = price("close")
const high = price("high")
const average: Series = { type: "sma", period: 20 }
const strength: Series = { type: "rsi", period: 14 }
const isAboveAverage: Rule = { type: "above", left: close, right: average }

const base: StrategyDefinition = {
  format: 1,
  symbols: ["BTC/USD"],
  timeframe: "1h",
  parameters: {},
  long: { enter: isAboveAverage }
}

/** The example itself, if it runs. */
const checked = <A>(example: A, definition: StrategyDefinition): A => {
  const decoded = decodeStrategy(JSON.parse(JSON.stringify(definition)))
  if (Result.isFailure(decoded)) throw new Error(JSON.stringify([example, decoded.failure]))
  return example
}

const seriesExamples: ReadonlyArray<Series> = [
  close,
  constant(30),
  strength,
  { type: "macd", fast: 12, slow: 26, signal: 9, output: "histogram" },
  { type: "ema", period: 10, source: strength },
  { type: "add", left: average, right: { type: "atr", period: 14 } },
  { type: "sub", left: close, right: average },
  { type: "mul", left: average, right: constant(1.02) },
  { type: "div", left: close, right: average },
  { type: "min", left: close, right: average },
  { type: "max", left: close, right: average },
  { type: "abs", of: { type: "momentum", period: 10 } },
  { type: "shift", of: close, by: 1 },
  { type: "highest", of: high, period: 20 },
  { type: "lowest", of: close, period: 20 },
  { type: "mean", of: strength, period: 5 },
  { type: "stdev", of: close, period: 20 },
  { type: "percentile", of: strength, period: 100, rank: 0.2 },
  { type: "timeframe", timeframe: "1d", of: average },
  { type: "symbol", symbol: "BTC/USD", of: average }
]

const ruleExamples: ReadonlyArray<readonly [rule: Rule, gotcha: string]> = [
  [isAboveAverage, "equal is not above"],
  [{ type: "below", left: strength, right: constant(30) }, "equal is not below"],
  [
    { type: "crosses_above", left: close, right: average },
    "above now, not above a candle before; undefined where either is"
  ],
  [{ type: "crosses_below", left: close, right: average }, "below now, not below a candle before"],
  [{ type: "between", of: strength, low: constant(40), high: constant(60) }, "both ends included"],
  [{ type: "rising", of: strength, for: 3 }, "each of the last 3 changes went up"],
  [{ type: "falling", of: strength, for: 3 }, "each of the last 3 changes went down"],
  [{ type: "true_for", rule: isAboveAverage, for: 5 }, "with the newest candle 5 in a row"],
  [
    {
      type: "all",
      rules: [isAboveAverage, { type: "above", left: strength, right: constant(50) }]
    },
    "one that fails decides, even where another is undefined"
  ],
  [
    {
      type: "any",
      rules: [isAboveAverage, { type: "above", left: strength, right: constant(70) }]
    },
    "one that holds decides, even where another is undefined"
  ],
  [{ type: "not", rule: isAboveAverage }, "of undefined stays undefined"],
  [
    { type: "hours", from: 22, to: 6 },
    "of the candle's open, UTC; over midnight where `from` is not below `to`"
  ],
  [{ type: "weekdays", days: ["monday", "friday"] }, "of the candle's open, UTC"]
]

type Part = Partial<StrategyDefinition>

const fixed = { stop_loss: { type: "fraction", value: 0.03 } } as const

const partExamples: ReadonlyArray<Part> = [
  { entry: { type: "limit", offset: 0.002, expires_after: 5 } },
  { entry: { type: "stop", offset: 0.002, expires_after: 5 } },
  ...orderExamples,
  { exits: fixed },
  { exits: { stop_loss: { type: "atr", period: 14, multiple: 2 } } },
  { exits: { stop_loss: { type: "level", series: { type: "lowest", of: close, period: 20 } } } },
  { exits: { take_profit: { type: "fraction", value: 0.06 } } },
  { exits: { trailing_stop: { distance: { type: "fraction", value: 0.04 } } } },
  { exits: { trailing_stop: { distance: { type: "atr", period: 14, multiple: 3 } } } },
  { exits: { break_even: { activation: { type: "fraction", value: 0.02 }, offset: 0.001 } } },
  { exits: { time_limit: 48 } },
  { exits: fixed, sizing: { type: "risk_per_trade", fraction: 0.01 } },
  { sizing: { type: "equity_fraction", fraction: 0.5 } },
  { sizing: { type: "fixed_notional", notional: 1000 } },
  { sizing: { type: "fixed_quantity", quantity: 0.1 } },
  { sizing: { type: "volatility_target", target: 0.3, period: 30 } },
  { symbols: ["BTC/USD", "ETH/USD"], max_positions: 1 },
  { symbols: ["ETH/USD", "BTC/USD"], trades: ["ETH/USD"] },
  { reentry: { cooldown: 3, cooldown_after_stop: 12 } }
]

const boundsOf = {
  lossFraction: "`fraction` of a stop loss, or of a trailing stop's distance",
  gainFraction: "`fraction` of a target, or of an activation",
  atrPeriod: "`period` of a distance in average true ranges",
  atrMultiple: "`multiple` of it",
  breakEvenOffset: "`offset` of break-even",
  timeLimit: "`time_limit`, candles",
  cooldown: "`cooldown`, `cooldown_after_stop`, candles",
  limitOffset: "`offset` of a limit entry",
  stopOffset: "`offset` of a stop entry",
  expiry: "`expires_after`, candles",
  riskFraction: "`fraction` of `risk_per_trade`",
  equityFraction: "`fraction` of `equity_fraction`; the size that cash allows where it is more",
  notional: "`notional`",
  quantity: "`quantity`",
  volatility: "`target` of `volatility_target`, a year",
  volatilityPeriod: "`period` of it",
  sizeFactor: "`factor` of `scaled`",
  times: "`times` of an addition by a rule",
  portion: "`portion` of a target, or of a reduction",
  safetyCount: "`count` of safety orders",
  ladderFactor: "`distance_factor`, `size_factor` of safety orders",
  linePrice: "`lower`, `upper` of a grid",
  lines: "`lines` of a grid",
  weight: "`weight` of rebalancing, of equity",
  band: "`band` of it"
} as const satisfies Record<keyof typeof tradeBounds, string>

const boundRow = ([name, place]: readonly [string, string]): ReadonlyArray<string> => {
  const { isMinExcluded, kind, max, min }: SettingBounds =
    tradeBounds[name as keyof typeof tradeBounds]
  return [place, `${isMinExcluded === true ? "above " : ""}${min}`, String(max), kind]
}

const spec = toMarketSpec(marketOf("BTC/USD"))
const pathOf = (definition: StrategyDefinition): string => {
  const isAlone = definition.symbols.length === 1
  const found = isAlone ? planPath(definition, spec) : planSharedPath(definition)
  return found.path === "fast" ? "fast" : `plain: ${found.reason}`
}

const usual = new Set(describeStrategy(base))

const partRow = (
  part: Part,
  rest: Omit<StrategyDefinition, "long"> = base
): ReadonlyArray<string> => {
  const whole = { ...rest, ...part }
  const definition = checked(whole, whole)
  const sentences = describeStrategy(definition).filter((sentence) => !usual.has(sentence))
  return [jsonCode(part), sentences.join(" "), pathOf(definition)]
}

const fieldRows: ReadonlyArray<ReadonlyArray<string>> = [
  ["`format`", "yes", "1, the only one so far"],
  [
    "`symbols`",
    "yes",
    "1 to 50 markets, base and quote: `BTC/USD`; they share one account, so that bots, runs and generations refuse several quote currencies"
  ],
  ["`trades`", "no: all of `symbols`", "the markets that are traded; rules may read the others"],
  ["`timeframe`", "yes", "how long the candles are that rules look at"],
  ["`parameters`", "yes, may be `{}`", "numbers that a search may change, by name; 32 at most"],
  [
    "`long`, `short`",
    "one of them, or what stands in their place",
    "`enter`, and `exit` where anything but `exits` closes; parts of a position that hold for this side alone"
  ],
  ["`entry`", "no: `market`", "how an entry is ordered"],
  ["`exits`", "no: none", "stop loss, target and the like, attached to each entry"],
  ["`sizing`", "no: all of the equity", "how large an entry is"],
  [
    "`additions`, `safety_orders`, `targets`, `reductions`, `lots`",
    "no: none",
    "several entries and exits a position: a [ladder](#ladders-positions-in-parts)"
  ],
  ["`exits_of`", "no: `lot`", "whether lots that are kept apart have exits of their own"],
  ["`overlap`", "no: one position a market", "`true`: positions of one market beside each other"],
  ["`grid`, `rebalance`", "no: none", "in place of `long` and `short`"],
  ["`code`", "no: none", "in place of them too: the name of [rules in code](#rules-in-code)"],
  ["`max_positions`", "no: one a market", "positions at once, over all markets"],
  ["`reentry`", "no: at once", "candles to wait after an exit"]
]

const parameterExamples: ReadonlyArray<StrategyDefinition["parameters"]> = [
  { fast: { kind: "integer", default: 12, min: 5, max: 40, step: 1 } },
  { stop: { kind: "float", default: 2, min: 0.5, max: 6, step: 0.5 } },
  { share: { kind: "float", default: 0.01, min: 0.001, max: 0.1, log: true } },
  { period: { kind: "choice", default: 14, options: [7, 14, 21] } }
]

const whole = (): ReadonlyArray<string> => [
  "This page is the reference of the strategy format. A strategy is data: JSON that says when to enter and exit, at what risk. This is a whole one, which uses most of the format:",
  `\`\`\`json\n${JSON.stringify(checked(showcase, showcase), null, 2)}\n\`\`\``,
  "In sentences:",
  describeStrategy(showcase)
    .map((sentence) => `* ${sentence}`)
    .join("\n"),
  "In TypeScript it is written so, with the functions of `@candlewick/engine/research`. A part that uses parameters is a function of them: a name that is not declared does not compile:",
  `\`\`\`ts\n${written}\`\`\``,
  "A small one says less, and the rest is as usual:",
  `\`\`\`json\n${JSON.stringify(checked(base, base), null, 2)}\n\`\`\``,
  describeStrategy(base).join(" "),
  "[From JSON to trades](from-json-to-trades.md) follows a strategy through a backtest; `POST /v1/mix/strategies` refuses one that can't run with every fault and where it is.",
  table(["field", "needed", "what it is"], fieldRows)
]

const parameters = (): ReadonlyArray<string> => [
  "## Parameters and settings",
  'A setting (a period, a multiple, a fraction) is a number or `{ "parameter": "fast" }`. A backtest uses the defaults where it gets no values; a search tries others within the bounds. A parameter that could leave the bounds of its place is a fault.',
  table(
    ["parameter"],
    parameterExamples.map((one) => [jsonCode(checked(one, { ...base, parameters: one }))])
  )
]

const series = (): ReadonlyArray<string> => [
  "## Series: numbers that change with each candle",
  "A price field is `open`, `high`, `low`, `close`, `volume`, `hl2`, `hlc3` or `ohlc4`. Every [indicator](indicators.md) is a series too. Arithmetic has `left` and `right`; what looks back has `of`, and its window ends with the newest candle (compare with `shift` 1 for a breakout).",
  table(
    ["series", "in words"],
    seriesExamples.map((one) => [
      jsonCode(
        checked(one, {
          ...base,
          long: { enter: { type: "above", left: one, right: constant(1) } }
        })
      ),
      describeSeries(one, text)
    ])
  ),
  "A quotient by zero is undefined. `percentile` takes a `rank` from 0 to 1 and goes straight from one value to the next. `timeframe` is what the last closed longer candle gave, which must be a multiple of the strategy's. `symbol` is a series of another market of `symbols`, at its last candle that has closed by then; longer candles of it stand inside. A `mean` of prices is [the one on paper](decisions/0011-averages-are-exact.md).",
  "Units are kept apart: `price`, `price_difference`, `percent` (runs to 100), `ratio` (runs to 1), `volume`, `notional`. A rule compares only series of the same unit; a constant goes with anything. `above` of an RSI and a close is a fault, not a strategy that never trades."
]

const rules = (): ReadonlyArray<string> => [
  "## Rules: yes or no about the newest closed candle",
  table(
    ["rule", "in words", "exactly"],
    ruleExamples.map(([one, gotcha]) => [
      jsonCode(checked(one, { ...base, long: { enter: one } })),
      describeRule(one, text),
      gotcha
    ])
  ),
  "A rule is undefined while something that it looks at has no value yet. At the top undefined counts as false. A rule that holds for many candles enters once: while a position is open, further entries are dropped. It enters again at the first close without a position, unless `reentry` says to wait; a crossing holds for one candle only."
]

const parts = (): ReadonlyArray<string> => [
  "## Entries, exits, sizes",
  "A distance is a `fraction`, a multiple of the average true range at the entry's decision (`atr`), or a `level` that a series gives then. A `fraction` is one of the entry price; for the distance of a trailing stop it is one of the best price since the entry. A `level` is a price for stop loss, target and activations, and a difference of prices for the distance of a trailing stop. The order of several touches is in [simulation](simulation.md). The last column says whether [the fast path](architecture.md#the-fast-path) takes a sweep over it, which finds the same positions.",
  table(
    ["part", "in words", "path"],
    partExamples.map((part) => partRow(part))
  ),
  "Their settings have bounds, as those of indicators have:",
  table(["setting", "from", "to", "kind"], Object.entries(boundsOf).map(boundRow)),
  `A strategy may have ${strategyNodeCountMax} series and rules, nested ${strategyDepthMax} deep.`
]

const { long: _, ...withoutRules } = base

const ladders = (): ReadonlyArray<string> => [
  "## Ladders: positions in parts",
  "A position may have several entries and several exits. None of these parts is needed, and a strategy without them has one entry and one set of exits a position. Pages with a formula and a run each: [DCA](ladder-dca.md), [pyramid](ladder-pyramid.md), [targets](ladder-targets.md), [grid](ladder-grid.md), [rebalancing](ladder-rebalance.md).",
  table(["field", "what it is"], ladderFields),
  "An entry order has a price, which is an `offset` from the last close or a `level`. Its life is `expires_after` candles, `until` a time, or `immediate`, which fills at the next open or ends. One without a life is good till cancelled: an exit rule of its side, an opposite signal or the risk gate cancels it. No candle that opens at or after `until` fills an order; one that opens before it may fill it anywhere inside, also later than `until`. A `stop_limit` order has its limit `limit_offset` beyond its stop. Of the 2 to 4 orders of `one_cancels_other`, each of type `limit`, `stop` or `stop_limit`, the first that fills cancels the others. Each has an example among the [entries](#entries-exits-sizes).",
  table(
    ["part", "in words", "path"],
    [
      ...ladderExamples.map((part) => partRow(part)),
      ...ruleless.map((part) => partRow(part, withoutRules))
    ]
  ),
  "Some parts exclude each other, and a definition with both is refused. A grid has no entry and no targets of its own. Safety orders average one lot. An addition has exits of its own only where lots are kept apart. Portions of targets add up to 1 at most. A part at the top that each side replaces is used by nothing."
]

/** The whole page. */
export const formatPage = (): string =>
  page(
    "The strategy format",
    ...whole(),
    ...parameters(),
    ...series(),
    ...rules(),
    ...parts(),
    ...ladders(),
    "## Rules in code",
    `In place of ${code("long")} and ${code("short")} a definition may have ${code("code")}, the name of a strategy that the host wrote in ` +
      "TypeScript ([embedding](embedding.md#strategies-in-code)). All else is as above; a host without code of that name " +
      "refuses the definition, as the bundled server does.",
    "## Timeframes, risk, schema",
    `Timeframes are ${timeframeNames.map(code).join(", ")}. A definition has these names only, so that equal strategies are ` +
      `equal JSON. Requests may have others, and answers have the names above: ${Object.entries(
        timeframeAliases
      )
        .map(([alias, name]) => `${code(alias)} for ${code(name)}`)
        .join(", ")}. ${code("1M")} is a month elsewhere and refused everywhere.`,
    "A run or a bot may have a risk profile besides; one with `is_stop_loss_mandatory` is refused with a strategy that has no `exits.stop_loss`. Its `unprotected_max_seconds`, 60 unless it says otherwise, is how long a live position may lack its stop at the venue ([bots](bots.md#stops-at-the-venue)). Risk tolerances stand for these numbers:",
    table(
      ["tolerance", ...Object.keys(riskProfiles.low)],
      Object.entries(riskProfiles).map(([name, profile]) => [
        code(name),
        ...Object.values(profile).map(String)
      ])
    ),
    "The JSON Schema, for editors and other languages: [strategy.schema.json](strategy.schema.json). It refuses unknown " +
      "fields, wrong types and numbers out of bounds. Decoding checks units, the values that a parameter may take and the " +
      "depth of a strategy."
  )
