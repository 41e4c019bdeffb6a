/** Lists: pages, cursors and Link. */
import { marketRecord } from "@candlewick/core/testing"
import { sharedOwner, type CandleSeries, type Timeframe } from "@candlewick/core"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { CurrentRequest } from "../../src/server/CurrentRequest.ts"
import { listed } from "../../src/server/lists.ts"
import { at, botOf, idOf } from "../records.ts"
import { startServer, type TestServer } from "../server.ts"

const withBots = (count: number): Effect.Effect<TestServer, never, any> =>
  Effect.map(startServer(), (server) => {
    for (let number = 1; number <= count; number++) {
      server.control.bots.set(idOf("bot", number), botOf(number))
    }
    return server
  })

it.live("walks a list by its Link, newest first, each item once", () =>
  Effect.gen(function* () {
    const { call } = yield* withBots(7)
    for (const prefix of ["/v1", "/api/v1"]) {
      const seen: Array<string> = []
      let path: string | undefined = `${prefix}/bots?limit=3`
      while (path !== undefined) {
        const answer: any = yield* call("GET", path)
        seen.push(...answer.json.data.map((bot: { id: string }) => bot.id))
        const link: string | null = answer.headers.get("link")
        assert.strictEqual(link !== null, answer.json.has_more)
        path = link === null ? undefined : /^<(.*)>; rel="next"$/.exec(link)![1]
      }
      assert.deepStrictEqual(
        seen,
        [7, 6, 5, 4, 3, 2, 1].map((number) => idOf("bot", number))
      )
    }
  })
)

it.live("has 50 items a page by default and refuses limits outside 1 to 100", () =>
  Effect.gen(function* () {
    const { call } = yield* withBots(60)
    assert.strictEqual((yield* call("GET", "/v1/bots")).json.data.length, 50)
    assert.strictEqual((yield* call("GET", "/v1/bots?limit=100")).json.data.length, 60)
    for (const limit of ["0", "101", "-1", "1.5", "x", ""]) {
      const answer = yield* call("GET", `/v1/bots?limit=${limit}`)
      assert.strictEqual(answer.status, 400, limit)
      assert.strictEqual(answer.json.code, "validation_failed")
      assert.strictEqual(answer.json.errors[0].pointer, "#/query/limit")
    }
  })
)

it.live("refuses a cursor that was changed, or that belongs to another list or filter", () =>
  Effect.gen(function* () {
    const { call } = yield* withBots(3)
    const cursor = (yield* call("GET", "/v1/bots?limit=1")).json.next_cursor as string
    const logs = `/v1/bots/${idOf("bot", 1)}/logs`
    const logCursor = (yield* call("GET", `${logs}?limit=1`)).json.next_cursor as string
    for (const path of [
      "/v1/bots?cursor=undefined",
      `/v1/bots?cursor=${cursor.slice(0, -2)}`,
      `/v1/mix/backtests?cursor=${cursor}`,
      `${logs}?cursor=${logCursor}&level=warn`
    ]) {
      const answer = yield* call("GET", path)
      assert.strictEqual(answer.status, 400, path)
      assert.strictEqual(answer.json.code, "invalid_cursor")
    }
    assert.strictEqual((yield* call("GET", `/api/v1/bots?limit=2&cursor=${cursor}`)).status, 200)
  })
)

it.live("walks what a filter leaves by its Link, which keeps the filter", () =>
  Effect.gen(function* () {
    const { call, control } = yield* withBots(9)
    const running = [2, 3, 7]
    for (const number of running) {
      const id = idOf("bot", number)
      control.bots.set(id, { ...control.bots.get(id)!, status: "running", symbols: ["A/B", "C/D"] })
    }
    for (const filter of ["status=running", "symbol=C%2FD&mode=paper&name=BOT"]) {
      const seen: Array<string> = []
      let path: string | undefined = `/v1/bots?${filter}&limit=2`
      while (path !== undefined) {
        const answer: any = yield* call("GET", path)
        assert.strictEqual(answer.status, 200, answer.text)
        seen.push(...answer.json.data.map((bot: { id: string }) => bot.id))
        const link: string | null = answer.headers.get("link")
        path = link === null ? undefined : /^<(.*)>; rel="next"$/.exec(link)![1]
      }
      assert.deepStrictEqual(
        seen,
        running.toReversed().map((number) => idOf("bot", number))
      )
    }
    for (const query of ["status=asleep", "strategy_id=str_nope", "symbol=", "name=", "mode=x"]) {
      const answer = yield* call("GET", `/v1/bots?${query}`)
      assert.strictEqual(answer.status, 400, query)
      assert.strictEqual(answer.json.errors[0].pointer, `#/query/${query.split("=")[0]}`)
    }
    const alerts = yield* call("GET", "/v1/alerts?is_enabled=yes")
    assert.strictEqual(alerts.status, 400)
    assert.strictEqual((yield* call("GET", "/v1/alerts?is_enabled=true")).status, 200)
  })
)

