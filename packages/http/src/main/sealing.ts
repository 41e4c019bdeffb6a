/**
 * The keys that secrets are sealed with: the operator's, or one that is kept beside the embedded
 * database.
 *
 * @since 0.1.0
 */
import { makeEncryptionKey, parseEncryptionKeys, sealWith } from "@candlewick/core"
import { Effect, Layer } from "effect"
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import type { ServerSettings } from "./settings.ts"

/** The name of the key's file in the data directory. */
const keyFile = "encryption.key"

const keysOf = (text: string): readonly [Uint8Array, ...ReadonlyArray<Uint8Array>] => {
  const [first, ...others] = parseEncryptionKeys(text) ?? []
  if (first === undefined) throw new Error(`${keyFile} in the data directory is damaged`)
  return [first, ...others]
}

/** Reads the key of a data directory, which is made on first use. */
const keyOfDirectory = Effect.fnUntraced(function* (directory: string) {
  const path = join(directory, keyFile)
  if (existsSync(path)) return keysOf(readFileSync(path, "utf8").trim())
  const text = yield* makeEncryptionKey
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // On the disk before anything is sealed with it: without it, what is sealed is lost.
  const draft = `${path}.${process.pid}`
  const file = openSync(draft, "w", 0o600)
  writeSync(file, `${text}\n`)
  fsyncSync(file)
  closeSync(file)
  try {
    linkSync(draft, path)
  } catch (error) {
    // Another process was quicker; only one of the two gets the directory.
    if (!existsSync(path)) throw error
  }
  unlinkSync(draft)
  const folder = openSync(directory, "r")
  fsyncSync(folder)
  closeSync(folder)
  return keysOf(readFileSync(path, "utf8").trim())
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
 * @category layers
 * @since 0.1.0
 */
export const sealing = ({ encryptionKeys, store }: ServerSettings): Layer.Layer<never> => {
  if (encryptionKeys !== undefined) return sealWith(keysOf(encryptionKeys))
  if (store.type === "postgres") return unsealed
  return Layer.unwrap(
    Effect.map(
      store.type === "embedded"
        ? keyOfDirectory(store.directory)
        : Effect.map(makeEncryptionKey, keysOf),
      sealWith
    )
  )
}
