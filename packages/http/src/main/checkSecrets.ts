/**
 * Whether the keys that the server was given open what is sealed in its store.
 *
 * Looked at before anything is sent: with a wrong key every delivery would fail, one by one.
 *
 * @since 0.1.0
 */
import {
  AccountStore,
  SecretBox,
  type StoreError,
  type WebhookEndpoint,
  WebhookStore
} from "@candlewick/core"
import { Effect, Schema } from "effect"

/** How many accounts are looked at: enough to see a key that is not there. */
const accountsMax = 200
const webhooksMax = 100
const secretPrefix = "whsec_"

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

const isReadable = ({ headers, secrets }: WebhookEndpoint) =>
  Effect.gen(function* () {
    const box = yield* SecretBox
    const opened = yield* Effect.forEach(secrets, box.open)
    yield* Effect.forEach(Object.values(headers), box.open)
    return opened.every((text) => text.startsWith(secretPrefix))
  }).pipe(Effect.catchDefect(() => Effect.succeed(false)))

/**
 * Fails where a secret that is kept can't be opened.
 *
 * @category services
 * @since 0.1.0
 */
export const checkSecrets: Effect.Effect<
  void,
  SecretsUnreadable | StoreError,
  AccountStore | WebhookStore
> = Effect.gen(function* () {
  const accounts = yield* Effect.flatMap(AccountStore, ({ listAll }) => listAll)
  const { list } = yield* WebhookStore
  for (const { id } of accounts.slice(0, accountsMax)) {
    const { items } = yield* list(id, { limit: webhooksMax })
    for (const endpoint of items) {
      if (!(yield* isReadable(endpoint))) {
        return yield* new SecretsUnreadable({ webhook: endpoint.id })
      }
    }
  }
})
