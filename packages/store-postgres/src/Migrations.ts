/**
 * The schema's history: forward only, each step once, by the process that starts first.
 *
 * @since 0.1.0
 */
import { Data, Effect } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import { bots } from "./migrations/0001_bots.ts"
import { strategiesAndRuns } from "./migrations/0002_strategiesAndRuns.ts"
import { botJournal } from "./migrations/0003_botJournal.ts"
import { candleTables } from "./migrations/0004_candles.ts"
import { accounts } from "./migrations/0010_accounts.ts"
import { alerts } from "./migrations/0011_alerts.ts"
import { orders } from "./migrations/0012_orders.ts"
import { paperAccounts } from "./migrations/0013_paperAccounts.ts"
import { outbox } from "./migrations/0014_outbox.ts"
import { idempotencyKeys } from "./migrations/0015_idempotencyKeys.ts"
import { webhooks } from "./migrations/0016_webhooks.ts"
import { runCheckpoints } from "./migrations/0020_runCheckpoints.ts"
import { botLeases } from "./migrations/0021_botLeases.ts"
import { finishedRuns } from "./migrations/0022_finishedRuns.ts"
import { webhookPayloads } from "./migrations/0023_webhookPayloads.ts"
import { queuedRuns } from "./migrations/0024_queuedRuns.ts"
import { webhookNotices } from "./migrations/0025_webhookNotices.ts"
import { keyedOutcomes } from "./migrations/0026_keyedOutcomes.ts"
import { activeBots } from "./migrations/0027_activeBots.ts"
import { webhookReplays } from "./migrations/0028_webhookReplays.ts"
import { unsuccessfulDeliveries } from "./migrations/0029_unsuccessfulDeliveries.ts"
import { spentSecrets } from "./migrations/0030_spentSecrets.ts"
import { usedKeys } from "./migrations/0031_usedKeys.ts"
import { publishedEvents } from "./migrations/0032_publishedEvents.ts"
import { accountsOfEvents } from "./migrations/0033_accountsOfEvents.ts"
import { ownedMarkets } from "./migrations/0034_ownedMarkets.ts"
import { hashesOfTerms } from "./migrations/0035_hashesOfTerms.ts"
import { placedBots } from "./migrations/0036_placedBots.ts"
import { archivedBots } from "./migrations/0037_archivedBots.ts"
import { venueAccounts } from "./migrations/0038_venueAccounts.ts"
import { liveBots } from "./migrations/0039_liveBots.ts"
import { narrowedLists } from "./migrations/0040_narrowedLists.ts"
import { strategyVersions } from "./migrations/0041_strategyVersions.ts"
import { trialColumns } from "./migrations/0042_trialColumns.ts"
import { webhookChats } from "./migrations/0043_webhookChats.ts"
import { judgements } from "./migrations/0044_judgements.ts"
import { removedSeries } from "./migrations/0045_removedSeries.ts"

const table = "candlewick_migrations"

/**
 * Every step by its number and name. Numbers only rise. No version ever had 5 to 9 or 17 to 19.
 * None is to be put there, because a database past them would not run it.
 *
 * @category tables
 * @since 0.1.0
 */
export const migrations = {
  "0001_bots": bots,
  "0002_strategies_and_runs": strategiesAndRuns,
  "0003_bot_journal": botJournal,
  "0004_candles": candleTables,
  "0010_accounts": accounts,
  "0011_alerts": alerts,
  "0012_orders": orders,
  "0013_paper_accounts": paperAccounts,
  "0014_outbox": outbox,
  "0015_idempotency_keys": idempotencyKeys,
  "0016_webhooks": webhooks,
  "0020_run_checkpoints": runCheckpoints,
  "0021_bot_leases": botLeases,
  "0022_finished_runs": finishedRuns,
  "0023_webhook_payloads": webhookPayloads,
  "0024_queued_runs": queuedRuns,
  "0025_webhook_notices": webhookNotices,
  "0026_keyed_outcomes": keyedOutcomes,
  "0027_active_bots": activeBots,
  "0028_webhook_replays": webhookReplays,
  "0029_unsuccessful_deliveries": unsuccessfulDeliveries,
  "0030_spent_secrets": spentSecrets,
  "0031_used_keys": usedKeys,
  "0032_published_events": publishedEvents,
  "0033_accounts_of_events": accountsOfEvents,
  "0034_owned_markets": ownedMarkets,
  "0035_hashes_of_terms": hashesOfTerms,
  "0036_placed_bots": placedBots,
  "0037_archived_bots": archivedBots,
  "0038_venue_accounts": venueAccounts,
  "0039_live_bots": liveBots,
  "0040_narrowed_lists": narrowedLists,
  "0041_strategy_versions": strategyVersions,
  "0042_trial_columns": trialColumns,
  "0043_webhook_chats": webhookChats,
  "0044_judgements": judgements,
  "0045_removed_series": removedSeries
}

const newest = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

/**
 * The database was written by a newer version, which this one must not touch.
 *
 * @category errors
 * @since 0.1.0
 */
export class SchemaTooNew extends Data.TaggedError("SchemaTooNew")<{
  readonly found: number
  readonly known: number
}> {
  override get message(): string {
    return `the database is at schema ${this.found} and this version knows ${this.known}: use a newer version of Candlewick`
  }
}

/**
 * Brings a database to this version's schema; two that do it at once run each step once.
 *
 * @category layers
 * @since 0.1.0
 */
export const migrate: Effect.Effect<
  void,
  Migrator.MigrationError | SqlError.SqlError | SchemaTooNew,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })
  const [last] = yield* sql<{ readonly found: number }>`
    select coalesce(max(migration_id), 0)::int as found from ${sql(table)}`
  const found = last?.found ?? 0
  if (found > newest) return yield* new SchemaTooNew({ found, known: newest })
})
