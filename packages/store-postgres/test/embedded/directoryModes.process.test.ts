/**
 * Only its owner may open a data directory or a file in it: tried on real directories.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Pglite } from "../../src/index.ts"
import { lockDirectory } from "../../src/internal/DirectoryLock.ts"
import { databaseDirectory, temporaryDirectory } from "./temporaryDirectory.ts"

const modeOf = (path: string): number => lstatSync(path).mode & 0o777

const pathsIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true }).map(({ name, parentPath }) =>
    join(parentPath, name)
  )

/** All that others may open, the directory itself included. */
const openTo = (directory: string): ReadonlyArray<string> =>
  [directory, ...pathsIn(directory)].filter((path) => (modeOf(path) & 0o077) !== 0)

/** Writes enough that PostgreSQL makes files, and gives the texts that were logged. */
const useDatabase = Effect.fnUntraced(function* (directory: string, target?: string) {
  const logged: Array<string> = []
  const logger = Logger.layer([
    Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${String(message)}`))
  ])
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create table if not exists notes as select g, repeat('x', 100) from generate_series(1, 20000) g`
    yield* sql`vacuum full notes`
    const database = yield* Pglite.EmbeddedDatabase
    if (target !== undefined) yield* database.backUp(target)
  }).pipe(Effect.provide(Layer.provide(Pglite.layerDirectory({ directory }), logger)))
  return logged
})

const attempt = (directory: string) => Effect.scoped(lockDirectory(directory))

describe.skipIf(process.platform === "win32")("the modes of a data directory", () => {
  it.live("let the owner alone in where it is made, used and copied", () =>
    Effect.gen(function* () {
      const parent = yield* temporaryDirectory
      const directory = join(parent, "data")
      const logged = yield* useDatabase(directory, join(parent, "copy"))
      assert.isAbove(pathsIn(directory).length, 900)
      assert.deepStrictEqual(openTo(directory), [])
      assert.deepStrictEqual(openTo(join(parent, "copy")), [])
      assert.deepStrictEqual(logged, [])
    }).pipe(Effect.scoped)
  )

  it.live("are mended where there is one, and that is told", () =>
    Effect.gen(function* () {
      const directory = yield* databaseDirectory
      for (const path of pathsIn(directory)) {
        chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o666)
      }
      chmodSync(directory, 0o755)
      const count = pathsIn(join(directory, "pg")).length + 1
      const logged = yield* useDatabase(directory)
      assert.deepStrictEqual(openTo(directory), [])
      assert.lengthOf(logged, 1)
      assert.include(logged[0], `Warn the modes of the data directory ${directory} (0755)`)
      assert.include(logged[0], `and ${count} files and folders in it`)
      assert.deepStrictEqual(yield* useDatabase(directory), [])
    }).pipe(Effect.scoped)
  )

  it.live("are refused where others may need the directory as it is, and nothing is changed", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      writeFileSync(join(directory, "notes.txt"), "mine")
      chmodSync(directory, 0o755)
      const sticky = join(directory, "sticky")
      mkdirSync(sticky)
      chmodSync(sticky, 0o1777)
      for (const [path, mode] of [
        [directory, 0o755],
        [sticky, 0o1777]
      ] as const) {
        const { message } = yield* Effect.flip(attempt(path))
        assert.include(message, `others than its owner may open it (0${mode.toString(8)})`)
        assert.include(message, "name a directory inside it")
        assert.strictEqual(lstatSync(path).mode & 0o7777, mode)
      }
      assert.deepStrictEqual(readdirSync(directory), ["notes.txt", "sticky"])
      yield* attempt(join(directory, "data"))
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(process.getuid?.() !== 0)("are refused where another user owns it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      chownSync(directory, 65_534, 65_534)
      const { message } = yield* Effect.flip(attempt(directory))
      assert.include(
        message,
        "it belongs to the user with number 65534, and this process runs as 0"
      )
    }).pipe(Effect.scoped)
  )
})
