/**
 * The MCP server as agents use it: the official client, from a generation to the kill switch, over
 * HTTP and over standard input and output.
 */
import { Accounts, BotStore } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Option } from "effect"
import { fileURLToPath } from "node:url"
import {
  definitionOf,
  importCloses,
  type Server,
  startServer,
  stores,
  symbol
} from "./servedBots.ts"

const program = fileURLToPath(new URL("../../src/main/mcp.ts", import.meta.url))

/** How an agent reaches the server. */
const overHttp = ({ baseUrl }: Server, key: string): Transport =>
  new StreamableHTTPClientTransport(new URL("/mcp", baseUrl), {
    requestInit: { headers: { authorization: `Bearer ${key}` } }
  })

const overStdio = ({ baseUrl }: Server, key: string): Transport =>
  new StdioClientTransport({
    command: process.execPath,
    args: [program],
    env: { CANDLEWICK_URL: baseUrl, CANDLEWICK_KEY: key },
    stderr: "ignore"
  })

interface Agent {
  /** The answer of a tool. */
  readonly call: (name: string, given?: Record<string, unknown>) => Effect.Effect<any>
  /** Why a tool refuses. */
  readonly refusal: (name: string, given?: Record<string, unknown>) => Effect.Effect<string>
  readonly client: Client
}

const textOf = (result: any): string => result.content[0].text

/** An agent whose user, where it can be asked, answers as the test says. */
const agentOver = (
  transport: Transport,
  answers?: () => boolean
): Effect.Effect<Agent, never, any> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const capabilities = answers === undefined ? {} : { elicitation: {} }
        const client = new Client({ name: "agent", version: "1.0.0" }, { capabilities })
        if (answers !== undefined) {
          client.setRequestHandler(ElicitRequestSchema, () => ({
            action: "accept",
            content: { agree: answers() }
          }))
        }
        await client.connect(transport)
        return client
      }),
      (client) => Effect.promise(() => client.close())
    ),
    (client) => {
      const ask = (name: string, given = {}) =>
        Effect.promise(() => client.callTool({ name, arguments: given }))
      return {
        client,
        call: (name, given) =>
          Effect.map(ask(name, given), (result) => {
            assert.notStrictEqual(result.isError, true, `${name}: ${textOf(result)}`)
            return result.structuredContent
          }),
        refusal: (name, given) =>
          Effect.map(ask(name, given), (result) => {
            assert.strictEqual(result.isError, true, `${name} did not refuse`)
            return textOf(result)
          })
      }
    }
  )

const ended = Effect.fnUntraced(function* ({ call }: Agent, kind: string, id: string) {
  for (let count = 0; count < 10; count++) {
    const seen = yield* call("wait_for_run", { kind, id })
    if (!["queued", "running", "generating"].includes(seen.status)) return seen.status
  }
  return "it goes on"
})

const closes = Array.from(
  { length: 600 },
  (_, index) => 100 + 10 * Math.sin(index / 15) + index / 50
)

const begin = Effect.gen(function* () {
  const server = yield* startServer(stores.memory, "one")
  const owned = Effect.flatMap(Accounts, ({ ensureAdmin }) => ensureAdmin(server.key))
  yield* Effect.orDie(Effect.provide(owned, server.services))
  yield* importCloses(server, closes)
  return server
})

/** Everything that an agent does, from a generation to the kill switch. */
const story = Effect.fnUntraced(function* (agent: Agent) {
  const { call, client, refusal } = agent
  const { tools } = yield* Effect.promise(() => client.listTools())
  assert.isAtLeast(tools.length, 20)
  const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint === true)
  assert.includeMembers(
    reading.map(({ name }) => name),
    ["list_bots", "read_bot", "explain_verdict", "list_trials"]
  )
  const generated = yield* call("generate_strategy", {
    objective: "sharpe",
    risk_tolerance: "low",
    timeframe: "1h",
    symbols: [symbol],
    seed: 1,
    max_candidates: 4
  })
  assert.strictEqual(yield* ended(agent, "generation", generated.id), "ready")
  const verdict = yield* call("explain_verdict", { strategy_id: generated.id })
  assert.isNotEmpty(verdict.evidence.gates)

  const definition = { ...definitionOf(100), parameters: {} }
  const faulty = { name: "mine", definition: { ...definition, timeframe: "1 hour" } }
  assert.include(yield* refusal("write_strategy", faulty), "#/definition/timeframe")
  const written = yield* call("write_strategy", { name: "mine", definition })
  const average = (parameter: string) => ({ type: "sma", period: { parameter } })
  const tunable = yield* call("write_strategy", {
    name: "tunable",
    definition: {
      ...definition,
      parameters: {
        fast: { kind: "integer", default: 5, min: 3, max: 20 },
        slow: { kind: "integer", default: 30, min: 10, max: 60 }
      },
      long: {
        enter: { type: "crosses_above", left: average("fast"), right: average("slow") },
        exit: { type: "crosses_below", left: average("fast"), right: average("slow") }
      }
    }
  })
  const ids: Array<string> = []
  for (const initial_capital of [1_000, 2_000]) {
    const run = yield* call("run_backtest", { strategy_id: written.id, initial_capital })
    assert.strictEqual(yield* ended(agent, "backtest", run.id), "completed")
    ids.push(run.id)
  }
  const compared = yield* call("compare_backtests", { backtest_ids: ids })
  assert.lengthOf(compared.metrics.total_return, 2)
  const report = yield* Effect.promise(() =>
    client.readResource({ uri: `candlewick://backtests/${ids[0]}` })
  )
  const [content] = report.contents as ReadonlyArray<{ readonly text: string }>
  assert.isAtMost(content!.text.length, 24_000)
  assert.match(content!.text, /"equity_curve":"\(\d+ points left out\)"/)

  const { data: series } = yield* call("list_candles")
  assert.match(series[0].first_at, /^\d{4}-/)
  assert.isBelow(Date.parse(series[0].first_at), Date.parse(series[0].last_at))
  const search = yield* call("optimize_strategy", {
    strategy_id: tunable.id,
    max_trials: 6,
    constraints: ["fast < slow"],
    walk_forward: { mode: "anchored", windows: 2 }
  })
  assert.strictEqual(yield* ended(agent, "optimization", search.id), "completed")
  const searched = yield* Effect.promise(() =>
    client.readResource({ uri: `candlewick://optimizations/${search.id}` })
  )
  const found = JSON.parse((searched.contents[0] as { readonly text: string }).text)
  assert.deepStrictEqual(found.config.constraints, ["fast < slow"])
  assert.lengthOf(found.walk_forward.windows, 2)

  const bot = yield* call("create_paper_bot", {
    name: "agent's",
    strategy_id: written.id,
    capital_allocation: 1_000
  })
  assert.strictEqual(bot.mode, "paper")
  yield* call("start_bot", { bot_id: bot.id })
  const { data } = yield* call("list_bots")
  assert.strictEqual(data[0].id, bot.id)
  assert.property(yield* call("read_bot", { bot_id: bot.id }), "performance")
  yield* call("stop_bot", { bot_id: bot.id })
  const halted = yield* call("halt_account", { reason: "the agent is done" })
  assert.deepInclude(halted, { is_halted: true, halted_reason: "the agent is done" })
  return bot.id as string
})

