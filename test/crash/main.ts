/**
 * Kills the server as often as one likes:
 *
 *   npm run test:crash -- --kills 300 --seed 1
 *
 * With `TEST_DATABASE_URL` the server keeps everything there, else in an embedded database.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { runCrashTest } from "./runCrashTest.ts"

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "300" },
    seed: { type: "string", default: "1" }
  }
})

const directory = await mkdtemp(join(tmpdir(), "candlewick-crash-"))
const database = process.env["TEST_DATABASE_URL"]
try {
  const report = await runCrashTest({
    directory,
    kills: Number(values.kills),
    seed: Number(values.seed),
    environment: database === undefined ? {} : { DATABASE_URL: database },
    log: (line) => console.log(line)
  })
  const { duplicates, faults, losses, surprises } = report
  for (const line of [...losses, ...duplicates, ...faults, ...surprises]) console.log(line)
  console.log(`kills                ${report.kills} (${report.killsWhileStarting} while starting)`)
  console.log(`acknowledged writes  ${report.acknowledged}`)
  console.log(`unanswered writes    ${report.unanswered}`)
  console.log(`runs, trades, events ${report.runs}, ${report.trades}, ${report.events}`)
  console.log(`deliveries           ${report.deliveries} to two endpoints`)
  console.log(`losses               ${losses.length}`)
  console.log(`duplicates           ${duplicates.length}`)
  console.log(`books that are wrong ${faults.length}`)
  console.log(`surprising answers   ${surprises.length}`)
  process.exitCode = losses.length + duplicates.length + faults.length > 0 ? 1 : 0
} finally {
  await rm(directory, { recursive: true, force: true })
}
