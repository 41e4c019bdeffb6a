/**
 * The stops that did not rest at their exchange for too long, by a bot's log.
 */
import { assert, describe, it } from "@effect/vitest"
import type { LogEntry, Trade } from "@candlewick/core"
import { readBareStops } from "../../../src/services/bots/bareStops.ts"

const line = (event: string, data: LogEntry["data"]) => ({ event, data })
const missing = (lot: string, ...stops: ReadonlyArray<string>) =>
  line("protection.missing", { lot, ...(stops.length > 0 && { client_order_ids: stops }) })
const refused = (id: string) => line("order.refused", { client_order_id: id })
const traded = (id: string) => line("trade.executed", { trade_id: id })

/** The names of orders and of fills end with the letter of their market. */
const symbolOf = (id: string): string => `${id.at(-1)!.toUpperCase()}/USD`
const orders = ["entry-a", "entry-b", ..."1234".split("").map((one) => `stop-${one}-a`), "stop-b"]
const effects = { "add-a": "increase", "part-a": "reduce", "out-a": "close", "out-b": "close" }

const read = (...lines: ReadonlyArray<ReturnType<typeof line>>): ReadonlyArray<string> => [
  ...readBareStops({
    lines,
    made: Object.entries(effects).map(([id, effect]) => ({
      id,
      position_effect: effect as Trade["position_effect"],
      symbol: symbolOf(id)
    })),
    orders: orders.map((id) => ({ client_order_id: id, symbol: symbolOf(id) }))
  })
]

describe("stops that did not rest for too long", () => {
  it("are those that were reported: of code, or the own stop of a lot", () => {
    assert.deepStrictEqual(
      read(
        missing("entry-a"),
        refused("stop-1-a"),
        missing("entry-b", "stop-b"),
        line("protection.refused", { client_order_id: "entry-a:stop" })
      ),
      ["entry-a:stop", "stop-b"]
    )
  })

  it("are those in their place too, until the position is closed", () => {
    const told = [missing("entry-a", "stop-1-a"), refused("stop-2-a")]
    assert.deepStrictEqual(read(...told, traded("out-a"), refused("stop-3-a")), [
      "stop-1-a",
      "stop-2-a"
    ])
  })

  it("go on where the bot adds, sells a part or trades another market meanwhile", () => {
    assert.deepStrictEqual(
      read(
        missing("entry-a", "stop-1-a"),
        traded("add-a"),
        refused("stop-2-a"),
        traded("part-a"),
        refused("stop-3-a"),
        traded("out-b"),
        refused("stop-4-a")
      ),
      ["stop-1-a", "stop-2-a", "stop-3-a", "stop-4-a"]
    )
  })

  it("are none of another market, whose stop is refused for the first time", () => {
    assert.deepStrictEqual(read(missing("entry-a", "stop-1-a"), refused("stop-b")), ["stop-1-a"])
  })
})
