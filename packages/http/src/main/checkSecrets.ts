/**
 * Whether the keys of the server open the sealed texts of its store.
 *
 * Looked at before anything is sent: with a wrong key every delivery would fail, one by one.
 *
 * @since 0.1.0
 */
import {
  AccountStore,
  SecretBox,
  sealedKeyOf,
  type SecretSealing,
  type StoreError,
  type WebhookEndpoint,
  EndpointStore
} from "@candlewick/core"
import { Effect, Schema } from "effect"

/** More than an account may have. */
const webhooksMax = 100
const accountsAtOnce = 16

/** A webhook's secret opens with no key that was given. @category errors @since 0.1.0 */
export class SecretsUnreadable extends Schema.TaggedError<SecretsUnreadable>()(
  "SecretsUnreadable",
  { webhook: Schema.String }
) {
  override get message(): string {
    return (
      `the secrets of webhook ${this.webhook} open with no encryption key that is given; ` +
      "set CANDLEWICK_ENCRYPTION_KEY to the key that they were sealed with, or put " +
      "encryption.key back into the data directory; if the key is lost, start with " +
      "CANDLEWICK_KEY_LOST=true, rotate the secrets and set the webhooks' headers again"
    )
  }
}

/** Checks whether texts open; a key that has opened one opens all that name it. */
const makeReader = (box: SecretSealing) => {
  const proven = new Set<string>()
  const isReadable = (text: string): Effect.Effect<boolean> => {
    const key = sealedKeyOf(text)
    if (key === null || proven.has(key)) return Effect.succeed(true)
    return Effect.map(box.open(text), () => {
      proven.add(key)
      return true
    }).pipe(Effect.catchDefect(() => Effect.succeed(false)))
  }
  return ({ headers, sealed_url, secrets }: WebhookEndpoint) => {
    const address = sealed_url === null ? [] : [sealed_url]
    const sealed = [...secrets, ...address, ...Object.values(headers)]
    return Effect.map(Effect.forEach(sealed, isReadable), (all) => all.every((isOne) => isOne))
  }
}

/**
 * Fails where a kept secret of any account can't be opened.
 *
 * @category services
 * @since 0.1.0
 */
export const checkSecrets: Effect.Effect<
  void,
  SecretsUnreadable | StoreError,
  AccountStore | EndpointStore
> = Effect.gen(function* () {
  const accounts = yield* Effect.flatMap(AccountStore, ({ listAll }) => listAll)
  const { list } = yield* EndpointStore
  const isReadable = makeReader(yield* SecretBox)
  const checkAccount = Effect.fnUntraced(function* (accountId: string) {
    const { items } = yield* list(accountId, { limit: webhooksMax })
    for (const endpoint of items) {
      if (!(yield* isReadable(endpoint))) {
        return yield* new SecretsUnreadable({ webhook: endpoint.id })
      }
    }
  })
  yield* Effect.forEach(accounts, ({ id }) => checkAccount(id), {
    concurrency: accountsAtOnce,
    discard: true
  })
})
