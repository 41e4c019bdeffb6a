/**
 * Histories of bots and of exchange accounts with faults, on a seeded order of tasks and a time of their own.
 */
import { assert, describe, it } from "@effect/vitest"
import { cases } from "./cases.ts"
import { drawHistory } from "./history.ts"
import { runHistory } from "./runHistory.ts"
import { simulate } from "./simulate.ts"

const timeoutMs = 300_000

/** The events that histories have to meet, so that a kept law proves something. */
const met = [
  "account.twoOwners",
  "attempt.absent",
  "attempt.again",
  "attempt.unknown",
  "backtests.fills",
  "bounds.looked",
  "bot.paused",
  "bot.stopped",
  "deliveries",
  "event.cut",
  "event.cutFeeds",
  "event.maintenance",
  "event.venueSkew",
  "fact.again",
  "fact.funding",
  "live.acceptedLack",
  "live.alerted",
  "live.closed",
  "live.enteredInTime",
  "live.filledOfGroup",
  "live.heardOfLack",
  "live.orders",
  "live.protected",
  "live.trades",
  "order.cancelled",
  "order.partially_filled",
  "order.rejected",
  "placement.moves",
  "placement.twoOwners",
  "process.end",
  "process.freeze",
  "process.kill",
  "process.skew",
  "receiver.broken",
  "steps.together",
  "store.fail",
  "store.freeze",
  "store.kill",
  "store.lose",
  "store.slow",
  "venue.buyBack",
  "venue.byHand",
  "venue.hangs_after",
  "venue.killAtSend",
  "venue.late",
  "venue.lost_after",
  "venue.lost_before",
  "venue.sellBots",
  "venue.sellOwn",
  "venue.trades"
]

describe("simulated histories", () => {
  it(
    "hold, whatever fails in them",
    async () => {
      const { counts, failures, runCount } = await simulate({
        from: 0,
        count: 500,
        threadCount: 2,
        failuresMax: 1
      })
      const said = failures.map(({ seed, violation }) => `--seed ${seed}: ${violation}`)
      assert.deepStrictEqual(said, [])
      assert.strictEqual(runCount, 500)
      for (const name of met) assert.isAbove(counts[name] ?? 0, 0, name)
    },
    timeoutMs
  )

  it("go the same way each time", () => {
    const history = drawHistory("the same")
    const first = runHistory(history)
    assert.isNull(first.violation)
    assert.deepStrictEqual(runHistory(history), first)
    const other = runHistory({ ...history, order: "another order" })
    assert.notDeepEqual(other.counts, first.counts)
  })

  for (const { fault, history } of cases) {
    it(`hold where once ${fault}`, () => {
      assert.isNull(runHistory(history).violation)
    })
  }
})
