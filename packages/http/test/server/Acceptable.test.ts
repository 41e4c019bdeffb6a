/** Rows come as CSV where `Accept` asks for them, and what is not served is refused. */
import { Trade } from "@candlewick/core"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { toCsv } from "../../src/server/acceptable.ts"
import { idOf } from "../records.ts"
import { startServer } from "../server.ts"

it("writes rows as RFC 4180 has them", () => {
  const rows = [
    { a: 1.5, b: null, c: 'say "no"' },
    { a: -0.1, b: true, c: "one,\r\ntwo", d: "in no column" },
    { b: { deep: [1] } }
  ]
  assert.strictEqual(
    toCsv(["a", "b", "c"], rows),
    'a,b,c\r\n1.5,,"say ""no"""\r\n-0.1,true,"one,\r\ntwo"\r\n,"{""deep"":[1]}",\r\n'
  )
  assert.strictEqual(toCsv(["a", "b"], []), "a,b\r\n")
})

it("keeps spreadsheets from running texts as formulas, and leaves numbers as they are", () => {
  const texts = ["=1+1", "+1", "-1", "@sum", "\tx", "\rx", "x=1", "'=1"]
  const rows = texts.map((a) => ({ a, b: -1.5, c: ["=1"] }))
  const cells = ["'=1+1", "'+1", "'-1", "'@sum", "'\tx", '"\'\rx"', "x=1", "'=1"]
  assert.strictEqual(
    toCsv(["a", "b", "c"], rows),
    `a,b,c\r\n${cells.map((cell) => `${cell},-1.5,"[""=1""]"\r\n`).join("")}`
  )
  assert.strictEqual(toCsv(["=a"], []), "'=a\r\n")
})

it.live("answers with CSV where that is wanted most, and with JSON otherwise", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const typed = (path: string, accept: string | undefined) =>
      Effect.map(call("GET", path, undefined, { accept }), ({ headers, status, text }) => ({
        status,
        text,
        type: headers.get("content-type")?.split(";")[0]
      }))
    const path = "/v1/account/trades?side=buy"
    const csv = {
      status: 200,
      text: `${Object.keys(Trade.fields).join(",")}\r\n`,
      type: "text/csv"
    }
    for (const accept of [
      "text/csv",
      "TEXT/CSV; header=present",
      "application/json;q=0.5, text/csv"
    ]) {
      assert.deepStrictEqual(yield* typed(path, accept), csv, accept)
    }
    for (const accept of [
      undefined,
      "*/*",
      "application/*",
      "text/html, */*;q=0.1",
      "text/csv;q=0.1, application/json"
    ]) {
      assert.strictEqual((yield* typed(path, accept)).type, "application/json", accept)
    }
    const results = yield* typed(`/v1/mix/backtest/${idOf("bt", 2)}/results`, "text/csv")
    assert.strictEqual(results.type, "text/csv")
    const [names, ...lines] = results.text.trimEnd().split("\r\n")
    assert.match(names!, /^symbol,side,amount,price,/)
    const json = yield* call("GET", `/v1/mix/backtest/${idOf("bt", 2)}/results`)
    assert.lengthOf(lines, json.json.trades.length)
    // A run that is not over has no rows yet.
    const waiting = yield* typed(`/v1/mix/backtest/${idOf("bt", 1)}/results`, "text/csv")
    assert.deepInclude(waiting, { status: 202, type: "application/json" })
  })
)

it.live("answers lists of runs as CSV, with a column for each figure", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const table = (path: string) =>
      Effect.map(call("GET", path, undefined, { accept: "text/csv" }), ({ text }) => {
        const [names = "", ...lines] = text.trimEnd().split("\r\n")
        return { names: names.split(","), rows: lines.map((line) => line.split(",")) }
      })
    const { names, rows } = yield* table("/v1/mix/backtests")
    assert.lengthOf(rows, control.backtests.size)
    const done = rows.find(([id]) => id === idOf("bt", 2))!
    const { report } = control.backtests.get(idOf("bt", 2))!
    const cell = done[names.indexOf("metrics.total_return")]
    assert.strictEqual(cell, String(report!.metrics["total_return"]))
    const waiting = rows.find(([id]) => id === idOf("bt", 1))!
    assert.strictEqual(waiting[names.indexOf("metrics.total_return")], "")
    const searches = yield* table("/v1/mix/optimize?limit=1")
    assert.include(searches.names, "best_so_far.objective")
    assert.lengthOf(searches.rows, 1)
    assert.lengthOf(searches.rows[0]!, searches.names.length)
  })
)

