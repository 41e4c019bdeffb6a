/**
 * Every storage port, as one store provides them together.
 *
 * @since 0.1.0
 */
import type { AccountStore } from "./AccountStore.ts"
import type { AlertStore } from "./AlertStore.ts"
import type { BacktestStore } from "./BacktestStore.ts"
import type { BotJournal } from "./BotJournal.ts"
import type { BotLeases } from "./BotLeases.ts"
import type { BotStore } from "./BotStore.ts"
import type { CandleStore } from "./CandleStore.ts"
import type { IdempotencyStore } from "./IdempotencyStore.ts"
import type { OptimizationStore } from "./OptimizationStore.ts"
import type { OrderStore } from "./OrderStore.ts"
import type { Outbox } from "./Outbox.ts"
import type { PaperAccountStore } from "./PaperAccountStore.ts"
import type { RunCheckpoints } from "./RunCheckpoints.ts"
import type { StrategyStore } from "./StrategyStore.ts"
import type { Transactor } from "./Transactor.ts"
import type { WebhookStore } from "./WebhookStore.ts"

/** Every storage port, with the transactions over them. @category models @since 0.1.0 */
export type StorePorts =
  | AccountStore
  | AlertStore
  | BacktestStore
  | BotJournal
  | BotLeases
  | BotStore
  | CandleStore
  | IdempotencyStore
  | OptimizationStore
  | OrderStore
  | Outbox
  | PaperAccountStore
  | RunCheckpoints
  | StrategyStore
  | Transactor
  | WebhookStore
