/**
 * Webhooks, their deliveries and attempts, and alerts, in a real browser against the real server and
 * a receiver that fails at first.
 */
import { createServer, type Server } from "node:http"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { freePort } from "../../../scripts/examples.ts"
import { hasBrowser } from "./browser.ts"
import { looks, setStage, signIn, type Stage, until } from "./walk.ts"

const price = { type: "price", field: "close" }

const definition = {
  format: 1,
  symbols: ["GBP/USD"],
  timeframe: "1h",
  parameters: {},
  long: { enter: { type: "crosses_above", left: price, right: { type: "sma", period: 50 } } },
  sizing: { type: "fixed_quantity", quantity: 1 }
}

describe.runIf(hasBrowser)("webhooks and alerts in a browser", () => {
  let stage: Stage
  let receiver: Server
  let base = ""
  const ill = new Set<string>()
  const taken = new Map<string, number>()

  /** An endpoint at a path of its own. */
  const register = async (path: string): Promise<string> => {
    const events = ["trade.executed", "alert.triggered"]
    const hook = await stage.call("POST", "/v1/webhooks", { url: `${base}${path}`, events })
    return hook.id
  }

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      request.resume()
      request.on("end", () => {
        const path = request.url ?? ""
        const isIll = ill.has(path)
        if (!isIll) taken.set(path, (taken.get(path) ?? 0) + 1)
        response.writeHead(isIll ? 500 : 200, { "content-type": "text/plain" })
        response.end(isIll ? "the queue is full" : "thank you")
      })
    })
    const port = await freePort()
    await new Promise<void>((ready) => receiver.listen(port, "127.0.0.1", ready))
    base = `http://127.0.0.1:${port}`
    stage = await setStage()
  }, 120_000)

  afterAll(async () => {
    await stage.end()
    receiver.close()
  })

  it("are registered by a form, which shows the secret once", async () => {
    const walk = await stage.open({}, [/v1\/webhooks$/])
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go("webhooks", "Webhooks")
    await page.getByRole("button", { name: "Register a webhook" }).press("Enter")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Address").fill("http://192.168.0.7/hooks")
    await dialog.getByRole("button", { name: "Register" }).press("Enter")
    await dialog.getByRole("alert").waitFor()
    await dialog.getByLabel("Address").fill(`${base}/registered`)
    await dialog.getByLabel("Note").fill("The desk")
    await dialog.getByLabel(/^backtest\.complete/).press("Space")
    await walk.check("webhook-form")
    await dialog.getByRole("button", { name: "Register" }).press("Enter")
    await page.locator("code.secret").waitFor()
    assert.match((await page.locator("code.secret").textContent()) ?? "", /^whsec_/)
    const { data } = await stage.call("GET", "/v1/webhooks?limit=100")
    const made = data.find(({ url }: any) => url === `${base}/registered`)
    assert.deepStrictEqual([made.description, made.events.length], ["The desk", 4])
    await walk.end()
  })

  it("show each attempt of a delivery, and send it again", async () => {
    ill.add("/attempts")
    const id = await register("/attempts")
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go(`webhooks/${id}`, `${base}/attempts`)
    await page.getByText("Nothing was sent yet").waitFor()
    await page.getByRole("button", { name: "Send a sample" }).press("Enter")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Event").selectOption("trade.executed")
    await dialog.getByRole("button", { name: "Send" }).press("Enter")
    await page.getByRole("cell", { name: "HTTP 500" }).waitFor()
    await walk.check("webhook-retrying")
    await page.getByRole("table", { name: "Deliveries" }).getByRole("link").first().click()
    await page.getByRole("heading", { level: 1, name: /^trade\.executed/ }).waitFor()
    await page.getByText("the queue is full").first().waitFor()
    await walk.check("delivery-retrying")
    ill.delete("/attempts")
    await page.getByRole("button", { name: "Send again" }).press("Enter")
    await page.getByRole("cell", { name: "HTTP 200" }).waitFor()
    await page.getByText("succeeded").waitFor()
    await walk.check("delivery-succeeded")
    assert.strictEqual(taken.get("/attempts"), 1)
    await walk.end()
  })

  it("are disabled and enabled, and replay what was sent", async () => {
    const id = await register("/replayed")
    await stage.call("POST", `/v1/webhooks/${id}/test`, {})
    const count = () => Promise.resolve(taken.get("/replayed") ?? 0)
    await until(count, (seen) => seen === 1)
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go(`webhooks/${id}`, `${base}/replayed`)
    const dialog = page.getByRole("dialog")
    await page.getByRole("button", { name: "Disable" }).press("Enter")
    await dialog.getByRole("button", { name: "Disable" }).press("Enter")
    await page.getByText(/^The webhook is disabled since/).waitFor()
    await page.getByRole("button", { name: "Enable" }).press("Enter")
    await dialog.getByRole("button", { name: "Enable" }).press("Enter")
    await page.getByRole("button", { name: "Disable" }).waitFor()
    await page.getByRole("button", { name: "Replay" }).press("Enter")
    await dialog.getByLabel("Deliveries").selectOption("all")
    await walk.check("webhook-replay")
    await dialog.getByRole("button", { name: "Replay" }).press("Enter")
    await page.getByRole("table", { name: "Replays" }).getByText("completed").waitFor()
    await walk.check("webhook-replayed")
    await walk.end()
  })

  it("make a new secret, which is shown once", async () => {
    const id = await register("/rotated")
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go(`webhooks/${id}`, `${base}/rotated`)
    await page.getByRole("button", { name: "New secret" }).press("Enter")
    await page.getByRole("dialog").getByRole("button", { name: "Make it" }).press("Enter")
    await page.locator("code.secret").waitFor()
    await page.getByText(/^the one before signs until/).waitFor()
    await page.reload()
    await page.getByRole("heading", { level: 1, name: `${base}/rotated` }).waitFor()
    assert.strictEqual(await page.locator("code.secret").count(), 0)
    await page.getByRole("button", { name: "Remove" }).press("Enter")
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).press("Enter")
    await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor()
    const { data } = await stage.call("GET", "/v1/webhooks?limit=100")
    assert.notInclude(
      data.map((one: any) => one.id),
      id
    )
    await walk.end()
  })

  it("alert when a price crosses, as a form says", async () => {
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go("alerts?kind=price", "Alerts")
    await page.getByText("No alert is like this").waitFor()
    await walk.check("alerts-none")
    await page.getByRole("button", { name: "New alert" }).press("Enter")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Market").fill("gbp/usd")
    await dialog.getByLabel(/^Threshold/).fill("1.25")
    await dialog.getByText("It fires when the price of GBP/USD crosses above 1.25000.").waitFor()
    await walk.check("alert-form")
    await dialog.getByRole("button", { name: "Create" }).press("Enter")
    const cell = (name: string) => page.getByRole("cell", { name, exact: true })
    await cell("the price of GBP/USD crosses above 1.25000").waitFor()
    await page.getByRole("button", { name: /^Change/ }).press("Enter")
    await dialog.getByLabel(/^Threshold/).fill("1.3")
    await dialog.getByRole("button", { name: "Change" }).press("Enter")
    await cell("the price of GBP/USD crosses above 1.30000").waitFor()
    await page.getByRole("button", { name: /^Disable/ }).press("Enter")
    await cell("disabled").waitFor()
    const { data } = await stage.call("GET", "/v1/alerts?kind=price")
    assert.deepStrictEqual(
      data.map(({ is_enabled, threshold }: any) => [is_enabled, threshold]),
      [[false, 1.3]]
    )
    await walk.end()
  })

  it("alert of a bot in percent, as it is shown, and are removed", async () => {
    const walk = await stage.open()
    const { page } = walk
    const strategy = await stage.call("POST", "/v1/mix/strategies", { name: "Cable", definition })
    const bot = await stage.call("POST", "/v1/bots/create", {
      name: "Cable bot",
      strategy_id: strategy.id,
      capital_allocation: 100
    })
    await signIn(walk, stage.url)
    await walk.go(`alerts?bot=${bot.id}`, "Alerts")
    await page.getByText("No alert is like this").waitFor()
    await page.getByRole("button", { name: "New alert" }).press("Enter")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel(/^Threshold/).fill("7.5")
    await dialog.getByRole("button", { name: "Create" }).press("Enter")
    await page.getByRole("cell", { name: "the drawdown is above 7.5 %", exact: true }).waitFor()
    const { data } = await stage.call("GET", `/v1/alerts?bot_id=${bot.id}`)
    assert.strictEqual(data[0].threshold, 0.075)
    await page.getByRole("button", { name: /^Remove/ }).press("Enter")
    await dialog.getByRole("button", { name: "Remove" }).press("Enter")
    await page.getByText("No alert is like this").waitFor()
    await walk.end()
  })

  for (const [theme, width] of looks) {
    it(`are shown, ${theme} and ${width} wide`, async () => {
      // An address and a note as long as chats and gateways give them.
      const path = `/shown-${theme}-${width}/${"part-of-an-address".repeat(8)}`
      ill.add(path)
      const id = await register(path)
      await stage.call("POST", `/v1/webhooks/${id}/test`, {})
      await stage.call("POST", "/v1/alerts", { metric: "kill_switch", op: "gt", threshold: 0 })
      const priceAlert = await stage.call("POST", "/v1/alerts", {
        metric: "price",
        symbol: "GBP/USD",
        op: "crosses_above",
        threshold: 1.25
      })
      const walk = await stage.open({ theme, width })
      const { page } = walk
      const name = (place: string) => `${place}-${theme}-${width}`
      await signIn(walk, stage.url)
      await walk.go("webhooks", "Webhooks")
      await page.getByRole("link", { name: `${base}${path}` }).waitFor()
      await walk.check(name("webhooks"))
      await walk.go(`webhooks/${id}`, `${base}${path}`)
      const link = page.getByRole("table", { name: "Deliveries" }).getByRole("link").first()
      await link.waitFor()
      await walk.check(name("webhook"))
      const { data } = await stage.call("GET", `/v1/webhooks/${id}/deliveries`)
      await walk.go(`delivery?webhook=${id}&delivery=${data[0].id}`, /^trade\.executed/)
      await page.getByRole("heading", { level: 2, name: "Attempts" }).waitFor()
      await walk.check(name("delivery"))
      await walk.go("alerts", "Alerts")
      await page.getByRole("cell", { name: "the account is halted", exact: true }).first().waitFor()
      await walk.check(name("alerts"))
      // Another story begins without an alert of a price.
      await stage.call("DELETE", `/v1/alerts/${priceAlert.id}`)
      await walk.end()
    })
  }
})
