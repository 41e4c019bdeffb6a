import { assert, describe, it } from "@effect/vitest"
import type { MatchFill } from "../../../src/kernel/account.ts"
import {
  baseTag,
  filledCount,
  makeLadderMemory,
  showLadderFill
} from "../../../src/kernel/ladder/LadderMemory.ts"

const fillOf = (orderId: string, quantity: number, price: number): MatchFill => ({
  orderId,
  market: 0,
  leg: "entry",
  side: 1,
  quantity,
  price,
  fee: 0,
  index: 0,
  time: 0,
  effect: "open",
  closed: null
})

describe("the memory of a position in parts", () => {
  it("counts an entry whole that fills in several trades", () => {
    const memory = makeLadderMemory()
    for (const quantity of [1, 2]) showLadderFill(memory, fillOf("e0", quantity, 100))
    assert.deepInclude(memory, { firstNotional: 300, lastNotional: 300 })
    for (const quantity of [1, 0.5]) showLadderFill(memory, fillOf("e1.d", quantity, 90))
    assert.deepInclude(memory, { firstNotional: 300, lastNotional: 135, held: 4.5 })
    showLadderFill(memory, fillOf("e0", 1, 100))
    assert.deepInclude(memory, { firstNotional: 400, lastNotional: 100 })
  })

  it("has one lot of an entry that fills in several trades, also between those of another", () => {
    const memory = makeLadderMemory()
    for (const [id, quantity, price] of [
      ["e0", 1, 100],
      ["e1", 2, 90],
      ["e0", 3, 104]
    ] as const) {
      showLadderFill(memory, fillOf(id, quantity, price))
    }
    assert.deepStrictEqual(
      memory.lots.map(({ id, price, quantity }) => [id, price, quantity]),
      [
        ["e0", 103, 4],
        ["e1", 90, 2]
      ]
    )
    assert.strictEqual(filledCount(memory, baseTag), 2)
  })
})
