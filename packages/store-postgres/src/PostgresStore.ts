/**
 * The SQL stores together, migrated.
 *
 * @since 0.1.0
 */
import { AlonePlacement, type BotPlacement, type StorePorts } from "@candlewick/core"
import { type Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as AccountStore from "./AccountStore.ts"
import * as AlertStore from "./AlertStore.ts"
import * as BacktestStore from "./BacktestStore.ts"
import * as BotArchive from "./BotArchive.ts"
import * as BotJournal from "./BotJournal.ts"
import * as ClusterPlacement from "./BotPlacement.ts"
import * as BotStateStore from "./BotStateStore.ts"
import * as BotStore from "./BotStore.ts"
import * as CandleStore from "./CandleStore.ts"
import * as DeliveryQueue from "./DeliveryQueue.ts"
import * as DeliveryStore from "./DeliveryStore.ts"
import * as EndpointStore from "./EndpointStore.ts"
import * as IdempotencyStore from "./IdempotencyStore.ts"
import * as JudgementStore from "./JudgementStore.ts"
import * as MarketStore from "./MarketStore.ts"
import { migrate } from "./Migrations.ts"
import * as NoticeQueue from "./NoticeQueue.ts"
import * as OptimizationStore from "./OptimizationStore.ts"
import * as OrderStore from "./OrderStore.ts"
import * as Outbox from "./Outbox.ts"
import * as PaperAccountStore from "./PaperAccountStore.ts"
import * as Pglite from "./Pglite.ts"
import * as ReplayStore from "./ReplayStore.ts"
import * as RunCheckpoints from "./RunCheckpoints.ts"
import * as StepStore from "./StepStore.ts"
import * as StrategyStore from "./StrategyStore.ts"
import * as StrategyVersionStore from "./StrategyVersionStore.ts"
import * as Transactor from "./Transactor.ts"
import * as TrialStore from "./TrialStore.ts"
import * as VenueAccountStore from "./VenueAccountStore.ts"

/** Every port of storage but the placement of bots. */
const stores = Layer.mergeAll(
  AccountStore.layer,
  AlertStore.layer,
  BacktestStore.layer,
  BotArchive.layer,
  BotJournal.layer,
  BotStateStore.layer,
  BotStore.layer,
  CandleStore.layer,
  DeliveryQueue.layer,
  DeliveryStore.layer,
  EndpointStore.layer,
  IdempotencyStore.layer,
  JudgementStore.layer,
  MarketStore.layer,
  NoticeQueue.layer,
  OptimizationStore.layer,
  OrderStore.layer,
  Outbox.layer,
  PaperAccountStore.layer,
  ReplayStore.layer,
  RunCheckpoints.layer,
  StepStore.layer,
  StrategyStore.layer,
  StrategyVersionStore.layer,
  Transactor.layer,
  TrialStore.layer,
  VenueAccountStore.layer
)

/** The stores once their schema is up to date, with the placement that the host chose. */
const layerWith = <E, R>(
  placement: Layer.Layer<BotPlacement, E, R>
): Layer.Layer<StorePorts, E | Effect.Error<typeof migrate>, R | SqlClient.SqlClient> =>
  Layer.merge(stores, placement).pipe(Layer.provide(Layer.effectDiscard(migrate)))

/** The stores over a database that no other process has open. */
const layerAlone = layerWith(AlonePlacement.layer)

/**
 * Stores in PostgreSQL.
 *
 * @category layers
 * @since 0.1.0
 */
export const PostgresStore = {
  /**
   * Over the `SqlClient` of a server. Processes that share the server share the bots out among
   * them.
   */
  layer: layerWith(ClusterPlacement.layer),
  /** Stores with a placement of your own, such as one with another client. */
  layerWith,
  /** Over the `SqlClient` of an embedded database, or of a server that one process uses. */
  layerAlone,
  /** Over a PostgreSQL embedded in this process. */
  layerPglite: (options: Pglite.PgliteOptions = {}) =>
    layerAlone.pipe(Layer.provide(Pglite.layer(options)))
}
