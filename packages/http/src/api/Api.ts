/**
 * The whole HTTP API as one value: the server, the clients, the OpenAPI document and the tests
 * derive from it.
 *
 * @since 0.1.0
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { AccountApi } from "./AccountApi.ts"
import { AlertsApi } from "./AlertsApi.ts"
import { ArchivedBotsApi } from "./ArchivedBotsApi.ts"
import { BacktestsApi } from "./BacktestsApi.ts"
import { BotsApi } from "./BotsApi.ts"
import { CandlesApi } from "./CandlesApi.ts"
import { EventsApi } from "./EventsApi.ts"
import { completeOpenApi } from "./openApi.ts"
import { MarketsApi } from "./MarketsApi.ts"
import { OptimizationsApi } from "./OptimizationsApi.ts"
import { PortfolioApi } from "./PortfolioApi.ts"
import { SignalsApi } from "./SignalsApi.ts"
import { StrategiesApi } from "./StrategiesApi.ts"
import { StrategyChecksApi } from "./StrategyChecksApi.ts"
import { SystemApi } from "./SystemApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

/** The version of the API, which is a segment of every path. @category tables @since 0.1.0 */
export const apiVersion = "1.0.0"

const description =
  "Trading bots, strategy generation, optimization, backtests and signed webhooks.\n\n" +
  "Every operation answers under `/api/v1` and under `/v1`; `x-alias` is the other path of the one " +
  "that is listed. Lists are newest first, candles and markets by symbol, and go on with `cursor`. Their " +
  "other query parameters narrow them: all have to hold, `name` is a part of a name, `from` is kept " +
  "and `to` left out, both on the market's clock. A cursor belongs to its filter. " +
  "A text with a zero character is 400 in every body. " +
  "Fills, orders, equity, exposure, results, logs, and lists of bots, strategies, alerts and runs come " +
  "as CSV with `Accept: text/csv`. " +
  "Every refusal is an RFC 9457 problem whose `code` is stable. " +
  "Within v1, fields and operations are added and never taken away: ignore unknown ones."

const operations = HttpApi.make("candlewick")
  .add(
    BotsApi,
    ArchivedBotsApi,
    PortfolioApi,
    StrategiesApi,
    StrategyChecksApi,
    OptimizationsApi,
    BacktestsApi,
    AlertsApi,
    CandlesApi,
    MarketsApi,
    WebhooksApi,
    SignalsApi,
    EventsApi,
    AccountApi,
    SystemApi
  )
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})
  // An answer that breaks its schema is a fault of ours, and the first one shows enough.
  .annotate(HttpApi.SuccessParseOptions, {})

/** The whole HTTP API. @category apis @since 0.1.0 */
export const Api = operations.annotateMerge(
  OpenApi.annotations({
    title: "Candlewick",
    version: apiVersion,
    description,
    license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    transform: completeOpenApi(operations)
  })
)
