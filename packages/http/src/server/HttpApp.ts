/**
 * The whole server as one layer of routes: operations under both prefixes, probes, metrics,
 * documents.
 *
 * @since 0.1.0
 */
import type {
  Accounts,
  Alerts,
  ArchivedBots,
  Backtests,
  Bots,
  Candles,
  Events,
  IdempotencyStore,
  Ids,
  Optimizations,
  Portfolio,
  Runs,
  Strategies,
  WebhookEndpoints
} from "@candlewick/core"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder, OpenApi } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { AccessLog, type AccessLogOptions } from "./AccessLog.ts"
import { AccountBudgets, type BudgetSizes } from "./AccountBudgets.ts"
import { AccountHandlers } from "./AccountHandlers.ts"
import * as Admission from "./admission.ts"
import { AlertsHandlers } from "./AlertsHandlers.ts"
import { ArchivedBotsHandlers } from "./ArchivedBotsHandlers.ts"
import { BacktestsHandlers } from "./BacktestsHandlers.ts"
import { BotsHandlers } from "./BotsHandlers.ts"
import { CandlesHandlers } from "./CandlesHandlers.ts"
import { MarketsHandlers } from "./MarketsHandlers.ts"
import { dashboardPages } from "./dashboard.ts"
import { CurrentRequest } from "./CurrentRequest.ts"
import { docsPage } from "./docsPage.ts"
import * as Edge from "./edge.ts"
import { EventsHandlers } from "./EventsHandlers.ts"
import { HttpMetrics } from "./HttpMetrics.ts"
import { mcpRoutes } from "./mcpRoutes.ts"
import { OptimizationsHandlers } from "./OptimizationsHandlers.ts"
import type { ProxyOptions } from "./proxies.ts"
import { servePacked } from "./packedText.ts"
import { type PolicyRates, RateLimits } from "./RateLimits.ts"
import { PortfolioHandlers } from "./PortfolioHandlers.ts"
import { SignalsHandlers } from "./SignalsHandlers.ts"
import { StrategiesHandlers } from "./StrategiesHandlers.ts"
import { StrategyChecksHandlers } from "./StrategyChecksHandlers.ts"
import { type ReadinessChecks, SystemHandlers } from "./SystemHandlers.ts"
import { Followers } from "./streamEvents.ts"
import { aliasRoutes } from "./aliasRoutes.ts"
import { WebhooksHandlers } from "./WebhooksHandlers.ts"

/** How the server is set up. @category models @since 0.1.0 */
export interface HttpAppOptions extends ProxyOptions {
  /** The checks of `/readyz`, by name. */
  readonly checks?: ReadinessChecks
  /** Requests a minute, where they differ from the product's. */
  readonly rates?: Partial<PolicyRates>
  /** The work that an account may have under way, where it differs from the product's. */
  readonly budgets?: Partial<BudgetSizes>
  readonly accessLog?: AccessLogOptions
  /** The folder of the built dashboard, for `/`; without it, `/` leads to `/docs`. */
  readonly dashboard?: string | undefined
  /** Where pages that may speak to `/mcp` come from; by default no page may. */
  readonly mcpOrigins?: ReadonlyArray<string>
}

/** The services that the server needs. @category models @since 0.1.0 */
export type HttpAppServices =
  | Accounts
  | Alerts
  | ArchivedBots
  | Backtests
  | Bots
  | Candles
  | Events
  | IdempotencyStore
  | Ids
  | Optimizations
  | Portfolio
  | Runs
  | Strategies
  | WebhookEndpoints

/**
 * The document, with the path under which its reader reaches the server. It is made for its first
 * reader, because it takes half a second of a start.
 */
const makeDocument = () => {
  const byPrefix = new Map<string, ReturnType<typeof servePacked>>()
  return (prefix: string) => {
    const found = byPrefix.get(prefix)
    if (found !== undefined) return found
    const document = OpenApi.fromApi(Api)
    const placed = prefix === "" ? document : { ...document, servers: [{ url: prefix }] }
    const served = servePacked(JSON.stringify(placed), { contentType: "application/json" })
    // A proxy names its prefixes itself: there are few of them.
    if (byPrefix.size < prefixesMax) byPrefix.set(prefix, served)
    return served
  }
}

const prefixesMax = 8

const documents = Layer.mergeAll(
  HttpRouter.use((router) =>
    Effect.suspend(() => {
      const documentFor = makeDocument()
      return router.add(
        "GET",
        "/openapi.json",
        Effect.flatMap(CurrentRequest, ({ prefix }) => documentFor(prefix))
      )
    })
  ),
  docsPage
)

/**
 * Every route of the server, around services that the caller provides.
 *
 * **When to use**
 *
 * To serve Candlewick from a router of your own, beside other routes. `serve` starts a whole
 * server.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: HttpAppOptions = {}) => {
  const operations = HttpApiBuilder.layer(Api).pipe(
    Layer.provide([
      BotsHandlers,
      ArchivedBotsHandlers,
      StrategiesHandlers,
      StrategyChecksHandlers,
      OptimizationsHandlers,
      PortfolioHandlers,
      BacktestsHandlers,
      AlertsHandlers,
      CandlesHandlers,
      MarketsHandlers,
      WebhooksHandlers,
      SignalsHandlers,
      EventsHandlers,
      AccountHandlers,
      SystemHandlers(options.checks ?? {})
    ]),
    Layer.provide(Followers.layer),
    Layer.provide(Admission.layer),
    Layer.provide(aliasRoutes)
  )
  const pages = dashboardPages(options.dashboard)
  const agents = mcpRoutes(options.mcpOrigins ?? [])
  return Layer.mergeAll(operations, documents, pages, agents, Edge.layer).pipe(
    Layer.provide([
      Layer.succeed(Edge.Proxies, options),
      RateLimits.layer(options.rates),
      AccountBudgets.layer(options.budgets),
      AccessLog.layer(options.accessLog),
      HttpMetrics.layer
    ])
  )
}
