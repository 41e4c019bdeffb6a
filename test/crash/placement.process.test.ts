/**
 * Servers on one PostgreSQL share the bots out among them. Whichever of them stands still or is
 * killed, equal bots make equal fills, and those of the backtest.
 */
import { assert, describe, it } from "@effect/vitest"
import { createDatabase } from "../../packages/store-postgres/test/databases/createDatabase.ts"
import {
  mayLeaveOut,
  startPostgres
} from "../../packages/store-postgres/test/databases/startPostgres.ts"
import {
  backtestFills,
  fillsOf,
  importCandles,
  startBots,
  untilEnded,
  untilShared,
  writeStrategy
} from "./placedBots.ts"
import { type ServerProcess, sleep, startServer } from "./serverProcess.ts"
import { definition } from "./workload.ts"

const botCount = 12
const candleCount = 400

describe("bots on several servers", () => {
  it("are shared out evenly, and fill alike whichever server stands still or dies", async (test) => {
    const database = await startPostgres(18).catch((error: unknown) => String(error))
    if (typeof database === "string") {
      assert.isTrue(mayLeaveOut, database)
      return test.skip()
    }
    const servers: Array<ServerProcess> = []
    try {
      const url = await createDatabase(database.url)
      const begin = async (): Promise<ServerProcess> => {
        const environment = { DATABASE_URL: url, CANDLEWICK_REPLAY_RATE: "10" }
        const server = await startServer("none", environment)
        servers.push(server)
        assert.isTrue(await server.ready(120_000), String(server.ended()))
        return server
      }
      const [first, second, third] = [await begin(), await begin(), await begin()]
      await untilShared(url, 3)
      await importCandles(first, candleCount)
      const strategyId = await writeStrategy(first, definition)
      const ids = await startBots([first], strategyId, botCount)
      await sleep(4_000)
      for (const frozen of [first, second]) {
        frozen.child.kill("SIGSTOP")
        await sleep(9_000)
        frozen.child.kill("SIGCONT")
        await sleep(3_000)
      }
      await third.kill("SIGKILL")
      await untilShared(url, 2)
      const fourth = await begin()
      await untilShared(url, 3)
      await second.kill("SIGTERM")
      await untilShared(url, 2)

      await untilEnded(fourth, ids)
      const expected = await backtestFills(fourth, strategyId)
      assert.isAbove(expected.length, 20)
      for (const id of ids) assert.deepStrictEqual(await fillsOf(fourth, id), expected)
    } finally {
      for (const server of servers) await server.kill("SIGKILL")
      await database.stop()
    }
  }, 400_000)
})
