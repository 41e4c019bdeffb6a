/**
 * The page that follows one strategy from its JSON to the report, with the file of each stage.
 */
import { deepStrictEqual } from "node:assert/strict"
import { existsSync } from "node:fs"
import { describeStrategy } from "@candlewick/core"
import type { Instruction } from "@candlewick/engine/kernel"
import {
  closedByRule,
  closedByStop,
  roundTripBytes
} from "../../packages/engine/src/fast/kernels/layout.ts"
import { tileLength } from "../../packages/engine/src/fast/kernels/tileLayout.ts"
import { code, page, table } from "./markdown.ts"
import { json, walkThrough } from "./walkthrough.ts"

type Walk = Awaited<ReturnType<typeof walkThrough>>

const sources = ["packages/engine/src", "packages/core/src"]

/** A link to a file, or no page at all where it has been renamed. */
const file = (path: string): string => {
  const source = sources.find((folder) =>
    existsSync(new URL(`../../${folder}/${path}`, import.meta.url))
  )
  if (source === undefined) throw new Error(`the walkthrough names ${path}, which is not there`)
  return `[\`${path}\`](../${source}/${path})`
}

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

const day = (time: number): string => new Date(time).toISOString().slice(0, 10)

const cents = (value: number): string => (Number.isNaN(value) ? "–" : value.toFixed(2))

const shown = (value: number | null | undefined): string =>
  value === null || value === undefined ? "null" : String(value)

const fields = (value: object): string => fence("json", JSON.stringify(value, null, 2))

const decoding = ({ faulty }: Walk): ReadonlyArray<string> => [
  "## 1. Decode: is it a strategy?",
  `${file("language/StrategyDefinition.ts")} is the schema of the whole, ${file("language/Rule.ts")} of series and rules, ${file("language/Parameter.ts")} of parameters. ${file("plan/decodeStrategy.ts")} reads unknown JSON with them and gives a \`StrategyDefinition\` or every fault at once. With \`stop_los\` for \`stop_loss\` and a \`min\` of \`"2"\`:`,
  fields(faulty.schema),
  "## 2. Check: can it run?",
  `A schema can't see that a name exists or that a price is compared with an RSI. ${file("language/checkStrategy.ts")} does: names, bounds, units, sizes (${file("language/checkExpression.ts")}, ${file("language/units.ts")}). With \`slwo\` for \`slow\`:`,
  fields(faulty.check)
]

const planning = ({ definition, plan, values }: Walk): ReadonlyArray<string> => [
  "The strategy above has no fault. " +
    `${file("language/describeStrategy.ts")} says it in sentences:`,
  describeStrategy(definition)
    .map((sentence) => `* ${sentence}`)
    .join("\n"),
  "## 3. Plan: what is computed, and in which order?",
  `${file("language/searchSpace.ts")} gives every parameter a value, here the defaults: ${Object.entries(
    values
  )
    .map(([name, value]) => code(`${name} = ${value}`))
    .join(
      ", "
    )}. ${file("plan/planStrategy.ts")} turns the tree into a list in which each distinct node stands once, after its inputs. A node's key says everything that its values depend on: a search that tries \`fast = 3\` with forty slow averages computes that average once.`,
  table(
    ["node", "operation", "settings", "from", "key"],
    plan.nodes.map(({ index, inputs, key, name, operation, settings }) => [
      index,
      name === "" ? operation : `${operation} ${name}`,
      settings.join(", "),
      inputs.map((input) => input.index).join(", "),
      key.length <= 64 ? code(key) : `${code(key.slice(0, 60))} …`
    ])
  ),
  `Enter long is node ${plan.enterLong?.index}, exit long node ${plan.exitLong?.index}; the stop loss is a fraction and needs no node.`
]

