import { assert, describe, it } from "@effect/vitest"
import type { LogEntry } from "@candlewick/core"
import { linesOfAccount, readHeldBack } from "../../../src/services/bots/heldBack.ts"

const hour = 3_600_000
const at = (index: number) => ({ candle_time: new Date(index * hour).toISOString() })
const wallAt = (index: number) => new Date(index * hour).toISOString()
const line = (event: string, data: LogEntry["data"] = {}, timestamp = wallAt(0)) => ({
  event,
  data,
  timestamp
})
const read = (...lines: ReadonlyArray<ReturnType<typeof line>>) =>
  readHeldBack(lines, ["A/USD", "B/USD"], (time) => time + hour)

describe("the stretches in which a bot was kept from acting", () => {
  it("last from a pause, a stop or an error to the candle after the next start", () => {
    for (const event of ["bot.paused", "bot.stopped", "bot.error"]) {
      const { command, missed } = read(line(event, at(2)), line("bot.running", at(5)))
      assert.deepStrictEqual(command, [{ after: 2 * hour, until: 6 * hour }])
      assert.deepStrictEqual(missed, [])
    }
  })

  it("have nothing closed after a stop or an error, and exits go on during a pause", () => {
    for (const event of ["bot.stopped", "bot.error"]) {
      const { atRest } = read(
        line("bot.paused", at(1)),
        line(event, at(2)),
        line("bot.running", at(5))
      )
      assert.deepStrictEqual(atRest, [{ after: 2 * hour, until: 6 * hour }])
    }
    assert.deepStrictEqual(read(line("bot.paused", at(1))).atRest, [])
  })

  it("go by the wall clock too, for candles that are old once the bot runs again", () => {
    const stale = { symbol: "A/USD", side: "buy", because: ["stale_data"] }
    const found = read(
      line("bot.stopping", at(2), wallAt(3)),
      line("bot.stopped", at(2), wallAt(3.5)),
      line("bot.running", at(2), wallAt(6)),
      line("entry.suppressed", { ...stale, ...at(4) }, wallAt(6)),
      line("entry.suppressed", { ...stale, ...at(9) }, wallAt(12))
    )
    const rest = { after: 3 * hour, until: 6 * hour }
    assert.deepInclude(found.atRest, rest)
    assert.deepInclude(found.command, rest)
    assert.deepStrictEqual(
      found.passedOver.map(({ cause }) => cause),
      ["command", "missed_candle"]
    )
  })

  it("are those of the present account alone, which begins at rest", () => {
    const anew = (index: number) => line("bot.updated", { is_account_new: true }, wallAt(index))
    const lines = linesOfAccount([
      line("entry.suppressed", { symbol: "A/USD", side: "buy", because: ["paused"], ...at(8) }),
      anew(1),
      line("bot.stopped", at(9)),
      anew(3),
      line("bot.updated", { risk_before: null }),
      line("bot.running", {}, wallAt(6)),
      line("bot.stopped", at(2)),
      line("bot.running", at(4))
    ])
    const { command, passedOver } = read(...lines)
    assert.deepStrictEqual(command, [
      { after: 2 * hour, until: 5 * hour },
      { after: 3 * hour, until: 6 * hour }
    ])
    assert.deepStrictEqual(passedOver, [])
    assert.lengthOf(linesOfAccount(lines.slice(1)), lines.length - 1)
  })

  it("name the candles at which somebody opened the gate", () => {
    const { resumed } = read(line("risk.changed", at(3)), line("risk.resumed"))
    assert.deepStrictEqual(resumed, [3 * hour])
  })

  it("last from the candle after a stop was asked, however long it takes", () => {
    const stop = [line("bot.stopping", at(2)), line("bot.stopped", at(6))]
    assert.deepStrictEqual(read(...stop).command, [
      { after: 3 * hour, until: Number.POSITIVE_INFINITY }
    ])
  })

  it("begin with the first of two rests, and go on where nothing ends them", () => {
    const { command } = read(line("bot.paused", at(2)), line("bot.stopped", at(4)))
    assert.deepStrictEqual(command, [{ after: 2 * hour, until: Number.POSITIVE_INFINITY }])
  })

  it("are a command's where somebody or the risk gate decided them", () => {
    for (const kind of ["risk_gate", "mismatch", "account_halted"]) {
      const { command, missed } = read(
        line("bot.hindered", { kind, ...at(1) }),
        line("bot.unhindered", { kind, ...at(3) })
      )
      assert.deepStrictEqual(command, [{ after: hour, until: 3 * hour }])
      assert.deepStrictEqual(missed, [])
    }
  })

  it("are missed candles where these came late, or the process could not use them", () => {
    for (const kind of ["stale_data", "slow_store"]) {
      const { command, missed } = read(
        line("bot.hindered", { kind, ...at(1) }),
        line("bot.unhindered", { kind, ...at(3) })
      )
      assert.deepStrictEqual(command, [])
      assert.deepStrictEqual(missed, [{ after: hour, until: 3 * hour }])
    }
  })

  it("are a refusal's where its exchange, or nothing that sends for it, kept it from ordering", () => {
    for (const kind of ["venue", "maintenance", "unknown_order", "unprotected", "ownership"]) {
      const { barred, command, missed } = read(
        line("bot.hindered", { kind, ...at(1) }),
        line("bot.unhindered", { kind, ...at(3) })
      )
      assert.deepStrictEqual(barred, [{ after: hour, until: 3 * hour }])
      assert.deepStrictEqual([...command, ...missed], [])
    }
  })

  it("count the newest candle to how things were before a change between candles", () => {
    const kind = "venue"
    const between = { kind, is_between: true }
    const { barred } = read(
      line("bot.hindered", { ...between, ...at(1) }),
      line("bot.unhindered", { ...between, ...at(3) })
    )
    assert.deepStrictEqual(barred, [{ after: 2 * hour, until: 4 * hour }])
  })

  it("stand beside the entries that were passed over, each with its cause", () => {
    const wanted = { symbol: "B/USD", side: "sell", ...at(4) }
    const causeOf = (because: ReadonlyArray<string>) =>
      read(line("entry.suppressed", { ...wanted, because })).passedOver
    const about = { market: 1, side: -1, time: 4 * hour } as const
    assert.deepStrictEqual(causeOf(["venue"]), [{ ...about, cause: "refusal" }])
    assert.deepStrictEqual(causeOf(["paused"]), [{ ...about, cause: "command" }])
    assert.deepStrictEqual(causeOf(["risk_gate"]), [{ ...about, cause: "command" }])
    assert.deepStrictEqual(causeOf(["venue", "stale_data"]), [{ ...about, cause: "missed_candle" }])
  })

  it("begin where a kind of hindrance was told of first", () => {
    const kind = "venue"
    const { barred } = read(
      line("bot.hindered", { kind, ...at(1) }),
      line("bot.hindered", { kind, ...at(2) })
    )
    assert.deepStrictEqual(barred, [{ after: hour, until: Number.POSITIVE_INFINITY }])
  })

  it("stand beside the exits that a command asked for", () => {
    const placed = (id: string, reason: string) =>
      line("order.placed", { client_order_id: id, reason })
    const { commanded } = read(placed("one", "signal"), placed("two", "force_exit"))
    assert.deepStrictEqual([...commanded], ["two"])
  })

  it("stand beside the candles in which orders ended", () => {
    const { ends } = read(
      line("order.cancelled", { client_order_id: "one", ...at(4) }),
      line("order.expired", { client_order_id: "two" })
    )
    assert.deepStrictEqual(
      [...ends],
      [
        ["one", 5 * hour],
        ["two", 5 * hour]
      ]
    )
  })

  it("are none where the bot only waits for candles", () => {
    const { command, missed } = read(line("bot.hindered", { kind: "data_ended", ...at(1) }))
    assert.deepStrictEqual([...command, ...missed], [])
  })

  it("take the candle of the line before where a line names none", () => {
    const { command } = read(
      line("trade.executed", at(7)),
      line("bot.error"),
      line("bot.running", at(8))
    )
    assert.deepStrictEqual(command, [{ after: 7 * hour, until: 9 * hour }])
  })
})
