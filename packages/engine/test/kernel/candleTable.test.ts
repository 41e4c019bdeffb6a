/** Tables of candles as exchanges, charts and libraries write them. */
import { assert, describe, it } from "vitest"
import {
  beginCandleTable,
  type CandleTableContent,
  type CandleTableOptions,
  columnNames
} from "../../src/kernel/index.ts"
import { timeframes } from "../../src/language/Timeframe.ts"

const timeframesMs = Object.values(timeframes)
const hourMs = timeframes["1h"]
const dayMs = timeframes["1d"]

type Said = Partial<CandleTableOptions>

const read = (text: string, said: Said = {}, size = text.length) => {
  const table = beginCandleTable({ timeframesMs, ...said })
  for (let from = 0; from < text.length; from += size) {
    const fault = table.add(text.slice(from, from + size))
    if (fault !== null) return fault
  }
  const turns = table.end()
  for (;;) {
    const turn = turns.next()
    if (turn.done === true) return turn.value
  }
}

const contentOf = (text: string, said: Said = {}): CandleTableContent => {
  const whole = read(text, said)
  if (!("columns" in whole)) return assert.fail(whole.message)
  assert.deepStrictEqual(whole.faults, [])
  // However the text is cut, it is read so.
  for (const size of [1, 7, 64]) assert.deepStrictEqual(plain(read(text, said, size)), plain(whole))
  return whole
}

const plain = (content: ReturnType<typeof read>) =>
  "columns" in content ? { ...content, rowOf: null } : content

const failureOf = (text: string, said: Said = {}) => {
  const found = read(text, said)
  return "columns" in found ? assert.fail("It was read") : found
}

const candle = ({ columns }: CandleTableContent, index: number) =>
  columnNames.map((name) => columns[name][index])

const start = Date.UTC(2024, 0, 1)