describe("an agent", () => {
  it.live(
    "goes from a generation to the kill switch over HTTP, and its user is asked",
    () =>
      Effect.gen(function* () {
        const server = yield* begin
        const user = { agrees: false, asked: 0 }
        const agent = yield* agentOver(overHttp(server, server.key), () => {
          user.asked += 1
          return user.agrees
        })
        const botId = yield* story(agent)
        assert.strictEqual(user.asked, 0)
        assert.include(yield* agent.refusal("resume_account"), "did not agree")
        user.agrees = true
        assert.deepInclude(yield* agent.call("resume_account"), { is_halted: false })
        assert.strictEqual(user.asked, 2)
        yield* makeLive(server, botId)
        user.agrees = false
        for (const name of ["start_bot", "stop_bot", "close_positions"]) {
          assert.include(yield* agent.refusal(name, { bot_id: botId }), "did not agree")
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "goes the same way over standard input and output, and brings a code from its user",
    () =>
      Effect.gen(function* () {
        const server = yield* begin
        const agent = yield* agentOver(overStdio(server, server.key))
        const botId = yield* story(agent)
        const asked = yield* agent.refusal("resume_account")
        const [, code = ""] = /confirm "([0-9a-f]{12})"/.exec(asked) ?? []
        assert.include(asked, "confirmation_needed")
        assert.include(
          yield* agent.refusal("resume_account", { confirm: "0" }),
          "confirmation_needed"
        )
        assert.deepInclude(yield* agent.call("resume_account", { confirm: code }), {
          is_halted: false
        })
        yield* makeLive(server, botId)
        // The code of one deed is none of another.
        const started = yield* agent.refusal("start_bot", { bot_id: botId, confirm: code })
        assert.include(started, 'Start the LIVE bot "agent\'s"')
      }).pipe(Effect.scoped),
    120_000
  )

  it.live("may do what its key may, and nothing without one or from a foreign page", () =>
    Effect.gen(function* () {
      const server = yield* begin
      const issued = yield* server.call("POST", "/v1/account/keys", {
        name: "reader",
        scopes: ["bots:read"]
      })
      const agent = yield* agentOver(overHttp(server, issued.body.secret))
      assert.isEmpty((yield* agent.call("list_bots")).data)
      const refused = yield* agent.refusal("halt_account", { reason: "no" })
      assert.include(refused, "insufficient_scope")
      assert.include(refused, "account:write")
      const post = (headers: Record<string, string>) =>
        Effect.promise(async () => {
          const response = await fetch(new URL("/mcp", server.baseUrl), {
            method: "POST",
            headers: {
              accept: "application/json, text/event-stream",
              "content-type": "application/json",
              ...headers
            },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
          })
          await response.text()
          return response.status
        })
      const authorization = `Bearer ${server.key}`
      assert.strictEqual(yield* post({}), 401)
      assert.strictEqual(yield* post({ authorization: "Bearer nobody" }), 401)
      assert.strictEqual(yield* post({ authorization, origin: "https://elsewhere.example" }), 403)
    }).pipe(Effect.scoped)
  )
})

/** Has a bot trade with money, as far as its record says. */
const makeLive = (server: Server, botId: string) =>
  Effect.gen(function* () {
    const store = yield* BotStore
    const account = yield* server.call("GET", "/v1/account")
    const bot = Option.getOrThrow(yield* store.get(account.body.id, botId))
    yield* store.update({ ...bot, mode: "live" })
  }).pipe(Effect.provide(server.services as never), Effect.orDie) as Effect.Effect<void>
