/**
 * The kill switch is pulled while bots trade, and the server is killed with it. An acknowledged
 * halt holds after every restart, and any other holds once a caller repeats it.
 */
import type { Trade } from "@candlewick/core"
import { makeRandom } from "@candlewick/core/kernel"
import { assert, describe, it } from "@effect/vitest"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { allOf, answerOf, type Call, callsOf } from "./api.ts"
import { type ServerProcess, sleep, startServer } from "./serverProcess.ts"
import { until } from "./until.ts"
import { commandBot, createBot, importCandles, Promises, writeStrategy } from "./workload.ts"

const entriesOf = async (call: Call, kept: Promises): Promise<ReadonlyArray<Trade>> => {
  const all = await Promise.all(
    Array.from(kept.bots.keys(), (id) => allOf<Trade>(call, `/bots/${id}/trades`))
  )
  return all.flat().filter(({ leg }) => leg === "entry")
}

const isHalted = async (call: Call): Promise<boolean> =>
  (await answerOf(call, "GET", "/account")).body.is_halted

describe("a server that is killed while its account is halted", () => {
  it("is halted after the restart, and enters nothing from the answer on", async () => {
    const directory = await mkdtemp(join(tmpdir(), "candlewick-halt-"))
    const random = makeRandom("kill switches")
    const kept = new Promises()
    const begin = async (): Promise<ServerProcess> => {
      const started = await startServer(directory)
      assert.isTrue(await started.ready(120_000), String(started.ended()))
      return started
    }
    let server = await begin()
    try {
      let call = callsOf(server.url)
      await importCandles(call, kept, 4_000)
      const strategyId = await writeStrategy(call, kept, "the strategy")
      for (const name of ["a bot", "another"]) {
        const id = await createBot(call, kept, name, strategyId!, false)
        await commandBot(call, kept, id!, "start")
      }
      for (const isAnswered of [true, false]) {
        const before = (await entriesOf(call, kept)).length
        const late = await until(
          async () => (await entriesOf(call, kept)).length > before,
          "the bots enter nothing",
          60_000
        )
        assert.isNull(late)
        const halting = call("POST", "/account/halt", { body: { reason: "it rains" } })
        // The other answer is not heard, if there is one.
        if (!isAnswered) await sleep(random.integer(0, 15))
        const answer = isAnswered ? await halting : null
        let haltedMs = Date.now()
        await server.kill("SIGKILL")
        await halting
        server = await begin()
        call = callsOf(server.url)
        if (answer === null) {
          const again = await answerOf(call, "POST", "/account/halt")
          assert.isTrue(again.body.is_halted)
          assert.deepStrictEqual(again.body.bots_waiting, [])
          haltedMs = Date.now()
        } else {
          assert.isTrue(answer.body.is_halted)
          assert.deepStrictEqual(answer.body.bots_waiting, [])
        }
        assert.isTrue(await isHalted(call))
        await sleep(1_500)
        const entered = (await entriesOf(call, kept)).filter(
          ({ created_at }) => Date.parse(created_at) > haltedMs
        )
        assert.deepStrictEqual(entered, [])
        for (const id of kept.bots.keys()) {
          const { body } = await answerOf(call, "GET", `/bots/${id}/status`)
          assert.strictEqual(body.trading_state_reason, "kill_switch")
        }
        assert.isFalse((await answerOf(call, "POST", "/account/resume")).body.is_halted)
      }
      await server.kill("SIGKILL")
      server = await begin()
      assert.isFalse(await isHalted(callsOf(server.url)))
      assert.deepStrictEqual(kept.surprises, [])
    } finally {
      await server.kill("SIGKILL")
      await rm(directory, { recursive: true, force: true })
    }
  }, 300_000)
})
