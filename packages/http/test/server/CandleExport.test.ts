/** An export is made piece by piece, and other work of the event loop comes between. */
import { type CandleColumns, makeColumns, writeCandleFile } from "@candlewick/core/kernel"
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { writeCandleFileOf, writeCandles } from "../../src/server/candleExport.ts"

const about = {
  symbol: "BTC/USDT",
  timeframeMs: 60_000,
  tick: 0.01,
  isSynthetic: false,
  source: "test"
}

const candles = (count: number): CandleColumns => {
  const columns = makeColumns(count)
  for (let row = 0; row < count; row++) {
    columns.time[row] = row * 60_000
    columns.open[row] = 100 + row / 8
    columns.high[row] = 101 + row / 8
    columns.low[row] = 99 + row / 8
    columns.close[row] = 100.5 + row / 8
    columns.volume[row] = row % 7
  }
  return columns
}

/** The pieces of a stream whose reader never waits, and the turn of the loop that each came in. */
const readInTurns = Effect.fnUntraced(function* (stream: Stream.Stream<Uint8Array>) {
  let turn = 0
  let isOver = false
  const count = (): void => {
    turn++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const pieces: Array<Uint8Array> = []
  const turns: Array<number> = []
  yield* Stream.runForEachArray(stream, (array) =>
    Effect.sync(() => {
      pieces.push(...array)
      turns.push(turn)
    })
  )
  isOver = true
  return { bytes: Buffer.concat(pieces), pieces, turns }
})

it.effect("gives each piece of an export a turn of the event loop of its own", () =>
  Effect.gen(function* () {
    const columns = candles(100_000)
    for (const stream of [
      writeCandles(columns, "csv"),
      writeCandles(columns, "ndjson"),
      writeCandleFileOf(columns, about)
    ]) {
      const { pieces, turns } = yield* readInTurns(stream)
      assert.isAtLeast(pieces.length, 20)
      assert.strictEqual(turns.length, pieces.length, "one at a time")
      assert.strictEqual(new Set(turns).size, turns.length, "each in a turn of its own")
      for (const { length } of pieces) assert.isAtMost(length, 512 * 1_024)
    }
  })
)

it.effect("writes the same bytes in pieces as at once", () =>
  Effect.gen(function* () {
    for (const count of [0, 1, 2_048, 70_000]) {
      const columns = candles(count)
      const file = yield* readInTurns(writeCandleFileOf(columns, about))
      assert.isTrue(file.bytes.equals(writeCandleFile(columns, about)), `a file of ${count}`)
      const lines = yield* readInTurns(writeCandles(columns, "ndjson"))
      const rows = Array.from({ length: count }, (_, row) => {
        const { close, high, low, open, time, volume } = columns
        const fields = { time: time[row], open: open[row], high: high[row], low: low[row] }
        return `${JSON.stringify({ ...fields, close: close[row], volume: volume[row] })}\n`
      })
      assert.isTrue(lines.bytes.equals(Buffer.from(rows.join(""))), `lines of ${count}`)
    }
  })
)
