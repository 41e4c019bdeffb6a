/**
 * Live bots on spot whose exchange takes higher fees than their market says.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { liveWorld, makeModel, market, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"

const fine = { ...market, quantityStep: "0.001", minQuantity: "0.001" }

describe("a live bot that enters with all that it has", () => {
  const entries = [
    ["at market, of a taker's fee", { takerRate: "0.005" }, undefined],
    ["by a limit, of a maker's fee", { makerRate: "0.005" }, { type: "limit", offset: 0.001 }]
  ] as const

  it.effect.each(entries)("spends no more than its allocation: %s", ([, fees, entry]) => {
    const model = makeModel({ markets: [{ ...fine, ...fees }] })
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive({
        ...definition,
        sizing: { type: "equity_fraction", fraction: 1 },
        ...(entry !== undefined && { entry })
      })
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      const becomes = (isWanted: Parameters<typeof statusWhere>[3]) =>
        statusWhere(bots, accountId, bot.id, isWanted)
      yield* becomes(({ status }) => status === "running")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* Effect.sleep("2 seconds")
      yield* model.moveTo(symbol, "100")
      const { cash } = yield* becomes(({ open_positions }) => open_positions.length === 1)
      assert.isAtLeast(cash, 0)
      assert.isBelow(cash, 60)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
