/**
 * A store of one's own for candles: each series is two files of a directory. It passes
 * `CandleStoreSuite`, but for the test of transactions, which files don't have.
 *
 * The columns are a candle file, which other programs can read. The record beside them is JSON.
 * Both are written under another name and then renamed, so that a reader never sees half of one.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import {
  CandleSeries,
  CandleStore,
  indexAt,
  type OwnedSeriesKey,
  sliceColumns,
  StoreError,
  StoreUnavailable,
  timeframeMs,
  timeframeNames
} from "@candlewick/core"
import { readCandleFile, writeCandleFile } from "@candlewick/core/kernel"
import { Effect, Layer, Option, Schema } from "effect"

const decodeSeries = Schema.decodeUnknownSync(CandleSeries)

/** The name of a series' files. Every name of an owner, a market and a timeframe is another one. */
const nameOf = ({ owner, symbol, timeframe }: OwnedSeriesKey): string =>
  [owner, symbol, timeframe].map(encodeURIComponent).join(" ")

/** The text or bytes of a file, or null where there is no such file. */
const readOrNull = (path: string): Promise<Buffer | null> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null
    throw error
  })

const replaceFile = async (path: string, content: string | Uint8Array): Promise<void> => {
  await writeFile(`${path}.new`, content)
  await rename(`${path}.new`, path)
}

/** Calls the disk. A call that fails may succeed later, and callers try it again. */
const onDisk = <A>(call: () => Promise<A>): Effect.Effect<A, StoreError> =>
  Effect.tryPromise({
    try: call,
    catch: (error) => new StoreError({ reason: new StoreUnavailable({ cause: String(error) }) })
  })

/** Candles in files of this directory. */
export const fileCandles = (directory: string): Layer.Layer<CandleStore, StoreError> => {
  const pathOf = (key: OwnedSeriesKey, ending: "candles" | "json" | "removed") =>
    join(directory, `${nameOf(key)}.${ending}`)
  const describe = async (key: OwnedSeriesKey) => {
    const text = await readOrNull(pathOf(key, "json"))
    return text === null ? null : decodeSeries(JSON.parse(text.toString()))
  }
  /** Results name revisions, so that a series which comes after a removed one counts on. */
  const lastRevision = async (key: OwnedSeriesKey) => {
    const kept = await describe(key)
    const removed = Number(String((await readOrNull(pathOf(key, "removed"))) ?? 0))
    return Math.max(kept === null ? 0 : (kept.revision ?? 1), removed)
  }

  const store: typeof CandleStore.Service = {
    put: (series, columns) =>
      onDisk(async () => {
        const { source, symbol, synthetic, timeframe } = series
        const about = { symbol, timeframeMs: timeframeMs(timeframe), tick: 0 }
        const file = { ...about, isSynthetic: synthetic, source: source ?? "" }
        await replaceFile(pathOf(series, "candles"), writeCandleFile(columns, file))
        await replaceFile(pathOf(series, "json"), JSON.stringify(series))
      }),
    load: (key, { from = -Infinity, to = Infinity } = {}) =>
      onDisk(async () => {
        const bytes = await readOrNull(pathOf(key, "candles"))
        if (bytes === null) return Option.none()
        const read = readCandleFile(new Uint8Array(bytes))
        // The checksum of the file reveals a disk that has lost something.
        if (read.type !== "candles") throw new Error(`${nameOf(key)} is damaged`)
        const { columns } = read
        return Option.some(sliceColumns(columns, indexAt(columns, from), indexAt(columns, to)))
      }),
    describe: (key) =>
      Effect.map(
        onDisk(() => describe(key)),
        Option.fromNullOr
      ),
    list: (owner) =>
      onDisk(async () => {
        const found: Array<typeof CandleSeries.Type> = []
        for (const name of await readdir(directory)) {
          if (!name.endsWith(".json")) continue
          found.push(decodeSeries(JSON.parse(await readFile(join(directory, name), "utf8"))))
        }
        const rank = ({ timeframe }: OwnedSeriesKey) => timeframeNames.indexOf(timeframe)
        return found
          .filter((series) => series.owner === owner)
          .toSorted(
            (a, b) => (a.symbol < b.symbol ? -1 : Number(a.symbol > b.symbol)) || rank(a) - rank(b)
          )
      }),
    lastRevision: (key) => onDisk(() => lastRevision(key)),
    remove: (key) =>
      onDisk(async () => {
        const revision = await lastRevision(key)
        if (revision > 0) await replaceFile(pathOf(key, "removed"), String(revision))
        await rm(pathOf(key, "json"), { force: true })
        await rm(pathOf(key, "candles"), { force: true })
      })
  }
  return Layer.effect(
    CandleStore,
    Effect.as(
      onDisk(() => mkdir(directory, { recursive: true })),
      store
    )
  )
}
