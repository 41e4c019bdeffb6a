import { assert, describe, it } from "@effect/vitest"
import type { Alert } from "../../src/domain/Alert.ts"
import { makeRandom } from "../../../engine/src/kernel/random.ts"
import { decideAlert, describeAlert } from "../../src/services/bots/decideAlert.ts"
import { toAlert } from "../../src/services/bots/toAlert.ts"

const startMs = Date.UTC(2026, 0, 15)

const alertOf = (changes: Partial<Alert>): Alert => ({
  ...toAlert(
    {
      metric: "price",
      op: "gt",
      threshold: 100,
      symbol: "BTC/USD",
      cooldown_s: 0,
      rearm_percent: 0
    },
    null,
    { id: "alr_1", accountId: "acc_1", now: new Date(startMs).toISOString() }
  ),
  ...changes
})

/** Which of the values, one a second, make the alert fire. */
const firings = (alert: Alert, values: ReadonlyArray<number>): ReadonlyArray<number> => {
  const fired: Array<number> = []
  values.forEach((value, index) => {
    const decision = decideAlert(alert, value, startMs + index * 1_000)
    alert = decision.alert
    if (decision.fires) fired.push(index)
  })
  return fired
}

describe("decideAlert", () => {
  it("fires a level once, and again only after it was left", () => {
    assert.deepStrictEqual(firings(alertOf({}), [99, 101, 102, 100, 101, 103]), [1, 4])
    assert.deepStrictEqual(firings(alertOf({ op: "lt" }), [101, 99, 98, 100, 99]), [1, 4])
  })

  it("fires a level that is already reached at the first value", () => {
    assert.deepStrictEqual(firings(alertOf({}), [150, 151]), [0])
  })

  it("counts the threshold itself as not beyond it", () => {
    assert.deepStrictEqual(firings(alertOf({}), [100]), [])
    assert.deepStrictEqual(firings(alertOf({ op: "lt" }), [100]), [])
  })

  it("fires a crossing only where the value before was on the other side", () => {
    assert.deepStrictEqual(firings(alertOf({ op: "crosses_above" }), [150, 151]), [])
    assert.deepStrictEqual(
      firings(alertOf({ op: "crosses_above" }), [150, 99, 101, 102, 100, 101]),
      [2, 5]
    )
    assert.deepStrictEqual(
      firings(alertOf({ op: "crosses_below" }), [50, 101, 99, 98, 100, 99]),
      [2, 5]
    )
  })

  it("announces a level that lasts longer than the cooldown when that is over", () => {
    const alert = alertOf({ cooldown_s: 5 })
    assert.deepStrictEqual(firings(alert, [101, 99, 101, 101, 101, 101, 101]), [0, 5])
  })

  it("forgets a crossing during the cooldown", () => {
    const alert = alertOf({ op: "crosses_above", cooldown_s: 5 })
    assert.deepStrictEqual(firings(alert, [99, 101, 99, 101, 101, 101, 101, 99, 101]), [1, 8])
  })

  it("is armed again only behind the threshold, by its distance", () => {
    const alert = alertOf({ rearm_percent: 2 })
    assert.deepStrictEqual(firings(alert, [101, 99, 101, 98.1, 101, 98, 101, 102]), [0, 6])
    const below = alertOf({ op: "crosses_below", rearm_percent: 2 })
    assert.deepStrictEqual(firings(below, [101, 99, 101, 99, 102, 99]), [1, 5])
    const negative = alertOf({ op: "lt", threshold: -100, rearm_percent: 2 })
    assert.deepStrictEqual(firings(negative, [-101, -99, -101, -98, -101]), [0, 4])
  })

  it("takes an alert of an earlier version, which has no distance", () => {
    const { rearm_percent: _none, ...alert } = alertOf({})
    assert.deepStrictEqual(firings(alert, [101, 100, 101]), [0, 2])
  })

  it("tells a price that trembles about a threshold a few times, unless asked otherwise", () => {
    const random = makeRandom("tremble")
    const values = Array.from({ length: 3_600 }, () => 100 + (2 * random.next() - 1))
    const request = { metric: "price", op: "gt", threshold: 100, symbol: "BTC/USD" } as const
    const made = { id: "alr_1", accountId: "acc_1", now: new Date(startMs).toISOString() }
    assert.lengthOf(firings(toAlert(request, null, made), values), 4)
    const eager = toAlert({ ...request, cooldown_s: 0, rearm_percent: 0 }, null, made)
    assert.isAbove(firings(eager, values).length, 500)
    // An owner who is halted once more has to know.
    const halted = toAlert({ metric: "kill_switch", op: "gt", threshold: 0 }, null, made)
    assert.deepStrictEqual(firings(halted, [1, 0, 1, 0, 1]), [0, 2, 4])
  })

  it("disables an alert that fires once", () => {
    const { alert, fires } = decideAlert(alertOf({ once: true }), 101, startMs)
    assert.isTrue(fires)
    assert.isFalse(alert.is_enabled)
    assert.deepStrictEqual(firings(alertOf({ once: true }), [101, 99, 101]), [0])
  })

  it("leaves a disabled alert, and any alert at a value that is no number, as it is", () => {
    const disabled = alertOf({ is_enabled: false })
    assert.strictEqual(decideAlert(disabled, 101, startMs).alert, disabled)
    const alert = alertOf({})
    assert.strictEqual(decideAlert(alert, Number.NaN, startMs).alert, alert)
  })

  it("never fires twice without the condition having been false in between", () => {
    const random = makeRandom("decideAlert")
    for (let round = 0; round < 200; round++) {
      const op = random.pick(["gt", "lt", "crosses_above", "crosses_below"] as const)
      const values = Array.from({ length: 50 }, () => random.integer(97, 103))
      const isAbove = op === "gt" || op === "crosses_above"
      const beyond = (value: number) => (isAbove ? value > 100 : value < 100)
      const fired = firings(alertOf({ op, cooldown_s: random.integer(0, 4) }), values)
      fired.forEach((index, order) => {
        assert.isTrue(beyond(values[index]!))
        if (order === 0) return
        const between = values.slice(fired[order - 1]! + 1, index)
        assert.isTrue(between.some((value) => !beyond(value)))
      })
    }
  })
})

describe("describeAlert", () => {
  it("numbers the firings, so that no two are equal", () => {
    const first = decideAlert(alertOf({}), 101, startMs).alert
    const second = decideAlert(decideAlert(first, 99, startMs).alert, 101, startMs).alert
    assert.deepStrictEqual(describeAlert(first, 101), {
      alert_id: "alr_1",
      occurrence: 1,
      kind: "price",
      bot_id: null,
      metric: "price",
      operator: "gt",
      threshold: 100,
      value: 101,
      symbol: "BTC/USD",
      message: "BTC/USD price is above 100: 101"
    })
    assert.strictEqual(describeAlert(second, 101).occurrence, 2)
  })
})
