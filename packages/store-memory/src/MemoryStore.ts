/**
 * Every store in memory, with one transactor over all of them.
 *
 * @since 0.1.0
 */
import { Layer } from "effect"
import * as AccountStore from "./AccountStore.ts"
import * as AlertStore from "./AlertStore.ts"
import * as BacktestStore from "./BacktestStore.ts"
import * as BotJournal from "./BotJournal.ts"
import * as BotStore from "./BotStore.ts"
import * as CandleStore from "./CandleStore.ts"
import * as IdempotencyStore from "./IdempotencyStore.ts"
import { MemoryDatabase } from "./internal/MemoryDatabase.ts"
import * as OptimizationStore from "./OptimizationStore.ts"
import * as OrderStore from "./OrderStore.ts"
import * as Outbox from "./Outbox.ts"
import * as PaperAccountStore from "./PaperAccountStore.ts"
import * as StrategyStore from "./StrategyStore.ts"
import * as Transactor from "./Transactor.ts"
import * as WebhookStore from "./WebhookStore.ts"

/**
 * The in-memory store.
 *
 * **When to use**
 *
 * For tests, examples and trying things out: what it holds is gone with the process.
 *
 * @category layers
 * @since 0.1.0
 */
export const MemoryStore = {
  /** Every storage port and the `Transactor`, over one memory of their own. */
  layer: Layer.mergeAll(
    AccountStore.layer,
    AlertStore.layer,
    BacktestStore.layer,
    BotJournal.layer,
    BotStore.layer,
    CandleStore.layer,
    IdempotencyStore.layer,
    OptimizationStore.layer,
    OrderStore.layer,
    Outbox.layer,
    PaperAccountStore.layer,
    StrategyStore.layer,
    Transactor.layer,
    WebhookStore.layer
  ).pipe(Layer.provide(MemoryDatabase.layer))
}
