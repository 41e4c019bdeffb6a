/**
 * Reads candles from a stream that is a Parquet file.
 *
 * Its table of contents is at its end, so that it is kept in a temporary file first. A thread of
 * its own reads it, with bounds for its memory. A file may be made to unpack to a large size, and
 * other requests don't wait for it.
 *
 * @since 0.1.0
 */
import { invalid, Limits, Problem, type Timeframe } from "@candlewick/core"
import { type CandleColumns, columnNames } from "@candlewick/core/kernel"
import { Effect, Semaphore, type Stream } from "effect"
import { Worker } from "node:worker_threads"
import { limitImport } from "./importBytes.ts"
import { importFaultsMax, fieldFault, refusedRows, withFurtherFaults } from "./importFaults.ts"
import type { ParquetContent } from "./parquetFile.ts"
import type { ParquetTask } from "./parquetWorker.ts"
import { type Spooled, spoolBytes } from "./spoolBytes.ts"

/** As many as take no more memory than the largest import has bytes. */
const rowsMax = Math.floor(
  Limits.candleImportMaxBytes / (columnNames.length * Float64Array.BYTES_PER_ELEMENT)
)
const limits = { fields: columnNames, rowsMax, badMax: importFaultsMax }
const memoryMaxMb = 1_024

/** Each may take all the memory that it is allowed. */
const threads = Semaphore.makeUnsafe(2)

/** The worker's file has the extension of this one: `.ts` in the repository, `.js` when built. */
const workerUrl = new URL(
  `./parquetWorker${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`,
  import.meta.url
)

const tooManyRows = (rows: number): Problem =>
  new Problem({
    code: "payload_too_large",
    detail: `The file says that it has ${rows} rows; an import may have at most ${rowsMax}.`
  })

const tooMuchMemory = invalid([
  { pointer: "#", code: "malformed", message: "Reading the file takes more memory than it may" }
])

const isOutOfMemory = (error: Error): boolean =>
  "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"

/** Reads the file in a thread; an interruption ends the thread before it returns. */
const readInThread = (file: Spooled): Effect.Effect<ParquetContent, Problem> =>
  Effect.callback<ParquetContent, Problem>((resume) => {
    const worker = new Worker(workerUrl, {
      workerData: { ...file, ...limits } satisfies ParquetTask,
      resourceLimits: { maxOldGenerationSizeMb: memoryMaxMb }
    })
    let outcome: Effect.Effect<ParquetContent, Problem> = Effect.die(new Error("no answer"))
    worker.once("message", (content: ParquetContent) => {
      outcome = Effect.succeed(content)
    })
    worker.once("error", (error) => {
      outcome = isOutOfMemory(error) ? Effect.fail(tooMuchMemory) : Effect.die(error)
    })
    // Not before: the file is closed then, which the thread must not read any more.
    worker.once("exit", () => resume(outcome))
    return Effect.promise(() => worker.terminate())
  })

/**
 * Reads candles of a timeframe from a Parquet file. Fails with every fault of every row, at most
 * 100, or with the fault of the file.
 *
 * @category combinators
 * @since 0.1.0
 */
export const readParquet = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  timeframe: Timeframe,
  maxBytes: number = Limits.candleImportMaxBytes
): Effect.Effect<CandleColumns, Problem | E> =>
  Effect.gen(function* () {
    const file = yield* spoolBytes(limitImport(bytes, maxBytes))
    const content = yield* threads.withPermit(readInThread(file))
    if (content.type === "too_many_rows") return yield* tooManyRows(content.rows)
    if (content.type === "refused") return yield* invalid(content.faults)
    const { bad, columns, rows } = content
    const candles: CandleColumns = { ...columns, length: rows }
    if (bad.length === 0) return candles
    const faults = bad.map(({ field, row }) => fieldFault(row, field))
    return yield* refusedRows(
      faults.length < importFaultsMax ? withFurtherFaults(faults, candles, timeframe) : faults
    )
  }).pipe(Effect.scoped)
