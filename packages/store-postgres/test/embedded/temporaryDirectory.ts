/**
 * Directories that are gone with the scope.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Pglite } from "../../src/index.ts"

/** Makes an empty directory. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "candlewick-store-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

let template: string | undefined

/** Makes a directory with an empty database, which takes a while the first time only. */
export const databaseDirectory = Effect.gen(function* () {
  if (template === undefined) {
    const made = mkdtempSync(join(tmpdir(), "candlewick-template-"))
    process.once("exit", () => rmSync(made, { recursive: true, force: true }))
    yield* Effect.provide(SqlClient.SqlClient, Pglite.layer({ directory: made }))
    template = made
  }
  const directory = yield* temporaryDirectory
  cpSync(template, directory, { recursive: true })
  return directory
})
