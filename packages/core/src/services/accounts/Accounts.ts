/**
 * Accounts and API keys: they name the caller and its rights.
 *
 * A server authenticates each request here. A key is shown once, when it is made; the store keeps
 * only its hash. This service reads no header: a server does, and compares the scopes of the key.
 *
 * **Example** (The holder of a key)
 *
 * ```ts
 * import { Accounts, Ids } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const accounts = yield* Accounts
 *   const { account, secret } = yield* accounts.create("Ada")
 *   const { accountId, scopes } = yield* accounts.authenticate(secret)
 *   console.log(accountId === account.id, scopes.includes("bots:execute"))
 * })
 * const ground = Layer.provideMerge(Ids.layer, MemoryStore.layer)
 * await Effect.runPromise(Effect.provide(program, Layer.provide(Accounts.layer, ground)))
 * ```
 *
 * ```text output
 * true true
 * ```
 *
 * @since 0.1.0
 */
import { Clock, Context, Effect, Fiber, FiberMap, Layer, Option } from "effect"
import {
  type Account,
  type ApiKey,
  type ApiKeyRequest,
  grantedBy,
  ownerScopes,
  type Scope
} from "../../domain/Account.ts"
import { fromTimestamp, toTimestamp } from "@candlewick/engine"
import { operatorAccountId } from "../../domain/Identifier.ts"
import { Limits } from "../../domain/Limits.ts"
import { passesFilter, type KeyPageRequest } from "../../domain/listFilters.ts"
import type { PageRequest } from "../../domain/Page.ts"
import type { accountOperations, IssuedKey } from "../../domain/operations/accountOperations.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { minuteMs } from "@candlewick/engine/kernel"
import { AccountStore } from "../../ports/AccountStore.ts"
import { Transactor } from "../../ports/Transactor.ts"
import { Ids } from "../Ids.ts"
import type { MethodsOf } from "../methodsOf.ts"
import { allPages } from "../allPages.ts"
import { checkQuota, lockAccount } from "./checkQuota.ts"
import { expiryOf, firstKey, insertFreshKey, insertKey, toKeyView } from "./freshKey.ts"
import { fromKeyText, type KeyText } from "./keyText.ts"
import { narrowedPage } from "../narrowedPage.ts"
import { required } from "../refusals.ts"
import { areDigestsEqual, sha256Hex } from "../sha256.ts"
import { transactOnce } from "../transactOnce.ts"

/** The caller of a request. @category models @since 0.1.0 */
export interface CallerIdentity {
  readonly accountId: string
  readonly keyId: string
  readonly scopes: ReadonlyArray<Scope>
}

/**
 * Accounts and their keys.
 *
 * @category services
 * @since 0.1.0
 */
export class Accounts extends Context.Service<
  Accounts,
  MethodsOf<typeof accountOperations> & {
    /** The holder of this bearer token; fails with `unauthenticated` or `key_expired`. */
    readonly authenticate: (token: string) => Effect.Effect<CallerIdentity, Problem | StoreError>

    /**
     * Makes sure that there is an account with an admin key. With `preset`, that text is its key;
     * otherwise a key is made on first start and returned, once.
     */
    readonly ensureAdmin: (
      preset?: string
    ) => Effect.Effect<
      { readonly accountId: string; readonly secret: string | null },
      Problem | StoreError
    >

    /** Adds an account with a first key. */
    readonly create: (
      name: string
    ) => Effect.Effect<{ readonly account: Account } & IssuedKey, StoreError>
  }
>()("@candlewick/core/services/Accounts") {
  /** Accounts over the stores; keys come from the host's secure randomness. */
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const ports: Ports = {
        store: yield* AccountStore,
        transactor: yield* Transactor,
        ids: yield* Ids,
        marking: yield* FiberMap.make<string>()
      }
      const { store } = ports
      let presetLookup: string | undefined
      return Accounts.of({
        authenticate: (token) => authenticate(ports, token, presetLookup),
        ensureAdmin: Effect.fn("Accounts.ensureAdmin")(function* (preset?: string) {
          if (preset === undefined) return yield* ensureAdminKey(ports)
          const lookup = yield* lookupOfPreset(preset)
          const admin = yield* ensurePreset(ports, preset, lookup)
          presetLookup = lookup
          return admin
        }),
        create: (name) => create(ports, name),
        get: (accountId) => required(store.get(accountId), "account", accountId),
        issueKey: (accountId, request, granted) => issueKey(ports, accountId, request, granted),
        listKeys: (accountId, page) =>
          Effect.map(listKeys(ports, accountId, page), ({ items, next }) => ({
            items: items.map(toKeyView),
            next
          })),
        revokeKey: (accountId, keyId) => revokeKey(ports, accountId, keyId)
      })
    })
  )
}

