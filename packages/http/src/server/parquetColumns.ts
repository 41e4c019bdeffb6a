/**
 * Finds the columns of candles in a Parquet file, and the meaning of their values.
 *
 * @since 0.1.0
 */
import type { Fault } from "@candlewick/core"
import { type FileMetaData, parquetSchema, type SchemaElement } from "hyparquet"
import type { CandleField } from "@candlewick/core/kernel"

/** The type of a column's values. @category models @since 0.1.0 */
export type Meaning = "time" | "number" | "decimal" | "text" | "other"

/** A column of the file that holds a field. @category models @since 0.1.0 */
export interface ParquetColumn {
  readonly field: CandleField
  /** As the file spells it. */
  readonly name: string
  readonly meaning: Meaning
  /** Whether values may be missing. */
  readonly isOptional: boolean
  /** The number of a value that is no text; not finite where it is none. */
  readonly toNumber: (value: unknown) => number
}

/** The columns, and the file's description with decimals left as they are written. */
export interface ParquetColumns {
  readonly columns: ReadonlyArray<ParquetColumn>
  readonly metadata: FileMetaData
}

const microsPerMs = 1_000n
const nanosPerMs = 1_000_000n

/** Whole milliseconds exactly; others with a fraction, which no candle opens at. */
const inMs = (value: bigint, perMs: bigint): number =>
  value % perMs === 0n ? Number(value / perMs) : Number(value) / Number(perMs)

/** Times as epoch milliseconds. @category tables @since 0.1.0 */
export const timeParsers = {
  timestampFromMilliseconds: (value: bigint) => Number(value),
  timestampFromMicroseconds: (value: bigint) => inMs(value, microsPerMs),
  timestampFromNanoseconds: (value: bigint) => inMs(value, nanosPerMs),
  dateFromDays: (days: number) => days * 86_400_000
}

const fromBytes = (bytes: Uint8Array): bigint => {
  let value = 0n
  for (const byte of bytes) value = value * 256n + BigInt(byte)
  return BigInt.asIntN(Math.max(1, bytes.length * 8), value)
}

/** An unscaled value with its scale, rounded once, as text of it would be. */
const decimalReader =
  (scale: number) =>
  (value: unknown): number => {
    const unscaled = value instanceof Uint8Array ? fromBytes(value) : value
    return typeof unscaled === "bigint" || typeof unscaled === "number"
      ? Number(`${unscaled}e${-scale}`)
      : Number.NaN
  }

/** More digits than any price has. */
const decimalMaxBytes = 32

const plainNumber = (value: unknown): number =>
  typeof value === "number" || typeof value === "bigint" ? Number(value) : Number.NaN

const integers = ["UINT_8", "UINT_16", "UINT_32", "UINT_64", "INT_8", "INT_16", "INT_32", "INT_64"]

const meaningOf = (element: SchemaElement): Meaning => {
  const { converted_type: converted, logical_type: logical, num_children, type } = element
  const isNested = (num_children ?? 0) > 0 || element.repetition_type === "REPEATED"
  if (isNested || (element.type_length ?? 0) > decimalMaxBytes) return "other"
  const annotation = logical?.type ?? converted
  if (annotation === undefined) {
    if (type === "INT96") return "time"
    return ["INT32", "INT64", "FLOAT", "DOUBLE"].includes(type ?? "") ? "number" : "other"
  }
  if (annotation === "DECIMAL") return "decimal"
  if (annotation === "DATE" || annotation.startsWith("TIMESTAMP")) return "time"
  if (annotation === "STRING" || annotation === "UTF8") return "text"
  return annotation === "INTEGER" || annotation === "FLOAT16" || integers.includes(annotation)
    ? "number"
    : "other"
}

const scaleOf = ({ logical_type: logical, scale }: SchemaElement): number =>
  (logical?.type === "DECIMAL" ? logical.scale : undefined) ?? scale ?? 0

const columnOf = (field: CandleField, element: SchemaElement): ParquetColumn | Fault => {
  const meaning = meaningOf(element)
  const allowed = field === "time" ? ["time", "number", "text"] : ["number", "decimal", "text"]
  if (!allowed.includes(meaning)) {
    const expected =
      field === "time" ? "timestamps, integers or text" : "floats, integers, decimals or text"
    const message = `The column ${field} has to be of ${expected}`
    return { pointer: `#/columns/${field}`, code: "not_valid", message }
  }
  const toNumber = meaning === "decimal" ? decimalReader(scaleOf(element)) : plainNumber
  const isOptional = element.repetition_type !== "REQUIRED"
  return { field, name: element.name, meaning, isOptional, toNumber }
}

/** The same, with decimals to be read as the integers that are written. */
const withRawDecimals = (metadata: FileMetaData): FileMetaData => ({
  ...metadata,
  schema: metadata.schema.map((element) => {
    if (meaningOf(element) !== "decimal") return element
    const { converted_type: _converted, logical_type: _logical, ...raw } = element
    return raw
  })
})

/**
 * The columns of a file that must have candles and nothing else, in any order; else the fault.
 *
 * @category conversions
 * @since 0.1.0
 */
export const findColumns = (
  metadata: FileMetaData,
  fields: ReadonlyArray<CandleField>
): ParquetColumns | ReadonlyArray<Fault> => {
  const elements = parquetSchema(metadata).children.map(({ element }) => element)
  const names = elements.map(({ name }) => name.trim().toLowerCase())
  const missing = fields.filter((field) => !names.includes(field))
  if (missing.length > 0 || names.length !== fields.length) {
    const message = `Expected the columns ${fields.join(",")}`
    const places = missing.length > 0 ? missing.map((field) => `#/columns/${field}`) : ["#/columns"]
    return places.map((pointer) => ({ pointer, code: "not_valid", message }))
  }
  const found = fields.map((field) => columnOf(field, elements[names.indexOf(field)]!))
  const faults = found.filter((one) => "pointer" in one)
  if (faults.length > 0) return faults
  const columns = found.filter((one) => "toNumber" in one)
  return { columns, metadata: withRawDecimals(metadata) }
}
