/**
 * Each named ladder over HTTP, as its page has it. Candles are imported, a backtest runs, and a bot
 * that replays makes its trades, to the digit.
 */
import { Accounts } from "@candlewick/core"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { eventually, type Server, startServer, stores } from "./servedBots.ts"

const root = join(import.meta.dirname, "../../../..")
const candleCount = 500

/** The definition on the page of a ladder. */
const definitionOn = (name: string) => {
  const page = readFileSync(join(root, `docs/ladder-${name}.md`), "utf8")
  return JSON.parse(/```json\n([^]*?)```/.exec(page)![1]!)
}

const { grid, ...ruled } = definitionOn("grid")

const ladders = [
  ["DCA", definitionOn("dca")],
  ["a geometric grid", { ...ruled, grid: { ...grid, spacing: "geometric" } }],
  ["an arithmetic grid", { ...ruled, grid: { ...grid, spacing: "arithmetic" } }],
  ["a pyramid", definitionOn("pyramid")],
  ["targets", definitionOn("targets")],
  ["rebalancing", definitionOn("rebalance")]
] as const

/** The first candles of the sample, as a client sends them. */
const importSample = ({ baseUrl, key }: Server) =>
  Effect.promise(async () => {
    const [head, ...rows] = readFileSync(join(root, "samples/bitcoin_1d.csv"), "utf8").split("\n")
    const query = new URLSearchParams({ symbol: "BTC/USD", timeframe: "1d", source: "sample" })
    const response = await fetch(`${baseUrl}/api/v1/candles?${query.toString()}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "text/csv" },
      body: [head, ...rows.slice(0, candleCount)].join("\n")
    })
    assert.strictEqual(response.status, 200, await response.text())
  })

interface ToldTrade {
  readonly symbol: string
  readonly executed_at: string
  readonly side: string
  readonly amount: number
  readonly price: number
  readonly fee: number
  readonly leg: string
}

const toldOf = ({ amount, executed_at, fee, leg, price, side, symbol }: ToldTrade) => ({
  amount,
  executed_at,
  fee,
  leg,
  price,
  side,
  symbol
})

const backtested = Effect.fnUntraced(function* ({ call }: Server, strategyId: string) {
  const asked = { strategy_id: strategyId, end_of_data: "open" }
  const begun = yield* call("POST", "/api/v1/mix/backtest", asked)
  assert.include([201, 202], begun.status, JSON.stringify(begun.body))
  const results = call("GET", `/api/v1/mix/backtest/${begun.body.id}/results`)
  const { body } = yield* eventually(results, ({ status }) => status === 200)
  assert.strictEqual(body.status, "completed", JSON.stringify(body))
  return body
})

/** All trades of a bot, the oldest first, page by page. */
const tradesOf = Effect.fnUntraced(function* ({ call }: Server, path: string) {
  const all: Array<ToldTrade> = []
  let next: string | null = null
  do {
    const cursor: string = next === null ? "" : `&cursor=${encodeURIComponent(next)}`
    const { body } = yield* call("GET", `${path}/trades?limit=100${cursor}`)
    all.push(...body.data)
    next = body.next_cursor
  } while (next !== null)
  return all.toReversed()
})

it.live("trades each named ladder over HTTP as its backtest does", () =>
  Effect.gen(function* () {
    const server = yield* startServer(stores.memory, "named ladders")
    const { call, key, services } = server
    yield* Effect.provide(
      Effect.flatMap(Accounts, (accounts) => accounts.ensureAdmin(key)),
      services
    )
    yield* importSample(server)
    for (const [name, definition] of ladders) {
      const strategy = yield* call("POST", "/api/v1/mix/strategies", { name, definition })
      assert.strictEqual(strategy.status, 201, JSON.stringify(strategy.body))
      const wanted = yield* backtested(server, strategy.body.id)
      assert.isAbove(wanted.trades.length, 10, name)
      const bot = yield* call("POST", "/api/v1/bots/create", {
        name,
        strategy_id: strategy.body.id,
        capital_allocation: 10_000,
        auto_start: true
      })
      assert.strictEqual(bot.status, 201, JSON.stringify(bot.body))
      const path = `/api/v1/bots/${bot.body.id}`
      const status = yield* eventually(
        call("GET", `${path}/status`),
        ({ body }) => body.is_data_ended === true || body.status === "error"
      )
      assert.isNull(status.body.error, name)
      const trades = yield* tradesOf(server, path)
      assert.deepStrictEqual(trades.map(toldOf), wanted.trades.map(toldOf), name)
    }
  }).pipe(Effect.scoped)
)
