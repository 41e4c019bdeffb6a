/**
 * The SQL stores together, migrated: so far the transactor, bots, their leases and checkpoints of
 * runs.
 *
 * @since 0.1.0
 */
import { Layer } from "effect"
import * as BotLeases from "./BotLeases.ts"
import * as BotStore from "./BotStore.ts"
import { migrate } from "./Migrations.ts"
import * as Pglite from "./Pglite.ts"
import * as RunCheckpoints from "./RunCheckpoints.ts"
import * as Transactor from "./Transactor.ts"

/** The stores over a client that the host provides, once its schema is up to date. */
const layer = Layer.mergeAll(
  Transactor.layer,
  BotLeases.layer,
  BotStore.layer,
  RunCheckpoints.layer
).pipe(Layer.provideMerge(Layer.effectDiscard(migrate)))

/**
 * Stores in PostgreSQL.
 *
 * @category layers
 * @since 0.1.0
 */
export const PostgresStore = {
  /** Over the `SqlClient` of a server or an embedded database. */
  layer,
  /** Over a PostgreSQL embedded in this process. */
  layerPglite: (options: Pglite.PgliteOptions = {}) =>
    layer.pipe(Layer.provide(Pglite.layer(options)))
}
