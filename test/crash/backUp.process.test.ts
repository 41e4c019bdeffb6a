/**
 * A back-up of the embedded database is made while a server writes to it, and a server starts on
 * it. All earlier answers are there, of one moment, and the books add up.
 */
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { allOf, type Call, callsOf } from "./api.ts"
import { checkAll, type Findings } from "./checks.ts"
import { script, sleep, startServer } from "./serverProcess.ts"
import { commandBot, createBot, importCandles, Promises, writeStrategy } from "./workload.ts"

const run = promisify(execFile)

/** The end of the command, and its output. */
const backUp = async (directory: string, target: string) => {
  const env = { ...process.env, DATABASE_URL: "", CANDLEWICK_DATA_DIR: directory }
  return run(process.execPath, [script, "backup", target], { env }).then(
    ({ stdout }) => ({ isMade: true, said: stdout }),
    (error: Error & { readonly stderr?: string }) => ({ isMade: false, said: error.stderr ?? "" })
  )
}

const numbered = (name: string) => Number(/^strategy (\d+)$/.exec(name)?.[1])

/** One write after the other, so that what is kept at one moment has no hole. */
const keepWriting = async (call: Call, kept: Promises, isOver: () => boolean) => {
  for (let count = 1; !isOver(); count++) {
    await writeStrategy(call, kept, `strategy ${count}`)
    await importCandles(call, kept, 3)
  }
}

/**
 * Starts a server on a back-up and compares its records with the answers before the back-up.
 * Strategies that were written during it may be there, too.
 */
const restore = async (
  directory: string,
  kept: Promises,
  written: ReadonlyArray<string>
): Promise<void> => {
  const findings: Findings = { losses: [], duplicates: [], faults: [] }
  const server = await startServer(directory)
  try {
    assert.isTrue(await server.ready(120_000), String(server.ended()))
    const call = callsOf(server.url)
    const trades = await checkAll(call, kept, [], findings)
    const duplicates = findings.duplicates.filter((one) => !written.some((id) => one.includes(id)))
    assert.deepStrictEqual({ ...findings, duplicates }, { losses: [], duplicates: [], faults: [] })
    assert.isAbove(trades, 3, "so few trades prove little")
    const strategies = await allOf<{ readonly name: string }>(call, "/mix/strategies")
    const numbers = strategies.map(({ name }) => numbered(name)).filter((one) => !Number.isNaN(one))
    assert.deepStrictEqual(
      numbers.toSorted((left, right) => left - right),
      numbers.map((_, index) => index + 1)
    )
  } finally {
    await server.kill("SIGKILL")
  }
}

describe("a back-up of the embedded database", () => {
  it("is of one moment, made while it is in use or not, and opens like the original", async () => {
    const folder = await mkdtemp(join(tmpdir(), "candlewick-back-up-"))
    const at = (name: string) => join(folder, name)
    const server = await startServer(at("data"))
    const kept = new Promises()
    try {
      assert.isTrue(await server.ready(120_000), String(server.ended()))
      const call = callsOf(server.url)
      await importCandles(call, kept, 300)
      const strategyId = await writeStrategy(call, kept, "the strategy")
      const bot = await createBot(call, kept, "a bot", strategyId!, true)
      await commandBot(call, kept, bot!, "start")

      let isOver = false
      const writing = keepWriting(call, kept, () => isOver)
      while (kept.strategies.size < 5) await sleep(50)
      const before = Object.assign(new Promises(), {
        strategies: new Map(kept.strategies),
        bots: kept.bots,
        candlesKept: kept.candlesKept
      })
      const made = await backUp(at("data"), at("while in use"))
      assert.isTrue(made.isMade, made.said)
      const countAfter = kept.strategies.size
      isOver = true
      await writing
      assert.isAbove(countAfter, before.strategies.size, "it was written to all the time")
      const again = await backUp(at("data"), at("while in use"))
      assert.isFalse(again.isMade)
      assert.include(again.said, "is there already")
      const inside = await backUp(at("data"), join(at("data"), "copy"))
      assert.include(inside.said, "is inside the data directory")
      await server.kill("SIGTERM")
      const late = await backUp(at("data"), at("while it was stopped"))
      assert.isTrue(late.isMade, late.said)
      const none = await backUp(at("nothing"), at("of nothing"))
      assert.include(none.said, "nothing is kept in")
      assert.deepStrictEqual((await readdir(folder)).toSorted(), [
        "data",
        "while in use",
        "while it was stopped"
      ])

      await restore(at("while in use"), before, [...kept.strategies.keys()])
      await restore(at("while it was stopped"), kept, [])
    } finally {
      await server.kill("SIGKILL")
      await rm(folder, { recursive: true, force: true })
    }
  }, 600_000)
})
