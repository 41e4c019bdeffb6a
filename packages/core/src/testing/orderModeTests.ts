/**
 * The duties of every `OrderStore` to readers that ask for paper or live bots alone.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Bot } from "../domain/Bot.ts"
import { BotArchive } from "../ports/BotArchive.ts"
import { BotStore } from "../ports/BotStore.ts"
import { OrderStore } from "../ports/OrderStore.ts"
import { botRecord, orderRecord, tradeRecord } from "./records.ts"
import { testId } from "./testIds.ts"

const archivedAt = "2026-01-15T09:01:00.000Z"

/** Tests of the filter `mode`, for the suite of order stores. */
export const orderModeTests = {
  "lists the orders and trades of an account's bots of one mode, also of deleted ones": Effect.gen(
    function* () {
      const { appendTrade, insert, list, listTrades } = yield* OrderStore
      const [bots, archive] = [yield* BotStore, yield* BotArchive]
      const account_id = testId("account")
      const paper = botRecord({ account_id, mode: "paper" })
      const live = botRecord({ account_id, mode: "live" })
      const deleted = botRecord({ account_id, mode: "live" })
      yield* bots.insert(paper)
      yield* bots.insert(live)
      yield* archive.insert({ ...deleted, archived_at: archivedAt, kept_positions: [] }, null)
      const ids = new Map<string, ReadonlyArray<string>>()
      for (const { id: bot_id } of [paper, live, deleted]) {
        const order = yield* insert(orderRecord({ account_id, bot_id }))
        const trade = tradeRecord({ account_id, bot_id })
        yield* appendTrade(trade)
        ids.set(bot_id, [order.id, trade.id])
      }
      const found = Effect.fnUntraced(function* (mode: Bot["mode"], botId: string | null) {
        const page = { limit: 9, mode }
        const [orders, trades] = [
          yield* list(account_id, botId, page),
          yield* listTrades(account_id, botId, page)
        ]
        return [orders, trades].map(({ items }) => items.map(({ id }) => id).toSorted())
      })
      const of = (...wanted: ReadonlyArray<Bot>) =>
        [0, 1].map((place) => wanted.map(({ id }) => ids.get(id)![place]!).toSorted())
      assert.deepStrictEqual(yield* found("paper", null), of(paper))
      assert.deepStrictEqual(yield* found("live", null), of(live, deleted))
      assert.deepStrictEqual(yield* found("live", deleted.id), of(deleted))
      assert.deepStrictEqual(yield* found("paper", live.id), of())
    }
  )
}
