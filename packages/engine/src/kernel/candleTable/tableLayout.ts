/**
 * Assigns columns of a table to the fields of a candle.
 *
 * It goes by the header, by the layouts that exchanges write without one, or by the caller's words.
 *
 * @since 0.1.0
 */
import { columnNames } from "../columns.ts"
import { isBlank, type NumberStyle, readNumber } from "./readNumber.ts"
import type { TableAmbiguity } from "./resolveTimes.ts"
import { noOffset, readTime, timeKinds } from "./readTime.ts"
import { type CandleField, quoted, type TableRow } from "./TableRow.ts"

/** Where a table has the fields of candles. @category models @since 0.1.0 */
export interface TableLayout {
  /** The writer of the table, as far as its columns show. */
  readonly name: string
  /** The number of rows before the data. */
  readonly skippedCount: number
  readonly hasHeader: boolean
  /** The place of each field; of the volume, -1 where there is none. */
  readonly places: Readonly<Record<CandleField, number>>
  /** The place of a time of day that stands beside its date, or -1. */
  readonly clockPlace: number
  /** The name of a column: its header, or its number from 1. */
  readonly nameOf: (place: number) => string
  /** Columns that are passed over. */
  readonly ignored: ReadonlyArray<string>
  readonly width: number
  readonly ambiguities: ReadonlyArray<TableAmbiguity>
}

/** Columns by the caller's word: a header, or a number from 1. @category models @since 0.1.0 */
export type ColumnMap = Readonly<Partial<Record<CandleField, string>>>

/** The facts that decide the layout. @category models @since 0.1.0 */
export interface LayoutGiven {
  readonly columns: ColumnMap
  /** The base of the market, which tells its volume from that in the quote currency. */
  readonly base: string | undefined
  readonly numbers: NumberStyle
}

/**
 * A layout that could not be found, and the setting that would decide it.
 *
 * @category models
 * @since 0.1.0
 */
export interface LayoutFailure {
  readonly failure: string
}

const plain = (name: unknown): string =>
  String(name)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")

/** Headers of each field, the one that is preferred first. */
const headers: Readonly<Record<CandleField, ReadonlyArray<string>>> = {
  time: (
    "time opentime timestamp opentimestamp unix unixtime unixtimestamp epoch ts datetime " +
    "dateutc timeutc utc date gmttime localtime starttime start begin candlebegintime t dt"
  ).split(" "),
  open: "open o openprice openbid bidopen 1open".split(" "),
  high: "high h highprice highbid bidhigh 2high max".split(" "),
  low: "low l lowprice lowbid bidlow 3low min".split(" "),
  close: "close c closeprice closebid bidclose closelast last price 4close".split(" "),
  volume: "volume vol v basevolume volumebase tickvolume tickvol 5volume 6volume".split(" ")
}

const fieldNames = new Set([...Object.values(headers).flat(), "adjclose"])

/** Whether a name is one that files give a field of candles. @category models @since 0.1.0 */
export const isFieldName = (name: string): boolean => fieldNames.has(plain(name))

/** Columns that exchanges write without a header. */
const bare: ReadonlyArray<readonly [string, number, ReadonlyArray<CandleField>]> = [
  ["binance", 12, columnNames],
  ["kraken_rest", 8, ["time", "open", "high", "low", "close", "time", "volume"]],
  ["kraken", 7, columnNames],
  ["plain", 6, columnNames],
  ["coinbase", 6, ["time", "low", "high", "open", "close", "volume"]],
  ["bitfinex", 6, ["time", "open", "close", "high", "low", "volume"]],
  ["plain", 9, columnNames],
  ["plain", 11, columnNames],
  ["plain", 5, ["time", "open", "high", "low", "close"]]
]

const timeOf = (cell: unknown) => {
  const into = { kind: 0, value: 0, offset: noOffset }
  readTime(cell, into)
  return into
}

const isTime = (cell: unknown): boolean => timeOf(cell).kind !== timeKinds.none

/** Whether a cell can be nothing but a time: a count of rows is none. */
const isSurelyTime = (cell: unknown): boolean => {
  const { kind, value } = timeOf(cell)
  return kind === timeKinds.epoch ? value >= 1e8 : kind !== timeKinds.none
}

/**
 * Whether a cell is the time of day beside a date; without colons only beside a date without any.
 */
const isClock = (cell: unknown, date: unknown): boolean => {
  const text = String(cell).trim()
  if (/^\d{1,2}:\d{2}/.test(text)) return true
  return /^\d{4}(?:\d{2})?$/.test(text) && /^(?:19|20)\d{6}$/.test(String(date).trim())
}

/** A date and a time of day in the first two cells. */
const joinedTime = ([date, clock]: TableRow): string => `${String(date)} ${String(clock)}`

const isData = (row: TableRow): boolean => isTime(row[0]) || isTime(joinedTime(row))

const placesOf = (fields: ReadonlyArray<CandleField>): Record<CandleField, number> => {
  const at = (field: CandleField) => fields.indexOf(field)
  const [time, open, high, low, close, volume] = columnNames.map(at)
  return { time: time!, open: open!, high: high!, low: low!, close: close!, volume: volume! }
}