const computing = ({ candles, columns, rules, signals }: Walk): ReadonlyArray<string> => [
  "## 4. Columns, then rules",
  `Candles are six arrays, ${file("kernel/columns.ts")}. ${file("plan/evaluateColumns.ts")} computes the plan's nodes over all of them and keeps the results. An indicator's numbers come from its own file, here ${file("kernel/indicators/sma.ts")}, found through ${file("language/Indicator.ts")}. Rules are in ${file("plan/ruleOperations.ts")} and have three values: 0 false, 1 true, 2 undefined. A rule is undefined as long as an average has too few candles, or a crossing none before. ${file("plan/signalColumns.ts")} keeps where they are true.`,
  table(
    ["candle", "day", "open", "high", "low", "close", "SMA 3", "SMA 6", "enter", "exit"],
    Array.from(candles.close, (close, index) => [
      index,
      day(candles.time[index]!),
      cents(candles.open[index]!),
      cents(candles.high[index]!),
      cents(candles.low[index]!),
      cents(close),
      cents(columns.fast[index]!),
      cents(columns.slow[index]!),
      signals.enterLong?.[index] === 1 ? "**1**" : rules.enter[index]!,
      signals.exitLong?.[index] === 1 ? "**1**" : rules.exit[index]!
    ])
  ),
  `A bot has no columns: it gets one candle at a time. ${file("plan/signalStep.ts")} evaluates the same plan step by step, and a test holds both to the same bits. Where a definition names code of the host instead of rules, ${file("plan/codeSignals.ts")} asks that code at each candle, in a backtest and in a bot.`
]

const orderRow = (index: number, instruction: Instruction): ReadonlyArray<string | number> =>
  instruction.type === "cancel"
    ? [index, instruction.orderId, "cancel", "", "", ""]
    : [
        index,
        instruction.order.id,
        instruction.order.side === 1 ? "buy" : "sell",
        `${instruction.order.type}, ${instruction.order.leg}`,
        instruction.order.quantity,
        instruction.order.attached?.stopLoss
          ? `stop loss ${JSON.stringify(instruction.order.attached.stopLoss)}`
          : ""
      ]

const ordering = ({ stepped }: Walk): ReadonlyArray<string> => [
  "## 5. Orders: what follows from a signal?",
  `At each close ${file("kernel/decide.ts")} is asked, by the simulator and by a bot alike: signals and the account go in, orders and cancels come out. ${file("kernel/sizing.ts")} says how much, here everything there is, fees and slippage left room for. ${file("plan/tradingPlan.ts")} brings the strategy's entries, sizes and exits; ${file("plan/marketSpec.ts")} the market's terms:`,
  fence("json", JSON.stringify(stepped.spec)),
  table(
    ["at the close of", "order", "side", "type", "quantity", "attached"],
    stepped.orders.map(({ index, instruction }) => orderRow(index, instruction))
  )
]

const filling = ({ simulation, stepped }: Walk): ReadonlyArray<string> => {
  const [stop] = stepped.stops
  return [
    "## 6. Matching: which orders fill, and at what price?",
    `The next candle comes: ${file("match/matchStages.ts")} shows it to the matcher in a fixed order: exits and entries at the open, protective exits inside. ${file("match/fillRules.ts")} knows the prices, ${file("match/entryFills.ts")} the sizes and costs. ${file("kernel/SimulatedAccount.ts")} keeps the position and the resting orders. A market order fills at the open, moved by the slippage against us. Where that is dearer than the close that sized the order, the matcher cuts the quantity to the cash.`,
    table(
      ["candle", "order", "leg", "side", "quantity", "price", "fee", "effect"],
      simulation.fills.map(({ effect, fee, index, leg, orderId, price, quantity, side }) => [
        index,
        orderId,
        leg,
        side === 1 ? "buy" : "sell",
        quantity,
        price,
        fee,
        effect
      ])
    ),
    `The stop of the first entry was laid at ${stop?.stop} by ${file("match/protectLots.ts")}, 5 % under the fill and on the tick, and never touched. The second was touched inside the very candle that opened it: an entry at the open is protected from there on.`
  ]
}

