/**
 * The rest of an order that its exchange has lost after a part of it filled.
 */
import { assert, describe, it } from "@effect/vitest"
import type { OrderAttempt } from "../../../src/domain/VenueAccount.ts"
import { unfilledOf } from "../../../src/services/venues/agent/payableEntry.ts"
import { orderAttemptRecord } from "../../../src/testing/venueRecords.ts"

/** An attempt that was sent for 6 of 10, and filled by 2. */
const cut = (leg: OrderAttempt["leg"], type: "market" | "stop"): OrderAttempt => {
  const order = { ...orderAttemptRecord().order, type, quantity: "6" }
  const decided_order = { ...order, quantity: "10" }
  return orderAttemptRecord({ leg, order, decided_order, filled_quantity: "2" })
}

describe("the rest of an order that was cut down", () => {
  it("is all that was decided on, for the sender to cut again", () => {
    for (const one of [cut("entry", "market"), cut("exit", "market"), cut("entry", "stop")]) {
      assert.deepInclude(unfilledOf(one).order, { quantity: "8" })
      assert.isUndefined(unfilledOf(one).decided_order)
    }
  })

  it("stays cut where an exit rests, which its bot has cut", () => {
    const rest = unfilledOf(cut("exit", "stop"))
    assert.strictEqual(rest.order.quantity, "4")
    assert.strictEqual(rest.decided_order?.quantity, "8")
  })
})
