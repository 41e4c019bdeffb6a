import {
  Accounts,
  EndpointStore,
  Ids,
  makeEncryptionKey,
  parseEncryptionKeys,
  sealWith,
  SecretBox
} from "@candlewick/core"
import { endpointRecord } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { checkSecrets } from "../../src/main/checkSecrets.ts"

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"

const aKey = Effect.map(makeEncryptionKey, (text) => parseEncryptionKeys(text)![0]!)

/** An account whose webhook is sealed with a key. */
const sealedWith = Effect.fnUntraced(function* (key: Uint8Array) {
  const { account } = yield* Effect.flatMap(Accounts, (accounts) => accounts.create("owner"))
  const seal = Effect.flatMap(SecretBox, (box) => box.seal(secret))
  const sealed = yield* Effect.provide(seal, sealWith([key]))
  const store = yield* EndpointStore
  return yield* store.insert(endpointRecord({ account_id: account.id, secrets: [sealed] }))
})

const App = Accounts.layer.pipe(Layer.provide(Ids.layer), Layer.provideMerge(MemoryStore.layer))

describe("checkSecrets", () => {
  it.live("lets a server start whose keys open what is kept, or that keeps nothing", () =>
    Effect.gen(function* () {
      yield* checkSecrets
      const [old, fresh] = [yield* aKey, yield* aKey]
      yield* sealedWith(old)
      yield* Effect.provide(checkSecrets, sealWith([old]))
      yield* Effect.provide(checkSecrets, sealWith([fresh, old]))
    }).pipe(Effect.provide(App))
  )

  it.live("refuses a key that is another, and none at all, and says what to do", () =>
    Effect.gen(function* () {
      const { id } = yield* sealedWith(yield* aKey)
      for (const box of [sealWith([yield* aKey]), Layer.empty]) {
        const error = yield* Effect.flip(Effect.provide(checkSecrets, box))
        assert.include(error.message, id)
        assert.include(error.message, "CANDLEWICK_ENCRYPTION_KEY")
        assert.include(error.message, "headers")
      }
    }).pipe(Effect.provide(App))
  )

  it.live("looks at every account and every key, however many there are", () =>
    Effect.gen(function* () {
      const [own, lost] = [yield* aKey, yield* aKey]
      const { create } = yield* Accounts
      yield* Effect.forEach(Array.from({ length: 250 }), () => create("owner"))
      yield* sealedWith(own)
      yield* Effect.provide(checkSecrets, sealWith([own]))
      const { id } = yield* sealedWith(lost)
      const error = yield* Effect.flip(Effect.provide(checkSecrets, sealWith([own])))
      assert.include(error.message, id)
      yield* Effect.provide(checkSecrets, sealWith([own, lost]))
    }).pipe(Effect.provide(App))
  )

  it.live("refuses headers that no key opens, with keys or without", () =>
    Effect.gen(function* () {
      const lost = yield* aKey
      const { account } = yield* Effect.flatMap(Accounts, ({ create }) => create("owner"))
      const sealed = yield* Effect.flatMap(SecretBox, ({ seal }) => seal("Bearer x")).pipe(
        Effect.provide(sealWith([lost]))
      )
      const { insert } = yield* EndpointStore
      yield* insert(
        endpointRecord({ account_id: account.id, secrets: [secret], headers: { "x-key": sealed } })
      )
      for (const box of [sealWith([yield* aKey]), Layer.empty]) {
        const error = yield* Effect.flip(Effect.provide(checkSecrets, box))
        assert.strictEqual(error._tag, "SecretsUnreadable")
      }
      yield* Effect.provide(checkSecrets, sealWith([lost]))
    }).pipe(Effect.provide(App))
  )
})