const positionsOf = ({ simulation }: Walk): string =>
  table(
    ["entry", "exit", "entry price", "exit price", "quantity", "fees", "pnl", "return", "why"],
    simulation.closed.map((one) => [
      one.entryIndex,
      one.exitIndex,
      one.entryPrice,
      one.exitPrice,
      one.quantity,
      one.fees,
      one.pnl,
      one.returnRate,
      one.exitReason
    ])
  )

const adding = (walk: Walk): ReadonlyArray<string> => {
  const { equity } = walk.simulation
  const [entry] = walk.simulation.fills
  return [
    "## 7. Positions: what fills add up to",
    `${file("kernel/ledger.ts")} keeps cash and positions, and makes a closed position of an entry and its exit, net of the fees of both. ${file("kernel/simulate.ts")} is the loop around stages 5 to 7 and writes equity at every close: ${code(cents(equity[entry!.index]!))} after the first entry, ${code(cents(equity.at(-1)!))} at the end.`,
    positionsOf(walk),
    "A search doesn't loop over candles: [stage 10](#10-the-same-from-event-to-event)."
  ]
}

const measuring = ({ measured, report }: Walk): ReadonlyArray<string> => {
  const { metrics, reasons } = measured
  return [
    "## 8. Metrics: what does it come to?",
    `${file("language/Measurement.ts")} takes equity, returns and positions from the simulation; ${file("language/Metric.ts")} is the catalogue, one row a metric, and its formulas are in \`kernel/metrics/\`. A metric that two positions can't support is null, with a reason:`,
    table(
      ["metric", "value", "reason"],
      (
        [
          "total_return",
          "sharpe",
          "max_drawdown",
          "win_rate",
          "minimum_track_record",
          "beta"
        ] as const
      ).map((name) => [code(name), shown(metrics[name]), reasons[name] ?? ""])
    ),
    "## 9. Report: what is shown?",
    `${file("services/runs/backtest/Backtests.ts")} loads candles and strategy, and has a worker run stages 3 to 8 (${file("services/runs/workers/tasks.ts")}). ${file("services/runs/backtest/backtestReport.ts")} writes the answer of \`GET /v1/mix/backtest/{id}/results\`: the same metrics, now also against buying and holding, trades, positions and warnings (${file("domain/Backtest.ts")} is its schema). Parts of it:`,
    fields({
      data_quality: report.data_quality,
      metrics: {
        total_return: report.metrics["total_return"],
        beta: report.metrics["beta"]
      },
      benchmark: {
        buy_and_hold: { total_return: report.benchmark.buy_and_hold["total_return"] }
      },
      positions: report.positions.slice(1),
      warnings: report.warnings
    })
  ]
}

/** Numbers of a trade. */
const roundTripNumbers = roundTripBytes / 8

/** The candles of a word's bits, and the word as it is read: the last candle first. */
const bitsOf = (rule: string, word: number, length: number): ReadonlyArray<string> => {
  const digits = word.toString(2).padStart(length, "0")
  const set = Array.from(digits, Number).reverse()
  return [rule, code(digits), set.flatMap((bit, index) => (bit === 1 ? [index] : [])).join(", ")]
}

