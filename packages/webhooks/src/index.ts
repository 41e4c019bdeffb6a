/**
 * Signed, retried webhooks for Candlewick.
 *
 * @since 0.1.0
 */
export { type AddressPolicyOptions, findUnfitRange } from "./AddressPolicy.ts"
export { DispatcherHealth } from "./DispatcherHealth.ts"
export type { EndpointNotice } from "@candlewick/core"
export type { OnEndpointStatus } from "./EndpointNotice.ts"
export { NotificationSender } from "./NotificationSender.ts"
export type { AttemptOutcome, NotificationRequest } from "./postNotification.ts"
export { retryWaitsMs } from "./RetrySchedule.ts"
export { Webhooks, type WebhooksOptions } from "./Webhooks.ts"
