/** Lists: pages, cursors and Link. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { botOf, idOf } from "../records.ts"
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
