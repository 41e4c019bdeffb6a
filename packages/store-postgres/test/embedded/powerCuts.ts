/**
 * Cuts the power of an embedded database. One workload is recorded. For many moments of it the disk
 * that may be left is opened again and compared with the answers until then.
 */
import { makeRandom } from "@candlewick/core/kernel"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MessageChannel } from "node:worker_threads"
import { Pglite } from "../../src/index.ts"
import { DiskModel, type DiskOperation, type Survival } from "./DiskModel.ts"
import { recordDisk } from "./recordDisk.ts"
import { serveDatabase } from "../../src/internal/serveDatabase.ts"
import type { FromThread, ToThread } from "../../src/internal/threadMessages.ts"
import { simpleQuery, startupFrame } from "./queryFrames.ts"

/** The rows of a table: each id with its amount. */
type Content = ReadonlyMap<number, number>

interface Step {
  readonly sql: string
  /** The rows of the table once the step is done. */
  readonly after: Content
}

/** A step's answer left when this many operations had been carried out. */
interface Workload {
  readonly operations: ReadonlyArray<DiskOperation>
  readonly answeredAt: ReadonlyArray<number>
  readonly contents: ReadonlyArray<Content>
}

/** The outcome of the cuts. */
export interface PowerCuts {
  readonly cuts: number
  readonly answered: number
  /** Cuts after which something that was answered was gone, or the database did not open. */
  readonly failures: ReadonlyArray<string>
}

const padding = "x".repeat(1_500)

/** Steps of all kinds: rows added, changed and removed, several in one, and files of their own. */
const makeSteps = (count: number, seed: number): ReadonlyArray<Step> => {
  const random = makeRandom(seed)
  const steps: Array<Step> = [
    {
      sql: "create table entries (id int primary key, amount int not null, padding text)",
      after: new Map()
    }
  ]
  let content: Content = new Map()
  let lastId = 0
  for (let index = 0; index < count; index++) {
    const next = new Map(content)
    const ids = [...content.keys()]
    const kind = ids.length < 10 ? 0 : random.integer(0, 9)
    let sql = ""
    if (kind <= 4) {
      const amount = random.integer(1, 1_000)
      const size = kind === 4 ? 200 : random.integer(1, 5)
      sql = `insert into entries select g, ${amount}, '${padding}' from generate_series(${lastId + 1}, ${lastId + size}) g`
      for (let id = lastId + 1; id <= lastId + size; id++) next.set(id, amount)
      lastId += size
    } else if (kind <= 6) {
      const [one, other] = [random.pick(ids), random.pick(ids)]
      sql = `begin; update entries set amount = amount + 5 where id = ${one};
        update entries set amount = amount - 5 where id = ${other}; commit`
      next.set(one, next.get(one)! + 5)
      next.set(other, next.get(other)! - 5)
    } else if (kind === 7) {
      const id = random.pick(ids)
      sql = `delete from entries where id = ${id}`
      next.delete(id)
    } else if (kind === 8) {
      sql = `create table side_${index} as select * from entries limit 50`
    } else {
      sql = random.next() < 0.5 ? "vacuum entries" : "checkpoint"
    }
    content = next
    steps.push({ sql, after: content })
  }
  return steps
}

/** Carries the steps out on a new database, one after the other, and records its disk. */
const record = async (folder: string, steps: ReadonlyArray<Step>): Promise<Workload> => {
  const disk = recordDisk(folder)
  const answeredAt: Array<number> = []
  const { port1: own, port2: theirs } = new MessageChannel()
  const told: Array<(message: FromThread) => void> = []
  // Noted where the answer leaves, not where it arrives.
  const post = own.postMessage.bind(own)
  own.postMessage = (message: FromThread) => {
    if (message.type === "answer") answeredAt.push(disk.operations.length)
    post(message)
  }
  theirs.on("message", (message: FromThread) => told.shift()?.(message))
  const next = () => new Promise<FromThread>((resolve) => void told.push(resolve))
  const ask = async (message: ToThread): Promise<FromThread> => {
    const answer = next()
    theirs.postMessage(message)
    return answer
  }
  try {
    const ready = next()
    await serveDatabase(own, {
      directory: folder,
      checkpointBytes: 1024 * 1024,
      upkeepMs: 3_600_000
    })
    await ready
    await ask({ type: "frames", session: 1, bytes: startupFrame })
    answeredAt.length = 0
    for (const { sql } of steps) {
      const answer = await ask({ type: "frames", session: 1, bytes: simpleQuery(sql) })
      const bytes = answer.type === "answer" ? Buffer.concat(answer.chunks) : Buffer.alloc(0)
      // The first byte of an error's frame.
      if (bytes[0] === 0x45) throw new Error(`${sql.slice(0, 80)}: ${bytes.toString("latin1")}`)
    }
    const operations = [...disk.operations]
    await ask({ type: "close" })
    return { operations, answeredAt, contents: steps.map(({ after }) => after) }
  } finally {
    disk.stop()
    theirs.close()
  }
}

