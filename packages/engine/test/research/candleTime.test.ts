import { afterEach, assert, describe, it } from "@effect/vitest"
import { candles } from "../../src/research/index.ts"
import { refusal } from "./refusal.ts"

const timeOf = (time: string): string =>
  new Date(candles([[time, 1, 1, 1, 1]]).time[0]!).toISOString()

const zone = process.env["TZ"]

describe("the time of a candle as text", () => {
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"]
    else process.env["TZ"] = zone
  })

  it.each([
    ["America/New_York", 300],
    ["Asia/Tokyo", -540]
  ] as const)("is UTC where it names no offset, on a machine in %s", (name, offset) => {
    process.env["TZ"] = name
    assert.strictEqual(new Date(0).getTimezoneOffset(), offset)
    for (const time of ["2024-03-04", "2024-03-04T00:00", "2024-03-04 00:00:00"]) {
      assert.strictEqual(timeOf(time), "2024-03-04T00:00:00.000Z", time)
    }
    assert.strictEqual(timeOf("2024-03-04T06:30:00.25Z"), "2024-03-04T06:30:00.250Z")
    assert.strictEqual(timeOf("2024-03-04T06:30:00+02:00"), "2024-03-04T04:30:00.000Z")
    assert.strictEqual(timeOf("2024-03-04T06:30-0130"), "2024-03-04T08:00:00.000Z")
  })

  it.each([
    "03/04/2024",
    "2024/03/04",
    "4 March 2024",
    "2024-03",
    "2024-3-4",
    "2024-02-30",
    "2024-13-01",
    "2024-03-04T25:00",
    "2024-03-04T06:30 PST",
    "1709510400000",
    ""
  ])("is refused where it is no ISO 8601: %s", (time) => {
    const [fault] = refusal(() => timeOf(time)).errors ?? []
    assert.strictEqual(fault?.pointer, "/0")
    assert.include(fault?.message, "ISO 8601")
  })
})
