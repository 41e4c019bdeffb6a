/**
 * Reads a candle file from a stream: the bytes as they come, then the columns in them.
 *
 * @since 0.1.0
 */
import { type Fault, invalid, Limits, type Problem, timeframeMs } from "@candlewick/core"
import type { SeriesKey } from "@candlewick/core"
import {
  type CandleFileContent,
  type CandleFileFailure,
  candleFileOffsets,
  readCandleFile
} from "@candlewick/core/kernel"
import { Effect, Schema, Stream } from "effect"
import { sourceMaxLength, SourceName } from "../api/CandlesApi.ts"
import { limitImport } from "./importBytes.ts"

const faultOf = (failure: CandleFileFailure): Fault => {
  switch (failure.type) {
    case "not_a_candle_file":
      return { pointer: "#/header/magic", code: failure.type, message: "This is no candle file" }
    case "newer_version": {
      const message = `The file's version ${failure.version} is newer than this server`
      return { pointer: "#/header/version", code: failure.type, message }
    }
    case "truncated": {
      const message = `The file ends after ${failure.bytes} of at least ${failure.bytesMin} bytes`
      return { pointer: "#", code: failure.type, message }
    }
    case "checksum_mismatch": {
      const message = `The checksum of the ${failure.part} does not match`
      return { pointer: `#/${failure.part}`, code: failure.type, message }
    }
    case "malformed":
      return { pointer: "#/header", code: failure.type, message: failure.message }
    case "not_ascending": {
      const message = `Row ${failure.row}: times must rise from row to row`
      return { pointer: `#/rows/${failure.row}`, code: "out_of_order", message }
    }
  }
}

/** Bytes that grow as they come, in one piece. */
const makeBytes = () => {
  let bytes = new Uint8Array(65_536)
  let length = 0
  const take = () => bytes.subarray(0, length)
  return {
    take,
    add: (chunk: Uint8Array) => {
      if (length + chunk.length > bytes.length) {
        const grown = new Uint8Array(Math.max(bytes.length * 2, length + chunk.length))
        grown.set(take())
        bytes = grown
      }
      bytes.set(chunk, length)
      length += chunk.length
    }
  }
}

const isSourceName = Schema.is(SourceName)

const aboutFaults = ({ about }: CandleFileContent, key: SeriesKey): ReadonlyArray<Fault> => [
  ...(about.symbol === key.symbol
    ? []
    : [
        {
          pointer: "#/header/symbol",
          code: "not_valid",
          message: `The file holds candles of ${about.symbol.slice(0, 50) || "no symbol"}, not of ${key.symbol}`
        }
      ]),
  ...(about.timeframeMs === timeframeMs(key.timeframe)
    ? []
    : [
        {
          pointer: "#/header/timeframe_ms",
          code: "not_valid",
          message: `The file's candles last ${about.timeframeMs} ms, not ${key.timeframe}`
        }
      ]),
  ...(isSourceName(about.source)
    ? []
    : [
        {
          pointer: "#/header/source",
          code: "not_valid",
          message: `The file's source has more than ${sourceMaxLength} characters`
        }
      ])
]

/**
 * The candles of a file that has to be one of this series, and the file's own statements on them. A
 * file of another form is refused as soon as that shows.
 *
 * @category combinators
 * @since 0.1.0
 */
export const readCandleFileOf = <E>(
  source: Stream.Stream<Uint8Array, E>,
  key: SeriesKey,
  maxBytes: number = Limits.candleImportMaxBytes
): Effect.Effect<CandleFileContent, Problem | E> =>
  Effect.suspend(() => {
    const bytes = makeBytes()
    let isBegun = false
    const add = (chunk: Uint8Array): Effect.Effect<void, Problem> => {
      bytes.add(chunk)
      if (isBegun || bytes.take().length < candleFileOffsets.fields) return Effect.void
      isBegun = true
      const read = readCandleFile(bytes.take())
      return read.type === "candles" || read.type === "truncated"
        ? Effect.void
        : Effect.fail(invalid([faultOf(read)]))
    }
    const read = Effect.suspend(() => {
      const content = readCandleFile(bytes.take())
      if (content.type !== "candles") return Effect.fail(invalid([faultOf(content)]))
      const faults = aboutFaults(content, key)
      return faults.length > 0 ? Effect.fail(invalid(faults)) : Effect.succeed(content)
    })
    return Effect.andThen(Stream.runForEach(limitImport(source, maxBytes), add), read)
  })
