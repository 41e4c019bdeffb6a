/**
 * The keys that secrets are sealed with: the operator's, or one that is kept beside the embedded
 * database.
 *
 * @since 0.1.0
 */
import { makeEncryptionKey, parseEncryptionKeys, sealWith } from "@candlewick/core"
import { Data, Effect, Layer } from "effect"
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import type { ServerSettings } from "./settings.ts"

/** The name of the key's file in the data directory. */
const keyFile = "encryption.key"

/** A key can't be read, or its file not be made. @category errors @since 0.1.0 */
export class KeyFileNotUsable extends Data.TaggedError("KeyFileNotUsable")<{
  readonly path: string
  readonly reason: string
}> {
  override get message(): string {
    return `the key in ${this.path} can't be used: ${this.reason}`
  }
}

/** How secrets are sealed. @category models @since 0.1.0 */
export interface Sealing {
  readonly layer: Layer.Layer<never>
  /**
   * Puts a new key on the disk. Call it before anything is sealed with the key, and after all kept
   * secrets were seen to open without the key that may be missing.
   */
  readonly keep: Effect.Effect<void, KeyFileNotUsable>
}

const damaged =
  "it is not base64 of 32 bytes; put the file of a back-up in its place, or set " +
  "CANDLEWICK_ENCRYPTION_KEY to the old key; if that key is lost, move the file away and start " +
  "with CANDLEWICK_KEY_LOST=true"

const onFile = <A>(path: string, work: () => A): Effect.Effect<A, KeyFileNotUsable> =>
  Effect.try({
    try: work,
    catch: (error) =>
      new KeyFileNotUsable({ path, reason: error instanceof Error ? error.message : String(error) })
  })

const writeKey = (path: string, text: string): void => {
  const draft = `${path}.${process.pid}`
  const file = openSync(draft, "w", 0o600)
  writeSync(file, `${text}\n`)
  fsyncSync(file)
  closeSync(file)
  try {
    // A file that came to be there meanwhile is not written over.
    linkSync(draft, path)
  } finally {
    unlinkSync(draft)
  }
  const folder = openSync(join(path, ".."), "r")
  fsyncSync(folder)
  closeSync(folder)
}

const sealingOf = Effect.fnUntraced(function* (
  path: string,
  text: string,
  keep: Sealing["keep"] = Effect.void
) {
  const [first, ...others] = parseEncryptionKeys(text) ?? []
  if (first === undefined) return yield* new KeyFileNotUsable({ path, reason: damaged })
  return { layer: sealWith([first, ...others]), keep }
})

/** With the key of a data directory, or a new one where it has none. */
const sealingOfDirectory = Effect.fnUntraced(function* (directory: string) {
  const path = join(directory, keyFile)
  const found = yield* onFile(path, () =>
    existsSync(path) ? readFileSync(path, "utf8").trim() : null
  )
  if (found !== null) return yield* sealingOf(path, found)
  const text = yield* makeEncryptionKey
  return yield* sealingOf(
    path,
    text,
    onFile(path, () => writeKey(path, text))
  )
})

const unsealed = Layer.effectDiscard(
  Effect.logWarning(
    "Webhook secrets are kept in the database as they are: set CANDLEWICK_ENCRYPTION_KEY to seal them."
  )
)

/**
 * How secrets are sealed.
 *
 * **Details**
 *
 * `CANDLEWICK_ENCRYPTION_KEY` if it is set. Else a key in a file of the data directory, or one that
 * lasts as long as the process where nothing outlives it. A database server without the setting
 * keeps secrets as they are, and the start says so.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sealing = ({
  encryptionKeys,
  store
}: ServerSettings): Effect.Effect<Sealing, KeyFileNotUsable> => {
  if (encryptionKeys !== undefined) return sealingOf("CANDLEWICK_ENCRYPTION_KEY", encryptionKeys)
  switch (store.type) {
    case "postgres":
      return Effect.succeed({ layer: unsealed, keep: Effect.void })
    case "embedded":
      return sealingOfDirectory(store.directory)
    case "memory":
      return Effect.flatMap(makeEncryptionKey, (text) => sealingOf("memory", text))
  }
}
