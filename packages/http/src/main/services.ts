/**
 * Everything wired: the stores that the settings name, the adapters, and the services over them.
 *
 * @since 0.1.0
 */
import {
  Candlewick,
  PaperBroker,
  ProcessName,
  RecordedMarketData,
  ReplayRate,
  RunEngine
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { Pglite, Postgres, PostgresStore } from "@candlewick/store-postgres"
import { Webhooks } from "@candlewick/webhooks"
import { Layer } from "effect"
import { clusterRunEngine } from "./clusterRunEngine.ts"
import type { ServerSettings } from "./settings.ts"

/** The services over stores, with runs carried out by an engine. */
const servicesOn = <E, R>(engine: Layer.Layer<RunEngine, E, R>, settings: ServerSettings) => {
  const webhooks = Webhooks.layerWith({
    allowCidrs: settings.webhookAllowCidrs,
    ports: settings.webhookPorts,
    allowHttp: settings.webhookAllowHttp
  })
  const ports = Layer.mergeAll(PaperBroker.layer, RecordedMarketData.layer, webhooks).pipe(
    Layer.provide(Layer.succeed(ReplayRate, settings.replayRate))
  )
  return Candlewick.layerOn(engine, { size: settings.workers }).pipe(Layer.provide(ports))
}

/** Every service and port of the server, but for HTTP. */
export const servicesOf = (settings: ServerSettings) => {
  const { store } = settings
  if (store.type === "memory") {
    return servicesOn(RunEngine.layerMemory, settings).pipe(Layer.provideMerge(MemoryStore.layer))
  }
  const database = store.type === "postgres" ? Postgres.layer(store) : Pglite.layer(store)
  const isShared = store.type === "postgres"
  // An embedded database has one process at a time, and the next one may go on at once.
  const name = isShared ? Layer.empty : Layer.succeed(ProcessName, "the only process")
  return servicesOn(clusterRunEngine({ isShared }), settings).pipe(
    Layer.provide(name),
    Layer.provideMerge(PostgresStore.layer),
    Layer.provideMerge(database)
  )
}
