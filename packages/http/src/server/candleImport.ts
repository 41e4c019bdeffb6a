/**
 * Reads candles from a stream of CSV or of JSON lines, without ever holding the text as a whole.
 *
 * @since 0.1.0
 */
import { Limits, type Problem, type Timeframe } from "@candlewick/core"
import { type CandleColumns, columnNames } from "@candlewick/core/kernel"
import { parse } from "csv-parse"
import { Effect, Stream } from "effect"
import { type CandleRows, makeCandleRows } from "./candleRows.ts"
import { limitImport } from "./importBytes.ts"
import { faultsMax, refusedRows, withFurtherFaults } from "./importFaults.ts"

type Bytes<E> = Stream.Stream<Uint8Array, E>

const lineMaxLength = 4096

const refusedOne = (pointer: string, message: string): Problem =>
  refusedRows([{ pointer, code: "not_valid", message }])

const checkFaults = (rows: CandleRows): Effect.Effect<void, Problem> =>
  rows.faults.length >= faultsMax ? Effect.fail(refusedRows(rows.faults)) : Effect.void

const readHeader = (header: ReadonlyArray<string>): ReadonlyArray<number> | string => {
  const names = header.map((name) => name.trim().toLowerCase())
  const places = columnNames.map((name) => names.indexOf(name))
  return places.includes(-1) || names.length !== columnNames.length
    ? `Expected the header row ${columnNames.join(",")}`
    : places
}

const takeCsvRecord = (rows: CandleRows) => {
  let places: ReadonlyArray<number> | undefined
  return (record: ReadonlyArray<string>): string | undefined => {
    if (places !== undefined) {
      rows.add(places.map((place) => record[place]))
      return undefined
    }
    const header = readHeader(record)
    if (typeof header === "string") return header
    places = header
    return undefined
  }
}

const fromCsv = <E>(bytes: Bytes<E>, rows: CandleRows): Effect.Effect<void, Problem | E> =>
  Effect.gen(function* () {
    const parser = parse({ bom: true, skip_empty_lines: true, max_record_size: lineMaxLength })
    const take = takeCsvRecord(rows)
    let fault: string | undefined
    let failure: Error | undefined
    const drain = () => {
      for (let record = parser.read(); record !== null; record = parser.read()) {
        fault ??= take(record as ReadonlyArray<string>)
      }
    }
    parser.on("readable", drain)
    parser.on("error", (error: Error) => (failure ??= error))
    const check = Effect.suspend(() =>
      fault !== undefined
        ? Effect.fail(refusedOne("#/rows", fault))
        : failure !== undefined
          ? Effect.fail(refusedOne("#/rows", failure.message))
          : checkFaults(rows)
    )
    const write = (chunk: Uint8Array) =>
      Effect.callback<void>((resume) => {
        parser.write(chunk, () => resume(Effect.void))
      })
    yield* Stream.runForEach(bytes, (chunk) => Effect.andThen(write(chunk), check))
    yield* Effect.callback<void>((resume) => {
      parser.once("end", () => resume(Effect.void))
      parser.once("error", () => resume(Effect.void))
      parser.end()
    })
    yield* check
  })

const takeLine = (rows: CandleRows, line: string): void => {
  if (line.trim() === "") return
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return rows.refuse("Expected a JSON object on each line")
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return rows.refuse("Expected a JSON object on each line")
  }
  const unknown = Object.keys(value).find((name) => !columnNames.includes(name as never))
  if (unknown !== undefined) return rows.refuse(`There is no such field: ${unknown}`)
  rows.add(columnNames.map((name) => (value as Record<string, unknown>)[name]))
}

const fromLines = <E>(bytes: Bytes<E>, rows: CandleRows): Effect.Effect<void, Problem | E> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    let rest = ""
    return Stream.runForEach(bytes, (chunk) => {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) takeLine(rows, line)
      return rest.length > lineMaxLength
        ? Effect.fail(refusedOne("#/rows", "A line is too long"))
        : checkFaults(rows)
    }).pipe(Effect.tap(Effect.sync(() => takeLine(rows, rest + decoder.decode()))))
  })

/**
 * Reads candles of a timeframe from a stream in this format; fails with every fault of every row,
 * at most 100.
 *
 * @category combinators
 * @since 0.1.0
 */
export const readCandles = <E>(
  bytes: Bytes<E>,
  format: "csv" | "ndjson",
  timeframe: Timeframe,
  maxBytes: number = Limits.candleImportMaxBytes
): Effect.Effect<CandleColumns, Problem | E> =>
  Effect.suspend(() => {
    const rows = makeCandleRows()
    const source = limitImport(bytes, maxBytes)
    return (format === "csv" ? fromCsv(source, rows) : fromLines(source, rows)).pipe(
      Effect.andThen(
        Effect.suspend(() =>
          rows.faults.length > 0
            ? Effect.fail(refusedRows(withFurtherFaults(rows.faults, rows.toColumns(), timeframe)))
            : Effect.succeed(rows.toColumns())
        )
      )
    )
  })