/** Whether the prices of a row make a candle where its fields lie so. */
const isCandle = (
  row: TableRow,
  places: Record<CandleField, number>,
  numbers: NumberStyle
): boolean => {
  const at = (field: CandleField) => readNumber(row[places[field]], numbers)
  const [open, high, low, close] = [at("open"), at("high"), at("low"), at("close")]
  return high >= Math.max(open, close) && low <= Math.min(open, close) && low > 0
}

const withoutHeader = (
  rows: ReadonlyArray<TableRow>,
  { columns, numbers }: LayoutGiven
): TableLayout | LayoutFailure => {
  const first = rows[0]!
  const width = first.length
  // A date and its time of day in two columns count as one.
  const shift = isClock(first[1], first[0]) && isTime(joinedTime(first)) ? 1 : 0
  const known = bare.filter(([, count]) => count === width - shift)
  const nameOf = (place: number) => String(place + 1)
  const withPrices = rows.filter((row) => !row.slice(shift + 1, shift + 5).every(isBlank))
  const fits = known
    .map(([name, , fields]) => ({ name, places: placesOf(fields) }))
    .filter(({ places }) => withPrices.every((row) => isCandle(row.slice(shift), places, numbers)))
  const isMapped = columnNames.every((field) => field === "volume" || columns[field] !== undefined)
  const chosen = fits[0] ?? (known[0] && { name: known[0][0], places: placesOf(known[0][2]) })
  if (chosen === undefined && !isMapped) {
    return {
      failure:
        `Expected a header row like ${columnNames.join(",")}, or the columns of a known exchange, ` +
        `and the first row has ${width} columns; name them with columns=time:1,open:2,high:3,low:4,close:5,volume:6`
    }
  }
  const moved = Object.fromEntries(
    columnNames.map((field) => {
      const place = chosen?.places[field] ?? -1
      return [field, place <= 0 ? place : place + shift]
    })
  ) as Record<CandleField, number>
  const rival = isMapped ? undefined : fits[1]
  const settle =
    rival === undefined
      ? ""
      : `columns=${columnNames.map((field) => `${field}:${rival.places[field] + 1}`).join(",")}`
  return mapped(
    {
      name: shift === 1 ? "plain" : (chosen?.name ?? "columns"),
      skippedCount: 0,
      hasHeader: false,
      places: moved,
      clockPlace: shift === 1 ? 1 : -1,
      nameOf,
      ignored: [],
      width,
      ambiguities:
        rival === undefined
          ? []
          : [{ about: "columns", read_as: chosen!.name, or: rival.name, settle, isOpen: false }]
    },
    columns,
    []
  )
}

const volumePlace = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<TableRow>,
  base: string | undefined
): number => {
  const known = headers.volume.map((name) => names.indexOf(name)).filter((place) => place >= 0)
  // MetaTrader has the volume of exchanges, which is 0 for currencies, beside that of ticks.
  const isTold = (place: number) => rows.some((row) => /[1-9]/.test(String(row[place])))
  if (known.length > 0) return known.find(isTold) ?? known[0]!
  const ofBase = base === undefined ? -1 : names.indexOf(`volume${plain(base)}`)
  if (ofBase >= 0) return ofBase
  const others = names.flatMap((name, place) => (/^(volume|vol)/.test(name) ? [place] : []))
  return others.length === 1 ? others[0]! : -1
}

const placeOf = (names: ReadonlyArray<string>, field: CandleField): number =>
  headers[field].map((name) => names.indexOf(name)).find((place) => place >= 0) ?? -1

const headerName = (names: ReadonlyArray<string>): string => {
  if (names.includes("adjclose")) return "yahoo"
  if (names.includes("opentime") && names.includes("closetime")) return "binance"
  return "header"
}

/** Two fields that have one column because the caller named it for one of them. */
const fieldsOfOneColumn = (
  places: Readonly<Record<CandleField, number>>,
  columns: ColumnMap
): readonly [CandleField, CandleField] | null => {
  for (const field of columnNames) {
    if (columns[field] === undefined) continue
    const other = columnNames.find((one) => one !== field && places[one] === places[field])
    if (other !== undefined) return [field, other]
  }
  return null
}