const listKeys = ({ store }: Ports, accountId: string, page: KeyPageRequest) => {
  const list = (part: PageRequest) => store.listKeys(accountId, part)
  const isAsked = passesFilter(page)
  return narrowedPage(
    list,
    page,
    ({ id }) => id,
    ({ environment, name, revoked_at }) =>
      isAsked({ environment, name, is_revoked: revoked_at !== null })
  )
}

interface Ports {
  readonly store: AccountStore["Service"]
  readonly transactor: Transactor["Service"]
  readonly ids: Ids["Service"]
  /** The notes of keys' uses that are under way. */
  readonly marking: FiberMap.FiberMap<string>
}

// The hyphen keeps these apart from the lookups of issued keys, which have none.
const presetPrefix = "preset-"

const lookupOfPreset = (preset: string): Effect.Effect<string> =>
  Effect.map(
    sha256Hex(`candlewick preset key\n${preset}`),
    (digest) => presetPrefix + digest.slice(0, 32)
  )

const unauthenticated = problem("unauthenticated", "A valid API key is required.")

const isActive = (key: ApiKey, nowMs: number): boolean =>
  key.revoked_at === null && (key.expires_at === null || fromTimestamp(key.expires_at) > nowMs)

// --- who is calling ---

// Untraced: every request comes through here, and a span with its stack costs more than the rest.
const authenticate = Effect.fnUntraced(function* (
  ports: Ports,
  token: string,
  presetLookup: string | undefined
) {
  const parsed = fromKeyText(token)
  if (parsed === null && token.length < Limits.presetKeyMinCharacters) return yield* unauthenticated
  const key = yield* findKey(ports, token, parsed, presetLookup)
  const nowMs = yield* Clock.currentTimeMillis
  if (key === null || key.revoked_at !== null) return yield* unauthenticated
  if (!isActive(key, nowMs)) {
    return yield* problem("key_expired", `The API key ${key.id} expired at ${key.expires_at}.`)
  }
  yield* markUsed(ports, key, nowMs)
  return { accountId: key.account_id, keyId: key.id, scopes: key.scopes }
})

/** The key that this text proves, whether or not it is still good. */
const findKey = Effect.fnUntraced(function* (
  { store }: Ports,
  token: string,
  parsed: KeyText | "mistyped" | null,
  presetLookup: string | undefined
) {
  if (parsed !== null && parsed !== "mistyped") {
    const key = yield* proven(store, parsed.lookup, parsed.secret)
    if (key !== null) return key.environment === parsed.environment ? key : null
  }
  const lookup = yield* lookupOfPreset(token)
  // Only an operator's own text may look like a key and have other check characters.
  if (parsed === "mistyped" && lookup !== presetLookup) return null
  return yield* proven(store, lookup, token)
})

const proven = Effect.fnUntraced(function* (store: Ports["store"], lookup: string, secret: string) {
  const hash = yield* sha256Hex(secret)
  const key = Option.getOrNull(yield* store.findKey(lookup))
  return key !== null && areDigestsEqual(key.secret_hash, hash) ? key : null
})

/** For how long a request waits until the store has noted the use of its key. */
const markPatience = "100 millis"

const markUsed = Effect.fnUntraced(function* (
  { marking, store }: Ports,
  key: ApiKey,
  nowMs: number
) {
  const minute = toTimestamp(nowMs - (nowMs % minuteMs))
  if (key.last_used_at !== null && key.last_used_at >= minute) return
  const mark = Effect.catch(store.markKeyUsed(key.account_id, key.id, minute), (error) =>
    Effect.logDebug(`could not note the use of ${key.id}: ${error.message}`)
  )
  // No request is to wait for a slow store because of a note, which goes on without it.
  const noting = yield* FiberMap.run(marking, key.id, mark, { onlyIfMissing: true })
  yield* Effect.timeoutOption(Fiber.await(noting), markPatience)
})

// --- accounts ---

const insertAccount = Effect.fnUntraced(function* ({ store }: Ports, id: string, name: string) {
  const now = toTimestamp(yield* Clock.currentTimeMillis)
  return yield* store.insert({
    id,
    name,
    is_halted: false,
    halted_reason: null,
    version: 1,
    created_at: now,
    updated_at: now
  })
})

const create = Effect.fn("Accounts.create")(function* (ports: Ports, name: string) {
  const id = yield* ports.ids.make("account")
  return yield* ports.transactor.transact(
    Effect.gen(function* () {
      const account = yield* insertAccount(ports, id, name)
      return { account, ...(yield* insertFreshKey(ports, id, firstKey)) }
    })
  )
})

