/**
 * The server is killed in the middle of everything, as often as `CANDLEWICK_KILLS` says; `npm run
 * test:crash` does it on every database.
 */
import { assert, describe, it } from "@effect/vitest"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runCrashTest } from "./runCrashTest.ts"

const kills = Number(process.env["CANDLEWICK_KILLS"] ?? 3)

/** Five for whatever the machine has to do besides, and one for each kill. */
const minutesMax = 5 + kills

describe("a server that is killed", () => {
  it(
    "loses nothing that it answered, does nothing twice, and its books add up",
    async () => {
      const directory = await mkdtemp(join(tmpdir(), "candlewick-crash-"))
      try {
        const report = await runCrashTest({ directory, kills, seed: 7, acknowledgedMin: 21 })
        assert.deepStrictEqual(report.losses, [])
        assert.deepStrictEqual(report.duplicates, [])
        assert.deepStrictEqual(report.faults, [])
        assert.deepStrictEqual(report.surprises, [])
        assert.isAbove(report.acknowledged, 20, "so few writes prove little")
        assert.isAbove(report.trades, 20, "so few trades prove little")
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    },
    minutesMax * 60_000
  )
})
