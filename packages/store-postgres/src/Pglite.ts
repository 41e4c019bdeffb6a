/**
 * PostgreSQL embedded in this process, behind the same client as a server.
 *
 * @since 0.1.0
 */
import { PGlite } from "@electric-sql/pglite"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer } from "effect"
import type { Duplex } from "node:stream"
import { resolve } from "node:path"
import { type DatabaseThread, openDatabaseThread } from "./internal/DatabaseThread.ts"
import { lockDirectory } from "./internal/DirectoryLock.ts"
import { transactInTurn } from "./internal/transactInTurn.ts"
import { framesDuplex } from "./internal/framesDuplex.ts"

export { BackUpFailed, DatabaseNotOpened } from "./internal/DatabaseThread.ts"
export {
  type DirectoryHolder,
  DirectoryInUse,
  DirectoryNotUsable
} from "./internal/DirectoryLock.ts"

/** Where an embedded database is kept. @category models @since 0.1.0 */
export interface PgliteOptions {
  /** In memory without one, and gone with the scope. */
  readonly directory?: string | undefined
  /** Megabytes of log after which data files are written; 64 by default. */
  readonly checkpointMegabytes?: number | undefined
  /** The file of the database's thread, where it is another one. */
  readonly script?: URL | undefined
}

const upkeepMs = 60_000

/** One session after the other, on which statements of many fibres go as one. */
const clientOver = (connect: () => Duplex) =>
  Effect.map(
    PgClient.make({
      stream: connect,
      database: "postgres",
      username: "postgres",
      maxConnections: 1,
      minConnections: 1,
      idleTimeout: "1 day",
      multiplex: true
    }),
    (client) => {
      const { transactionService, withTransaction } = client
      const inTurn = transactInTurn({ transactionService, withTransaction })
      return Object.assign(client, { driver: "pglite" as const, withTransaction: inTurn })
    }
  )

/** A session of a database in this thread. */
const connectTo = (database: PGlite) => (): Duplex =>
  framesDuplex({
    exchange: (frames, answer) => {
      const chunks: Array<Uint8Array> = []
      const onRawData = (bytes: Uint8Array): void => void chunks.push(bytes.slice())
      database
        .runExclusive(() => database.execProtocolRawStream(frames, { onRawData }))
        .then(() => answer(chunks), answer)
    },
    end: () => undefined
  })

/** In a thread of its own, over files that are locked for this process. */
const openDirectory = Effect.fnUntraced(function* (
  directory: string,
  { checkpointMegabytes = 64, script }: PgliteOptions
) {
  const path = resolve(directory)
  yield* lockDirectory(path)
  return yield* openDatabaseThread({
    directory: path,
    checkpointBytes: checkpointMegabytes * 1024 * 1024,
    upkeepMs,
    script
  })
})

/**
 * The thread of an embedded database, for work besides statements: `backUp` copies its data
 * directory while it is in use.
 *
 * @category services
 * @since 0.1.0
 */
export class EmbeddedDatabase extends Context.Service<EmbeddedDatabase, DatabaseThread>()(
  "@candlewick/store-postgres/Pglite/EmbeddedDatabase"
) {}

/**
 * The same as `layer` with a directory, and the database's thread beside the client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerDirectory = (options: PgliteOptions & { readonly directory: string }) =>
  PgClient.layerFrom(Effect.flatMap(EmbeddedDatabase, ({ connect }) => clientOver(connect))).pipe(
    Layer.provideMerge(Layer.effect(EmbeddedDatabase, openDirectory(options.directory, options)))
  )

/**
 * A `PgClient` over an embedded PostgreSQL.
 *
 * **Details**
 *
 * With a directory it runs in a thread of its own. An answered write survives the end of the
 * process and a loss of power: the log is synced before an answer leaves. The directory is locked;
 * a second process is refused with `DirectoryInUse`. Where the thread ends by itself, on a full
 * disk for instance, statements fail and the database is opened again for the next ones.
 *
 * **Gotchas**
 *
 * It has one session, so that transactions follow one another: each class of work in its turn.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: PgliteOptions = {}) =>
  options.directory === undefined
    ? layerOver(() => PGlite.create("memory://"))
    : PgClient.layerFrom(
        Effect.flatMap(openDirectory(options.directory, options), ({ connect }) =>
          clientOver(connect)
        )
      )

/**
 * A `PgClient` over a PGlite that the host opens in its own thread; the end of the scope closes it.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerOver = (open: () => Promise<PGlite>) =>
  PgClient.layerFrom(
    Effect.acquireRelease(Effect.promise(open), (database) =>
      Effect.promise(() => database.close())
    ).pipe(Effect.flatMap((database) => clientOver(connectTo(database))))
  )
