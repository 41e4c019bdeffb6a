/**
 * Webhook endpoints: registered, changed, removed and listed by callers, with the log of their
 * deliveries.
 *
 * @since 0.1.0
 */
import { Clock, Context, Effect, Layer, Struct } from "effect"
import type { EventName } from "../domain/DomainEvent.ts"
import { toTimestamp } from "../domain/Identifier.ts"
import { Limits } from "../domain/Limits.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { type Problem, problem } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type {
  Delivery,
  WebhookChanges,
  WebhookEndpoint,
  WebhookRegistered,
  WebhookRequest,
  WebhookView
} from "../domain/WebhookEndpoint.ts"
import { Transactor } from "../ports/Transactor.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import { Ids } from "./Ids.ts"
import { allPages } from "./internal/allPages.ts"
import { checkVersion, replacing, required } from "./internal/refusals.ts"

/**
 * Webhook endpoints of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class WebhookEndpoints extends Context.Service<
  WebhookEndpoints,
  {
    /**
     * Registers an endpoint and shows its secret, once; fails with `url_not_allowed` or
     * `quota_exceeded`.
     */
    readonly register: (
      accountId: string,
      request: WebhookRequest
    ) => Effect.Effect<WebhookRegistered, Problem | StoreError>

    /** Finds an endpoint; fails with `not_found`. */
    readonly get: (
      accountId: string,
      id: string
    ) => Effect.Effect<WebhookView, Problem | StoreError>

    /** The account's endpoints, newest first. */
    readonly list: (
      accountId: string,
      page: PageRequest
    ) => Effect.Effect<Page<WebhookView>, StoreError>

    /**
     * Changes an endpoint, checking a new address as registration does; `active` resets the failure
     * counters.
     */
    readonly update: (
      accountId: string,
      id: string,
      changes: WebhookChanges,
      version?: number
    ) => Effect.Effect<WebhookView, Problem | StoreError>

    /** Removes an endpoint and cancels what is on its way. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Problem | StoreError>

    /** The log of deliveries to an endpoint, newest first, of one status or one event if asked. */
    readonly deliveries: (
      accountId: string,
      id: string,
      page: PageRequest & {
        readonly status?: Delivery["status"] | undefined
        readonly event?: EventName | undefined
      }
    ) => Effect.Effect<Page<Delivery>, Problem | StoreError>
  }
>()("@candlewick/core/services/WebhookEndpoints") {
  /** Webhook endpoints over the store and whoever sends. */
  static readonly layer = Layer.effect(
    WebhookEndpoints,
    Effect.gen(function* () {
      const ports: Ports = {
        store: yield* WebhookStore,
        transport: yield* WebhookTransport,
        transactor: yield* Transactor,
        ids: yield* Ids
      }
      const { store } = ports
      const find = (accountId: string, id: string) =>
        required(store.get(accountId, id), "webhook", id)
      return WebhookEndpoints.of({
        register: (accountId, request) => register(ports, accountId, request),
        get: (accountId, id) => Effect.map(find(accountId, id), toView),
        list: (accountId, page) =>
          Effect.map(store.list(accountId, page), ({ items, next }) => ({
            items: items.map(toView),
            next
          })),
        update: (accountId, id, changes, version) =>
          replacing(update(ports, accountId, id, changes, version), "webhook", id, version),
        remove: (accountId, id) => replacing(store.remove(accountId, id), "webhook", id),
        deliveries: (accountId, id, page) =>
          Effect.andThen(find(accountId, id), store.listDeliveries(id, page))
      })
    })
  )
}

interface Ports {
  readonly store: WebhookStore["Service"]
  readonly transport: WebhookTransport["Service"]
  readonly transactor: Transactor["Service"]
  readonly ids: Ids["Service"]
}

const concurrencyDefault = 4

const toView = (endpoint: WebhookEndpoint): WebhookView => ({
  ...Struct.omit(endpoint, ["secrets", "sequence"]),
  secret_hint: endpoint.secrets[0].slice(-4)
})

const register = Effect.fn("WebhookEndpoints.register")(function* (
  { ids, store, transactor, transport }: Ports,
  accountId: string,
  request: WebhookRequest
) {
  // Outside the transaction: the check may ask a name server.
  yield* transport.checkAddress(request.url)
  const id = yield* ids.make("webhook")
  const secret = yield* transport.makeSecret
  const now = toTimestamp(yield* Clock.currentTimeMillis)
  const endpoint: WebhookEndpoint = {
    id,
    account_id: accountId,
    url: request.url,
    events: request.events,
    description: request.description ?? null,
    status: "active",
    disabled_reason: null,
    max_concurrency: request.max_concurrency ?? concurrencyDefault,
    consecutive_failures: 0,
    last_success_at: null,
    last_failure_at: null,
    failing_since: null,
    secrets: [secret],
    sequence: 0,
    version: 1,
    created_at: now,
    updated_at: now
  }
  return yield* transactor.transact(
    Effect.gen(function* () {
      const count = (yield* allPages((page) => store.list(accountId, page))).length
      if (count >= Limits.webhooksPerAccountMax) {
        const message = `An account has at most ${Limits.webhooksPerAccountMax} webhooks.`
        return yield* problem("quota_exceeded", message)
      }
      return { ...toView(yield* store.insert(endpoint)), secret }
    })
  )
})

const update = Effect.fn("WebhookEndpoints.update")(function* (
  { store, transactor, transport }: Ports,
  accountId: string,
  id: string,
  changes: WebhookChanges,
  version: number | undefined
) {
  const find = Effect.tap(required(store.get(accountId, id), "webhook", id), (endpoint) =>
    checkVersion(endpoint, version)
  )
  const { url } = yield* find
  // Outside the transaction: the check may ask a name server.
  if (changes.url !== undefined && changes.url !== url) yield* transport.checkAddress(changes.url)
  const { status, ...fields } = changes
  return yield* transactor.transact(
    Effect.gen(function* () {
      const changed = yield* store.update({
        ...(yield* find),
        ...fields,
        ...(status !== undefined && statusFields[status]),
        updated_at: toTimestamp(yield* Clock.currentTimeMillis)
      })
      return toView(changed)
    })
  )
})

const statusFields = {
  active: {
    status: "active",
    disabled_reason: null,
    consecutive_failures: 0,
    failing_since: null
  },
  disabled: { status: "disabled", disabled_reason: "manual" }
} as const satisfies Record<"active" | "disabled", Partial<WebhookEndpoint>>
