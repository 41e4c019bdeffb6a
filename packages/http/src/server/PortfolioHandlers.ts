/**
 * All bots of an account together, over HTTP.
 *
 * @since 0.1.0
 */
import { Portfolio, portfolioOperations } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { forCaller } from "./forCaller.ts"

const asData = <A>(data: A) => ({ data })

/** All bots of an account together, over HTTP. @category layers @since 0.1.0 */
export const PortfolioHandlers = HttpApiBuilder.group(
  Api,
  "portfolio",
  Effect.fnUntraced(function* (handlers) {
    const { call, serve } = yield* forCaller(Portfolio, portfolioOperations)
    return handlers.handleAll({
      overview: serve("overview"),
      performance: call((portfolio, accountId) =>
        Effect.map(portfolio.performance(accountId), asData)
      ),
      exposure: call((portfolio, accountId) => Effect.map(portfolio.exposure(accountId), asData)),
      equity: call((portfolio, accountId, { query }) =>
        Effect.map(portfolio.equity(accountId, query.days), asData)
      ),
      trades: serve("trades"),
      orders: serve("orders")
    })
  })
)
