/**
 * Reports of the real program, opened from the disk in a real Chromium.
 */
import chromium from "@sparticuz/chromium"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Browser, chromium as playwright } from "playwright-core"
import { commandsLimitMs, makeFolder, run, sample } from "./commandLine.ts"

const cwd = makeFolder()
let browser: Browser

beforeAll(async () => {
  const executablePath = await chromium.executablePath()
  browser = await playwright.launch({ args: chromium.args, executablePath, headless: true })
  await run(["strategy", "new", "mine.json"], { cwd })
})
afterAll(() => browser.close())

/** Opens a page, and tells all that it asked for and complained of. */
const open = async (name: string) => {
  // The language of a browser without a locale of its system, which Intl refuses, is no obstacle.
  const context = await browser.newContext({ acceptDownloads: true })
  context.setDefaultTimeout(commandsLimitMs)
  const page = await context.newPage()
  const complaints: Array<string> = []
  const asked: Array<string> = []
  page.on("console", (message) => complaints.push(message.text()))
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("request", (request) => asked.push(request.url()))
  const url = pathToFileURL(join(cwd, name)).href
  await page.goto(url)
  await page.locator("html[data-drawn=yes]").waitFor({ state: "attached" })
  return { asked, complaints, page, url }
}

it("draws a backtest, sorts its positions and writes them as CSV", async () => {
  const made = await run(["report", "mine.json", "--candles", sample, "-o", "bt.html"], { cwd })
  assert.strictEqual(made.code, 0, made.stderr)
  assert.isBelow(statSync(join(cwd, "bt.html")).size, 1_000_000)
  const { asked, complaints, page, url } = await open("bt.html")
  const boxes = await Promise.all(
    (await page.locator("canvas").all()).map((canvas) => canvas.boundingBox())
  )
  assert.deepStrictEqual(
    boxes.map((box) => box !== null && box.width > 300 && box.height > 50),
    Array.from({ length: 8 }, () => true)
  )
  await page.getByRole("button", { name: "Return", exact: true }).click()
  const cells = await page.locator("#positions tbody tr td:nth-child(9)").allTextContents()
  const returns = cells.map((text) => Number.parseFloat(text.replaceAll(/[▲▼ %]/g, "")))
  assert.isAbove(returns.length, 5)
  assert.deepStrictEqual(
    returns,
    returns.toSorted((one, other) => other - one)
  )
  const download = page.waitForEvent("download")
  await page.getByText("Download as CSV").click()
  const csv = readFileSync(await (await download).path(), "utf8")
  assert.strictEqual(csv.trim().split("\r\n").length, returns.length + 1)
  assert.deepStrictEqual(complaints, [])
  assert.deepStrictEqual(
    asked.filter((address) => address !== url && !address.startsWith("blob:")),
    []
  )
})

it("writes CSV of which a spreadsheet runs nothing", async () => {
  const mine = readFileSync(join(cwd, "mine.json"), "utf8")
  writeFileSync(join(cwd, "dash.json"), mine.replaceAll("BTC/USD", "-BTC/USD"))
  const made = await run(["report", "dash.json", "--candles", sample, "-o", "dash.html"], { cwd })
  assert.strictEqual(made.code, 0, made.stderr)
  const { page } = await open("dash.html")
  const download = page.waitForEvent("download")
  await page.getByText("Download as CSV").click()
  const csv = readFileSync(await (await download).path(), "utf8")
  const rows = csv.trim().split("\r\n").slice(1)
  assert.isAbove(rows.length, 5)
  for (const row of rows) assert.match(row, /^'-BTC\/USD,/)
  // A loss stays a number.
  assert.isTrue(rows.some((row) => /,-\d/.test(row)))
})

it("draws the neighbourhood of a search, whose best trial becomes a version", async () => {
  const search = ["optimize", "mine.json", "--trials", "60", "--seed", "1", "--json"]
  const found = await run([...search, "--data", "data"], { cwd })
  const { id } = JSON.parse(found.stdout)
  const made = await run(["report", id, "--data", "data", "-o", "opt.html"], { cwd })
  assert.strictEqual(made.code, 0, made.stderr)
  const { complaints, page } = await open("opt.html")
  assert.strictEqual(await page.locator("canvas.heat").count(), 1)
  const axis = page.locator("#axes select").first()
  assert.deepStrictEqual(await axis.locator("option").allTextContents(), ["fast", "slow"])
  await axis.selectOption("slow")
  assert.strictEqual(await page.locator("#trials tbody tr").count(), 60)
  const left = await page.locator(".funnel td:nth-child(2)").allTextContents()
  const counts = left.map(Number)
  assert.deepStrictEqual(
    counts,
    counts.toSorted((one, other) => other - one)
  )
  assert.deepStrictEqual([counts[0], counts.at(-1)], [60, 1])
  assert.include(await page.locator(".verdict").textContent(), "candles that did not choose it")
  assert.deepStrictEqual(complaints, [])
  const applied = await run(["trials", "apply", id, "--data", "data", "--json"], { cwd })
  assert.strictEqual(JSON.parse(applied.stdout).version, 2)
})
