/** The log names the price of an order, and the part of the strategy that it belongs to. */
import { assert, describe, it } from "@effect/vitest"
import { describeOrder } from "../../../src/services/bots/describeOrder.ts"
import { orderRequest } from "../../../src/testing/index.ts"

const cases = [
  [{ id: "e7", type: "market", side: 1, leg: "entry" }, "market buy 2 XA/USD (entry)"],
  [
    { id: "e7.safety2", type: "limit", side: 1, leg: "entry", limit: 120.5 },
    "limit buy 2 XA/USD at 120.5 (safety order 3)"
  ],
  [
    { id: "e7.dip", type: "stop_limit", side: -1, leg: "entry", limit: 9, stop: 10 },
    "stop_limit sell 2 XA/USD at 10, limit 9 (dip)"
  ],
  [
    { id: "e7-1", type: "stop", side: 1, leg: "entry", stop: 10 },
    "stop buy 2 XA/USD at 10 (entry)"
  ],
  [
    { id: "x7.target0", type: "limit", side: -1, leg: "exit", limit: 11 },
    "limit sell 2 XA/USD at 11 (target 1)"
  ],
  [
    { id: "x7.line0:3", type: "limit", side: -1, leg: "exit", limit: 11 },
    "limit sell 2 XA/USD at 11 (line 1)"
  ],
  [
    { id: "x7.reduce1", type: "market", side: -1, leg: "exit" },
    "market sell 2 XA/USD (reduction 2)"
  ],
  [{ id: "x7.weight", type: "market", side: -1, leg: "exit" }, "market sell 2 XA/USD (weight)"],
  [{ id: "x7.over.e3", type: "market", side: -1, leg: "exit" }, "market sell 2 XA/USD (exit)"]
] as const

describe("the log's line on an order", () => {
  it.each(cases)("says its price and part: %o", (order, line) => {
    const request = orderRequest({ limit: null, stop: null, ...order, quantity: 2 })
    assert.strictEqual(describeOrder(request, "XA/USD"), line)
  })
})
