/**
 * `candlewick-server backup <directory>`: a copy of the embedded database, of one moment, whether a
 * server runs on it or not.
 *
 * @since 0.1.0
 */
import { Pglite } from "@candlewick/store-postgres"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { askForBackUp, BackUpRefused } from "./backUpSocket.ts"
import type { StoreSetting } from "./settings.ts"

/** Fails with a reason. */
export const refuseBackUp = (reason: string) =>
  Effect.fail(new BackUpRefused({ reason, isNobodyThere: false }))

/** Makes a back-up of the data of a server with these settings, in a new directory. */
export const backUp = Effect.fnUntraced(function* (store: StoreSetting, target: string) {
  if (store.type === "memory") return yield* refuseBackUp("a store in memory has no back-up")
  if (store.type === "postgres") return yield* refuseBackUp("use pg_dump for a database server")
  const { directory } = store
  if (!existsSync(join(directory, "pg")))
    return yield* refuseBackUp(`nothing is kept in ${directory}`)
  const alone = Effect.flatMap(Pglite.EmbeddedDatabase, (database) => database.backUp(target)).pipe(
    Effect.provide(Pglite.layerDirectory({ directory }))
  )
  return yield* Effect.catchIf(
    askForBackUp(directory, target),
    ({ isNobodyThere }) => isNobodyThere,
    () => alone
  )
})
