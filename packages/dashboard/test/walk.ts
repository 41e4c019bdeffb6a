/**
 * A signed-in page of the dashboard in a real browser, against a real server that has data to show.
 * Every page keeps these laws: axe finds nothing, the console stays empty, the content policy
 * refuses nothing, no two texts lie over one another, and nothing scrolls sideways.
 */
import type { ChildProcess } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { apiKey, freePort, startServer, stopServer } from "../../../scripts/examples.ts"
import { buildIfChanged } from "../build.ts"
import { openBrowser } from "./browser.ts"
import { layoutFaultsOf } from "./layout.ts"

/** A request to the server of the test; fails where the server refuses it. */
export type Call = (method: string, path: string, body?: unknown) => Promise<any>

/** A server with a browser beside it. */
export interface Stage {
  readonly url: string
  readonly call: Call
  /** Opens a page; a refusal by one of these addresses is what it shows, and no fault. */
  readonly open: (look?: Look, refused?: ReadonlyArray<RegExp>) => Promise<Walk>
  readonly end: () => Promise<void>
}

/** How a page is looked at. */
export interface Look {
  readonly theme?: "dark" | "light"
  readonly width?: number
}

/** The looks under which every page is walked. */
export const looks = [
  ["light", 1_280],
  ["dark", 1_280],
  ["light", 390],
  ["dark", 390]
] as const

/** A page that is walked. */
export interface Walk {
  readonly page: Page
  /** Goes to a place, and waits for a heading there. */
  readonly go: (place: string, heading: string | RegExp) => Promise<void>
  /** Fails where the page is at fault, and writes its picture where the environment asks for it. */
  readonly check: (name: string) => Promise<void>
  readonly end: () => Promise<void>
}

const require = createRequire(import.meta.url)
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8")
const pictures = process.env["CANDLEWICK_PICTURES"]

const callOf =
  (url: string): Call =>
  async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        prefer: "wait=60",
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    assert.isTrue(response.ok, `${method} ${path}: ${text}`)
    return text === "" ? null : JSON.parse(text)
  }

/** The messages of a browser in the page; the types of a page are not those of Node. */
interface Told {
  readonly refused: Array<string>
  readonly axe: {
    readonly run: () => Promise<{
      readonly violations: ReadonlyArray<{
        readonly id: string
        readonly help: string
        readonly nodes: ReadonlyArray<{ readonly html: string }>
      }>
    }>
  }
  readonly addEventListener: (
    name: string,
    hear: (event: { readonly blockedURI: string; readonly violatedDirective: string }) => void
  ) => void
}

const listenToPolicy = (): void => {
  const told = globalThis as unknown as Told
  Object.assign(told, { refused: [] })
  told.addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) =>
    told.refused.push(`${violatedDirective} ${blockedURI}`)
  )
}

const findingsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  const { violations } = await page.evaluate(() => (globalThis as unknown as Told).axe.run())
  return violations.map(
    ({ help, id, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => `  ${html}`).join("\n")}`
  )
}

const checkPage = async (page: Page, said: ReadonlyArray<string>, name: string) => {
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) })
  assert.deepStrictEqual(await findingsOf(page), [], `axe on ${name}`)
  const refused = await page.evaluate(() => (globalThis as unknown as Told).refused)
  assert.deepStrictEqual(refused, [], `refused by the policy on ${name}`)
  assert.deepStrictEqual(said, [], `said in the console on ${name}`)
  assert.deepStrictEqual(await layoutFaultsOf(page), [], `the layout of ${name}`)
}

const walkIn = (
  context: BrowserContext,
  page: Page,
  url: string,
  refused: ReadonlyArray<RegExp>
): Walk => {
  const said: Array<string> = []
  page.on("console", (message) => {
    // A browser says of each refusal that it is one; those of a check are what a form shows.
    const at = message.location().url
    if ([/strategies\/check$/, ...refused].some((pattern) => pattern.test(at))) return
    if (["error", "warning"].includes(message.type())) said.push(message.text())
  })
  page.on("pageerror", (error) => said.push(error.message))
  return {
    page,
    go: async (place, heading) => {
      await page.goto(`${url}/#/${place}`)
      await page.getByRole("heading", { level: 1, name: heading }).waitFor()
      await page.waitForFunction(() => {
        const { document } = globalThis as unknown as {
          readonly document: { readonly querySelector: (selector: string) => unknown }
        }
        return document.querySelector(".loading") === null
      })
    },
    check: (name) => checkPage(page, said, name),
    end: () => context.close()
  }
}

const openIn =
  (browser: Browser, url: string) =>
  async (
    { theme = "light", width = 1_280 }: Look = {},
    refused: ReadonlyArray<RegExp> = []
  ): Promise<Walk> => {
    // A browser in a container may have no locale that a chart takes.
    const context = await browser.newContext({
      locale: "en-US",
      colorScheme: theme,
      reducedMotion: "reduce",
      viewport: { width, height: width < 600 ? 780 : 860 }
    })
    await context.addInitScript({ content: axe })
    await context.addInitScript(listenToPolicy)
    const page = await context.newPage()
    return walkIn(context, page, url, refused)
  }

/** Signs in by the form, as somebody does. */
export const signIn = async ({ page }: Walk, url: string, key = apiKey): Promise<void> => {
  await page.goto(`${url}/`)
  await page.getByLabel("API key").fill(key)
  await page.getByRole("button", { name: "Sign in" }).click()
}

/** A server and a browser, until both are ended. */
export const setStage = async (): Promise<Stage> => {
  await buildIfChanged()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server: ChildProcess = await startServer(port)
  const browser = await openBrowser().catch(async (error: unknown) => {
    await stopServer(server)
    throw error
  })
  const end = async () => {
    await browser.close()
    await stopServer(server)
  }
  return { url, call: callOf(url), open: openIn(browser, url), end }
}

/** Asks until the answer is wanted, for a minute at most. */
export const until = async <A>(ask: () => Promise<A>, isWanted: (answer: A) => boolean) => {
  for (let attempt = 0; attempt < 600; attempt++) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error("it did not come to that")
}
