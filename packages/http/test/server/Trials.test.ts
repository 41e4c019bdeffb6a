/** The trials of a search over HTTP: listed, exported and applied. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { idOf } from "../records.ts"
import { startServer } from "../server.ts"

const path = `/v1/mix/optimize/${idOf("opt", 1)}`

it.live("exports all trials as CSV with a header row, or as JSON lines", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const csv = yield* call("GET", `${path}/trials/export?sort=sharpe`)
    assert.strictEqual(csv.status, 200)
    assert.strictEqual(csv.headers.get("content-type"), "text/csv; charset=utf-8")
    assert.strictEqual(csv.text, 'index,"parameters.a,""b",sharpe\n1,20,0.25\n0,10,\n')
    const headers = { accept: "application/x-ndjson" }
    const lines = yield* call("GET", `${path}/trials/export`, undefined, headers)
    assert.strictEqual(lines.headers.get("content-type"), "application/x-ndjson")
    assert.deepStrictEqual(
      lines.text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
      [
        { index: 1, 'parameters.a,"b': 20, objective: 0.25 },
        { index: 0, 'parameters.a,"b': 10, objective: null }
      ]
    )
  })
)

it.live("lists trials by pages, and refuses an order that is none", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const page = yield* call("GET", `${path}/trials?sort=parameters.fast&order=asc&limit=5`)
    assert.strictEqual(page.status, 200)
    assert.deepStrictEqual(page.json, { data: [], has_more: false, next_cursor: null })
    assert.strictEqual((yield* call("GET", `${path}/trials?order=upwards`)).status, 400)
  })
)

it.live("refuses to apply a trial below the first", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    assert.strictEqual((yield* call("POST", `${path}/apply`, { trial_index: -1 })).status, 400)
    assert.strictEqual((yield* call("POST", `${path}/apply`, {})).status, 404)
  })
)
