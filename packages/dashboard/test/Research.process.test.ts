/**
 * Strategies, the form that writes them, and searches, in a real browser against the real server.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { hasBrowser } from "./browser.ts"
import { looks, setStage, signIn, type Stage, until } from "./walk.ts"

const price = { type: "price", field: "close" }

describe.runIf(hasBrowser)("research in a browser", () => {
  let stage: Stage
  let strategyId = ""
  let searchId = ""

  beforeAll(async () => {
    stage = await setStage()
    const strategy = await stage.call("POST", "/v1/mix/generate", {
      objective: "sharpe",
      risk_tolerance: "medium",
      timeframe: "1h",
      seed: 7,
      max_candidates: 60
    })
    strategyId = strategy.id
    const search = await stage.call("POST", "/v1/mix/optimize", {
      strategy_id: strategyId,
      max_trials: 120,
      seed: 7
    })
    searchId = search.id
  }, 120_000)

  afterAll(() => stage.end())

  for (const [theme, width] of looks) {
    it(`shows strategies and searches, ${theme} and ${width} wide`, async () => {
      const walk = await stage.open({ theme, width })
      const name = (page: string) => `${page}-${theme}-${width}`
      await signIn(walk, stage.url)
      await walk.go("strategies", "Strategies")
      await walk.page.getByRole("cell", { name: "generated" }).first().waitFor()
      await walk.check(name("strategies"))
      await walk.go(`strategies/${strategyId}`, /./)
      await walk.page.getByRole("heading", { name: "What it does" }).waitFor()
      await walk.page.getByRole("table", { name: "Parameters" }).waitFor()
      await walk.check(name("strategy"))
      await walk.go("searches", "Searches")
      await walk.page.getByRole("cell", { name: "completed" }).first().waitFor()
      await walk.check(name("searches"))
      await walk.go(`searches/${searchId}`, /^Search of /)
      await walk.page.getByRole("heading", { name: "In and out of sample" }).waitFor()
      await walk.page.getByRole("table", { name: "Trials" }).waitFor()
      await walk.check(name("search"))
      await walk.go("write", "Write a strategy")
      await walk.page.getByRole("heading", { name: "It says" }).waitFor()
      await walk.check(name("write"))
      await walk.end()
    })
  }

  it("shows walking forward, the constraints and the neighbours, and applies nothing worse", async () => {
    const { parameters } = await stage.call("GET", `/v1/mix/strategies/${strategyId}`)
    const { max, name } = parameters.find(({ kind }: any) => kind !== "boolean")
    const { id } = await stage.call("POST", "/v1/mix/optimize", {
      strategy_id: strategyId,
      max_trials: 40,
      seed: 3,
      constraints: [`${name} <= ${max}`],
      walk_forward: { mode: "rolling", windows: 3 }
    })
    const ask = () => stage.call("GET", `/v1/mix/optimize/${id}/results`)
    const found = await until(ask, ({ status }) => !["queued", "running"].includes(status))
    for (const width of [1_280, 390]) {
      const walk = await stage.open({ width })
      const { page } = walk
      await signIn(walk, stage.url)
      await walk.go(`searches/${id}`, /^Search of /)
      const windows = page.getByRole("table", { name: "Windows of walking forward" })
      await windows.waitFor()
      assert.strictEqual(await windows.locator("tbody tr").count(), 3)
      await page
        .getByText(`Only sets that meet all of these were tried: ${name} <= ${max}.`)
        .waitFor()
      await page.getByText("Its neighbours", { exact: true }).waitFor()
      const apply = page.getByRole("button", { name: "Apply the best" })
      const isWorse = found.judgement.is_worse_than_original === true
      assert.strictEqual(await apply.isDisabled(), isWorse || found.best === null)
      await walk.check(`search-walked-${width}`)
      await walk.end()
    }
  })

  it("reads a strategy back while it is written, and keeps it once it is right", async () => {
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go("write", "Write a strategy")
    await page
      .getByText(/EMA\(12/)
      .first()
      .waitFor()
    const periods = page.getByLabel("Enter, condition 1: left side: candles")
    await periods.fill("-3")
    await page.getByRole("heading", { name: "Not yet" }).waitFor()
    await page.locator(".said .fault").first().waitFor()
    await walk.check("write-at-fault")
    const keep = page.getByRole("button", { name: "Keep the strategy" })
    assert.isTrue(await keep.isDisabled())
    await periods.fill("9")
    await page
      .getByText(/EMA\(9/)
      .first()
      .waitFor()
    await page.getByLabel("Name", { exact: true }).fill("Written here")
    await page.getByRole("button", { name: "Write it as JSON" }).click()
    await page.getByLabel("Definition as JSON").fill("{")
    await page.getByText("This is no JSON yet.").waitFor()
    await page.getByRole("button", { name: "Back to the form" }).click()
    await page.getByRole("heading", { name: "It says" }).waitFor()
    await keep.click()
    await page.getByRole("heading", { level: 1, name: "Written here" }).waitFor()
    await walk.check("written")
    const { data } = await stage.call("GET", "/v1/mix/strategies?name=Written")
    assert.lengthOf(data, 1)
    assert.sameMembers(Object.keys(data[0].definition.parameters), ["ema_9", "ema_26", "ema_12"])
    await walk.end()
  })

  it("begins a search from a strategy, shows how far it is after a reload, and applies the best", async () => {
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    // Its own parameter trades at each turn, so that costs eat it: nearly any other is better.
    const average = { type: "sma", period: { parameter: "period" } }
    const { id: hastyId } = await stage.call("POST", "/v1/mix/strategies", {
      name: "Hasty",
      definition: {
        format: 1,
        symbols: ["GBP/USD"],
        timeframe: "1h",
        parameters: { period: { kind: "integer", default: 2, min: 2, max: 200 } },
        long: {
          enter: { type: "crosses_above", left: price, right: average },
          exit: { type: "crosses_below", left: price, right: average }
        },
        sizing: { type: "fixed_quantity", quantity: 4_000 }
      }
    })
    await walk.go(`strategies/${hastyId}`, "Hasty")
    await page.getByRole("button", { name: "Search parameters" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Trials").fill("300")
    await dialog.getByRole("button", { name: "Search parameters" }).click()
    await page.getByRole("heading", { level: 1, name: /^Search of / }).waitFor()
    await page.reload()
    await page.getByRole("heading", { name: "In and out of sample" }).waitFor()
    await walk.check("searched")
    const before = await stage.call("GET", `/v1/mix/strategies/${hastyId}`)
    await page.getByRole("button", { name: "Apply the best" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click()
    await page.getByRole("heading", { level: 1, name: before.name }).waitFor()
    await page
      .getByText(/applied/)
      .first()
      .waitFor()
    const after = await stage.call("GET", `/v1/mix/strategies/${hastyId}`)
    assert.isAbove(after.version, before.version)
    await walk.end()
  })
})
