/**
 * How candles are cut into chunks, put together again and told from each other.
 */
import { type CandleColumns, columnNames, makeColumns, sliceColumns } from "@candlewick/core/kernel"
import { randomCandles } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  assembleChunks,
  candlesPerSpan,
  chunksOf,
  copyChunk,
  faultOf
} from "../src/internal/candleChunks.ts"

const hourMs = 3_600_000
const spanMs = candlesPerSpan * hourMs

const walk = (seed: number, count: number, startMs: number): CandleColumns =>
  randomCandles(seed, { count, stepMs: hourMs, startMs })

const joined = (...parts: ReadonlyArray<CandleColumns>): CandleColumns => {
  const all = makeColumns(parts.reduce((sum, { length }) => sum + length, 0))
  let index = 0
  for (const part of parts) {
    for (const name of columnNames) all[name].set(part[name], index)
    index += part.length
  }
  return all
}

const chunks = (columns: CandleColumns) => [...chunksOf("1h", columns)]
const checksums = (columns: CandleColumns) =>
  new Map(chunks(columns).map((one) => [one.starts_ms, Buffer.from(one.checksum).toString("hex")]))

/** The spans whose chunks differ. */
const changed = (one: CandleColumns, other: CandleColumns): ReadonlyArray<number> => {
  const [before, after] = [checksums(one), checksums(other)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((span) => before.get(span) !== after.get(span))
    .sort((a, b) => a - b)
}

describe("chunks of candles", () => {
  it("hold every candle once, in the span that it opened in", () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const columns = walk(seed, 3 * candlesPerSpan + 17, spanMs - 5 * hourMs)
      const all = makeColumns(columns.length)
      let index = 0
      for (const chunk of chunks(columns)) {
        assert.isNull(faultOf(chunk))
        assert.strictEqual(chunk.starts_ms % spanMs, 0)
        assert.isAtLeast(chunk.first_ms, chunk.starts_ms)
        assert.isBelow(chunk.last_ms, chunk.starts_ms + spanMs)
        copyChunk(chunk, all, index)
        index += chunk.candle_count
      }
      assert.strictEqual(index, columns.length)
      for (const name of columnNames) assert.deepStrictEqual(all[name], columns[name])
    }
  })

  it("change where candles are added, and nowhere else", () => {
    const columns = walk(6, 2 * candlesPerSpan + 100, 10 * spanMs)
    const before = walk(7, 50, 9 * spanMs)
    const after = walk(8, 1, 12 * spanMs + 100 * hourMs)
    assert.deepStrictEqual(changed(columns, joined(before, columns)), [9 * spanMs])
    assert.deepStrictEqual(changed(columns, joined(columns, after)), [12 * spanMs])
    const overwritten = joined(columns)
    overwritten.close[candlesPerSpan + 3] = 1
    assert.lengthOf(changed(columns, overwritten), 1)
    assert.lengthOf(changed(columns, columns), 0)
  })

  it("are read from memory that begins anywhere", () => {
    const [chunk] = chunks(walk(9, 10, 0))
    const shifted = new Uint8Array(chunk!.columns.byteLength + 3)
    shifted.set(chunk!.columns, 3)
    const [one, other] = [makeColumns(10), makeColumns(10)]
    copyChunk(chunk!, one, 0)
    copyChunk({ ...chunk!, columns: shifted.subarray(3) }, other, 0)
    assert.deepStrictEqual(other, one)
  })

  it("are not read where a bit is another, bytes are missing or the layout is unknown", () => {
    const [chunk] = chunks(sliceColumns(walk(10, 40, 0), 0, 10))
    const columns = chunk!.columns.slice()
    columns[77]! ^= 1
    assert.match(faultOf({ ...chunk!, columns }) ?? "", /checksum/)
    assert.match(faultOf({ ...chunk!, columns: chunk!.columns.subarray(8) }) ?? "", /length/)
    assert.match(faultOf({ ...chunk!, layout: 2 }) ?? "", /layout 2/)
  })

  it.effect("are put together in turns, so that a long series holds up nobody", () =>
    Effect.gen(function* () {
      const columns = walk(11, 64 * candlesPerSpan, 0)
      let turns = 0
      let isOver = false
      const count = (): void => {
        turns++
        if (!isOver) setImmediate(count)
      }
      setImmediate(count)
      const key = { symbol: "BTC/USDT", timeframe: "1h" as const }
      const assembled = yield* assembleChunks(key, chunks(columns))
      isOver = true
      assert.deepStrictEqual(assembled, columns)
      assert.isAtLeast(turns, 8, "at most eight of 64 chunks in a turn")
    })
  )
})
