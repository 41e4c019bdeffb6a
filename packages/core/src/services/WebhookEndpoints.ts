/**
 * Webhook endpoints: registered, changed, removed and listed by callers, with the log of their deliveries.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { Problem } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type {
  Delivery,
  WebhookChanges,
  WebhookRegistered,
  WebhookRequest,
  WebhookView
} from "../domain/WebhookEndpoint.ts"

/**
 * Webhook endpoints of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class WebhookEndpoints extends Context.Service<
  WebhookEndpoints,
  {
    /** Registers an endpoint and shows its secret, once; fails with `url_not_allowed` or `quota_exceeded`. */
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

    /** Changes an endpoint, checking a new address as registration does; `active` resets the failure counters. */
    readonly update: (
      accountId: string,
      id: string,
      changes: WebhookChanges,
      version?: number
    ) => Effect.Effect<WebhookView, Problem | StoreError>

    /** Removes an endpoint and cancels what is on its way. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Problem | StoreError>

    /** The log of deliveries to an endpoint, newest first. */
    readonly deliveries: (
      accountId: string,
      id: string,
      page: PageRequest
    ) => Effect.Effect<Page<Delivery>, Problem | StoreError>
  }
>()("@candlewick/core/services/WebhookEndpoints") {}
