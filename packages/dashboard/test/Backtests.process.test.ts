/**
 * Backtests, one of them, and two side by side, in a real browser against the real server.
 */
import { readFile } from "node:fs/promises"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { hasBrowser } from "./browser.ts"
import { looks, setStage, signIn, type Stage, until } from "./walk.ts"

const price = { type: "price", field: "close" }

const follow = (period: number) => {
  const average = { type: "sma", period }
  return {
    format: 1,
    symbols: ["GBP/USD"],
    timeframe: "1h",
    parameters: {},
    long: {
      enter: { type: "crosses_above", left: price, right: average },
      exit: { type: "crosses_below", left: price, right: average }
    },
    exits: { stop_loss: { type: "fraction", value: 0.01 } },
    sizing: { type: "fixed_quantity", quantity: 4_000 }
  }
}

describe.runIf(hasBrowser)("backtests in a browser", () => {
  let stage: Stage
  let strategyId = ""
  const ids: Array<string> = []

  beforeAll(async () => {
    stage = await setStage()
    for (const period of [50, 120]) {
      const name = `Cable over ${period}`
      const definition = follow(period)
      const strategy = await stage.call("POST", "/v1/mix/strategies", { name, definition })
      strategyId = strategy.id
      const { id } = await stage.call("POST", "/v1/mix/backtest", { strategy_id: strategy.id })
      const ask = () => stage.call("GET", `/v1/mix/backtest/${id}`)
      const run = await until(ask, ({ status }) => !["queued", "running"].includes(status))
      assert.strictEqual(run.status, "completed")
      ids.push(id)
    }
  }, 120_000)

  afterAll(() => stage.end())

  for (const [theme, width] of looks) {
    it(`shows backtests, ${theme} and ${width} wide`, async () => {
      const walk = await stage.open({ theme, width })
      const name = (page: string) => `${page}-${theme}-${width}`
      await signIn(walk, stage.url)
      await walk.go("backtests", "Backtests")
      await walk.page.getByRole("link", { name: "Cable over 120" }).first().waitFor()
      await walk.check(name("backtests"))
      await walk.go(`backtests/${ids[0]}`, /^Backtest of /)
      await walk.page.getByRole("img", { name: /^Candles of GBP/ }).waitFor()
      await walk.page.getByRole("table", { name: "Positions" }).waitFor()
      await walk.check(name("backtest"))
      await walk.go(`compare?one=${ids[0]}&other=${ids[1]}`, /side by side/)
      await walk.page.getByRole("img", { name: "Returns of both backtests" }).waitFor()
      await walk.page.getByRole("table", { name: "Settings that differ" }).waitFor()
      await walk.check(name("compare"))
      await walk.end()
    })
  }

  it("is begun at a strategy, and looks back through its candles", async () => {
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go(`strategies/${strategyId}`, "Cable over 120")
    await page.getByRole("button", { name: "Backtest", exact: true }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Backtest" }).click()
    await page.getByRole("heading", { level: 1, name: /^Backtest of / }).waitFor()
    const chart = page.getByRole("img", { name: /^Candles of GBP/ })
    await chart.waitFor()
    const head = page.getByRole("heading", { level: 2, name: /^GBP\/USD/ })
    const dates = /(\S+ \S+) to (\S+ \S+), of (\S+ \S+) to (\S+ \S+)/
    const told = await until(
      async () => dates.exec((await head.textContent()) ?? ""),
      (found) => found !== null
    )
    const [fromSeen = "", toSeen = "", from = "", to = ""] = told!.slice(1)
    assert.isTrue(from < fromSeen && fromSeen < toSeen && toSeen <= to, told![0])
    const later = page.getByRole("button", { name: "Later" })
    assert.isTrue(await later.isDisabled())
    await page.getByRole("button", { name: "Earlier" }).press("Enter")
    await until(
      () => later.isDisabled(),
      (isDisabled) => !isDisabled
    )
    await chart.waitFor()
    await walk.check("backtest-earlier")
    const download = page.waitForEvent("download")
    await page.getByRole("button", { name: "Save the report" }).press("Enter")
    const report = await readFile(await (await download).path(), "utf8")
    assert.match(report, /^<!doctype html>/i)
    assert.include(report, "Cable over 120")
    await walk.end()
  })

  it("compares two that are chosen by keys", async () => {
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    await page.keyboard.press("g")
    await page.keyboard.press("t")
    await page.getByRole("heading", { level: 1, name: "Backtests" }).waitFor()
    const compare = page.getByRole("button", { name: "Compare two" })
    const boxes = page.getByRole("checkbox", { name: /^Compare/ })
    await boxes.nth(1).waitFor()
    assert.isTrue(await compare.isDisabled())
    await boxes.nth(0).press("Space")
    await boxes.nth(1).press("Space")
    await compare.press("Enter")
    await page.getByRole("table", { name: "Metrics of both" }).waitFor()
    await walk.end()
  })
})