describe("tables of candles", () => {
  it("reads Binance's klines, without a header, in ms and in µs", () => {
    const row = (time: string, close: string) =>
      `${time},42283.58,42554.57,42261.02,${close},1271.68,${time.replace(/000$/, "999")},53957248.9,47134,682.5,28957416.8,0`
    for (const [zeros, unit] of [
      ["", "ms"],
      ["000", "us"]
    ] as const) {
      const text = `${row(`${start}${zeros}`, "42475.23")}\n${row(`${start + hourMs}${zeros}`, "42500")}\n`
      const content = contentOf(text)
      assert.deepStrictEqual(candle(content, 0), [
        start,
        42_283.58,
        42_554.57,
        42_261.02,
        42_475.23,
        1_271.68
      ])
      assert.deepInclude(content.reading, {
        layout: "binance",
        hasHeader: false,
        timeUnit: unit,
        timeframeMs: hourMs,
        isTimeframeFound: true,
        ambiguities: []
      })
      assert.strictEqual(content.reading.ignored.length, 6)
    }
  })

  it("reads Binance's newer files, which have a header", () => {
    const text =
      "open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore\n" +
      `${start},1,2,0.5,1.5,10,${start + hourMs - 1},15,3,1,1,0\n`
    const content = contentOf(text, { timeframeMs: hourMs })
    assert.deepStrictEqual(candle(content, 0), [start, 1, 2, 0.5, 1.5, 10])
    assert.strictEqual(content.reading.layout, "binance")
  })

  it("reads Yahoo's days, by date and stamped with the opening of the session", () => {
    const header = "Date,Open,High,Low,Close,Adj Close,Volume"
    const days = ["2024-01-02", "2024-01-03", "2024-01-04"]
    for (const suffix of ["", "T14:30:00Z", " 14:30:00+00:00"]) {
      const rows = days.map((day) => `${day}${suffix},187.1,188.4,183.9,185.6,184.9,82488700`)
      const content = contentOf(`${header}\n${rows.join("\n")}\n`)
      assert.deepStrictEqual(
        [...content.columns.time],
        days.map((day) => Date.parse(day))
      )
      assert.strictEqual(content.columns.close[0], 185.6)
      assert.deepInclude(content.reading, {
        layout: "yahoo",
        timeframeMs: dayMs,
        ignored: ["Adj Close"],
        movedCount: suffix === "" ? 0 : 3
      })
    }
  })

  it("reads TradingView's export: epoch seconds and further columns", () => {
    const text =
      "time,open,high,low,close,Volume,MA,RSI\n" +
      `${start / 1_000},1,2,0.5,1.5,10,1.2,NaN\n${start / 1_000 + 3_600},1.5,2,1,1,12,1.3,50\n`
    const content = contentOf(text, { timeframeMs: hourMs })
    assert.deepStrictEqual([...content.columns.time], [start, start + hourMs])
    assert.deepInclude(content.reading, { timeUnit: "s", ignored: ["MA", "RSI"], ambiguities: [] })
  })

  it("reads lists of JSON: ccxt's, an exchange's answer, objects, an object a line", () => {
    const rows = [
      [start, 1, 2, 0.5, 1.5, 10],
      [start + hourMs, 1.5, 2, 1, 1, 12]
    ]
    const objects = rows.map(([time, open, high, low, close, volume]) => ({
      timestamp: time,
      open: String(open),
      high,
      low,
      close,
      volume
    }))
    const texts = [
      JSON.stringify(rows),
      JSON.stringify(rows, null, 2),
      JSON.stringify({ error: [], result: { XXBTZUSD: rows, last: 1 } }),
      JSON.stringify(objects),
      objects.map((one) => JSON.stringify(one)).join("\n"),
      rows.map((one) => JSON.stringify(one)).join("\n")
    ]
    for (const text of texts) {
      const content = contentOf(text)
      assert.deepStrictEqual(candle(content, 1), [start + hourMs, 1.5, 2, 1, 1, 12], text)
      assert.deepInclude(content.reading, { format: "json", timeUnit: "ms" })
    }
    for (const [text, message] of [
      [JSON.stringify(rows).slice(0, -1), "ends too early"],
      ["[[1,2] and [3,4]]", "text other than a comma"],
      ["[1,2}", "do not match"],
      ["[1,,2]", "not JSON"],
      ["{} and so on", "a list or an object"],
      ["[".repeat(20), "nested"],
      [`[${"1,".repeat(4_000)}`, "more than 4096"]
    ] as const) {
      assert.include(failureOf(text).message, message, text.slice(0, 20))
    }
  })

  it("reads lists of JSON for each field: TradingView's charts and Yahoo's", () => {
    const seconds = start / 1_000
    const tradingView = { s: "ok", t: [seconds, seconds + 3_600], o: [1, 1.5] }
    const others = { h: [2, 2], l: [0.5, 1], c: [1.5, 1], v: [10, 12] }
    const chart = contentOf(JSON.stringify({ ...tradingView, ...others }))
    assert.deepStrictEqual(candle(chart, 1), [start + hourMs, 1.5, 2, 1, 1, 12])
    assert.deepInclude(chart.reading, { format: "json", timeUnit: "s", timeframeMs: hourMs })
    const days = [0, 1, 2].map((day) => seconds + day * 86_400 + 52_200)
    const quote = {
      high: [2, null, 2],
      volume: [10, null, 12],
      close: [1.5, null, 1],
      open: [1, null, 1.5],
      low: [0.5, null, 1]
    }
    const result = {
      meta: { currency: "USD", symbol: "AAPL", validRanges: ["1d", "5d"] },
      timestamp: days,
      indicators: { quote: [quote], adjclose: [{ adjclose: [1.4, null, 0.9] }] }
    }
    const yahoo = contentOf(JSON.stringify({ chart: { result: [result], error: null } }), {
      timeframeMs: dayMs
    })
    assert.deepStrictEqual(candle(yahoo, 1), [start + 2 * dayMs, 1.5, 2, 1, 1, 12])
    assert.deepInclude(yahoo.reading, { layout: "yahoo", emptyCount: 1, ignored: ["adjclose"] })
    for (const [text, message] of [
      [JSON.stringify({ ...tradingView, ...others, v: [1] }), 'lists "t" and "v" have 2 and 1'],
      [JSON.stringify({ t: [seconds] }), "is open, high, low, close"],
      ['{"t":[1,2', "not JSON"],
      [`{"t":[${"1,".repeat(1_100_000)}1]}`, "may have 2097152 characters"]
    ] as const) {
      assert.include(failureOf(text).message, message, text.slice(0, 20))
    }
  })

  it("reads Kraken's files: epoch seconds, and a count of trades", () => {
    const text = `${start / 1_000},1,2,0.5,1.5,10,7\n${start / 1_000 + 60},1.5,2,1,1,12,9\n`
    const content = contentOf(text)
    assert.deepInclude(content.reading, { layout: "kraken", timeUnit: "s", timeframeMs: 60_000 })
    assert.deepStrictEqual(candle(content, 1), [start + 60_000, 1.5, 2, 1, 1, 12])
  })

  it("knows Coinbase's order of columns by the prices, and puts the oldest row first", () => {
    const seconds = start / 1_000
    const rows = [
      [seconds + 7_200, 3, 5, 4, 4.5, 12],
      [seconds + 3_600, 2, 4, 3, 3.5, 11],
      [seconds, 1, 3, 2, 2.5, 10]
    ]
    for (const text of [JSON.stringify(rows), rows.map((row) => row.join(",")).join("\n")]) {
      const content = contentOf(text)
      assert.deepStrictEqual(candle(content, 0), [start, 2, 3, 1, 2.5, 10])
      assert.deepInclude(content.reading, { layout: "coinbase", isFalling: true, ambiguities: [] })
      assert.deepStrictEqual([content.rowOf(0), content.rowOf(2)], [2, 0])
    }
  })

  it("says where columns may be meant in two ways, and what settles it", () => {
    // Open and close are the low and the high here, so that two orders make candles.
    const text = `${start},1,1,1,1,10\n${start + hourMs},1,1,1,1,12\n`
    const { reading } = contentOf(text)
    assert.strictEqual(reading.layout, "plain")
    assert.deepStrictEqual(reading.ambiguities, [
      {
        about: "columns",
        read_as: "plain",
        or: "coinbase",
        settle: "columns=time:1,open:4,high:3,low:2,close:5,volume:6",
        isOpen: false
      }
    ])
    const columns = { time: "1", open: "4", high: "3", low: "2", close: "5", volume: "6" }
    assert.deepStrictEqual(contentOf(text, { columns }).reading.ambiguities, [])
  })

  it("reads any columns that the caller names, by header or by number", () => {
    const text =
      "when;first;top;bottom;last;lots;note\n2024-01-01;1,5;2,5;0,5;2;10;x\n2024-01-02;2;3;1;2,25;11;y\n"
    const columns = {
      time: "when",
      open: "first",
      high: "top",
      low: "4",
      close: "last",
      volume: "lots"
    }
    const content = contentOf(text, { columns })
    assert.deepStrictEqual(candle(content, 0), [start, 1.5, 2.5, 0.5, 2, 10])
    assert.deepStrictEqual(content.reading.ignored, ["note"])
    const unknown = failureOf(text, { columns: { ...columns, open: "begin" } })
    assert.include(
      unknown.message,
      'The header has no column "begin" for open; its columns are when, first'
    )
    assert.include(
      failureOf(text).message,
      "is time, open, high, low. Name such columns with columns=time:…"
    )
    assert.include(failureOf("1704067200,1,2\n").message, "columns=time:1,open:2")
  })

  it("refuses one column for two fields, of which the caller named one", () => {
    const named = "time,open,high,low,close,volume\n2024-01-01,1,2,0.5,1.5,10\n"
    const bare = `${start},1,2,0.5,1.5,10\n`
    for (const [text, columns, message] of [
      [named, { open: "close" }, 'The column "close" is read as open and as close'],
      [named, { volume: "Open" }, 'The column "open" is read as volume and as open'],
      [named, { open: "high", high: "high", low: "open" }, '"high" is read as open and as high'],
      [bare, { open: "3" }, 'The column "3" is read as open and as high']
    ] as const) {
      assert.include(failureOf(text, { columns }).message, message)
    }
    // Two columns may change places.
    const swapped = contentOf(bare, { columns: { open: "5", close: "2" } })
    assert.deepStrictEqual(candle(swapped, 0), [start, 1.5, 2, 0.5, 1, 10])
  })

  it("tells a picture from text, at whatever length its first bytes come", () => {
    const picture = "\uFFFDPNG\r\n\u001A\n\0\0\0\rIHDR\0\0\u0001\0"
    for (const text of [picture, `${picture}${'"'.repeat(70_000)}`]) {
      assert.include(failureOf(text), { code: "unknown_format", row: null })
      assert.include(failureOf(text).message, "The file is not text")
    }
    // The mark that ends a file of DOS is none of a picture's.
    contentOf(`time,open,high,low,close\n2024-01-01,1,2,0.5,1.5\n2024-01-02,1,2,0.5,1.5\n`)
  })

  it("takes a title above the header, a volume by its asset, and no volume at all", () => {
    const text =
      "https://www.example.com/data\nunix,date,symbol,open,high,low,close,Volume USDT,Volume BTC\n" +
      `${start},2024-01-01 00:00:00,BTC/USDT,1,2,0.5,1.5,15,10\n${start + hourMs},2024-01-01 01:00:00,BTC/USDT,1,2,0.5,1.5,15,11\n`
    const content = contentOf(text, { base: "BTC" })
    assert.deepStrictEqual([...content.columns.volume], [10, 11])
    assert.strictEqual(content.reading.columns[0]!.column, "unix")
    const bare = contentOf("Date,Open,High,Low,Close\n2024-01-01,1,2,0.5,1.5\n")
    assert.deepStrictEqual([bare.reading.hasVolume, bare.columns.volume[0]], [false, 0])
  })

  it("passes over rows without prices, as Yahoo writes them for holidays", () => {
    const header = "Date,Open,High,Low,Close,Adj Close,Volume"
    const text = `${header}\n2024-01-01,null,null,null,null,null,null\n2024-01-02,1,2,0.5,1.5,1.5,10\n2024-01-03,,,,,,\n2024-01-04,NaN,nan,N/A,-,,0\n2024-01-05,1,2,0.5,1.5,1.5,12\n`
    const content = contentOf(text, { timeframeMs: dayMs })
    assert.deepStrictEqual([...content.columns.time], [start + dayMs, start + 4 * dayMs])
    assert.strictEqual(content.reading.emptyCount, 3)
    assert.deepStrictEqual([content.rowOf(0), content.rowOf(1)], [1, 4])
    const falling = contentOf(
      `${header}\n2024-01-05,1,2,0.5,1.5,1.5,12\n2024-01-04,,,,,,\n2024-01-02,1,2,0.5,1.5,1.5,10\n`
    )
    assert.deepStrictEqual([falling.rowOf(0), falling.rowOf(1)], [2, 0])
    // A row of which one price is missing is at fault, and named by its place in the file.
    const found = read(`${text}2024-01-08,1,2,null,1.5,1.5,12\n`, { timeframeMs: dayMs })
    assert.deepInclude("faults" in found ? found.faults[0] : found, { row: 5, field: "low" })
    const empty = failureOf(`${header}\n2024-01-01,null,null,null,null,null,null\n`)
    assert.include(empty.message, "No row has prices")
    const bare = contentOf(`${start},null,null,null,null,null\n${start + dayMs},2,4,1,3,10\n`)
    assert.deepInclude(bare.reading, { layout: "plain", emptyCount: 1 })
  })

  it("counts the rows that have prices and no volume", () => {
    const content = contentOf("Date,Open,High,Low,Close,Vol.\n2024-01-01,1,2,0.5,1.5,-\n", {
      timeframeMs: dayMs
    })
    assert.deepStrictEqual([content.columns.volume[0], content.reading.volumelessCount], [0, 1])
  })

  it("reads tables of pandas: two lines of names, and times without a name", () => {
    const twice =
      "Price,Close,High,Low,Open,Volume\nTicker,AAPL,AAPL,AAPL,AAPL,AAPL\nDate,,,,,\n" +
      "2024-01-02,1.5,2,0.5,1,10\n2024-01-03,1.5,2,0.5,1,12\n"
    const joined = contentOf(twice)
    assert.deepStrictEqual(candle(joined, 0), [start + dayMs, 1, 2, 0.5, 1.5, 10])
    assert.deepStrictEqual(joined.reading.columns[0], { field: "time", column: "Date" })
    for (const name of ["", "Unnamed: 0", "index"]) {
      const text = `${name},Open,High,Low,Close,Volume\n2024-01-01 00:00:00,1,2,0.5,1.5,10\n2024-01-01 01:00:00,1,2,0.5,1.5,10\n`
      const content = contentOf(text)
      assert.deepStrictEqual([...content.columns.time], [start, start + hourMs])
      assert.strictEqual(content.reading.columns[0]!.column, name || "1")
    }
    // Numbers of rows are no times.
    const counted = failureOf(",Open,High,Low,Close,Volume\n0,1,2,0.5,1.5,10\n")
    assert.include(counted.message, "is time")
  })

  it("reads numbers with currencies, thousands and words for them", () => {
    const nasdaq =
      'Date,Close/Last,Volume,Open,High,Low\n01/16/2024,$1.5,"82,488,700",$1,$2,$0.5\n01/12/2024,"$1,500.5",900,$1000,"$2,000.00","$999.5"\n'
    assert.deepStrictEqual(candle(contentOf(nasdaq, { timeframeMs: dayMs }), 0), [
      start + 11 * dayMs,
      1_000,
      2_000,
      999.5,
      1_500.5,
      900
    ])
    const investing =
      '"Date","Price","Open","High","Low","Vol.","Change %"\n"Jan 02, 2024","1,010.5","1,010.0","1,011.0","1,009.0","1.23M","-0.5%"\n'
    assert.deepStrictEqual(candle(contentOf(investing, { timeframeMs: dayMs }), 0), [
      start + dayMs,
      1_010,
      1_011,
      1_009,
      1_010.5,
      1_230_000
    ])
    const german =
      '"Datum","Open","High","Low","Close","Vol."\n"02.01.2024","1.010,0","1.011,0","1.009","1.010,5","1,2K"\n'
    assert.deepStrictEqual(
      candle(contentOf(german, { timeframeMs: dayMs, columns: { time: "Datum" } }), 0),
      [start + dayMs, 1_010, 1_011, 1_009, 1_010.5, 1_200]
    )
    // Where nothing else tells, three digits after a comma may be thousands or a fraction.
    const rows = (cells: ReadonlyArray<string>) =>
      `time;open;high;low;close;volume\n${start};${cells.join(";")}\n`
    const numbers = ["75,100", "75,300", "75,000", "75,200", "1,500"]
    const open = contentOf(rows(numbers), { timeframeMs: dayMs })
    assert.deepStrictEqual(candle(open, 0), [start, 75.1, 75.3, 75, 75.2, 1.5])
    const question = {
      about: "decimal",
      read_as: "comma",
      or: "point",
      settle: "decimal=point"
    } as const
    assert.deepStrictEqual(open.reading.ambiguities, [{ ...question, isOpen: true }])
    const thousands = contentOf(rows(numbers), { timeframeMs: dayMs, decimal: "point" })
    assert.deepStrictEqual(candle(thousands, 0), [start, 75_100, 75_300, 75_000, 75_200, 1_500])
    const commas = contentOf(rows(numbers), { timeframeMs: dayMs, decimal: "comma" })
    assert.deepStrictEqual(candle(commas, 0), candle(open, 0))
    for (const named of [thousands, commas]) {
      assert.deepStrictEqual(named.reading.ambiguities, [])
    }
    // One number that can't be thousands, or a point elsewhere, tells for all.
    for (const [told, first] of [
      ["0,900", 75.1],
      ["1200,500", 75.1],
      ["1,5", 75.1],
      ["1500.5", 75_100]
    ] as const) {
      const content = contentOf(rows([...numbers.slice(0, 4), told]), { timeframeMs: dayMs })
      assert.strictEqual(content.columns.open[0], first, told)
      assert.deepStrictEqual(content.reading.ambiguities, [], told)
    }
  })

  it("has the usual distance of rows beside a shorter timeframe", () => {
    const hours = [0, 1, 2, 3].map((hour) => `${start + hour * hourMs},1,2,0.5,1.5,10`).join("\n")
    assert.strictEqual(contentOf(hours, { timeframeMs: hourMs / 4 }).reading.stepMs, hourMs)
  })

  it("joins a date with the time of day beside it", () => {
    const meta = contentOf(
      "<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\n2024.01.01\t00:00:00\t1\t2\t0.5\t1.5\t10\n2024.01.01\t01:00:00\t1\t2\t0.5\t1.5\t11\n"
    )
    assert.deepStrictEqual([...meta.columns.time], [start, start + hourMs])
    assert.deepStrictEqual([...meta.columns.volume], [10, 11])
    for (const [volumes, first] of [
      ["10\t0", 10],
      ["10\t7", 7],
      ["0\t0", 0]
    ] as const) {
      const both = contentOf(
        `<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\n2024.01.01\t00:00:00\t1\t2\t0.5\t1.5\t${volumes}\n`,
        { timeframeMs: hourMs }
      )
      assert.strictEqual(both.columns.volume[0], first)
    }
    const bare = contentOf("2024.01.01,00:00,1,2,0.5,1.5,10\n2024.01.01,01:00,1,2,0.5,1.5,11\n")
    assert.deepStrictEqual(candle(bare, 1), [start + hourMs, 1, 2, 0.5, 1.5, 11])
    const stooq = contentOf(
      "<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>\nX,60,20240101,000000,1,2,0.5,1.5,10,0\nX,60,20240101,010000,1,2,0.5,1.5,11,0\n"
    )
    assert.deepStrictEqual([...stooq.columns.time], [start, start + hourMs])
    const compact = contentOf("20240101 000000;1;2;0.5;1.5;0\n20240101 000100;1;2;0.5;1.5;0\n")
    assert.deepStrictEqual([...compact.columns.time], [start, start + 60_000])
  })
})

