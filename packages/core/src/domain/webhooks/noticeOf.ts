/**
 * The notice that a change of an endpoint's health is worth.
 *
 * @since 0.1.0
 */
import type { EndpointNotice, WebhookEndpoint } from "../WebhookEndpoint.ts"

const kindOf = (before: WebhookEndpoint, after: WebhookEndpoint): EndpointNotice["kind"] | null => {
  if (after.status !== before.status) {
    return after.status === "active" ? "recovered" : after.status
  }
  return after.warned_percent > before.warned_percent ? "warning" : null
}

/**
 * The notice that a change of an endpoint is worth, or null.
 *
 * @category decisions
 * @since 0.1.0
 */
export const noticeOf = (
  before: WebhookEndpoint,
  after: WebhookEndpoint
): EndpointNotice | null => {
  const kind = kindOf(before, after)
  if (kind === null) return null
  return {
    webhookId: after.id,
    accountId: after.account_id,
    kind,
    status: after.status,
    reason: after.disabled_reason,
    warnedPercent: after.warned_percent,
    failingSince: after.failing_since
  }
}
