/**
 * The HTTP server of Candlewick, its API as one value, and the client that derives from it.
 *
 * @since 0.1.0
 */
export { Api } from "./api/Api.ts"
export { ApiProblem } from "./api/ApiProblem.ts"
export * as Client from "./client/Client.ts"
export * as HttpApp from "./server/HttpApp.ts"
export type { AccessLogOptions } from "./server/AccessLog.ts"
export type { PolicyRates } from "./server/RateLimits.ts"
export { mount, type MountedApi, type MountOptions } from "./server/mount.ts"
export { redact } from "./server/redact.ts"
export { serve, type ServeOptions } from "./server/serve.ts"
export type { ReadinessChecks } from "./server/SystemHandlers.ts"
