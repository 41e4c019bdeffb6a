/**
 * The time that a browser takes to paint the dashboard, and to go from page to page, for an account
 * with many bots.
 *
 * The server runs on PostgreSQL 18; the browser is the Chromium of the dashboard's tests. A first
 * visit loads the files of a page, a later one has them. Before anything is printed, the list of
 * bots must go on after its first page. Run it with
 *
 *   npm run bench:dashboard -- [bots]
 */
import { AccountStore, BotStateStore, BotStore } from "../packages/core/src/index.ts"
import { operatorAccountId } from "../packages/core/src/domain/index.ts"
import { makeSnapshot } from "../packages/core/src/services/bots/botSession.ts"
import { botRecord, botStateRecord } from "../packages/core/src/testing/records.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { buildIfChanged } from "../packages/dashboard/build.ts"
import { openBrowser } from "../packages/dashboard/test/browser.ts"
import { Postgres, PostgresStore } from "../packages/store-postgres/src/index.ts"
import { startPostgres } from "../packages/store-postgres/test/databases/startPostgres.ts"
import { apiKey, freePort, startServer, stopServer } from "../scripts/examples.ts"

type Browser = Awaited<ReturnType<typeof openBrowser>>
type Page = Awaited<ReturnType<Browser["newPage"]>>

const botCount = Number(process.argv[2] ?? 10_000)
const days = 31
const dayMs = 86_400_000
const newestMs = Date.UTC(2026, 0, 31)
const runs = 5

const seed = Effect.gen(function* () {
  yield* (yield* AccountStore).get(operatorAccountId)
  const [bots, states] = [yield* BotStore, yield* BotStateStore]
  const snapshot = structuredClone(makeSnapshot(10_000, [], null, 0))
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    Array.from({ length: botCount }, (_, at) => at),
    Effect.fnUntraced(function* (at) {
      const record = botRecord({ account_id: operatorAccountId, name: `Bot ${at + 1}` })
      const bot = yield* bots.insert(record)
      const state = { bot_id: bot.id, cursor: newestMs, snapshot: snapshot as never }
      yield* states.put(botStateRecord(state))
      yield* sql`insert into bot_equity (bot_id, at_ms, time, equity)
        select ${bot.id}, point.at_ms, '2026-01-01T00:00:00.000Z', 10100
        from generate_series(${newestMs - (days - 1) * dayMs}::bigint, ${newestMs}::bigint,
          ${dayMs}::bigint) as point (at_ms)`
    }),
    { concurrency: 8, discard: true }
  )
  yield* sql`analyze bot_equity`
})

/** The parts of a page in the browser, of which the types of Node know nothing. */
interface Tab {
  readonly document: {
    readonly querySelector: (selector: string) => { readonly textContent: string | null } | null
  }
  readonly location: { hash: string }
  readonly requestAnimationFrame: (act: () => void) => void
  readonly sessionStorage: { readonly setItem: (name: string, value: string) => void }
}

const open = async (browser: Browser, url: string, place: string): Promise<Page> => {
  const context = await browser.newContext({
    locale: "en-US",
    viewport: { width: 1_360, height: 860 }
  })
  await context.addInitScript(
    (key) => (globalThis as unknown as Tab).sessionStorage.setItem("candlewick.key", key),
    apiKey
  )
  const page = await context.newPage()
  await page.goto(`${url}/#/${place}`)
  return page
}

/** Milliseconds from the beginning of the navigation to the first content that is painted. */
const firstPaint = async (browser: Browser, url: string): Promise<number> => {
  const page = await open(browser, url, "bots")
  await page.getByRole("table").waitFor()
  const painted = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]!.startTime
  )
  await page.context().close()
  return painted
}

/** Milliseconds from a change of the address until this is painted. */
const routeChange = (page: Page, place: string, wanted: string, text: string): Promise<number> =>
  page.evaluate(
    ([to, selector, words]) =>
      new Promise<number>((resolve) => {
        const tab = globalThis as unknown as Tab
        const begun = performance.now()
        tab.location.hash = `#/${to}`
        const look = (): void => {
          const found = tab.document.querySelector(selector!)
          if (found?.textContent?.includes(words!) === true) {
            tab.requestAnimationFrame(() => resolve(performance.now() - begun))
          } else tab.requestAnimationFrame(look)
        }
        look()
      }),
    [place, wanted, text]
  )

const told = (name: string, took: ReadonlyArray<number>): void => {
  const sorted = took.toSorted((one, other) => one - other)
  const median = sorted[Math.floor(sorted.length / 2)]!
  console.log(
    `${name.padEnd(34)} ${median.toFixed(0)} ms (${sorted[0]!.toFixed(0)}–${sorted.at(-1)!.toFixed(0)})`
  )
}

const measure = async (browser: Browser, url: string): Promise<void> => {
  const headers = { authorization: `Bearer ${apiKey}` }
  const list = await fetch(`${url}/v1/bots?limit=100`, { headers })
  const { has_more: hasMore } = (await list.json()) as { readonly has_more: boolean }
  if (!hasMore) throw new Error("the account has too few bots")
  const paints: Array<number> = []
  for (let run = 0; run < runs; run++) paints.push(await firstPaint(browser, url))
  console.log(`${botCount.toLocaleString("en")} bots, ${runs} times each: median (range)`)
  told("first paint", paints)
  const places: ReadonlyArray<readonly [name: string, place: string, title: string]> = [
    ["strategies", "strategies", "Strategies"],
    ["bots", "bots", "Bots"],
    ["candles", "candles", "Candles"],
    ["account", "account", "Account"]
  ]
  const page = await open(browser, url, "searches")
  await page.getByRole("heading", { level: 1, name: "Searches" }).waitFor()
  for (const [name, place, title] of places) {
    const first = await routeChange(page, place, "h1", title)
    const later: Array<number> = []
    for (let run = 0; run < runs; run++) {
      await routeChange(page, "searches", "h1", "Searches")
      later.push(await routeChange(page, place, "h1", title))
    }
    told(`to ${name}, the first visit`, [first])
    told(`to ${name}`, later)
  }
  const rows: Array<number> = []
  for (let run = 0; run < runs; run++) {
    await routeChange(page, "searches", "h1", "Searches")
    rows.push(await routeChange(page, "bots", "tbody td", "Bot"))
  }
  told("to bots, with its rows", rows)
  const figures: Array<number> = []
  for (let run = 0; run < runs; run++) {
    await routeChange(page, "searches", "h1", "Searches")
    figures.push(await routeChange(page, "", ".figures", "Equity"))
  }
  told("to the overview, with its figures", figures)
}

await buildIfChanged()
const postgres = await startPostgres(18)
const port = await freePort()
const env = { CANDLEWICK_DATA_DIR: "", DATABASE_URL: postgres.url }
const server = await startServer(port, env)
const browser = await openBrowser()
try {
  const database = Postgres.layer({ url: postgres.url })
  const stores = PostgresStore.layerAlone.pipe(Layer.provideMerge(database))
  await Effect.runPromise(Effect.provide(seed, stores))
  await measure(browser, `http://127.0.0.1:${port}`)
} finally {
  await browser.close()
  await stopServer(server)
  await postgres.stop()
}
