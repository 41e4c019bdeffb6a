/**
 * Alerts: made, changed, removed and listed by callers.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { Alert, AlertChanges, AlertRequest } from "../domain/Alert.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { Problem } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Alerts of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Alerts extends Context.Service<
  Alerts,
  {
    /** Makes an alert, of a bot or (for prices) of a market alone. */
    readonly create: (
      accountId: string,
      request: AlertRequest
    ) => Effect.Effect<Alert, Problem | StoreError>

    /** Finds an alert; fails with `not_found`. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Alert, Problem | StoreError>

    /** The account's alerts, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Alert>, StoreError>

    /** Changes an alert and arms it again; `version` guards against lost updates. */
    readonly update: (
      accountId: string,
      id: string,
      changes: AlertChanges,
      version?: number
    ) => Effect.Effect<Alert, Problem | StoreError>

    /** Removes an alert; fails with `not_found`. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Problem | StoreError>
  }
>()("@candlewick/core/services/Alerts") {}
