/**
 * The HTTP operations on markets: write, revise, read.
 *
 * A change of terms makes a revision, and no revision ever changes. Bots and runs name the revision
 * that they use.
 *
 * @since 0.1.0
 */
import {
  MarketChanges,
  marketOperations,
  MarketRequest,
  MarketSymbol,
  Owner,
  revisionFilter
} from "@candlewick/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, describeOperation, Validation } from "./Authorization.ts"
import { filteredQuery, PageOf } from "./Page.ts"
import { MarketRecord } from "./records.ts"

/** An id, or a symbol whose slash is written `%2F`. */
const params = { id: Schema.String }

const RevisionText = Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(1))

/** Markets: written, changed by revisions, and read. @category groups @since 0.1.0 */
export class MarketsApi extends HttpApiGroup.make("markets")
  .add(
    HttpApiEndpoint.post("create", "/", {
      payload: MarketRequest,
      success: MarketRecord.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      describeOperation("Creates a market", marketOperations.create, {
        description:
          "Terms that are left out are the usual ones. All accounts share the operator's markets. " +
          "Another account's market is its own, and for it alone stands before a shared one of " +
          "the same symbol."
      })
    ),
    HttpApiEndpoint.get("list", "/", {
      query: filteredQuery({ symbol: MarketSymbol, owner: Owner }),
      success: PageOf(MarketRecord)
    }).annotateMerge(
      describeOperation("Lists markets with their terms, by symbol", marketOperations.list, {
        description: "The account's own and the shared ones; its own come first of each symbol."
      })
    ),
    HttpApiEndpoint.get("get", "/:id", {
      params,
      query: { revision: Schema.optionalKey(RevisionText) },
      success: MarketRecord
    }).annotateMerge(
      describeOperation("Returns one market", marketOperations.get, {
        description:
          "By its id, or by its symbol with the slash as `%2F`. `revision` names an earlier one."
      })
    ),
    HttpApiEndpoint.put("update", "/:id", {
      params,
      payload: MarketChanges,
      success: MarketRecord
    }).annotateMerge(
      describeOperation("Changes a market", marketOperations.update, {
        description:
          "Terms that are left out stay. A change makes the next revision; where nothing changes, " +
          "none is made. `If-Match` names the revision that is to be changed."
      })
    ),
    HttpApiEndpoint.get("revisions", "/:id/revisions", {
      params,
      query: filteredQuery(revisionFilter),
      success: PageOf(MarketRecord)
    }).annotateMerge(
      describeOperation("Lists the revisions of a market, newest first", marketOperations.revisions)
    )
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1/markets") {}
