/**
 * The page of the strategy format is derived from the schema, but for its sentences on distances:
 * they are held to exits here.
 */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import type { Exits } from "../../src/language/Exits.ts"
import {
  Addition,
  ExitsOf,
  Grid,
  Lots,
  Rebalance,
  Reduction,
  SafetyOrders,
  Target
} from "../../src/language/Ladder.ts"
import { DirectionRules, StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { EntryOrder } from "../../src/language/EntryOrder.ts"
import { above, backtest, candles, price, strategy } from "../../src/research/index.ts"

const page = readFileSync(new URL("../../../../docs/strategy-format.md", import.meta.url), "utf8")

/** Rows of the table whose head begins with these cells, each cell on its own. */
const rowsUnder = (head: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, after = ""] = page.split(`\n| ${head} |`)
  const table = after.slice(0, after.indexOf("\n\n"))
  return table
    .split("\n")
    .slice(2)
    .map((row) => row.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")))
}

const fieldRows = rowsUnder("field | needed | what it is")
const ladderRows = rowsUnder("field | what it is")
const examples = rowsUnder("part | in words | path").concat(
  // The second table with this head is that of the ladders.
  page
    .slice(page.indexOf("## Ladders"))
    .split("\n")
    .filter((row) => row.startsWith("| `{"))
    .map((row) => row.slice(2, -2).split(" | "))
)

/** Hours at these closes; an open is the close before. */
const hoursAt = (closes: ReadonlyArray<number>) =>
  candles(
    closes.map((close, hour) => {
      const open = closes[hour - 1] ?? close
      const [low, high] = [Math.min(open, close), Math.max(open, close)]
      return { time: hour * 3_600_000, open, high, low, close, volume: 1 }
    })
  )

/** The exit price of a long that is entered at 100, after 200 was its best price. */
const leftAt = (exits: typeof Exits.Type): number => {
  const rules = strategy({
    symbols: ["BTC/USD"],
    timeframe: "1h",
    long: { enter: above(price.close, 99) },
    exits
  })
  const free = { fees: { maker: 0, taker: 0 }, slippage: 0 }
  const { positions } = backtest(hoursAt([98, 100, 100, 150, 200, 50]), rules, free)
  assert.strictEqual(positions.entryPrice[0], 100)
  return positions.exitPrice[0]!
}

describe("the page of the strategy format", () => {
  it("says of what price a fraction is one", () => {
    const part = { type: "fraction", value: 0.1 } as const
    assert.include(page, "A `fraction` is one of the entry price")
    assert.strictEqual(leftAt({ stop_loss: part }), 90)
    assert.closeTo(leftAt({ take_profit: part }), 110, 1e-9)
    const trailing =
      "for the distance of a trailing stop it is one of the best price since the entry"
    assert.include(page, trailing)
    assert.strictEqual(leftAt({ trailing_stop: { distance: part } }), 180)
    // The distance that it has to reach before it trails is a fraction of the entry price again.
    const reached = (value: number) => ({ ...part, value })
    assert.strictEqual(leftAt({ trailing_stop: { distance: part, activation: reached(1) } }), 180)
    const unreached = { trailing_stop: { distance: part, activation: reached(1.01) } }
    assert.strictEqual(leftAt(unreached), 50)
  })

  it("lists every field of a definition", () => {
    const listed = fieldRows.flatMap(([names = ""]) => names.replaceAll("`", "").split(", "))
    assert.sameMembers(listed, Object.keys(StrategyDefinition.fields))
  })

  it.each([
    ["additions", Addition.fields],
    ["safety_orders", SafetyOrders.fields],
    ["targets", Target.fields],
    ["reductions", Reduction.fields],
    ["grid", Grid.fields],
    ["rebalance", Rebalance.fields]
  ])("tells every field of %s", (name, fields) => {
    const row = ladderRows.find(([names]) => names === `\`${name}\``)
    for (const field of Object.keys(fields)) {
      // The lines of a grid are told as a formula.
      const word = field === "lower" || field === "upper" ? field : `\`${field}\``
      assert.include(row?.[1], word, field)
    }
  })

  it("has an example of each part of a ladder with its sentences", () => {
    const shown = (text: string): void => {
      const row = examples.find(([json = ""]) => json.includes(text))
      assert.isDefined(row, text)
      assert.match(row?.[1] ?? "", /^[A-Z].*\.$/, text)
    }
    for (const lots of Lots.literals) shown(`"lots": "${lots}"`)
    for (const exitsOf of ExitsOf.literals) shown(`"exits_of": "${exitsOf}"`)
    for (const { fields } of EntryOrder.members) {
      const type = fields.type.literal
      if (type !== "market") shown(`{ "entry": { "type": "${type}"`)
    }
    for (const life of [`"until": "`, `"immediate": true`, `"expires_after": `]) shown(life)
    shown(`{ "entry": { "type": "limit", "offset": 0.01 } }`)
    shown(`{ "entry": { "type": "limit", "level": {`)
    for (const name of ["additions", "safety_orders", "targets", "reductions", "grid"]) {
      shown(`"${name}": `)
    }
    for (const name of ["rebalance", "overlap"]) shown(`{ "${name}": `)
    const sided = Object.keys(DirectionRules.fields)
    for (const field of ["entry", "exits", "sizing", "targets", "reductions"]) {
      assert.include(sided, field)
      const isOfSide = new RegExp(`^\`\\{ "long": .*"enter": .*"${field}": `)
      assert.isTrue(
        examples.some(([json = ""]) => isOfSide.test(json)),
        field
      )
    }
  })

  it("says until when an order with a time may fill", () => {
    assert.include(page, "No candle that opens at or after `until` fills an order")
    const enteredCount = (until: string): number => {
      const rules = strategy({
        symbols: ["BTC/USD"],
        timeframe: "1h",
        long: { enter: above(price.close, 99) },
        entry: { type: "limit", offset: 0.1, until }
      })
      return backtest(hoursAt([98, 100, 80, 80, 80]), rules).fills.length
    }
    // The entry of the close at 02:00 may fill in the candle that opens then.
    assert.isAbove(enteredCount("1970-01-01T02:00:00.001Z"), 0)
    assert.strictEqual(enteredCount("1970-01-01T02:00:00.000Z"), 0)
  })

  it("says that lots change no fill where nothing makes a second one", () => {
    assert.include(
      page,
      "Where neither additions nor orders of code make a second lot, `lots` changes no fill"
    )
    const filled = (lots: typeof Lots.Type) => {
      const rules: StrategyDefinition = {
        format: 1,
        parameters: {},
        symbols: ["BTC/USD"],
        timeframe: "1h",
        long: { enter: above(price.close, 99) },
        exits: { time_limit: 3 },
        targets: [{ at: { type: "fraction", value: 0.1 }, portion: 0.5, stop: "entry" }],
        lots
      }
      const { fills, positions } = backtest(hoursAt([98, 100, 105, 115, 120, 118, 90, 110]), rules)
      const prices = fills.map(({ index, price: at, quantity, side }) => [
        index,
        at,
        quantity,
        side
      ])
      return { prices, positionCount: positions.length }
    }
    const [merged, ...apart] = Lots.literals.map(filled)
    for (const { positionCount, prices } of apart) {
      assert.deepStrictEqual(prices, merged!.prices)
      assert.strictEqual(positionCount, merged!.positionCount)
    }
  })
})
