/**
 * Candles and their import in a real browser against the real server.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { apiKey } from "../../../scripts/examples.ts"
import { hasBrowser } from "./browser.ts"
import { looks, setStage, signIn, type Stage, type Walk } from "./walk.ts"

const hourMs = 3_600_000
const begin = Date.parse("2024-01-01T00:00:00Z")

/** Hours of an exchange's dump without a header; a gap of 30 hours, and one candle far out. */
const dump = (count: number, change = 0): string =>
  Array.from({ length: count }, (_, at) => at)
    .filter((at) => at < 100 || at >= 130)
    .map((at) => {
      const price = 40_000 + 900 * Math.sin(at / 15) + (at === 200 ? 9_000 : 0) + change
      const row = [price, price + 40, price - 55, price + 10].map((value) => value.toFixed(2))
      return [
        begin + at * hourMs,
        ...row,
        "12.5",
        begin + (at + 1) * hourMs - 1,
        "1",
        "9",
        "1",
        "1",
        "0"
      ]
    })
    .map((row) => row.join(","))
    .join("\n")

const fileOf = (name: string, text: string) => ({
  name,
  mimeType: "text/csv",
  buffer: Buffer.from(text)
})

describe.runIf(hasBrowser)("candles in a browser", () => {
  let stage: Stage

  const kept = async (symbol: string) => {
    const { data } = await stage.call("GET", `/v1/candles?symbol=${symbol}`)
    return data.map((one: any) => [one.candle_count, one.gap_count])
  }

  const keep = async (symbol: string) => {
    const response = await fetch(`${stage.url}/v1/candles?symbol=${symbol}`, {
      method: "POST",
      body: dump(400),
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/octet-stream" }
    })
    assert.isTrue(response.ok, await response.text())
  }

  const choose = async ({ page }: Walk, name: string, text: string) =>
    page.getByLabel(/^Choose /).setInputFiles(fileOf(name, text))

  beforeAll(async () => {
    stage = await setStage()
    for (const symbol of ["ETH/USDT", "SOL/USDT", "XRP/USDT"]) await keep(symbol)
  }, 120_000)

  afterAll(() => stage.end())

  it("are imported after a look at how the file is read", async () => {
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go("import", "Import candles")
    await walk.check("import-empty")
    await choose(walk, "BTCUSDT-1h-2024.csv", dump(400))
    await page.getByRole("heading", { name: "Read as BTC/USDT 1h" }).waitFor()
    assert.strictEqual(await page.getByLabel("Market").inputValue(), "BTC/USDT")
    await page.getByText("370 candles are new.").waitFor()
    await page.getByRole("table", { name: "Gaps" }).waitFor()
    await page.getByRole("table", { name: "Outliers" }).waitFor()
    await walk.check("import-preview")
    assert.deepStrictEqual(await kept("BTC/USDT"), [])
    await page.getByRole("button", { name: "Import 370 candles" }).press("Enter")
    await page.getByText("BTC/USDT 1h has 370 candles now.").waitFor()
    await walk.check("import-done")
    await page.getByRole("link", { name: "Look at the series" }).click()
    await page.getByRole("heading", { level: 1, name: "BTC/USDT 1h" }).waitFor()
    assert.deepStrictEqual(await kept("BTC/USDT"), [[370, 1]])
    await walk.end()
  })

  it("that differ from kept ones are kept or replaced as somebody decides", async () => {
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go("import", "Import candles")
    await choose(walk, "SOL-USDT.csv", dump(410, 1))
    await page.getByText("Kept candles have other values").waitFor()
    const operation = page.getByRole("button", { name: /^Import/ })
    assert.isTrue(await operation.isDisabled())
    await walk.check("import-conflict")
    await page.getByRole("button", { name: "Replace it with the file" }).click()
    await page.getByText("10 candles are new, 370 replace others.").waitFor()
    await page.getByRole("button", { name: "Import 380 candles" }).click()
    await page.getByText("SOL/USDT 1h has 380 candles now.").waitFor()
    await walk.end()
  })

  it("of a symbol without a currency, or of no candles at all, tell what is missing", async () => {
    const walk = await stage.open({}, [/candles\/preview/])
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go("import", "Import candles")
    await choose(walk, "AAPL.csv", dump(50))
    await page.getByText(/does not say in which currency it is priced/).waitFor()
    await walk.check("import-currency")
    await page.getByLabel("Currency of its prices").fill("USD")
    await page.getByRole("heading", { name: "Read as AAPL/USD 1h" }).waitFor()
    await choose(walk, "notes.txt", "no candles\nare in here\n")
    await page.getByLabel("Currency of its prices").fill("USD")
    await page.getByText("The file can't be read so.").waitFor()
    assert.isTrue(await page.getByRole("button", { name: /^Import/ }).isDisabled())
    await walk.check("import-unread")
    await walk.end()
  })

  for (const [theme, width] of looks) {
    it(`are listed and drawn with their gaps, ${theme} and ${width} wide`, async () => {
      const walk = await stage.open({ theme, width })
      const { page } = walk
      const name = (place: string) => `${place}-${theme}-${width}`
      await signIn(walk, stage.url)
      await walk.go("candles", "Candles")
      await page.getByRole("link", { name: "ETH/USDT 1h" }).waitFor()
      await walk.check(name("candles"))
      await walk.go("series?symbol=ETH/USDT&timeframe=1h", "ETH/USDT 1h")
      await page.getByRole("img", { name: /^Candles of ETH/ }).waitFor()
      await page.getByRole("button", { name: "Draw 2024-01-05 04:00" }).first().waitFor()
      await walk.check(name("series"))
      await walk.go("import", "Import candles")
      await choose(walk, "ETHUSDT-1h-2024.csv", dump(500))
      await page.getByRole("button", { name: "Import 100 candles" }).waitFor()
      await walk.check(name("import"))
      await walk.end()
    })
  }

  it("are saved as a file, and removed after a question", async () => {
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go("series?symbol=XRP/USDT&timeframe=1h", "XRP/USDT 1h")
    const download = page.waitForEvent("download")
    await page.getByRole("button", { name: "Save as CSV" }).click()
    assert.strictEqual((await download).suggestedFilename(), "XRP-USDT-1h.csv")
    await page.getByRole("button", { name: "Remove" }).press("Enter")
    await page
      .getByRole("dialog")
      .getByRole("button", { name: "Remove the candles" })
      .press("Enter")
    await page.getByRole("heading", { level: 1, name: "Candles" }).waitFor()
    assert.deepStrictEqual(await kept("XRP/USDT"), [])
    await walk.check("candles-removed")
    await walk.end()
  })
})
