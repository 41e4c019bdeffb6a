/**
 * Sign-in, overview and bots in a real browser against the real server.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { hasBrowser } from "./browser.ts"
import { looks, setStage, signIn, type Stage, until, type Walk } from "./walk.ts"

const price = { type: "price", field: "close" }
const average = { type: "sma", period: 50 }

/** Follows an average, with a stop that rests beside each position. */
const definition = {
  format: 1,
  symbols: ["GBP/USD"],
  timeframe: "1h",
  parameters: {},
  long: {
    enter: { type: "crosses_above", left: price, right: average },
    exit: { type: "crosses_below", left: price, right: average }
  },
  exits: { stop_loss: { type: "fraction", value: 0.01 } },
  sizing: { type: "fixed_quantity", quantity: 60_000 }
}

describe.runIf(hasBrowser)("the dashboard in a browser", () => {
  let stage: Stage
  let botId = ""

  beforeAll(async () => {
    stage = await setStage()
    const strategy = await stage.call("POST", "/v1/mix/strategies", { name: "Cable", definition })
    const bot = await stage.call("POST", "/v1/bots/create", {
      name: "Cable above its level",
      strategy_id: strategy.id,
      capital_allocation: 150_000,
      auto_start: true,
      alerts: [{ metric: "total_return", op: "lt", threshold: 50 }]
    })
    botId = bot.id
    await stage.call("POST", "/v1/bots/create", {
      name: "Never started",
      strategy_id: strategy.id,
      capital_allocation: 500
    })
    const ask = () => stage.call("GET", `/v1/bots/${botId}/status`)
    await until(ask, ({ is_data_ended: isEnded }) => isEnded)
  }, 120_000)

  afterAll(() => stage.end())

  it("draws charts in a browser whose language is none", async () => {
    const walk = await stage.open()
    const content =
      "Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })"
    await walk.page.context().addInitScript({ content })
    await signIn(walk, stage.url)
    await walk.go(`bots/${botId}`, "Cable above its level")
    await walk.page.locator(".uplot").first().waitFor()
    await walk.end()
  })

  it("asks for a key, refuses a wrong one, and keeps a right one for the tab", async () => {
    const walk = await stage.open()
    const { page } = walk
    await page.goto(`${stage.url}/`)
    await page.getByLabel("API key").waitFor()
    await signIn(walk, stage.url, "cw_live_wrong")
    await page.getByRole("alert").waitFor()
    assert.include(await page.getByRole("alert").textContent(), "does not know this key")
    await walk.end()

    const again = await stage.open()
    await signIn(again, stage.url)
    await again.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    await again.page.reload()
    await again.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    const other = await again.page.context().newPage()
    await other.goto(`${stage.url}/`)
    await other.getByLabel("API key").waitFor()
    await again.page.getByRole("button", { name: "Sign out" }).click()
    await again.page.getByLabel("API key").waitFor()
    await again.page.reload()
    await again.page.getByLabel("API key").waitFor()
    await again.end()
  })

  for (const [theme, width] of looks) {
    it(`shows overview, bots and a bot, ${theme} and ${width} wide`, async () => {
      const walk = await stage.open({ theme, width })
      const name = (page: string) => `${page}-${theme}-${width}`
      await walk.page.goto(`${stage.url}/`)
      await walk.page.getByLabel("API key").waitFor()
      await walk.check(name("sign-in"))
      await signIn(walk, stage.url)
      await walk.go("", "Overview")
      await walk.page.getByText("Result by day").waitFor()
      await walk.page.getByRole("heading", { name: "Held back" }).waitFor()
      await walk.page.getByText("The recording has ended.").first().waitFor()
      await walk.check(name("overview"))
      await walk.go("bots", "Bots")
      await walk.page.getByRole("link", { name: "Never started" }).waitFor()
      await walk.check(name("bots"))
      await walk.go(`bots/${botId}`, "Cable above its level")
      await walk.page.getByRole("img", { name: /^Candles of GBP/ }).waitFor()
      await walk.page.getByRole("heading", { name: "Expected and realised" }).waitFor()
      await walk.check(name("bot"))
      await walk.end()
    })
  }

  it("names a bot's parameters, and the version of its strategy", async () => {
    const fast = { kind: "integer", default: 50, min: 5, max: 90 }
    const over = { type: "sma", period: { parameter: "fast" } }
    const rules = {
      ...definition,
      parameters: { fast },
      long: {
        enter: { type: "crosses_above", left: price, right: over },
        exit: { type: "crosses_below", left: price, right: over }
      }
    }
    const made = await stage.call("POST", "/v1/mix/strategies", {
      name: "Versions",
      definition: rules
    })
    const bot = await stage.call("POST", "/v1/bots/create", {
      name: "With its own",
      strategy_id: made.id,
      capital_allocation: 500,
      parameters: { fast: 21 }
    })
    await stage.call("PUT", `/v1/mix/strategies/${made.id}`, {
      definition: { ...rules, parameters: { fast: { ...fast, default: 60 } } }
    })
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go(`bots/${bot.id}`, "With its own")
    await page.getByText("with fast 21").waitFor()
    await page.getByRole("link", { name: `strategy, version ${made.version}` }).click()
    await page.getByText(`This is version ${made.version}, as it was kept`).waitFor()
    await page
      .getByRole("table", { name: "Parameters" })
      .getByRole("cell", { name: "50", exact: true })
      .waitFor()
    await walk.check("old-version")
    await walk.end()
  })

  const commandByKeys = async ({ page }: Walk): Promise<void> => {
    await page.keyboard.press("g")
    await page.keyboard.press("b")
    await page.getByRole("heading", { level: 1, name: "Bots" }).waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("never")
    const start = page.getByRole("button", { name: "Start Never started" })
    await start.waitFor()
    await until(
      () => page.getByRole("row").count(),
      (count) => count === 2
    )
    await start.focus()
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor()
  }

  it("is used by keys alone, and a command changes what the list says", async () => {
    const walk = await stage.open()
    await signIn(walk, stage.url)
    await walk.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    await commandByKeys(walk)
    await walk.check("command")
    await walk.page.keyboard.press("Escape")
    // The list of keys is a dialog too, and stays.
    await until(
      () => walk.page.locator("dialog").count(),
      (count) => count === 1
    )
    await walk.page.getByRole("button", { name: "Start Never started" }).press("Enter")
    await walk.page.getByRole("dialog").getByRole("button", { name: "Start" }).press("Enter")
    await walk.page.getByRole("cell", { name: "running" }).waitFor()
    await walk.check("commanded")
    await walk.end()
  })

  it("says so where nothing is there, and where the server is gone", async () => {
    const walk = await stage.open()
    await signIn(walk, stage.url)
    await walk.go("bots?name=nobody-has-this-name", "Bots")
    await walk.page.getByText("No bot is like this").waitFor()
    await walk.check("no-bots")
    await walk.page.route("**/api/v1/overview", (route) => route.abort())
    await walk.go("", "Overview")
    await walk.page.getByText("The server can't be reached.").waitFor()
    assert.deepStrictEqual(await walk.page.getByRole("button", { name: "Try again" }).count(), 1)
    await walk.end()
  })

  it("breaks the address of a page that is not there, on a phone too", async () => {
    const walk = await stage.open({ width: 390 })
    await signIn(walk, stage.url)
    await walk.go(`backtests/${"a".repeat(80)}/b`, "Not found")
    await walk.check("not-found-390")
    await walk.end()
  })

  it("tells what halts as it comes, without being asked", async () => {
    const walk = await stage.open()
    await signIn(walk, stage.url)
    await walk.page.getByText("live", { exact: true }).waitFor()
    await stage.call("POST", "/v1/account/halt", { reason: "A test of the dashboard" })
    const halted = walk.page.getByRole("alert")
    await halted.waitFor()
    assert.include(await halted.textContent(), "A test of the dashboard")
    await walk.page.getByRole("heading", { name: "Held back" }).waitFor()
    await walk.check("halted")
    await stage.call("POST", "/v1/account/resume")
    await walk.end()
  })

  it("lets a slow answer come before it asks again", async () => {
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await page.getByText("live", { exact: true }).waitFor()
    const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms))
    let [asked, cut] = [0, 0]
    page.on("requestfailed", (request) => {
      if (request.url().endsWith("/overview")) cut += 1
    })
    await page.route("**/api/v1/overview", async (route) => {
      asked += 1
      await pause(1_500)
      await route.continue()
    })
    for (let time = 0; time < 3; time++) {
      await stage.call("POST", "/v1/account/halt", { reason: "Once more" })
      await pause(900)
      await stage.call("POST", "/v1/account/resume")
      await pause(900)
    }
    await until(
      () => Promise.resolve(asked),
      (count) => count >= 2
    )
    assert.strictEqual(cut, 0)
    await page.unrouteAll({ behavior: "wait" })
    await walk.end()
  })
})
