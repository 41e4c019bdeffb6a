/**
 * The operations on alerts.
 *
 * Each names its scopes and its arguments. None of them fires an alert: bots and the kill switch
 * do.
 *
 * @since 0.1.0
 */
import { type Alert, AlertChanges, AlertRequest } from "../Alert.ts"
import { alertFilter, type AlertPageRequest } from "../listFilters.ts"
import type { Page } from "../Page.ts"
import { body, filteredPage, id, operation, version } from "./Operation.ts"

/** The operations on alerts. @category tables @since 0.1.0 */
export const alertOperations = {
  /** Makes an alert, of a bot or (for prices) of a market alone. */
  create: operation<(request: AlertRequest) => Alert>()({
    scopes: ["alerts:write"],
    takes: [body(AlertRequest)],
    isVersioned: true
  }),
  /** Finds an alert; fails with `not_found`. */
  get: operation<(id: string) => Alert>()({
    scopes: ["bots:read"],
    takes: [id],
    isVersioned: true
  }),
  /** The account's alerts, newest first. */
  list: operation<(page: AlertPageRequest) => Page<Alert>>()({
    scopes: ["bots:read"],
    takes: [filteredPage(alertFilter)]
  }),
  /** Changes an alert and arms it again; `version` guards against lost updates. */
  update: operation<(id: string, changes: AlertChanges, version?: number) => Alert>()({
    scopes: ["alerts:write"],
    takes: [id, body(AlertChanges), version],
    isVersioned: true
  }),
  /** Removes an alert; fails with `not_found`. */
  remove: operation<(id: string) => void>()({ scopes: ["alerts:write"], takes: [id] })
}
