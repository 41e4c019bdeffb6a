/**
 * Imports, series, deliveries and alerts as far as they need no browser.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  alertChangesOf,
  alertRequestOf,
  draftFrom,
  draftOf,
  missingParts
} from "../src/pages/alerts/alertDraft.ts"
import { spanOf, stretchesOf } from "../src/pages/candles/stretches.ts"
import { indented } from "../src/pages/delivery/indented.ts"
import {
  marketOfFileName,
  outcomeOf,
  queryOf,
  settingsFor,
  settle
} from "../src/pages/import/importing.ts"
import { worthGroups } from "../src/pages/overview/groups.ts"
import { endAround, windowAt } from "../src/pages/series/series.ts"
import { answerOf, dueOf } from "../src/pages/webhook/deliveryTimes.ts"
import { cooldownText, conditionOf, rearmOf, valueOf } from "../src/parts/alertWords.ts"
import { fromField, toField } from "../src/parts/timeField.ts"
import { waitFor } from "../src/parts/useDue.ts"

describe("an import", () => {
  it("guesses the market by the name of a file, and none where it names none", () => {
    const names: ReadonlyArray<readonly [file: string, market: string]> = [
      ["BTCUSDT-1h-2024-01.zip", "BTC/USDT"],
      ["Binance_ETHBTC_d.csv", "ETH/BTC"],
      ["btc-usd.csv.gz", "BTC/USD"],
      ["XBTUSD_60.csv", "XBT/USD"],
      ["BINANCE_SOLUSDT, 60.csv", "SOL/USDT"],
      ["EURUSD1440.csv", "EUR/USD"],
      ["1000PEPEUSDT-15m.csv", "1000PEPE/USDT"],
      ["AAPL.csv", "AAPL"],
      ["2024-01.csv", ""],
      ["my candles of last year.csv", "MY"]
    ]
    assert.deepStrictEqual<ReadonlyArray<readonly [string, string]>>(
      names.map(([file]) => [file, marketOfFileName(file)] as const),
      names
    )
  })

  it("asks for what was said and leaves the rest to the server", () => {
    const settings = settingsFor("BTC/USDT")
    assert.deepStrictEqual(queryOf(settings), { symbol: "BTC/USDT" })
    const said = settle(settle(settings, "date_order=day_first"), "columns=time:1,low:3")
    assert.deepStrictEqual(queryOf({ ...said, zone: " +02:00 " }), {
      symbol: "BTC/USDT",
      date_order: "day_first",
      columns: "time:1,low:3",
      zone: "+02:00"
    })
    assert.strictEqual(settle(settings, "unknown=1"), settings)
  })

  it("says what becomes of the rows", () => {
    const none = {
      added_count: 0,
      same_count: 0,
      conflict_count: 0,
      replaced_count: 0,
      conflicts: [],
      duplicate_count: 0,
      held_back: null
    }
    const held = { time: 1_704_067_200_000, open: 1, high: 1, low: 1, close: 1, volume: 0 }
    assert.strictEqual(outcomeOf(none), "The file has no new candles.")
    assert.strictEqual(
      outcomeOf({ ...none, added_count: 1, conflict_count: 3, replaced_count: 2, held_back: held }),
      "1 candle is new, 2 replace others, 1 differs and stays as it is kept. " +
        "The candle of 2024-01-01 00:00 is not over, and is held back."
    )
  })
})

describe("a series", () => {
  const series = {
    first_at: "2024-01-01T00:00:00Z",
    last_at: "2024-01-11T00:00:00Z",
    gaps: [
      { from: "2024-01-07T00:00:00Z", to: "2024-01-08T00:00:00Z", missing_count: 23 },
      { from: "2024-01-03T00:00:00Z", to: "2024-01-03T00:01:00Z", missing_count: 1 }
    ]
  }

  it("covers stretches between the gaps that are wide enough to be seen", () => {
    const span = spanOf([series, { ...series, last_at: "2024-01-21T00:00:00Z" }])!
    assert.deepStrictEqual(stretchesOf(series, span), [
      [0, 0.3],
      [0.35, 0.5]
    ])
    assert.isNull(spanOf([{ first_at: null, last_at: null, gaps: [] }]))
  })

  it("is drawn in windows that never leave it", () => {
    const bounds = { ...series, last_at: "2024-12-31T23:00:00Z", timeframe: "1h" }
    const last = windowAt(bounds)
    assert.deepStrictEqual(
      [last.to, last.isLast, last.isFirst],
      ["2025-01-01T00:00:00.000Z", true, false]
    )
    const first = windowAt(bounds, Date.parse("2023-01-01T00:00:00Z"))
    assert.deepStrictEqual([first.from, first.isFirst], ["2024-01-01T00:00:00.000Z", true])
    const middle = windowAt(bounds, endAround("2024-06-01T00:00:00Z", "1h"))
    const half = (Date.parse(middle.from) + Date.parse(middle.to)) / 2
    assert.strictEqual(half, Date.parse("2024-06-01T00:00:00Z"))
    assert.isTrue(windowAt({ ...series, timeframe: "1d" }).isFirst)
  })
})

describe("a delivery", () => {
  it("is asked for again after its next attempt, and no more once it is over", () => {
    const at = "2024-01-01T00:00:00Z"
    assert.deepStrictEqual(dueOf({ status: "retrying", next_attempt_at: at }), [Date.parse(at)])
    assert.deepStrictEqual(dueOf({ status: "succeeded", next_attempt_at: null }), [])
    assert.isNull(waitFor([], 0, 0))
    assert.strictEqual(waitFor([9_000, 5_000], 1_000, 0), 4_700)
    const waits = [0, 1, 2, 3, 4, 9].map((asked) => waitFor([0], 1_000, asked)!)
    assert.deepStrictEqual(waits, [700, 1_500, 3_000, 6_000, 12_000, 12_000])
  })

  it("tells its last answer, or why there was none", () => {
    const attempt = {
      id: "a" as never,
      number: 1,
      started_at: "2024-01-01T00:00:00Z",
      duration_ms: 3,
      status: 500,
      error: null,
      response_bytes: 0,
      response_text: null
    }
    assert.strictEqual(answerOf([]), "–")
    assert.strictEqual(answerOf([attempt]), "HTTP 500")
    assert.strictEqual(
      answerOf([attempt, { ...attempt, status: null, error: "timeout" }]),
      "timeout"
    )
  })

  it("has its body with line breaks where that is JSON", () => {
    assert.strictEqual(indented('{"a":1}'), '{\n  "a": 1\n}')
    assert.strictEqual(indented("a text"), "a text")
  })

  it("has times of fields in UTC", () => {
    assert.strictEqual(toField("2024-03-01T10:20:30Z"), "2024-03-01T10:20")
    assert.strictEqual(fromField("2024-03-01T10:20"), "2024-03-01T10:20:00.000Z")
  })
})

describe("an alert", () => {
  it("is written in percent and sent as a share, both ways", () => {
    const draft = { ...draftOf("drawdown", "bot_1"), threshold: 7.1 }
    assert.deepStrictEqual(alertRequestOf(draft), {
      metric: "drawdown",
      op: "gt",
      threshold: 0.071,
      bot_id: "bot_1"
    })
    const kept = { ...alertRequestOf(draft), symbol: null, once: false } as never
    assert.strictEqual(draftFrom(kept).threshold, 7.1)
    assert.deepStrictEqual(alertChangesOf(draft), { once: false, op: "gt", threshold: 0.071 })
  })

  it("of a state needs no threshold, and one of the account no bot", () => {
    assert.isUndefined(missingParts(draftOf("kill_switch")))
    assert.deepStrictEqual(alertRequestOf({ ...draftOf("kill_switch", "bot_1"), threshold: 4 }), {
      metric: "kill_switch",
      op: "gt",
      threshold: 0
    })
    assert.strictEqual(missingParts(draftOf("hindered")), "Choose a bot.")
    assert.strictEqual(missingParts(draftOf("price")), "Name a market, as BTC/USDT.")
  })

  it("is told in words", () => {
    const price = { metric: "price", op: "lt", threshold: 64_000.5, symbol: "BTC/USDT" } as const
    assert.strictEqual(conditionOf(price), "the price of BTC/USDT is below 64,000.50")
    const late = { metric: "stale_data", op: "gt", threshold: 0, symbol: null } as const
    assert.strictEqual(conditionOf(late), "candles are late")
    assert.deepStrictEqual(
      [valueOf("total_return", 0.125), valueOf("total_return", 1), valueOf("daily_pnl", -3)],
      ["12.5 %", "100 %", "−3.00"]
    )
    assert.deepStrictEqual(
      [
        cooldownText({ once: true, cooldown_s: 0 }),
        cooldownText({ once: false, cooldown_s: 900 }),
        rearmOf(0.5)
      ],
      ["once", "at most every 15 min", "armed again once its value is 0.5 % behind the threshold"]
    )
  })
})

describe("an overview", () => {
  it("has paper and live apart, and each currency, with the days of each alone", () => {
    const worths = (["paper", "live"] as const).flatMap((mode) =>
      ["USD", "EUR"].map((currency) => ({ mode, currency }))
    )
    const days = worths.flatMap((worth) => [2, 1].map((day) => ({ ...worth, day })))
    const groups = worthGroups(worths, days)
    assert.deepStrictEqual(
      groups.map(({ name }) => name),
      ["live USD", "live EUR", "paper USD", "paper EUR"]
    )
    for (const { days: own, worth } of groups) {
      assert.deepStrictEqual(own, [
        { ...worth, day: 1 },
        { ...worth, day: 2 }
      ])
    }
  })
})
