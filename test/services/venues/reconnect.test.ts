/**
 * An exchange account whose hints were lost: with a connection that was cut, or where the feed says
 * that it has left some out.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { btc, makeWorld, pass } from "./accountWorld.ts"

type World = Effect.Success<ReturnType<typeof makeWorld>>

/** Sells one of the two that the bots own, and ends an order of theirs. */
const changeByHand = Effect.fnUntraced(function* (world: World, id: string) {
  yield* world.model.act({ type: "end", id, status: "cancelled" })
  yield* world.model.placeByHand({
    symbol: btc.symbol,
    side: "sell",
    type: "market",
    quantity: "1",
    limitPrice: null,
    stopPrice: null,
    isReduceOnly: false
  })
})

/** Bots that own one each, and an order at rest; the comparison of the start is over. */
const atRest = Effect.fnUntraced(function* (options: Parameters<typeof makeWorld>[0] = {}) {
  const world = yield* makeWorld({ owned: "1", ...options })
  const attempt = yield* world.decide({ limitPrice: "90" })
  const agent = yield* world.begin
  yield* pass(3)
  const [sent] = yield* world.attemptsOf(attempt)
  assert.strictEqual(sent!.state, "working")
  /** The changes by hand that the agent has found. */
  const found = Effect.gen(function* () {
    const { hindrances, reconciliation } = yield* agent.standing
    const told = world.news.findLast(({ type }) => type === "reconciled")
    assert.deepStrictEqual(told?.type === "reconciled" && told.reconciliation, reconciliation)
    return {
      hindrances: hindrances.map(({ kind }) => kind),
      mismatched: reconciliation!.mismatched.toSorted(),
      states: (yield* world.attemptsOf(attempt)).map(({ state }) => state)
    }
  })
  assert.deepStrictEqual(yield* found, { hindrances: [], mismatched: [], states: ["working"] })
  return { found, sentId: sent!.id, world }
})

const all = ({ bots }: World) => ({
  hindrances: ["mismatch"],
  mismatched: bots.map(({ id }) => id).toSorted(),
  states: ["over"]
})

describe("an exchange account whose feed is cut", () => {
  it.effect("is compared at the next connection, and not only a minute later", () =>
    Effect.gen(function* () {
      const { found, sentId, world } = yield* atRest()
      yield* world.model.cut
      yield* changeByHand(world, sentId)
      yield* pass(3)
      // No hint comes over a feed that is cut.
      assert.deepInclude(yield* found, { mismatched: [], states: ["working"] })
      yield* pass(6)
      assert.deepStrictEqual(yield* found, all(world))
    })
  )
})

describe("an exchange account whose feed has left hints out", () => {
  it.effect("is compared as a whole as soon as the feed says so", () =>
    Effect.gen(function* () {
      let fate: "told" | "gap" = "told"
      const { found, sentId, world } = yield* atRest({ drawHint: () => fate })
      fate = "gap"
      yield* changeByHand(world, sentId)
      yield* pass(4)
      assert.deepStrictEqual(yield* found, all(world))
    })
  )
})
