/**
 * Makes API keys, of which only a hash is kept.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Struct } from "effect"
import {
  type ApiKey,
  type ApiKeyRequest,
  type ApiKeyView,
  ownerScopes,
  type Scope
} from "../../domain/Account.ts"
import { fromTimestamp, toTimestamp } from "@candlewick/engine"
import { Limits } from "../../domain/Limits.ts"
import { problem } from "../../domain/Problem.ts"
import { dayMs } from "@candlewick/engine/kernel"
import type { AccountStore } from "../../ports/AccountStore.ts"
import type { Ids } from "../Ids.ts"
import { type KeyText, makeKeyText, toKeyText } from "./keyText.ts"
import { sha256Hex } from "../sha256.ts"

interface Ports {
  readonly store: AccountStore["Service"]
  readonly ids: Ids["Service"]
}

/** A key as it is shown. */
export const toKeyView = (key: ApiKey): ApiKeyView =>
  Struct.omit(key, ["account_id", "lookup", "secret_hash"])

/** The rights of a key, and their time. */
export interface KeyTerms {
  readonly name: string
  readonly environment: KeyText["environment"]
  readonly scopes: ReadonlyArray<Scope>
  readonly expiresAt: string | null
}

/** The terms of an account's first key. */
export const firstKey: KeyTerms = {
  name: "Admin",
  environment: "live",
  scopes: ownerScopes,
  expiresAt: null
}

/** Keeps a key whose text is known. */
export const insertKey = Effect.fnUntraced(function* (
  { ids, store }: Ports,
  accountId: string,
  terms: KeyTerms & { readonly lookup: string; readonly secretHash: string }
) {
  return yield* store.insertKey({
    id: yield* ids.make("key"),
    account_id: accountId,
    name: terms.name,
    environment: terms.environment,
    scopes: terms.scopes,
    lookup: terms.lookup,
    secret_hash: terms.secretHash,
    expires_at: terms.expiresAt,
    last_used_at: null,
    revoked_at: null,
    created_at: toTimestamp(yield* Clock.currentTimeMillis)
  })
})

/** Makes a key and keeps it; its text is in the answer and nowhere else. */
export const insertFreshKey = Effect.fnUntraced(function* (
  ports: Ports,
  accountId: string,
  terms: KeyTerms
) {
  const text = makeKeyText(terms.environment)
  const secretHash = yield* sha256Hex(text.secret)
  const key = yield* insertKey(ports, accountId, { ...terms, lookup: text.lookup, secretHash })
  return { key: toKeyView(key), secret: toKeyText(text) }
})

/**
 * When a key ends: a year from now unless the caller says otherwise, never where the caller says
 * null.
 */
export const expiryOf = Effect.fnUntraced(function* (request: ApiKeyRequest) {
  const nowMs = yield* Clock.currentTimeMillis
  if (request.expires_at === undefined) return toTimestamp(nowMs + Limits.keyDaysDefault * dayMs)
  if (request.expires_at === null) return null
  const expiresAtMs = fromTimestamp(request.expires_at)
  // Written as "not after" so that a date that does not exist, which reads as NaN, is refused too.
  if (!(expiresAtMs > nowMs)) {
    const message = "expires_at must be in the future, or null for a key that does not expire."
    return yield* problem("unprocessable", message, {
      errors: [{ pointer: "/expires_at", code: "not_in_the_future", message }]
    })
  }
  return toTimestamp(expiresAtMs)
})
