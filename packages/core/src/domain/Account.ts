/**
 * Accounts and their API keys.
 *
 * An account sees its own records and the shared ones. A key acts for its account within its
 * scopes. The kill switch belongs to the account.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { boundedText } from "./boundedText.ts"
import { AccountId, BotId, KeyId } from "./Identifier.ts"
import { Timestamp } from "@candlewick/engine"
import { DisplayName } from "./Strategy.ts"

/** Everything a key may be allowed. @category tables @since 0.1.0 */
export const scopes = [
  "bots:read",
  "bots:write",
  "bots:execute",
  "signals:send",
  "strategies:read",
  "strategies:write",
  "strategies:run",
  "market:read",
  "market:write",
  "alerts:write",
  "webhooks:read",
  "webhooks:write",
  "account:write",
  "keys:manage"
] as const

/**
 * The rights of an account owner's key: all but being the address of a signal, which other services
 * keep.
 *
 * @category tables
 * @since 0.1.0
 */
export const ownerScopes = scopes.filter((scope) => scope !== "signals:send")

/**
 * The scopes that a key with these scopes may pass on to another. A key that may command a bot may
 * pass on signals for it.
 *
 * @category tables
 * @since 0.1.0
 */
export const grantedBy = (granted: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  granted.includes("bots:execute") ? [...granted, "signals:send"] : granted

/** Something a key may be allowed. @category schemas @since 0.1.0 */
export const Scope = Schema.Literals(scopes)

/** Something a key may be allowed. @category models @since 0.1.0 */
export type Scope = typeof Scope.Type

/** An account. @category schemas @since 0.1.0 */
export const Account = Schema.Struct({
  id: AccountId,
  name: DisplayName,
  /** Whether the kill switch is on: nothing increases exposure. */
  is_halted: Schema.Boolean,
  halted_reason: Schema.NullOr(Schema.String),
  version: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp
})

/** An account. @category models @since 0.1.0 */
export type Account = typeof Account.Type

/** Why an account is to be halted. @category schemas @since 0.1.0 */
export const HaltRequest = Schema.Struct({
  reason: Schema.optionalKey(boundedText(1, 500))
})

/** Why an account is to be halted. @category models @since 0.1.0 */
export type HaltRequest = typeof HaltRequest.Type

/**
 * The account after a halt or its end, and the effect on its bots.
 *
 * @category schemas
 * @since 0.1.0
 */
export const HaltOutcome = Schema.Struct({
  ...Account.fields,
  /** False where it was so already; the reason is that of the first halt then. */
  changed: Schema.Boolean,
  /** Resting orders that would have increased exposure, and are cancelled. */
  orders_cancelled: Schema.Int,
  /**
   * Bots that could not be notified at once. They enter nothing either, and cancel resting entries
   * before their next candle.
   */
  bots_waiting: Schema.Array(BotId)
})

/** The account after it was halted or resumed. @category models @since 0.1.0 */
export type HaltOutcome = typeof HaltOutcome.Type

/** A key as it is kept: only a hash of its secret. @category schemas @since 0.1.0 */
export const ApiKey = Schema.Struct({
  id: KeyId,
  account_id: AccountId,
  name: DisplayName,
  environment: Schema.Literals(["live", "test"]),
  scopes: Schema.Array(Scope),
  /**
   * The 12 characters by which a presented key is found, or a fingerprint for a key set by the
   * operator.
   */
  lookup: Schema.String,
  /** SHA-256 of the secret, in hex. */
  secret_hash: Schema.String,
  expires_at: Schema.NullOr(Timestamp),
  last_used_at: Schema.NullOr(Timestamp),
  revoked_at: Schema.NullOr(Timestamp),
  created_at: Timestamp
})

/** A key as it is kept. @category models @since 0.1.0 */
export type ApiKey = typeof ApiKey.Type

/** A key as it is shown. @category schemas @since 0.1.0 */
export const ApiKeyView = Schema.Struct({
  id: KeyId,
  name: DisplayName,
  environment: Schema.Literals(["live", "test"]),
  scopes: Schema.Array(Scope),
  expires_at: Schema.NullOr(Timestamp),
  last_used_at: Schema.NullOr(Timestamp),
  revoked_at: Schema.NullOr(Timestamp),
  created_at: Timestamp
})

/** A key as it is shown. @category models @since 0.1.0 */
export type ApiKeyView = typeof ApiKeyView.Type

/** The request of a caller. @category schemas @since 0.1.0 */
export const ApiKeyRequest = Schema.Struct({
  name: DisplayName,
  scopes: Schema.optionalKey(Schema.NonEmptyArray(Scope)),
  environment: Schema.optionalKey(Schema.Literals(["live", "test"])),
  expires_at: Schema.optionalKey(Schema.NullOr(Timestamp))
})

/** The request of a caller. @category models @since 0.1.0 */
export type ApiKeyRequest = typeof ApiKeyRequest.Type
