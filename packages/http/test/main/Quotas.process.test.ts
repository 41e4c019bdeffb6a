/**
 * Rates and quotas are the host's to set: the server counts requests and bots as its settings say.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { crossing } from "../../../../bench/crossing.ts"
import { apiKey, freePort, startServer, stopServer } from "../../../../scripts/examples.ts"

const rates = {
  CANDLEWICK_BOTS_PER_ACCOUNT: "2",
  CANDLEWICK_READS_PER_MINUTE: "7001",
  CANDLEWICK_WRITES_PER_MINUTE: "7002",
  CANDLEWICK_RUNS_PER_MINUTE: "7003"
}

const serving = Effect.acquireRelease(
  Effect.promise(async () => {
    const port = await freePort()
    return { port, server: await startServer(port, rates) }
  }),
  ({ server }) => Effect.promise(() => stopServer(server))
)

describe("a server with rates and quotas of its own", () => {
  it.live(
    "counts as it is told",
    () =>
      Effect.gen(function* () {
        const { port } = yield* serving
        const call = (method: string, path: string, sent?: unknown) =>
          Effect.promise(async () => {
            const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
              method,
              headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
              ...(sent !== undefined && { body: JSON.stringify(sent) })
            })
            const body = (await answer.json()) as { readonly id: string; readonly code?: string }
            return { status: answer.status, body, policy: answer.headers.get("ratelimit-policy") }
          })
        const read = yield* call("GET", "/api/v1/bots")
        assert.strictEqual(read.policy, `"reads";q=7001;w=60`)
        const definition = crossing("GBP/USD", "1h")
        const strategy = yield* call("POST", "/api/v1/mix/strategies", { name: "one", definition })
        assert.strictEqual(strategy.policy, `"writes";q=7002;w=60`)
        const strategy_id = strategy.body.id
        const run = yield* call("POST", "/api/v1/mix/backtest", { strategy_id })
        assert.strictEqual(run.policy, `"runs";q=7003;w=60`)
        const add = (name: string) =>
          call("POST", "/api/v1/bots", { name, strategy_id, capital_allocation: 1_000 })
        assert.deepStrictEqual([(yield* add("one")).status, (yield* add("two")).status], [201, 201])
        const third = yield* add("three")
        assert.strictEqual(third.body.code, "quota_exceeded")
        assert.include(JSON.stringify(third.body), "An account has at most 2 bots.")
      }).pipe(Effect.scoped),
    120_000
  )
})
