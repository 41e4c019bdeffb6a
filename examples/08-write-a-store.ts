/**
 * A store of one's own beside those of memory: candles lie in files, and outlive the process.
 *
 *   node examples/08-write-a-store.ts
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Candlewick } from "@candlewick/core"
import { readCandles } from "@candlewick/core/research"
import { MemoryStore } from "@candlewick/store-memory"
import { Layer } from "effect"
import { fileCandles } from "./ownStore.ts"

const directory = mkdtempSync(join(tmpdir(), "candles-"))

/** Opens Candlewick as a process does that starts. The later layer's `CandleStore` counts. */
const open = () =>
  Candlewick.open({ store: Layer.merge(MemoryStore.layer, fileCandles(directory)) })

const file = new URL("../samples/bitcoin_1d.csv", import.meta.url)
const columns = readCandles(readFileSync(file, "utf8"))

const first = await open()
const imported = await first.candles.import({
  key: { symbol: "BTC/USD", timeframe: "1d" },
  columns
})
console.log(`imported ${imported.candle_count} candles`)
await first.close()
console.log(
  readdirSync(directory)
    .map((name) => decodeURIComponent(name))
    .toSorted()
    .join("\n")
)

const second = await open()
for (const { candle_count, hash, symbol, timeframe } of await second.candles.list()) {
  console.log(`found ${candle_count} candles of ${symbol} ${timeframe}`)
  console.log(`the same ones: ${hash === imported.hash}`)
}
const { id } = await second.strategies.write({
  name: "above the average",
  definition: {
    format: 1,
    symbols: ["BTC/USD"],
    timeframe: "1d",
    parameters: {},
    long: {
      enter: {
        type: "crosses_above",
        left: { type: "price", field: "close" },
        right: { type: "sma", period: 50 }
      },
      exit: {
        type: "crosses_below",
        left: { type: "price", field: "close" },
        right: { type: "sma", period: 50 }
      }
    }
  }
})
const { report } = await second.backtests.run({ strategy_id: id })
console.log(`a backtest on them closed ${report?.position_count} positions`)
await second.close()
rmSync(directory, { recursive: true })

// Output:
// imported 1246 candles
// shared BTC/USD 1d.candles
// shared BTC/USD 1d.json
// found 1246 candles of BTC/USD 1d
// the same ones: true
// a backtest on them closed 29 positions
