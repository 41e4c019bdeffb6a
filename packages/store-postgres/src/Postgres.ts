/**
 * A PostgreSQL server, behind the same client as an embedded one.
 *
 * @since 0.1.0
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Layer, Redacted } from "effect"
import { watchSessions } from "./internal/watchSessions.ts"

/** Which server, and how it is used. @category models @since 0.1.0 */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with `sslmode` and others as parameters. */
  readonly url: string
  /** Connections at most; 10 by default. */
  readonly connectionsMax?: number | undefined
  /** The name of the sessions in `pg_stat_activity`; `candlewick` by default. */
  readonly applicationName?: string | undefined
}

/**
 * A `PgClient` over a pool of connections.
 *
 * **Details**
 *
 * The server ends a statement that takes longer than 30 s, or that waits as long for a lock. It
 * ends a transaction in which nothing happens for a minute. A transaction that holds a bot or the
 * events about to be published has eight seconds. Sessions are in UTC. The settings of the server,
 * the database and the role don't change that. Times without a zone then mean the same to all
 * processes, and no hour comes twice.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = ({
  applicationName = "candlewick",
  connectionsMax = 10,
  url
}: PostgresOptions) =>
  PgClient.layer({
    url: Redacted.make(url),
    applicationName,
    maxConnections: connectionsMax,
    connectTimeout: "5 seconds",
    startupParameters: {
      timezone: "UTC",
      statement_timeout: "30s",
      lock_timeout: "30s",
      idle_in_transaction_session_timeout: "60s"
    }
  })

/**
 * The same, and its sessions shown in `/metrics`: once for a process, however many pools it has.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWatched = (options: PostgresOptions) =>
  Layer.provideMerge(watchSessions, layer(options))
