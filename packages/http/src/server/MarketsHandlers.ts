/**
 * Markets over HTTP.
 *
 * @since 0.1.0
 */
import {
  passesFilter,
  marketOperations,
  Markets,
  type MarketRevision,
  sharedOwner
} from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { forCaller } from "./forCaller.ts"
import { cutPage, listed } from "./lists.ts"
import { ifMatched, located, tagged } from "./records.ts"

/** The number of a revision is the version that `If-Match` names. */
const taggedRevision = (market: MarketRevision): Effect.Effect<MarketRevision> =>
  Effect.as(tagged({ version: market.revision }), market)

/** By symbol, an account's own market before the shared one. */
const orderOf = ({ owner, symbol }: MarketRevision): string =>
  `${symbol} ${owner === sharedOwner ? 1 : 0}`

/** Markets over HTTP. @category layers @since 0.1.0 */
export const MarketsHandlers = HttpApiBuilder.group(
  Api,
  "markets",
  Effect.fnUntraced(function* (handlers) {
    const { call, serve } = yield* forCaller(Markets, marketOperations)
    return handlers.handleAll({
      create: call((markets, accountId, { payload }) =>
        markets
          .create(accountId, payload)
          .pipe(Effect.tap(taggedRevision), Effect.tap(located("/markets")))
      ),
      list: call((markets, accountId, { query }) =>
        listed(query, (page) =>
          Effect.map(markets.list(accountId), (all) =>
            cutPage(all.filter(passesFilter(page)), page, orderOf)
          )
        )
      ),
      get: call((markets, accountId, { params, query }) =>
        Effect.tap(markets.get(accountId, params.id, query.revision), taggedRevision)
      ),
      update: call((markets, accountId, { params, payload }) =>
        Effect.tap(
          ifMatched((version) => markets.update(accountId, params.id, payload, version)),
          taggedRevision
        )
      ),
      revisions: serve("revisions")
    })
  })
)
