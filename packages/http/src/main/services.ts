/**
 * Everything wired: the stores that the settings name, the adapters, and the services over them.
 *
 * @since 0.1.0
 */
import {
  type BotPlacement as BotPlacementPort,
  BotsPerAccount,
  Candlewick,
  IdempotencyStore,
  PaperBooks,
  RecordedMarketData,
  ReplayRate,
  Retention,
  RunEngine,
  StoreHealth
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { BotPlacement, Pglite, Postgres, PostgresStore } from "@candlewick/store-postgres"
import { Webhooks } from "@candlewick/webhooks"
import { Effect, Layer } from "effect"
import { backUpSocket } from "./backUpSocket.ts"
import { checkSecrets } from "./checkSecrets.ts"
import * as ClusterRunEngine from "./ClusterRunEngine.ts"
import { diskRoom } from "./diskRoom.ts"
import { ownHosts } from "./ownHosts.ts"
import { type Sealing, sealing } from "./sealing.ts"
import type { ServerSettings } from "./settings.ts"

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
  const ports = Layer.mergeAll(PaperBooks.layer, RecordedMarketData.layer, webhooks).pipe(
    Layer.provide([Layer.succeed(ReplayRate, settings.replayRate), sealed])
  )
  return Candlewick.layerOn(engine, { size: settings.workers }).pipe(
    Layer.provide(Layer.succeed(BotsPerAccount, settings.botsPerAccount)),
    Layer.merge(
      Retention.layer({
        runDays: settings.runRetentionDays,
        archivedBotDays: settings.archivedBotRetentionDays
      })
    ),
    Layer.provideMerge(ports),
    // Answers that are remembered are sealed too.
    Layer.provideMerge(sealed)
  )
}

/** Keys of requests that the end of the process before this one cut off. */
const freeKeys = Layer.effectDiscard(
  Effect.flatMap(IdempotencyStore, ({ releaseAll }) => releaseAll)
)

/** Connections of the engine of runs and of the placement of bots; each reserves one of them. */
const engineConnections = 2
const placementConnections = 2
const sharedConnectionsMin = 3

/**
 * The engine of runs, the placement of bots and the stores' client, on one PostgreSQL. Where there
 * are enough connections, engine and placement have some of their own. They hold runs and bots also
 * while bots and callers keep all others busy.
 */
const onPostgres = (store: Extract<ServerSettings["store"], { readonly type: "postgres" }>) => {
  const engine = ClusterRunEngine.layer({ isShared: true })
  const forBoth = store.connectionsMax - engineConnections
  if (forBoth < sharedConnectionsMin) {
    return { engine, stores: PostgresStore.layer, database: Postgres.layerWatched(store) }
  }
  const own = (applicationName: string, connectionsMax: number) =>
    Postgres.layer({ ...store, connectionsMax, applicationName })
  const forEngine = own("candlewick runs", engineConnections)
  const isEnough = forBoth - placementConnections >= sharedConnectionsMin
  const forPlacement = isEnough ? own("candlewick placement", placementConnections) : forEngine
  const connectionsMax = isEnough ? forBoth - placementConnections : forBoth
  return {
    engine: Layer.provide(engine, forEngine),
    stores: PostgresStore.layerWith(Layer.provide(BotPlacement.layer, forPlacement)),
    database: Postgres.layerWatched({ ...store, connectionsMax })
  }
}

/** The same over a database of this process alone. */
const onDirectory = (store: Extract<ServerSettings["store"], { readonly type: "embedded" }>) => ({
  engine: ClusterRunEngine.layer({ isShared: false }),
  database: Layer.provideMerge(backUpSocket(store.directory), Pglite.layerDirectory(store))
})

/** The differences to the services of a server. */
export interface ServicesOptions {
  /**
   * The runner of bots; without it this process runs them, with the others on a shared database.
   */
  readonly placement?: Layer.Layer<BotPlacementPort>
}

/** Every service and port of the server, but for HTTP. */
export const servicesOf = (settings: ServerSettings, { placement }: ServicesOptions = {}) => {
  const { store } = settings
  const health = StoreHealth.layer(
    store.type === "embedded" ? diskRoom(store.directory) : undefined
  )
  const over = <E, R>(engine: Layer.Layer<RunEngine, E, R>) =>
    Layer.unwrap(
      Effect.map(sealing(settings), (sealed) => servicesOn(engine, settings, sealed))
    ).pipe(Layer.provide(StoreHealth.guard), Layer.provideMerge(health))
  if (store.type === "memory") {
    return over(RunEngine.layerMemory).pipe(Layer.provideMerge(MemoryStore.layer))
  }
  if (store.type === "postgres") {
    const { database, engine, stores } = onPostgres(store)
    const placed = placement === undefined ? stores : PostgresStore.layerWith(placement)
    return over(engine).pipe(Layer.provideMerge(placed), Layer.provideMerge(database))
  }
  const { database, engine } = onDirectory(store)
  // Its directory is locked, so that the next process takes up the work of a killed one at once.
  return over(engine).pipe(
    Layer.provide(freeKeys),
    Layer.provideMerge(
      placement === undefined ? PostgresStore.layerAlone : PostgresStore.layerWith(placement)
    ),
    Layer.provideMerge(database)
  )
}