it.live("answers lists of records as CSV, with a column for each field", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const bot = { name: "=x, y", strategy_id: idOf("str", 1), capital_allocation: 1000 }
    const made = yield* call("POST", "/v1/bots", bot)
    const alert = { metric: "kill_switch", op: "gt", threshold: 0 }
    assert.strictEqual((yield* call("POST", "/v1/alerts", alert)).status, 201)
    const log = `/v1/bots/${made.json.id}/logs`
    for (const path of ["/v1/bots", "/v1/mix/strategies", "/v1/alerts"]) {
      const { json } = yield* call("GET", `${path}?limit=1`)
      const { headers, status, text } = yield* call("GET", `${path}?limit=1`, undefined, {
        accept: "text/csv"
      })
      assert.strictEqual(status, 200, text)
      assert.match(headers.get("content-type")!, /^text\/csv;/)
      const [names, line] = text.split("\r\n")
      const [record] = json.data
      assert.includeMembers(names!.split(","), Object.keys(record), path)
      assert.strictEqual(line!.split(",")[0], record.id, path)
      if (path === "/v1/bots") assert.include(line, `,"'=x, y",`)
    }
    const archived = yield* call("GET", "/v1/archived-bots", undefined, { accept: "text/csv" })
    assert.match(archived.text, /^id,/)
    const lines = yield* call("GET", log, undefined, { accept: "text/csv" })
    assert.strictEqual(lines.status, 200, lines.text)
    assert.match(lines.text, /^seq,|,seq,/)
    const refused = yield* call("GET", log, undefined, { accept: "application/xml" })
    assert.deepStrictEqual(refused.json.allowed, [
      "application/json",
      "text/csv",
      "text/event-stream"
    ])
  })
)

it.live("answers a list as CSV with all of its rows, or with the page that a limit asks for", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const rowsOf = Effect.fnUntraced(function* (query: string) {
      const answer = yield* call("GET", `/v1/account/trades?symbol=MANY/USD${query}`, undefined, {
        accept: "text/csv"
      })
      assert.strictEqual(answer.status, 200, answer.text)
      const [names, ...lines] = answer.text.trimEnd().split("\r\n")
      assert.strictEqual(names, Object.keys(Trade.fields).join(","))
      return { answer, ids: lines.map((line) => line.split(",")[0]!) }
    })
    const all = Array.from({ length: 250 }, (_, index) => idOf("trd", 250 - index))
    const { answer, ids } = yield* rowsOf("")
    assert.strictEqual(
      answer.headers.get("content-type"),
      "text/csv; charset=utf-8; header=present"
    )
    assert.deepStrictEqual(ids, all)
    assert.deepStrictEqual((yield* rowsOf("&limit=7")).ids, all.slice(0, 7))
    const page = yield* call("GET", "/v1/account/trades?symbol=MANY/USD&limit=90")
    const cursor = `&cursor=${page.json.next_cursor}`
    assert.deepStrictEqual((yield* rowsOf(cursor)).ids, all.slice(90))
    const other = yield* call("GET", `/v1/account/trades?side=buy${cursor}`, undefined, {
      accept: "text/csv"
    })
    assert.deepInclude(other.json, { code: "invalid_cursor", status: 400 })
  })
)

it.live("refuses a media type that is not served, and names those that are", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const refused = Effect.fnUntraced(function* (path: string, accept: string) {
      const answer = yield* call("GET", path, undefined, { accept })
      assert.strictEqual(answer.status, 406, answer.text)
      assert.strictEqual(answer.json.code, "not_acceptable")
      assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
      return answer.json.allowed
    })
    assert.deepStrictEqual(yield* refused("/v1/account", "text/csv"), ["application/json"])
    assert.deepStrictEqual(yield* refused("/v1/account", "application/json;q=0"), [
      "application/json"
    ])
    assert.deepStrictEqual(yield* refused("/api/v1/account/orders", "application/xml"), [
      "application/json",
      "text/csv"
    ])
    assert.deepStrictEqual(yield* refused("/v1/events", "application/json"), ["text/event-stream"])
    // The change that a request made is told in any case.
    const bot = { name: "x", strategy_id: idOf("str", 1), capital_allocation: 1000 }
    const made = yield* call("POST", "/v1/bots", bot, { accept: "text/csv" })
    assert.strictEqual(made.status, 201)
  })
)