/** The same layout with the columns that the caller names. */
const mapped = (
  layout: TableLayout,
  columns: ColumnMap,
  header: ReadonlyArray<string>
): TableLayout | LayoutFailure => {
  const places = { ...layout.places }
  for (const field of columnNames) {
    const named = columns[field]
    if (named === undefined) continue
    const byName = header.indexOf(named.trim())
    const byPlain = header.findIndex((name) => plain(name) === plain(named) && plain(name) !== "")
    const number = /^\d{1,3}$/.test(named.trim()) ? Number(named) - 1 : -1
    const place = byName >= 0 ? byName : number >= 0 ? number : byPlain
    if (place < 0 || place >= layout.width) {
      const there = header.length > 0 ? header.join(", ") : `1 to ${layout.width}`
      return {
        failure: `The header has no column ${quoted(named)} for ${field}; its columns are ${there}`
      }
    }
    places[field] = place
  }
  const shared = fieldsOfOneColumn(places, columns)
  if (shared !== null) {
    const [one, other] = shared
    const column = quoted(layout.nameOf(places[one]))
    return {
      failure: `The column ${column} is read as ${one} and as ${other}; name a column for each field`
    }
  }
  const used = new Set([...Object.values(places), layout.clockPlace])
  const ignored = Array.from({ length: layout.width }, (_, place) => place)
    .filter((place) => !used.has(place))
    .map(layout.nameOf)
  const isNamed = columns.time !== undefined
  return { ...layout, places, ignored, clockPlace: isNamed ? -1 : layout.clockPlace }
}

/** Where a table without a name for it has its times: in a column without a name of its own. */
const unnamedTime = (names: ReadonlyArray<string>, first: TableRow | undefined): number =>
  names.findIndex((name, at) => /^(?:unnamed\d*|index)?$/.test(name) && isSurelyTime(first?.[at]))

const withHeader = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<TableRow>,
  skippedCount: number,
  { base, columns }: LayoutGiven
): TableLayout | LayoutFailure => {
  const [first] = rows
  const names = header.map(plain)
  const named = placeOf(names, "time")
  const places = {
    time: named >= 0 ? named : unnamedTime(names, first),
    open: placeOf(names, "open"),
    high: placeOf(names, "high"),
    low: placeOf(names, "low"),
    close: placeOf(names, "close"),
    volume: volumePlace(names, rows, base)
  }
  const [date, clock] = [names.indexOf("date"), names.indexOf("time")]
  const isApart =
    date >= 0 && clock >= 0 && isClock(first?.[clock], first?.[date]) && columns.time === undefined
  if (isApart) places.time = date
  const layout = mapped(
    {
      name: headerName(names),
      skippedCount,
      hasHeader: true,
      places,
      clockPlace: isApart ? clock : -1,
      nameOf: (place) => header[place] || String(place + 1),
      ignored: [],
      width: header.length,
      ambiguities: []
    },
    columns,
    header
  )
  if ("failure" in layout) return layout
  const missing = columnNames.filter((field) => field !== "volume" && layout.places[field] < 0)
  if (missing.length === 0) return layout
  return {
    failure:
      `Expected the header row ${columnNames.join(",")}, or names that mean the same: no column of ` +
      `${quoted(header.join(","))} is ${missing.join(", ")}. Name such columns with columns=${missing[0]}:…`
  }
}

/**
 * The rows below a header that are headers too: no cell of them is a number or a time. So pandas
 * writes tables whose columns have two names, with the name of the times in a line of its own.
 */
const furtherHeaders = (rows: ReadonlyArray<TableRow>): ReadonlyArray<TableRow> => {
  const end = rows.findIndex((row) =>
    row.some((cell) => isTime(cell) || Number.isFinite(readNumber(cell)))
  )
  return end > 0 && end <= 3 ? rows.slice(0, end) : []
}

/** The names of a header, and of a header below it the name of the times that it lacks. */
const joinedHeader = (header: TableRow, further: ReadonlyArray<TableRow>): Array<string> => {
  const cells = header.map((cell) => String(cell).trim())
  if (placeOf(cells.map(plain), "time") >= 0) return cells
  for (const row of further) {
    const place = placeOf(row.map(plain), "time")
    if (place >= 0) return cells.map((cell, at) => (at === place ? String(row[at]).trim() : cell))
  }
  return cells
}

const titlesMax = 10

/** Whether a row has names of fields, known ones or those that the caller says. */
const isHeader = (row: TableRow, columns: ColumnMap): boolean => {
  const names = row.map(plain)
  const said = Object.values(columns).map(plain)
  const known = columnNames.filter((field) => placeOf(names, field) >= 0)
  return known.length >= 2 || (said.length > 1 && said.every((name) => names.includes(name)))
}

/**
 * Finds where the fields of candles are, from the first rows of a table.
 *
 * @category models
 * @since 0.1.0
 */
export const findLayout = (
  rows: ReadonlyArray<TableRow>,
  names: ReadonlyArray<string> | null,
  given: LayoutGiven
): TableLayout | LayoutFailure => {
  if (names !== null) return withHeader(names, rows, 0, given)
  const dataAt = rows.findIndex(isData)
  if (dataAt === 0) return withoutHeader(rows.slice(0, 50), given)
  // A title may stand above the header, and the first row of data may be at fault.
  const namedAt = rows.slice(0, titlesMax).findIndex((row) => isHeader(row, given.columns))
  const headerAt = namedAt >= 0 ? namedAt : Math.max(0, dataAt - 1)
  const header = rows[headerAt]
  if (header === undefined) return { failure: "The table has no rows" }
  const further = furtherHeaders(rows.slice(headerAt + 1))
  const firstAt = headerAt + 1 + further.length
  return withHeader(joinedHeader(header, further), rows.slice(firstAt), firstAt, given)
}
