/**
 * Kills the server as often as one likes:
 *
 *   npm run test:crash -- --kills 300 --seed 1
 *   npm run test:crash -- --kills 300 --seed 1 --database postgres --servers 2
 *
 * With `TEST_DATABASE_URL`, or `--database postgres`, servers keep everything in a PostgreSQL, else
 * in an embedded database, which has one server.
 */
import { makeEncryptionKey } from "@candlewick/core"
import { Effect } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { createDatabase } from "../../packages/store-postgres/test/databases/createDatabase.ts"
import { startPostgres } from "../../packages/store-postgres/test/databases/startPostgres.ts"
import { runCrashTest } from "./runCrashTest.ts"

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    database: { type: "string", default: "embedded" },
    servers: { type: "string", default: "1" }
  }
})

const serverCount = values.servers === "2" ? 2 : 1
const named = process.env["TEST_DATABASE_URL"]
if (named === undefined && values.database !== "postgres" && serverCount > 1) {
  throw new Error("An embedded database has one server: add --database postgres.")
}
const directory = await mkdtemp(join(tmpdir(), "candlewick-crash-"))
const postgres =
  named === undefined && values.database === "postgres"
    ? await startPostgres(18, { isDurable: true })
    : undefined
const database = named ?? postgres?.url
try {
  const report = await runCrashTest({
    directory,
    kills: Number(values.kills),
    seed: Number(values.seed),
    serverCount,
    environment:
      database === undefined
        ? {}
        : {
            DATABASE_URL: await createDatabase(database),
            CANDLEWICK_ENCRYPTION_KEY: await Effect.runPromise(makeEncryptionKey)
          },
    log: (line) => console.log(line)
  })
  const { duplicates, faults, losses, surprises } = report
  for (const line of [...losses, ...duplicates, ...faults, ...surprises]) console.log(line)
  console.log(`kills                ${report.kills} (${report.killsWhileStarting} while starting)`)
  console.log(`acknowledged writes  ${report.acknowledged}`)
  const sorted = [...report.acknowledgedKinds].toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (const [kind, count] of sorted) {
    console.log(`  ${kind.padEnd(18)} ${count}`)
  }
  if (serverCount > 1) console.log(`  beside a dead one  ${report.acknowledgedBeside}`)
  console.log(
    `halts of an account  ${report.quietTimes}, ${report.heardLines} lines of a log followed`
  )
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
  await postgres?.stop()
}
