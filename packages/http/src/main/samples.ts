/**
 * The sample candles that a fresh server starts with.
 *
 * @since 0.1.0
 */
import {
  type CandleColumns,
  Candles,
  CandleStore,
  columnNames,
  type Market,
  makeColumns,
  Markets,
  operatorAccountId,
  type SeriesKey,
  sharedOwner
} from "@candlewick/core"
import { parse } from "csv-parse/sync"
import { Effect, Option } from "effect"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"

/** A sample series, the file it is in and where it came from. @category models @since 0.1.0 */
export interface Sample {
  readonly key: SeriesKey
  readonly file: string
  readonly source: string
  readonly market: Partial<Market>
}

/** The sample series. @category tables @since 0.1.0 */
export const samples: ReadonlyArray<Sample> = [
  {
    key: { symbol: "BTC/USD", timeframe: "1d" },
    file: "bitcoin_1d.csv",
    source: "https://github.com/DaveSkender/Stock.Indicators",
    market: { tick: 0.01 }
  },
  {
    key: { symbol: "GBP/USD", timeframe: "1h" },
    file: "gbpusd_1h.csv",
    source: "https://github.com/ejtraderLabs/historical-data",
    market: { tick: 0.00001 }
  },
  {
    key: { symbol: "SPY/USD", timeframe: "1d" },
    file: "spy502_1d.csv",
    source: "https://github.com/DaveSkender/Stock.Indicators",
    market: { tick: 0.01 }
  }
]

// Beside `src` or `dist` in a published package, else at the root of the repository.
const folders = ["../../samples/", "../../../../samples/"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url))
)

const readSample = async (path: string): Promise<CandleColumns> => {
  const rows = parse(await readFile(path, "utf8"), { columns: true }) as ReadonlyArray<
    Readonly<Record<string, string>>
  >
  const columns = makeColumns(rows.length)
  rows.forEach((row, index) => {
    for (const name of columnNames) columns[name][index] = Number(row[name])
  })
  return columns
}

/**
 * Imports the samples that are not kept yet and returns how many that were.
 *
 * **Details**
 *
 * A series that is there is left as it is. Where the sample files are missing, nothing is imported.
 *
 * @category services
 * @since 0.1.0
 */
export const loadSamples = Effect.gen(function* () {
  const candles = yield* Candles
  const store = yield* CandleStore
  const folder = folders.find((path) => existsSync(path))
  if (folder === undefined) {
    yield* Effect.logInfo("this server has no sample candles beside it")
    return 0
  }
  let count = 0
  for (const { file, key, market, source } of samples) {
    if (Option.isSome(yield* store.describe({ ...key, owner: sharedOwner }))) continue
    const columns = yield* Effect.promise(() => readSample(folder + file))
    yield* candles.import(operatorAccountId, { key, columns, source, market })
    count++
  }
  return count
})

/**
 * Keeps the markets of the samples without their candles. A market then has the same tick, so that
 * a run on a file of its candles ends as on a server. A market that is there is left as it is.
 *
 * @category services
 * @since 0.1.0
 */
export const keepSampleMarkets = Effect.gen(function* () {
  const markets = yield* Markets
  for (const { key, market } of samples) {
    const creating = markets.create(operatorAccountId, { ...market, symbol: key.symbol })
    yield* Effect.catchIf(
      creating,
      (error) => error._tag === "Problem" && error.code === "already_exists",
      () => Effect.void
    )
  }
})
