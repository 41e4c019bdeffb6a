/**
 * All stores in memory, together with the transactions over them.
 *
 * Tests, examples and hosts that keep nothing use it. Its contents end with the process, and no
 * other process sees them.
 *
 * **Example** (A store begins empty)
 *
 * ```ts
 * import { CandleStore, sharedOwner } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 * import { Effect } from "effect"
 *
 * const program = Effect.flatMap(CandleStore, ({ list }) => list(sharedOwner))
 * console.log(await Effect.runPromise(Effect.provide(program, MemoryStore.layer)))
 * ```
 *
 * ```text output
 * []
 * ```
 *
 * @since 0.1.0
 */
import { AlonePlacement, type StorePorts } from "@candlewick/core"
import { Layer } from "effect"
import { layer as accountStore } from "./AccountStore.ts"
import { layer as alertStore } from "./AlertStore.ts"
import { layer as backtestStore } from "./BacktestStore.ts"
import { layer as botArchive } from "./BotArchive.ts"
import { layer as botJournal } from "./BotJournal.ts"
import { layer as botStateStore } from "./BotStateStore.ts"
import { layer as botStore } from "./BotStore.ts"
import { layer as candleStore } from "./CandleStore.ts"
import { layer as deliveryQueue } from "./DeliveryQueue.ts"
import { layer as deliveryStore } from "./DeliveryStore.ts"
import { layer as endpointStore } from "./EndpointStore.ts"
import { layer as idempotencyStore } from "./IdempotencyStore.ts"
import { layer as judgementStore } from "./JudgementStore.ts"
import { layer as marketStore } from "./MarketStore.ts"
import { layer as noticeQueue } from "./NoticeQueue.ts"
import { layer as optimizationStore } from "./OptimizationStore.ts"
import { layer as orderStore } from "./OrderStore.ts"
import { layer as outbox } from "./Outbox.ts"
import { layer as paperAccountStore } from "./PaperAccountStore.ts"
import { layer as replayStore } from "./ReplayStore.ts"
import { layer as runCheckpoints } from "./RunCheckpoints.ts"
import { layer as stepStore } from "./StepStore.ts"
import { layer as strategyStore } from "./StrategyStore.ts"
import { layer as strategyVersionStore } from "./StrategyVersionStore.ts"
import { layer as transactor } from "./Transactor.ts"
import { layer as trialStore } from "./TrialStore.ts"
import { layer as venueAccountStore } from "./VenueAccountStore.ts"
import { Database } from "./internal/Database.ts"

/**
 * The memory store.
 *
 * **Details**
 *
 * Each time the layer is built it begins empty, and its records end with the process. Transactions
 * roll back as in a database. They follow one another, and no other reader sees the writes of an
 * open one.
 *
 * **Example** (Running services without a database)
 *
 * ```ts
 * import { Alerts, Ids } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 * import { Layer } from "effect"
 *
 * const App = Alerts.layer.pipe(Layer.provide(Ids.layer), Layer.provide(MemoryStore.layer))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const MemoryStore: { readonly layer: Layer.Layer<StorePorts> } = {
  layer: Layer.mergeAll(
    accountStore,
    alertStore,
    backtestStore,
    botArchive,
    botJournal,
    AlonePlacement.layer,
    botStateStore,
    botStore,
    candleStore,
    deliveryQueue,
    deliveryStore,
    endpointStore,
    idempotencyStore,
    judgementStore,
    marketStore,
    noticeQueue,
    optimizationStore,
    orderStore,
    outbox,
    paperAccountStore,
    replayStore,
    runCheckpoints,
    stepStore,
    strategyStore,
    strategyVersionStore,
    transactor,
    trialStore,
    venueAccountStore
  ).pipe(Layer.provide(Database.layer))
}
