/**
 * The operations on markets: an account's own, and those that all accounts share.
 *
 * Each names its scopes and its arguments. Each change of a market is a revision.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { MarketChanges, MarketRequest, type MarketRevision } from "../Market.ts"
import { revisionFilter, type RevisionPageRequest } from "../listFilters.ts"
import type { Page } from "../Page.ts"
import { body, filteredPage, given, id, operation, version } from "./Operation.ts"

/** The operations on markets. @category tables @since 0.1.0 */
export const marketOperations = {
  /** Makes a market of the account's own; fails with `already_exists` where it has that one. */
  create: operation<(request: MarketRequest) => MarketRevision>()({
    scopes: ["market:write"],
    takes: [body(MarketRequest)]
  }),
  /** Finds a market by its id or symbol, as it is or was at a revision; fails with `not_found`. */
  get: operation<(id: string, revision?: number) => MarketRevision>()({
    scopes: ["market:read"],
    takes: [id, given("revision", Schema.UndefinedOr(Schema.Int))]
  }),
  /** The account's own markets and the shared ones, by symbol; its own come first of each. */
  list: operation<() => ReadonlyArray<MarketRevision>>()({ scopes: ["market:read"], takes: [] }),
  /**
   * Makes a new revision with these changes; none where nothing would change. `version` is the
   * revision that the caller knows, and guards against lost updates.
   */
  update: operation<(id: string, changes: MarketChanges, version?: number) => MarketRevision>()({
    scopes: ["market:write"],
    takes: [id, body(MarketChanges), version]
  }),
  /** Every revision of a market, newest first. */
  revisions: operation<(id: string, page: RevisionPageRequest) => Page<MarketRevision>>()({
    scopes: ["market:read"],
    takes: [id, filteredPage(revisionFilter)]
  })
}
