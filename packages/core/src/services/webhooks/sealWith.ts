/**
 * Secrets at rest, sealed with AES-256-GCM under keys that only the host knows.
 *
 * A sealed text names its key, so that keys can be changed: the first one seals, all of them open.
 *
 * @since 0.1.0
 */
import { Effect, Layer, Result } from "effect"
import { Base64, Base64Url } from "effect/encoding"
import { SecretBox, sealedMark, type SecretSealing } from "../../ports/SecretBox.ts"
import { sha256Hex } from "../sha256.ts"

const keyBytes = 32
const nonceBytes = 12
const idLength = 8

interface NamedKey {
  readonly id: string
  readonly key: Awaited<ReturnType<typeof crypto.subtle.importKey>>
}

/**
 * Reads keys from text: base64 of 32 bytes each, separated by commas; null where one is not.
 *
 * @category models
 * @since 0.1.0
 */
export const parseEncryptionKeys = (text: string): ReadonlyArray<Uint8Array> | null => {
  const keys = text.split(",").map((one) => Base64.decode(one.trim()))
  const sound = keys.flatMap((key) =>
    Result.isSuccess(key) && key.success.length === keyBytes ? [key.success] : []
  )
  return sound.length === keys.length ? sound : null
}

/** A new key as text. @category constructors @since 0.1.0 */
export const makeEncryptionKey: Effect.Effect<string> = Effect.sync(() =>
  Base64.encode(crypto.getRandomValues(new Uint8Array(keyBytes)))
)

const named = (bytes: Uint8Array): Effect.Effect<NamedKey> => {
  const own = new Uint8Array(bytes)
  return Effect.all({
    id: Effect.map(sha256Hex(own), (digest) => digest.slice(0, idLength)),
    key: Effect.promise(() =>
      crypto.subtle.importKey("raw", own, "AES-GCM", false, ["encrypt", "decrypt"])
    )
  })
}

/**
 * The name of the key that a text was sealed with, or null where it is not sealed.
 *
 * @category models
 * @since 0.1.0
 */
export const sealedKeyOf = (text: string): string | null =>
  text.startsWith(sealedMark) ? (text.slice(sealedMark.length).split(".")[0] ?? null) : null

const seal = Effect.fnUntraced(function* ({ id, key }: NamedKey, text: string) {
  const iv = crypto.getRandomValues(new Uint8Array(nonceBytes))
  const sealed = yield* Effect.promise(() =>
    crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(text))
  )
  const parts = [iv, new Uint8Array(sealed)].map((part) => Base64Url.encode(part))
  return sealedMark + [id, ...parts].join(".")
})

const open = Effect.fnUntraced(function* (keys: ReadonlyArray<NamedKey>, sealed: string) {
  // The texts kept before there were keys.
  if (!sealed.startsWith(sealedMark)) return sealed
  const [id, ...parts] = sealed.slice(sealedMark.length).split(".")
  const key = keys.find((one) => one.id === id)?.key
  if (key === undefined) {
    return yield* Effect.die(new Error(`the encryption key ${id} is not among those given`))
  }
  const [iv, text] = parts.map((part) => Result.getOrThrow(Base64Url.decode(part)))
  const opened = yield* Effect.promise(() =>
    crypto.subtle.decrypt({ name: "AES-GCM", iv: new Uint8Array(iv!) }, key, new Uint8Array(text!))
  )
  return new TextDecoder().decode(opened)
})

/**
 * Seals with the first of these keys of 32 bytes, and opens with all of them.
 *
 * @category layers
 * @since 0.1.0
 */
export const sealWith = (
  keys: readonly [Uint8Array, ...ReadonlyArray<Uint8Array>]
): Layer.Layer<never> =>
  Layer.effect(
    SecretBox,
    Effect.gen(function* () {
      const all = yield* Effect.forEach(keys, named)
      const service: SecretSealing = {
        isPlain: false,
        seal: (text) => seal(all[0], text),
        open: (sealed) => open(all, sealed)
      }
      return service
    })
  )
