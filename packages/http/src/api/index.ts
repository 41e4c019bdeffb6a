/**
 * The HTTP API as values, without a server: for clients, documents and tools.
 *
 * @since 0.1.0
 */
export * from "./AccountApi.ts"
export * from "./AlertsApi.ts"
export * from "./Api.ts"
export * from "./ApiProblem.ts"
export * from "./Authorization.ts"
export * from "./BacktestsApi.ts"
export * from "./BotsApi.ts"
export * from "./CandlesApi.ts"
export * from "./EventsApi.ts"
export * from "./notifications.ts"
export * from "./openApi.ts"
export * from "./OptimizationsApi.ts"
export * from "./Page.ts"
export * from "./Prefer.ts"
export * from "./records.ts"
export * from "./StrategiesApi.ts"
export * from "./SystemApi.ts"
export * from "./twin.ts"
export * from "./WebhooksApi.ts"
