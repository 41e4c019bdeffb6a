/**
 * Three servers on one PostgreSQL and many bots; `CANDLEWICK_CRASH_BOTS` is their number. However
 * servers are killed, stand still and are replaced, the bots are shared out evenly. Each makes the
 * fills of a backtest, once. Servers that own all of them send hardly more statements than servers
 * that own none.
 *
 * `CANDLEWICK_CRASH_CANDLES` says how many candles there are. Each run prints how long moves took. Nothing is asserted about that: it is the machine's.
 */
import { assert, describe, it } from "@effect/vitest"
import { createDatabase } from "../../packages/store-postgres/test/databases/createDatabase.ts"
import {
  mayLeaveOut,
  startPostgres
} from "../../packages/store-postgres/test/databases/startPostgres.ts"
import {
  fillsOfAll,
  makeBots,
  noteSteps,
  progressOf,
  standingStill,
  statementsOf
} from "./manyBots.ts"
import {
  ask,
  backtestFills,
  importCandles,
  shardsOf,
  untilShared,
  writeStrategy
} from "./placedBots.ts"
import { type ServerProcess, sleep, startServer } from "./serverProcess.ts"
import { until } from "./until.ts"
import { definition } from "./workload.ts"

const botCount = Number(process.env["CANDLEWICK_CRASH_BOTS"] ?? 120)
const candleCount = Number(process.env["CANDLEWICK_CRASH_CANDLES"] ?? 40)
const lastCandleMs = Date.UTC(2020, 0, 1) + (candleCount - 1) * 3_600_000
const idleSeconds = 15
const statementsPerSecondMax = 20
const statementsForBotsMax = 2
/** A machine that is busy with more than this takes a tenth of a second for each step. */
const patienceMs = 300_000 + botCount * candleCount * 100

// An average of five candles, so that most candles are traded on.
const quick = {
  ...definition,
  parameters: { ...definition.parameters, period: { kind: "integer", default: 5, min: 5, max: 60 } }
} as const

const tell = (what: string): void => console.log(`${botCount} bots: ${what}`)

const secondsSince = (sinceMs: number): string =>
  `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`

/** The statements of servers with nothing to do, a second and server. */
const idleRate = async (url: string, servers: number): Promise<number> => {
  const before = await statementsOf(url)
  await sleep(idleSeconds * 1_000)
  return ((await statementsOf(url)) - before) / idleSeconds / servers
}

/** Waits until the servers that are left share the bots; prints how long they and the bots take. */
const watchMove = async (url: string, servers: number, what: string): Promise<void> => {
  const sinceMs = performance.now()
  await noteSteps(url)
  const isOwned = async () => {
    const shards = await shardsOf(url)
    return shards.length === servers && shards.reduce((sum, one) => sum + one, 0) === 300
  }
  while (!(await isOwned()) && performance.now() < sinceMs + 60_000) await sleep(50)
  const owned = secondsSince(sinceMs)
  await untilShared(url, servers)
  const shared = secondsSince(sinceMs)
  const goOn = async () => (await standingStill(url, lastCandleMs)) === 0
  assert.isNull(await until(goOn, "a bot stands still", patienceMs))
  tell(`${what}: owned after ${owned}, shared ${shared}, all bots stepped ${secondsSince(sinceMs)}`)
}

describe("many bots on three servers", () => {
  it(
    "are shared out, and fill alike, whatever becomes of servers",
    async (test) => {
      const database = await startPostgres(18, { countsStatements: true }).catch(String)
      if (typeof database === "string") {
        assert.isTrue(mayLeaveOut, database)
        return test.skip()
      }
      const servers: Array<ServerProcess> = []
      try {
        const url = await createDatabase(database.url)
        await ask(url, "create extension pg_stat_statements")
        const begin = async (): Promise<ServerProcess> => {
          const environment = { DATABASE_URL: url, CANDLEWICK_REPLAY_RATE: "1" }
          const server = await startServer("none", environment)
          servers.push(server)
          assert.isTrue(await server.ready(120_000), String(server.ended()))
          return server
        }
        const first = await begin()
        await untilShared(url, 1)
        const idle = await idleRate(url, 1)
        tell(`${idle.toFixed(1)} statements a second of a server without bots`)
        assert.isAtMost(idle, statementsPerSecondMax)

        const [second, third] = [await begin(), await begin()]
        await untilShared(url, 3)
        const owningNone = await idleRate(url, 3)
        tell(`${owningNone.toFixed(1)} statements a second of each of three without bots`)
        await importCandles(first, candleCount)
        const sinceMs = performance.now()
        await makeBots(url, quick, botCount)
        tell(`made after ${secondsSince(sinceMs)}`)

        await third.kill("SIGKILL")
        await watchMove(url, 2, "kill -9")
        const fourth = await begin()
        await watchMove(url, 3, "a server more")
        second.child.kill("SIGSTOP")
        await watchMove(url, 2, "SIGSTOP")
        second.child.kill("SIGCONT")
        await watchMove(url, 3, "SIGCONT")
        for (const old of [first, second, fourth]) {
          await begin()
          await old.kill("SIGTERM")
          await watchMove(url, 3, "SIGTERM of one that another replaces")
        }

        const last = servers.at(-1)!
        const strategyId = await writeStrategy(last, quick)
        const isEnded = async () => (await progressOf(url, lastCandleMs)).ended === botCount
        const late = await until(isEnded, "not every bot comes to the end", patienceMs)
        assert.isNull(late, JSON.stringify(await progressOf(url, lastCandleMs)))
        tell(`at the end of their candles after ${secondsSince(sinceMs)}`)
        const expected = await backtestFills(last, strategyId)
        assert.isAbove(expected.length, 5)
        assert.deepStrictEqual(await fillsOfAll(url), [{ fills: expected, bots: botCount }])

        const owning = await idleRate(url, 3)
        tell(`${owning.toFixed(1)} statements a second of a server with a third of the bots`)
        assert.isAtMost(owning, statementsPerSecondMax)
        // One look a second for more candles is there, for all bots of a server. A statement of each
        // bot in 20 s would be two a second besides.
        assert.isAtMost(owning - owningNone, statementsForBotsMax)
      } finally {
        for (const server of servers) {
          server.child.kill("SIGCONT")
          await server.kill("SIGKILL")
        }
        await database.stop()
      }
    },
    patienceMs + 600_000
  )
})
