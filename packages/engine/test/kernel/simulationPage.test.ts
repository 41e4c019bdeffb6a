/**
 * `simulation.test.ts` holds the page of a backtest's assumptions rule by rule. This file holds the
 * page's names and numbers to the code.
 */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { marketOf } from "../../src/language/Market.ts"
import { restMin } from "../../src/fast/mayLoseAll.ts"
import { stepsOf } from "../../src/plan/marketSpec.ts"
import { dayMs } from "../../src/kernel/calendar.ts"
import { periodsPerYear } from "../../src/kernel/metrics/dailyReturns.ts"

const engine = new URL("../../", import.meta.url)
const root = new URL("../../", engine)

const page = readFileSync(new URL("docs/simulation.md", root), "utf8").replaceAll(/\s+/g, " ")
const codes = Array.from(page.matchAll(/`([^`]+)`/g), ([, code]) => code!)

describe("the page of what a backtest assumes", () => {
  it("names files that there are", () => {
    const paths = codes.filter((code) => code.endsWith(".ts") || code.endsWith("/"))
    assert.isAbove(paths.length, 3)
    for (const path of paths) {
      const isThere = existsSync(new URL(path, root)) || existsSync(new URL(`src/${path}`, engine))
      assert.isTrue(isThere, path)
    }
  })

  it("names options, fields and functions that there are", () => {
    const sources = [engine, new URL("packages/core/", root)].flatMap((folder) =>
      readdirSync(new URL("src/", folder), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts"))
        .map((path) => readFileSync(new URL(`src/${path}`, folder), "utf8"))
    )
    const known = new Set(sources.flatMap((source) => source.match(/\w+/g) ?? []))
    const words = codes
      .filter((code) => !code.includes("/"))
      .flatMap((code) => code.match(/\w+/g) ?? [])
    assert.isAbove(words.length, 40)
    assert.deepStrictEqual(
      words.filter((word) => !known.has(word)),
      []
    )
  })

  it("tells the costs of a market that says nothing else", () => {
    const percent = (rate: number): string => `${Number((100 * rate).toPrecision(3))} %`
    const market = marketOf("AAA/BBB")
    const currencies = marketOf("EUR/USD")
    assert.strictEqual(market.maker_rate, market.taker_rate)
    assert.deepStrictEqual([currencies.taker_rate, currencies.slippage_rate], [0, 0])
    const costs = `${percent(market.taker_rate)} and ${percent(market.slippage_rate)}`
    assert.include(page, `${costs} unless it says otherwise`)
    assert.include(page, `a spread of ${percent(currencies.spread_rate)} for pairs of currencies`)
  })

  it("tells the steps of a market that names none", () => {
    const { lot, tick } = stepsOf(marketOf("AAA/BBB"))
    assert.strictEqual(lot, tick)
    assert.include(page, `A step that neither names is ${tick.toExponential()}`)
  })

  it("counts the cases of other engines as the table of them does", () => {
    const table = readFileSync(new URL("docs/oracles.md", root), "utf8").replaceAll(/ *\| */g, "|")
    const [, scripts, backtests] = /(\d+) order scripts, (\d+) backtests/.exec(page)!
    assert.include(table, `|Order cases and scripts|backtesting.py|${scripts}|${scripts}|`)
    assert.match(table, new RegExp(`\\|Whole backtests[^|]*\\|backtesting.py\\|${backtests}\\|`))
  })

  it("tells how many periods a year has, and what little is left of a run that is simulated", () => {
    const days = (count: number): Float64Array =>
      Float64Array.from({ length: count }, (_, index) => index * dayMs)
    const weekdays = days(700).filter((time) => ![6, 0].includes(new Date(time).getUTCDay()))
    const [all, some] = [periodsPerYear(days(700)), periodsPerYear(weekdays)]
    assert.include(
      page,
      `A year has ${all} of them where there are candles on weekends, else ${some}`
    )
    assert.include(page, "less than a four-millionth")
    assert.approximately(1 / restMin / 1e6, 4, 0.5)
  })
})
