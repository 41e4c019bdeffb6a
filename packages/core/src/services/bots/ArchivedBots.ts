/**
 * Deleted bots, whose books stay readable.
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
