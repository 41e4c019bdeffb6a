/**
 * Every storage port, as one store provides them together.
 *
 * @since 0.1.0
 */
import type { AccountStore } from "./AccountStore.ts"
import type { AlertStore } from "./AlertStore.ts"
import type { BacktestStore } from "./BacktestStore.ts"
import type { BotArchive } from "./BotArchive.ts"
import type { BotJournal } from "./BotJournal.ts"
import type { BotPlacement } from "./BotPlacement.ts"
import type { BotStateStore } from "./BotStateStore.ts"
import type { BotStore } from "./BotStore.ts"
import type { CandleStore } from "./CandleStore.ts"
import type { DeliveryQueue } from "./DeliveryQueue.ts"
import type { DeliveryStore } from "./DeliveryStore.ts"
import type { EndpointStore } from "./EndpointStore.ts"
import type { IdempotencyStore } from "./IdempotencyStore.ts"
import type { JudgementStore } from "./JudgementStore.ts"
import type { MarketStore } from "./MarketStore.ts"
import type { NoticeQueue } from "./NoticeQueue.ts"
import type { OptimizationStore } from "./OptimizationStore.ts"
import type { OrderStore } from "./OrderStore.ts"
import type { Outbox } from "./Outbox.ts"
import type { PaperAccountStore } from "./PaperAccountStore.ts"
import type { ReplayStore } from "./ReplayStore.ts"
import type { RunCheckpoints } from "./RunCheckpoints.ts"
import type { StepStore } from "./StepStore.ts"
import type { StrategyStore } from "./StrategyStore.ts"
import type { StrategyVersionStore } from "./StrategyVersionStore.ts"
import type { Transactor } from "./Transactor.ts"
import type { TrialStore } from "./TrialStore.ts"
import type { VenueAccountStore } from "./VenueAccountStore.ts"

/** Every storage port, with the transactions over them. @category models @since 0.1.0 */
export type StorePorts =
  | AccountStore
  | AlertStore
  | BacktestStore
  | BotArchive
  | BotJournal
  | BotPlacement
  | BotStateStore
  | BotStore
  | CandleStore
  | DeliveryQueue
  | DeliveryStore
  | EndpointStore
  | IdempotencyStore
  | JudgementStore
  | MarketStore
  | NoticeQueue
  | OptimizationStore
  | OrderStore
  | Outbox
  | PaperAccountStore
  | ReplayStore
  | RunCheckpoints
  | StepStore
  | StrategyStore
  | StrategyVersionStore
  | Transactor
  | TrialStore
  | VenueAccountStore