describe("the times of a table", () => {
  const header = "date,open,high,low,close,volume"
  const table = (times: ReadonlyArray<string | number>) =>
    `${header}\n${times.map((time) => `${time},1,2,0.5,1.5,10`).join("\n")}\n`

  it("reads seconds, ms, µs and ns by the steps between rows", () => {
    for (const [unit, scale] of [
      ["s", 1e-3],
      ["ms", 1],
      ["us", 1e3],
      ["ns", 1e6]
    ] as const) {
      const times = [0, 1, 2, 5].map((hour) => (start + hour * hourMs) * scale)
      const content = contentOf(table(times.map((time) => time.toFixed(0))))
      assert.strictEqual(content.reading.timeUnit, unit)
      assert.deepStrictEqual(
        [...content.columns.time],
        [0, 1, 2, 5].map((hour) => start + hour * hourMs)
      )
    }
    const old = contentOf(table([0, hourMs, 2 * hourMs]), { timeframeMs: hourMs })
    assert.deepStrictEqual([...old.columns.time], [0, hourMs, 2 * hourMs])
  })

  it("says where a number may count two units, and takes the caller's word", () => {
    // A row alone has no step, and both readings are in the first years of the epoch.
    const text = table([36_000_000])
    const { reading } = contentOf(text, { timeframeMs: hourMs })
    assert.deepInclude(reading.ambiguities[0], {
      about: "time_unit",
      read_as: "ms",
      settle: "time_unit=s"
    })
    const said = contentOf(text, { timeframeMs: hourMs, timeUnit: "s" })
    assert.deepStrictEqual([...said.columns.time], [36_000_000_000])
    assert.deepStrictEqual(said.reading.ambiguities, [])
  })

  it("knows the day from the month by a day above twelve, or by the steps", () => {
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [["11/01/2024", "12/01/2024", "13/01/2024"], "day_first"],
      [["01/11/2024", "01/12/2024", "01/13/2024"], "month_first"],
      [["01/03/2024", "02/03/2024", "03/03/2024"], "day_first"],
      [["3.1.2024 00:00", "3.2.2024 00:00", "3.3.2024 00:00"], "month_first"]
    ]
    for (const [times, order] of cases) {
      const content = contentOf(table(times), { timeframeMs: dayMs })
      assert.strictEqual(content.reading.dateOrder, order)
      assert.strictEqual(content.columns.time[1]! - content.columns.time[0]!, dayMs)
      assert.deepStrictEqual(content.reading.ambiguities, [])
    }
  })

  it("leaves the question open where nothing tells the day from the month", () => {
    const text = table(["03/04/2024"])
    const { reading } = contentOf(text, { timeframeMs: dayMs })
    assert.deepStrictEqual(reading.ambiguities, [
      {
        about: "date_order",
        read_as: "day_first",
        or: "month_first",
        settle: "date_order=month_first",
        isOpen: true
      }
    ])
    const said = contentOf(text, { timeframeMs: dayMs, dateOrder: "month_first" })
    assert.deepStrictEqual([...said.columns.time], [Date.UTC(2024, 2, 4)])
  })

  it("reads clocks in the zone that the caller names, over the change of the clocks", () => {
    const times = [
      "2024-11-02 22:00",
      "2024-11-03 00:00",
      "2024-11-03 01:00",
      "2024-11-03 01:00",
      "2024-11-03 02:00"
    ]
    const content = contentOf(table(times), { timeframeMs: hourMs, zone: "America/New_York" })
    const utc = Date.UTC(2024, 10, 3)
    assert.deepStrictEqual(
      [...content.columns.time],
      [2, 4, 5, 6, 7].map((hour) => utc + hour * hourMs)
    )
    assert.strictEqual(content.reading.zone, "America/New_York")
    const offset = contentOf(table(["2024-01-01T00:00"]), { timeframeMs: hourMs, zone: "+02:00" })
    assert.deepStrictEqual([...offset.columns.time], [start - 2 * hourMs])
    const named = contentOf(table(["2024-01-01T00:00+02:00", "2024-01-01 00:00 UTC"]), {
      timeframeMs: hourMs
    })
    assert.deepStrictEqual([...named.columns.time], [start - 2 * hourMs, start])
    assert.isNull(named.reading.zone)
    assert.strictEqual(failureOf(table(times), { zone: "Mars" }).code, "unknown_zone")
  })

  it("takes the day of a time by its own offset, where no zone is named", () => {
    for (const [offset, zone, first] of [
      ["+09:00", undefined, 2],
      ["-05:00", undefined, 2],
      ["+01:00", "UTC", 1],
      ["+01:00", "Europe/Berlin", 2]
    ] as const) {
      const times = [`2024-01-02 00:00:00${offset}`, `2024-01-03 00:00:00${offset}`]
      const content = contentOf(table(times), { timeframeMs: dayMs, zone })
      const at = Date.UTC(2024, 0, first)
      assert.deepStrictEqual([...content.columns.time], [at, at + dayMs], offset)
      assert.isNull(content.reading.zone)
    }
  })

  it("reads the offset of a date whose day or month comes first", () => {
    const times = ["13.01.2024 00:00:00.000 GMT+0100", "13.01.2024 01:00:00.000 GMT+0100"]
    const { columns, reading } = contentOf(table(times))
    const at = Date.UTC(2024, 0, 12, 23)
    assert.deepStrictEqual([...columns.time], [at, at + hourMs])
    assert.deepInclude(reading, { dateOrder: "day_first", zone: null, timeframeMs: hourMs })
  })

  it("reads months that are words", () => {
    const at = Date.UTC(2024, 8, 3)
    for (const text of [
      "Sep 3 2024",
      "Sep 03 2024",
      "September 3 2024",
      "3-Sep-2024",
      "03 Sept 2024"
    ]) {
      assert.strictEqual(contentOf(table([text]), { timeframeMs: dayMs }).columns.time[0], at, text)
    }
    for (const text of ["Foo 3 2024", "Feb 30 2024"]) {
      const found = read(table([text]))
      assert.strictEqual("faults" in found ? found.faults[0]?.field : null, "time", text)
    }
  })

  it("moves days to their date by the clock of the zone", () => {
    // Midnight in Tokyo is in the day before in UTC.
    const times = ["2024-01-01T15:00:00Z", "2024-01-02T15:00:00Z"]
    const content = contentOf(table(times), { timeframeMs: dayMs, zone: "Asia/Tokyo" })
    assert.deepStrictEqual([...content.columns.time], [start + dayMs, start + 2 * dayMs])
  })
})

