/**
 * The key in the data directory: what a start makes of one that is missing or damaged.
 */
import { Accounts, EndpointStore, SecretBox } from "@candlewick/core"
import { endpointRecord } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { databaseDirectory } from "../../../store-postgres/test/embedded/temporaryDirectory.ts"
import { servicesOf } from "../../src/main/services.ts"
import { readSettings } from "../../src/main/settings.ts"

/** Does something with the services of a server on a directory, or fails as their start does. */
const onServer = <A, E>(
  directory: string,
  work: Effect.Effect<A, E, Accounts | EndpointStore>,
  environment: Readonly<Record<string, string>> = {}
) => {
  const settings = readSettings({
    CANDLEWICK_DATA_DIR: directory,
    CANDLEWICK_WORKERS: "1",
    ...environment
  })
  return Effect.flatMap(Layer.build(servicesOf(settings)), (context) =>
    Effect.provide(work, context)
  ).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None"))
}

const messageOf = <A, E>(start: Effect.Effect<A, E>): Effect.Effect<string, A> =>
  Effect.map(Effect.flip(start), (error) => (error instanceof Error ? error.message : ""))

/** Keeps a webhook whose secret is sealed with the server's key. */
const keepWebhook = Effect.gen(function* () {
  const { account } = yield* Effect.flatMap(Accounts, ({ create }) => create("owner"))
  const { seal } = yield* SecretBox
  const sealed = yield* seal("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g")
  const { insert } = yield* EndpointStore
  yield* insert(endpointRecord({ account_id: account.id, secrets: [sealed] }))
})

describe("the key in the data directory", { timeout: 180_000 }, () => {
  it.live("is made once, and not replaced where it is missing, unless it is lost", () =>
    Effect.gen(function* () {
      const directory = yield* databaseDirectory
      const path = join(directory, "encryption.key")
      yield* onServer(directory, keepWebhook)
      const text = readFileSync(path, "utf8")
      assert.strictEqual(Buffer.from(text, "base64").length, 32)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)

      renameSync(path, `${path}.away`)
      const missing = yield* messageOf(onServer(directory, Effect.void))
      assert.include(missing, "put encryption.key back into the data directory")
      assert.isFalse(existsSync(path))

      renameSync(`${path}.away`, path)
      yield* onServer(directory, Effect.void)
      assert.strictEqual(readFileSync(path, "utf8"), text)

      renameSync(path, `${path}.away`)
      yield* onServer(directory, Effect.void, { CANDLEWICK_KEY_LOST: "true" })
      assert.isTrue(existsSync(path))
    }).pipe(Effect.scoped)
  )

  it.live("is left as it is where it is damaged, and the start says what to do", () =>
    Effect.gen(function* () {
      const directory = yield* databaseDirectory
      const path = join(directory, "encryption.key")
      writeFileSync(path, "garbage\n")
      const said = yield* messageOf(onServer(directory, Effect.void))
      assert.include(said, `the key in ${path} can't be used`)
      assert.include(said, "put the file of a back-up in its place")
      assert.strictEqual(readFileSync(path, "utf8"), "garbage\n")
    }).pipe(Effect.scoped)
  )
})
