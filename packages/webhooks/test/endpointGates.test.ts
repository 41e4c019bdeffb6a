import { assert, describe, it } from "@effect/vitest"
import { makeEndpointGates } from "../src/endpointGates.ts"

const startMs = 1_768_469_400_000

describe("endpointGates", () => {
  it("lets a burst of two seconds through, then the rate", () => {
    const gates = makeEndpointGates()
    for (let count = 0; count < 10; count++) {
      assert.isNull(gates.begin("wh_1", 5, startMs))
      gates.end("wh_1", "accepted", startMs)
    }
    assert.strictEqual(gates.begin("wh_1", 5, startMs), startMs + 200)
    assert.deepStrictEqual([...gates.allowances(startMs)], [["wh_1", 0]])
    assert.strictEqual(gates.nextAt(startMs), startMs + 200)
    assert.deepStrictEqual([...gates.allowances(startMs + 1_000)], [["wh_1", 5]])
    assert.isNull(gates.begin("wh_2", 5, startMs))
  })

  it("opens after five failures in a row, probes once after 30 s, and waits twice as long", () => {
    const gates = makeEndpointGates()
    const fail = (atMs: number) => {
      assert.isNull(gates.begin("wh_1", 1_000, atMs))
      return gates.end("wh_1", "failed", atMs)
    }
    const opened = [1, 2, 3, 4, 5].map(() => fail(startMs))
    assert.deepStrictEqual(opened, [false, false, false, false, true])
    assert.strictEqual(gates.allowances(startMs + 29_999).get("wh_1"), 0)
    assert.strictEqual(gates.nextAt(startMs), startMs + 30_000)
    const probeMs = startMs + 30_000
    assert.strictEqual(gates.allowances(probeMs).get("wh_1"), 1)
    assert.isNull(gates.begin("wh_1", 1_000, probeMs))
    assert.strictEqual(gates.allowances(probeMs).get("wh_1"), 0)
    assert.isTrue(gates.end("wh_1", "failed", probeMs))
    assert.strictEqual(gates.nextAt(probeMs), probeMs + 60_000)
    const laterMs = probeMs + 60_000
    assert.isNull(gates.begin("wh_1", 1_000, laterMs))
    assert.isFalse(gates.end("wh_1", "accepted", laterMs))
    assert.isUndefined(gates.allowances(laterMs).get("wh_1"))
  })

  it("saves up the rate of two seconds and no more, however long nothing is sent", () => {
    for (const [rate, burst] of [
      [5, 10],
      [0.1, 1],
      [20, 40]
    ] as const) {
      const gates = makeEndpointGates()
      /** How many may begin at once; each is over in no time. */
      const begunAt = (atMs: number) => {
        let count = 0
        while (gates.begin("wh_1", rate, atMs) === null && count < 1_000) {
          gates.end("wh_1", "accepted", atMs)
          count++
        }
        return count
      }
      assert.strictEqual(begunAt(startMs), burst)
      assert.strictEqual(begunAt(startMs + 20_000), burst)
      // Not asked for allowances meanwhile, it is not forgotten either.
      assert.strictEqual(begunAt(startMs + 3_600_000), burst)
    }
  })

  it("pauses twice as long after each probe that fails, for ten minutes at most", () => {
    const gates = makeEndpointGates()
    for (let count = 0; count < 5; count++) {
      gates.begin("wh_1", null, startMs)
      gates.end("wh_1", "failed", startMs)
    }
    const pauses: Array<number> = []
    let nowMs = startMs
    for (let probe = 0; probe < 8; probe++) {
      const untilMs = gates.openUntil("wh_1")!
      pauses.push((untilMs - nowMs) / 1_000)
      nowMs = untilMs
      assert.isNull(gates.begin("wh_1", null, nowMs))
      assert.isTrue(gates.end("wh_1", "failed", nowMs))
    }
    assert.deepStrictEqual(pauses, [30, 60, 120, 240, 480, 600, 600, 600])
  })

  it("opens where half of ten or more within a minute failed", () => {
    const gates = makeEndpointGates()
    let openedAt = -1
    for (let count = 0; count < 12; count++) {
      gates.begin("wh_1", 1_000, startMs + count)
      if (gates.end("wh_1", count % 2 === 1 ? "failed" : "accepted", startMs + count))
        openedAt = count
    }
    assert.strictEqual(openedAt, 9)
  })

  it("forgets an endpoint that has been quiet", () => {
    const gates = makeEndpointGates()
    gates.begin("wh_1", 0.1, startMs)
    gates.end("wh_1", "accepted", startMs)
    assert.deepStrictEqual([...gates.allowances(startMs)], [["wh_1", 0]])
    assert.deepStrictEqual([...gates.allowances(startMs + 120_000)], [])
  })

  it("closes when the endpoint was repaired, and counts anew", () => {
    const gates = makeEndpointGates()
    const before = "2026-01-15T09:00:00.000Z"
    const fail = (repairedAt: string | null) => {
      assert.isNull(gates.begin("wh_1", 1_000, startMs, repairedAt))
      return gates.end("wh_1", "failed", startMs)
    }
    const opened = [1, 2, 3, 4, 5].map(() => fail(before))
    assert.deepStrictEqual(opened, [false, false, false, false, true])
    assert.deepStrictEqual(gates.shut(startMs), ["wh_1"])
    assert.strictEqual(gates.openUntil("wh_1"), startMs + 30_000)
    gates.repair("wh_1", before)
    assert.deepStrictEqual(gates.shut(startMs), ["wh_1"])
    const after = "2026-01-15T09:30:00.000Z"
    gates.repair("wh_1", after)
    gates.repair("wh_2", after)
    assert.deepStrictEqual(gates.shut(startMs), [])
    assert.isNull(gates.openUntil("wh_1"))
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5].map(() => fail(after)),
      opened
    )
    assert.strictEqual(gates.openUntil("wh_1"), startMs + 30_000)
    // One who begins something sees the repair too.
    assert.isNull(gates.begin("wh_1", 1_000, startMs, "2026-01-15T09:40:00.000Z"))
    assert.deepStrictEqual(gates.shut(startMs), [])
  })

  it("learns nothing from a sample or from what this side broke off", () => {
    const gates = makeEndpointGates()
    for (let count = 0; count < 20; count++) {
      assert.isNull(gates.begin("wh_1", 1_000, startMs))
      assert.isFalse(gates.end("wh_1", "nothing", startMs))
    }
    assert.isUndefined(gates.allowances(startMs).get("wh_1"))
    for (let count = 0; count < 5; count++) {
      gates.begin("wh_1", 1_000, startMs)
      gates.end("wh_1", "failed", startMs)
    }
    const probeMs = startMs + 30_000
    assert.isNull(gates.begin("wh_1", 1_000, probeMs))
    gates.end("wh_1", "nothing", probeMs)
    // Still half open: the probe is made again.
    assert.strictEqual(gates.allowances(probeMs).get("wh_1"), 1)
  })

  it("forgets those that failed and were never sent anything again", () => {
    const gates = makeEndpointGates()
    for (let index = 0; index < 1_000; index++) {
      for (let count = 0; count < 5; count++) {
        gates.begin(`wh_${index}`, null, startMs)
        gates.end(`wh_${index}`, "failed", startMs)
      }
    }
    assert.strictEqual(gates.allowances(startMs + 30_000).size, 1_000)
    assert.strictEqual(gates.allowances(startMs + 630_000).size, 1_000)
    assert.strictEqual(gates.allowances(startMs + 630_001).size, 0)
  })

  it("remembers fewer failures than open it for ten quiet minutes", () => {
    const failures = (silenceMs: number) => {
      const gates = makeEndpointGates()
      let isOpened = false
      for (let count = 0; count < 5; count++) {
        const atMs = startMs + (count < 4 ? 0 : silenceMs)
        gates.allowances(atMs)
        gates.begin("wh_1", null, atMs)
        isOpened = gates.end("wh_1", "failed", atMs)
      }
      return isOpened
    }
    assert.isTrue(failures(600_000))
    assert.isFalse(failures(600_001))
  })
})
