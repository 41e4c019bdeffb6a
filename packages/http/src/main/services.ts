/**
 * Everything wired: the stores that the settings name, the adapters, and the services over them.
 *
 * @since 0.1.0
 */
import {
  Candlewick,
  ExposureGuard,
  IdempotencyStore,
  PaperBroker,
  ProcessName,
  RecordedMarketData,
  ReplayRate,
  Retention,
  RunEngine
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { Pglite, Postgres, PostgresStore } from "@candlewick/store-postgres"
import { Webhooks } from "@candlewick/webhooks"
import { Effect, Layer } from "effect"
import { backUpDesk } from "./backUpDesk.ts"
import { checkSecrets } from "./checkSecrets.ts"
import { clusterRunEngine } from "./clusterRunEngine.ts"
import { ownHosts } from "./ownHosts.ts"
import { type Sealing, sealing } from "./sealing.ts"
import type { ServerSettings } from "./settings.ts"
import { StoreHealth } from "./StoreHealth.ts"

/** The services over stores, with runs carried out by an engine. */
const servicesOn = <E, R>(
  engine: Layer.Layer<RunEngine, E, R>,
  settings: ServerSettings,
  // One layer for both, so that they have one key.
  { keep, layer: sealed }: Sealing
) => {
  const sending = Webhooks.layerWith({
    allowCidrs: settings.webhookAllowCidrs,
    ports: settings.webhookPorts,
    allowHttp: settings.webhookAllowHttp,
    ownHosts: ownHosts(settings),
    retentionDays: settings.webhookRetentionDays
  })
  const checked = settings.isKeyLost
    ? Effect.catchTag(checkSecrets, "SecretsUnreadable", ({ message }) => Effect.logError(message))
    : checkSecrets
  // Before anything is sent or sealed: a new key is not put where another is missing.
  const webhooks = Layer.unwrap(Effect.as(Effect.andThen(checked, keep), sending))
  const ports = Layer.mergeAll(PaperBroker.layer, RecordedMarketData.layer, webhooks).pipe(
    Layer.provide([Layer.succeed(ReplayRate, settings.replayRate), sealed])
  )
  return Candlewick.layerOn(engine, { size: settings.workers }).pipe(
    Layer.merge(Retention.layer({ runDays: settings.runRetentionDays })),
    Layer.provideMerge(ports),
    // Answers that are remembered are sealed too.
    Layer.provideMerge(sealed)
  )
}

/** Keys of requests that the end of the process before this one cut off. */
const freeKeys = Layer.effectDiscard(
  Effect.flatMap(IdempotencyStore, ({ releaseAll }) => releaseAll)
)

/** Connections that the engine of runs has to itself, where there are enough. */
const engineConnections = 2
const sharedConnectionsMin = 3

/**
 * The engine of runs and the stores' client, on one PostgreSQL. The engine has connections of its
 * own: it takes runs up and holds them also while bots and callers keep all others busy.
 */
const onPostgres = (store: Extract<ServerSettings["store"], { readonly type: "postgres" }>) => {
  const engine = clusterRunEngine({ isShared: true })
  const connectionsMax = store.connectionsMax - engineConnections
  if (connectionsMax < sharedConnectionsMin) return { engine, database: Postgres.layer(store) }
  const applicationName = "candlewick runs"
  const own = Postgres.layer({ ...store, connectionsMax: engineConnections, applicationName })
  return {
    engine: Layer.provide(engine, own),
    database: Postgres.layer({ ...store, connectionsMax })
  }
}

/** The same over a database of this process alone. */
const onDirectory = (store: Extract<ServerSettings["store"], { readonly type: "embedded" }>) => ({
  engine: clusterRunEngine({ isShared: false }),
  database: Layer.provideMerge(backUpDesk(store.directory), Pglite.layerDirectory(store))
})

/** Every service and port of the server, but for HTTP. */
export const servicesOf = (settings: ServerSettings) => {
  const { store } = settings
  const health = StoreHealth.layer(store.type === "embedded" ? store.directory : null)
  const guard = Layer.effect(
    ExposureGuard,
    Effect.map(StoreHealth, ({ isHealthy }) => isHealthy)
  )
  const over = <E, R>(engine: Layer.Layer<RunEngine, E, R>) =>
    Layer.unwrap(
      Effect.map(sealing(settings), (sealed) => servicesOn(engine, settings, sealed))
    ).pipe(Layer.provide(guard), Layer.provideMerge(health))
  if (store.type === "memory") {
    return over(RunEngine.layerMemory).pipe(Layer.provideMerge(MemoryStore.layer))
  }
  if (store.type === "postgres") {
    const { database, engine } = onPostgres(store)
    return over(engine).pipe(Layer.provideMerge(PostgresStore.layer), Layer.provideMerge(database))
  }
  const { database, engine } = onDirectory(store)
  // Its directory is locked, so that the next process takes up at once what a killed one left.
  return over(engine).pipe(
    Layer.provide(Layer.merge(Layer.succeed(ProcessName, "embedded"), freeKeys)),
    Layer.provideMerge(PostgresStore.layer),
    Layer.provideMerge(database)
  )
}