// Two processes may come at once: the second finds the account that the first made.
const once = <A, E>(effect: Effect.Effect<A, E | StoreError>) =>
  Effect.retry(effect, {
    times: 1,
    while: (error: unknown) => isAlreadyThere(error)
  })

const isAlreadyThere = (error: unknown): boolean =>
  (error as StoreError)._tag === "StoreError" &&
  (error as StoreError).reason._tag === "AlreadyExists"

const adminAccount = Effect.fnUntraced(function* (ports: Ports) {
  const found = yield* ports.store.get(operatorAccountId)
  return Option.isSome(found)
    ? found.value
    : yield* insertAccount(ports, operatorAccountId, "Admin")
})

const keysOf = ({ store }: Ports, accountId: string) =>
  allPages((page) => store.listKeys(accountId, page))

const ensureAdminKey = (ports: Ports) =>
  once(
    ports.transactor.transact(
      Effect.gen(function* () {
        const { id } = yield* adminAccount(ports)
        // Two processes that start at once make one key.
        yield* lockAccount(ports.transactor, id)
        const nowMs = yield* Clock.currentTimeMillis
        const hasKey = (yield* keysOf(ports, id)).some(
          (key) => isActive(key, nowMs) && ownerScopes.every((scope) => key.scopes.includes(scope))
        )
        if (hasKey) return { accountId: id, secret: null }
        const { secret } = yield* insertFreshKey(ports, id, firstKey)
        return { accountId: id, secret }
      })
    )
  )

const ensurePreset = Effect.fnUntraced(function* (ports: Ports, preset: string, lookup: string) {
  const { store, transactor } = ports
  const least = Limits.presetKeyMinCharacters
  if (preset.length < least) {
    const message = `A preset admin key must have ${least} characters or more.`
    return yield* problem("validation_failed", message)
  }
  const secretHash = yield* sha256Hex(preset)
  return yield* once(
    transactor.transact(
      Effect.gen(function* () {
        const { id } = yield* adminAccount(ports)
        yield* lockAccount(transactor, id)
        const now = toTimestamp(yield* Clock.currentTimeMillis)
        for (const key of yield* keysOf(ports, id)) {
          const isOther = key.lookup.startsWith(presetPrefix) && key.lookup !== lookup
          if (isOther && key.revoked_at === null) {
            yield* store.updateKey({ ...key, revoked_at: now })
          }
        }
        const found = Option.getOrNull(yield* store.findKey(lookup))
        if (found === null) {
          yield* insertKey(ports, id, { ...firstKey, name: "Preset", lookup, secretHash })
        } else if (found.revoked_at !== null) {
          yield* store.updateKey({ ...found, revoked_at: null })
        }
        return { accountId: id, secret: null }
      })
    )
  )
})

// --- keys ---

const issueKey = Effect.fn("Accounts.issueKey")(function* (
  ports: Ports,
  accountId: string,
  request: ApiKeyRequest,
  granted: ReadonlyArray<Scope>
) {
  const wanted = [...new Set(request.scopes ?? granted)]
  const grantable = grantedBy(granted)
  const missing = wanted.filter((scope) => !grantable.includes(scope))
  if (missing.length > 0) {
    const message = `A key can't pass on scopes that it lacks: ${missing.join(", ")}.`
    return yield* problem("insufficient_scope", message, { required_scopes: missing })
  }
  const expiresAt = yield* expiryOf(request)
  return yield* transactOnce(
    ports.transactor,
    "issue",
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      yield* checkQuota(ports.transactor, {
        accountId,
        what: "keys",
        max: Limits.keysPerAccountMax,
        // Which keys count depends on the time as well.
        count: Effect.map(
          allPages((page) => ports.store.listKeys(accountId, page)),
          (keys) => keys.filter((key) => isActive(key, nowMs)).length
        ),
        advice: "; revoke one first"
      })
      return yield* insertFreshKey(ports, accountId, {
        name: request.name,
        environment: request.environment ?? "live",
        scopes: wanted,
        expiresAt
      })
    })
  )
})

const revokeKey = Effect.fn("Accounts.revokeKey")(function* (
  ports: Ports,
  accountId: string,
  keyId: string
) {
  return yield* ports.transactor.transact(
    Effect.gen(function* () {
      yield* lockAccount(ports.transactor, accountId)
      const key = (yield* keysOf(ports, accountId)).find(({ id }) => id === keyId)
      if (key === undefined) return yield* problem("not_found", `The key ${keyId} does not exist.`)
      if (key.revoked_at !== null) return toKeyView(key)
      const revoked_at = toTimestamp(yield* Clock.currentTimeMillis)
      return toKeyView(yield* ports.store.updateKey({ ...key, revoked_at }))
    })
  )
})