const fastPath = ({ candles, fast, simulation, stepped }: Walk): ReadonlyArray<string> => {
  const { bits, details, kind, records, steps } = fast
  // The text below is about a run like this one.
  deepStrictEqual([stepped.path.path, kind, steps.length], ["fast", "longRun", 1])
  const rows = records.flatMap((tile) =>
    Array.from({ length: tile.length / roundTripNumbers }, (_, trade) =>
      Array.from(tile.subarray(trade * roundTripNumbers, (trade + 1) * roundTripNumbers), String)
    )
  )
  const [held] = simulation.closed
  return [
    "## 10. The same from event to event",
    `A bot processes every candle. The fast path skips candles that change nothing. A sweep, trials and candidates go from event to event. So does ${code("backtest")} of the library, where ${file("fast/planPath.ts")} finds nothing against it, as here. Their calls are ${file("fast/runMany.ts")} and ${file("fast/runOne.ts")}. ${file("fast/runTiles.ts")} only drives: it cuts time into tiles of ${tileLength} candles and takes all runs through one before the next. All 24 candles are in the first.`,
    `**Which loop.** ${file("fast/RunDetails.ts")} reads the needs of the run besides its rules: its stop, the fraction ${code(String(details.stop.value))}, and its size, all of the equity. ${file("fast/kindOf.ts")} chooses by these, sides and fills. This run is all in, never short, filled at opens, and has a stop beside its rules: ${code(kind)}. ${file("fast/kernels/layout.ts")} names the kinds, and where everything is in memory, trades too.`,
    `**Which steps.** ${file("fast/BitProgram.ts")} turns the rules of all runs into steps over bits, each distinct one once. Both rules here ask where the same two averages cross, so they are one step:`,
    table(
      ["step", "periods", "where the first rises above", "where it falls below"],
      steps.map(({ enters, leaves, name, periods }) => [
        code(name),
        periods.join(", "),
        enters ? "enter long" : "",
        leaves ? "exit long" : ""
      ])
    ),
    `${file("fast/writeProgram.ts")} writes runs and their steps as a list of numbers. ${file("fast/kernels/program.ts")} goes through it in each tile: steps that runs share once, then each run's own steps and its loop. It and the files of stage 10 beside it are TypeScript that AssemblyScript compiles too.`,
    `**Which bits.** The step (${file("fast/kernels/crossing.ts")}; others are in ${file("fast/kernels/bits.ts")}) leaves a bit for each candle, 32 in a word. They are the columns of stage 4, the last candle first:`,
    table(
      ["rule", "word", "candles"],
      [
        bitsOf("enter long", bits.enterLong, candles.length),
        bitsOf("exit long", bits.exitLong, candles.length)
      ]
    ),
    `**Which loop takes them.** ${file("fast/kernels/kinds.ts")} has the loops' entry points; that of ${code(kind)} is a form of ${file("fast/kernels/allIn.ts")}. Without a position it goes to the next bit that enters. The orders there are in ${file("fast/kernels/lots.ts")}, the stop in ${file("fast/kernels/levels.ts")}. Then it goes to the next bit that leaves, or to the first candle beyond the stop if that comes before (${file("fast/kernels/beyond.ts")}). The path of equity between is found by ${file("fast/kernels/stretch.ts")} from sums and ranges. So this run stops four times: at bits ${held!.entryIndex - 1} and ${held!.exitIndex - 1}, at bit ${simulation.closed[1]!.entryIndex - 1}, and at candle ${simulation.closed[1]!.exitIndex}, whose low is beyond the stop.`,
    `**Which trades.** The loop writes ${roundTripNumbers} doubles for each:`,
    table(["entry", "exit", "entry price", "exit price", "quantity", "why", "fees"], rows),
    `The last but one says why: ${closedByRule} is a rule, ${closedByStop} a stop. ${file("fast/toRoundTrips.ts")} makes columns of them, and ${file("fast/replayRoundTrips.ts")} makes equity at each close of those. Here it is ${code(cents(fast.equity.at(-1)!))} at the last as in stage 7. Stage 8 measures metrics from it. A call that asks for no trades, as a sweep, gets the four figures that the loop counted on the way.`
  ]
}

/** The whole page. */
export const walkthroughPage = async (): Promise<string> => {
  const walk = await walkThrough()
  return page(
    "From JSON to trades",
    "This page takes one strategy through every stage of a backtest, with the file that each stage is in. The values are real: a program runs the stages one by one on the first 24 candles of `samples/bitcoin_1d.csv`, and writes this page. The program fails if the simulator, the fast path and the service differ in a round trip.",
    fence("json", json),
    ...decoding(walk),
    ...planning(walk),
    ...computing(walk),
    ...ordering(walk),
    ...filling(walk),
    ...adding(walk),
    ...measuring(walk),
    ...fastPath(walk),
    "The page of [the simulation](simulation.md) has the assumptions on the way, and the limits of a backtest."
  )
}