const isSame = (one: Content, other: Content): boolean =>
  one.size === other.size && [...one].every(([id, amount]) => other.get(id) === amount)

/**
 * The rows of the table, opened as a server opens it; null where there is no table. The index must
 * agree.
 */
const readContent = (folder: string): Promise<Content | null> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql`select 1 from pg_tables where tablename = 'entries'`
      if (tables.length === 0) return null
      yield* sql`set enable_indexscan = off`
      yield* sql`set enable_indexonlyscan = off`
      const rows = yield* sql<{ readonly id: number; readonly amount: number }>`
        select id, amount from entries where length(padding) = ${padding.length}`
      yield* sql`reset enable_indexscan`
      yield* sql`set enable_seqscan = off`
      yield* sql`set enable_bitmapscan = off`
      const found = yield* sql`select id from entries order by id`
      if (found.length !== rows.length) throw new Error("the index differs from the table")
      return new Map(rows.map(({ amount, id }) => [id, amount]))
    }).pipe(Effect.provide(Pglite.layer({ directory: folder })))
  )

/** Says what is wrong after a cut, or null. */
const examine = async (folder: string, workload: Workload, at: number): Promise<string | null> => {
  const answered = workload.answeredAt.filter((one) => one <= at).length
  try {
    const content = await readContent(folder)
    if (content === null) return answered === 0 ? null : `the table is gone after ${answered} steps`
    // The step under way may have been kept or not.
    const allowed = workload.contents.slice(Math.max(0, answered - 1), answered + 1)
    return allowed.some((one) => isSame(one, content))
      ? null
      : `${content.size} rows after ${answered} steps differ from what was answered`
  } catch (error) {
    return `not opened after ${answered} steps: ${error instanceof Error ? error.message : String(error)}`
  }
}

const survivals: ReadonlyArray<Survival> = ["some", "some", "nothing", "everything"]

/** How the power is cut. */
export interface PowerCutOptions {
  readonly cuts: number
  readonly steps: number
  readonly seed: number
  /** As if every sync were a lie: what PGlite does by itself. */
  readonly withoutSyncs?: boolean
}

/** Records a workload, cuts the power, and counts what is lost. */
export const powerCuts = async (options: PowerCutOptions): Promise<PowerCuts> => {
  const { cuts, seed, steps, withoutSyncs = false } = options
  const folder = mkdtempSync(join(tmpdir(), "candlewick-power-"))
  const random = makeRandom(seed)
  const failures: Array<string> = []
  try {
    const workload = await record(folder, makeSteps(steps, seed))
    const first = workload.answeredAt[0]!
    const last = workload.operations.length
    // One in eight falls into the making of the database.
    const moments = Array.from({ length: cuts }, (_, index) =>
      index % 8 === 0 ? random.integer(0, first) : random.integer(first, last)
    ).sort((one, other) => one - other)
    const disk = new DiskModel()
    let done = 0
    for (const [index, at] of moments.entries()) {
      for (; done < at; done++) {
        const operation = workload.operations[done]!
        if (!(withoutSyncs && done >= first && operation.type === "sync")) disk.apply(operation)
      }
      const survival: Survival = random.pick(survivals)
      const left = mkdtempSync(join(tmpdir(), "candlewick-left-"))
      disk.writeRemains(left, survival, random.fork(index))
      const failure = await examine(left, workload, at)
      if (failure !== null) failures.push(`cut ${index} at ${at} (${survival}): ${failure}`)
      rmSync(left, { recursive: true, force: true })
    }
    return { cuts, answered: workload.answeredAt.length, failures }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
