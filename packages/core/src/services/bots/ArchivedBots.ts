/**
 * The operations on deleted bots, whose books stay readable.
 *
 * A bot comes here when its owner deletes it. Its record, orders, fills, log and equity keep their
 * id. An archived bot never trades again, and no operation brings it back.
 *
 * **Example** (A bot that was deleted)
 *
 * ```ts setup=trend
 * import { Candlewick } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * await candlewick.candles.import({ key: { symbol: "BTC/USD", timeframe: "1d" }, columns })
 * const written = await candlewick.strategies.write({ name: "trend", definition: trend })
 * const capital_allocation = 10_000
 * const request = { name: "trend", strategy_id: written.id, capital_allocation }
 * const bot = await candlewick.bots.create(request)
 * await candlewick.bots.remove(bot.id)
 * const { name, status } = await candlewick.archivedBots.get(bot.id)
 * console.log(name, status)
 * await candlewick.close()
 * ```
 *
 * ```text output
 * trend created
 * ```
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer } from "effect"
import type { ArchivedBot } from "../../domain/ArchivedBot.ts"
import type { archivedBotOperations } from "../../domain/operations/archivedBotOperations.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { BotArchive } from "../../ports/BotArchive.ts"
import { BotJournal } from "../../ports/BotJournal.ts"
import { OrderStore } from "../../ports/OrderStore.ts"
import type { MethodsOf } from "../methodsOf.ts"
import { required } from "../refusals.ts"
import { measurePerformance } from "./botViews.ts"

type Methods = MethodsOf<typeof archivedBotOperations>

/**
 * Deleted bots of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class ArchivedBots extends Context.Service<ArchivedBots, Methods>()(
  "@candlewick/core/services/ArchivedBots"
) {
  /** Deleted bots over the stores. */
  static readonly layer = Layer.effect(
    ArchivedBots,
    Effect.gen(function* () {
      const archive = yield* BotArchive
      const journal = yield* BotJournal
      const orders = yield* OrderStore
      const find = (accountId: string, id: string) =>
        required(archive.get(accountId, id), "archived bot", id)
      const withBot = <A>(
        accountId: string,
        id: string,
        use: (bot: ArchivedBot) => Effect.Effect<A, Problem | StoreError>
      ) => Effect.flatMap(find(accountId, id), use)
      return ArchivedBots.of({
        get: find,
        list: archive.list,
        logs: (accountId, id, page) => withBot(accountId, id, () => journal.list(id, page)),
        performance: (accountId, id) =>
          withBot(accountId, id, (bot) =>
            Effect.flatMap(
              required(archive.getState(id), "state of the archived bot", id),
              (state) => measurePerformance(journal, bot, state)
            )
          ),
        trades: (accountId, id, page) =>
          withBot(accountId, id, () => orders.listTrades(accountId, id, page)),
        orders: (accountId, id, page) =>
          withBot(accountId, id, () => orders.list(accountId, id, page)),
        equity: (accountId, id, page) => withBot(accountId, id, () => journal.pageEquity(id, page))
      })
    })
  )
}