describe("faults of a table", () => {
  it("refuses more rows than there may be, as soon as they come", () => {
    const text = Array.from(
      { length: 300 },
      (_, at) => `${start + at * hourMs},1,2,0.5,1.5,1\n`
    ).join("")
    assert.strictEqual(contentOf(text, { rowsMax: 300 }).columns.length, 300)
    const table = beginCandleTable({ timeframesMs, rowsMax: 299 })
    assert.deepInclude(table.add(text.repeat(20)), {
      code: "too_many_rows",
      message: "The table has more than 299 rows"
    })
  })

  const header = "time,open,high,low,close,volume"

  it("names the row and the column of a cell that is none, and what was found", () => {
    const found = read(`${header}\n${start},1,2,0.5,1.5,10\nsoon,1,x,0.5,,10\n${start},1\n`)
    if (!("columns" in found)) return assert.fail(found.message)
    assert.deepStrictEqual(
      found.faults.map(({ field, message, row }) => `${row} ${field}: ${message}`),
      [
        '1 time: Expected a time: epoch seconds, ms or µs, or a date, found "soon"',
        '1 high: Expected a finite decimal number, found "x"',
        '1 close: Expected a finite decimal number, found ""',
        "2 null: Expected 6 cells, as in the first row, found 2"
      ]
    )
  })

  it("refuses what is no table", () => {
    for (const [text, message] of [
      ["", "no rows"],
      ["nonsense\n", "Expected the header row"],
      [`${header}\n"1,2`, "opens a quote"],
      [`${header}\n${"1".repeat(5_000)}`, "more than 4096"],
      [`${header}\n2024-02-30,1,2,0.5,1.5,1\n`, ""]
    ] as const) {
      const found = read(text)
      if ("columns" in found) assert.strictEqual(found.faults[0]?.field, "time", text)
      else assert.include(found.message, message, text.slice(0, 40))
    }
  })
})