it.live("narrows series and markets, which are kept whole", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.markets = [1, 2].map((number) => marketRecord({ symbol: symbolOf(number) }))
    control.series = [seriesOf(symbolOf(1), "1h"), seriesOf(symbolOf(1), "1d")]
    const shown = Effect.fnUntraced(function* (path: string) {
      const { json } = yield* call("GET", path)
      return json.data.map(({ symbol, timeframe = "" }: any) => `${symbol} ${timeframe}`)
    })
    assert.deepStrictEqual(yield* shown("/v1/markets?symbol=C002%2FUSD"), ["C002/USD "])
    assert.deepStrictEqual(yield* shown("/v1/candles?timeframe=1d"), ["C001/USD 1d"])
    assert.deepStrictEqual(yield* shown("/v1/candles?symbol=C002%2FUSD"), [])
    assert.deepStrictEqual(yield* shown("/v1/candles?synthetic=true"), [])
  })
)

it.effect("refuses the cursor of another account's list", () =>
  Effect.gen(function* () {
    const facts = yield* CurrentRequest
    const pageFor = (accountId: string, cursor?: string) =>
      listed({ limit: 1, ...(cursor !== undefined && { cursor }) }, ({ before }) =>
        Effect.succeed({ items: [before ?? "the newest"], next: "bot_1" })
      ).pipe(Effect.provideService(CurrentRequest, { ...facts, answerHeaders: {}, accountId }))
    const { next_cursor } = yield* pageFor("acc_1")
    assert.deepStrictEqual((yield* pageFor("acc_1", next_cursor!)).data, ["bot_1"])
    const refused = yield* Effect.flip(pageFor("acc_2", next_cursor!))
    assert.strictEqual(refused.code, "invalid_cursor")
  })
)

const seriesOf = (symbol: string, timeframe: Timeframe): CandleSeries => ({
  owner: sharedOwner,
  symbol,
  timeframe,
  candle_count: 0,
  first_at: null,
  last_at: null,
  gap_count: 0,
  gaps: [],
  hash: "00",
  synthetic: false,
  source: null,
  updated_at: at
})

const symbolOf = (number: number): string => `C${String(number).padStart(3, "0")}/USD`

it.live("pages through series of candles and markets, which are listed by symbol", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const numbers = Array.from({ length: 60 }, (_, index) => index)
    control.markets = numbers
      .toReversed()
      .map((number) => marketRecord({ symbol: symbolOf(number) }))
    // The shorter timeframe goes before the longer one, whatever their names sort like.
    control.series = numbers.flatMap((number) => [
      seriesOf(symbolOf(number), "12h"),
      seriesOf(symbolOf(number), "2h")
    ])
    const walked = Effect.fnUntraced(function* (path: string) {
      const pages: Array<ReadonlyArray<string>> = []
      let next: string | undefined = path
      while (next !== undefined) {
        const { headers, json }: any = yield* call("GET", next)
        pages.push(json.data.map(({ symbol, timeframe = "" }: any) => `${symbol} ${timeframe}`))
        assert.strictEqual(json.has_more, json.next_cursor !== null)
        const link: string | null = headers.get("link")
        assert.strictEqual(link !== null, json.has_more)
        next = link === null ? undefined : /^<(.*)>; rel="next"$/.exec(link)![1]
      }
      return pages
    })
    const markets = yield* walked("/v1/markets")
    assert.deepStrictEqual(
      markets.map(({ length }) => length),
      [50, 10]
    )
    assert.deepStrictEqual(
      markets.flat(),
      numbers.map((number) => `${symbolOf(number)} `)
    )
    const series = yield* walked("/api/v1/candles?limit=33")
    assert.deepStrictEqual(
      series.map(({ length }) => length),
      [33, 33, 33, 21]
    )
    assert.deepStrictEqual(
      series.flat(),
      numbers.flatMap((number) => [`${symbolOf(number)} 2h`, `${symbolOf(number)} 12h`])
    )
    for (const path of ["/v1/candles", "/v1/markets"]) {
      for (const query of ["limit=abc", "limit=101", "cursor=xyz"]) {
        assert.strictEqual((yield* call("GET", `${path}?${query}`)).status, 400, query)
      }
    }
  })
)

it.live("goes on after a market that is gone, and takes in what came behind it", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.markets = [1, 3, 5].map((number) => marketRecord({ symbol: symbolOf(number) }))
    const { json: first } = yield* call("GET", "/v1/markets?limit=2")
    control.markets = [1, 2, 4, 5].map((number) => marketRecord({ symbol: symbolOf(number) }))
    const { json: second } = yield* call("GET", `/v1/markets?cursor=${first.next_cursor}`)
    assert.deepStrictEqual(
      second.data.map(({ symbol }: { symbol: string }) => symbol),
      [symbolOf(4), symbolOf(5)]
    )
  })
)
