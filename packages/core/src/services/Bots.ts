/**
 * Bots: commands in; decide, save, announce, act.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { Alert } from "../domain/Alert.ts"
import type { Bot, BotChanges, BotRequest } from "../domain/Bot.ts"
import type { BotCommand } from "../domain/BotMachine.ts"
import type {
  BotPerformance,
  BotStatusView,
  CommandOutcome,
  StopRequest
} from "../domain/BotViews.ts"
import type { LogEntry } from "../domain/LogEntry.ts"
import type { Order, Trade } from "../domain/Order.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { Problem } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"

/** A bot with the alerts that were made with it. @category models @since 0.1.0 */
export type BotWithAlerts = Bot & { readonly alerts: ReadonlyArray<Alert> }

/**
 * Bots of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Bots extends Context.Service<
  Bots,
  {
    /** Makes a bot; fails with `unknown_strategy`, `strategy_not_ready` or `no_market_data`. */
    readonly create: (
      accountId: string,
      request: BotRequest
    ) => Effect.Effect<BotWithAlerts, Problem | StoreError>

    /** Finds a bot; fails with `not_found`. */
    readonly get: (
      accountId: string,
      id: string
    ) => Effect.Effect<BotWithAlerts, Problem | StoreError>

    /** The account's bots, newest first. */
    readonly list: (
      accountId: string,
      page: PageRequest
    ) => Effect.Effect<Page<BotWithAlerts>, StoreError>

    /** Changes what the state allows to change; `version` guards against lost updates. */
    readonly update: (
      accountId: string,
      id: string,
      changes: BotChanges,
      version?: number
    ) => Effect.Effect<BotWithAlerts, Problem | StoreError>

    /** Deletes a bot that is at rest, and flat unless `positions` is `keep`. */
    readonly remove: (
      accountId: string,
      id: string,
      positions?: "keep"
    ) => Effect.Effect<void, Problem | StoreError>

    /** Starts, pauses or stops; fails with `invalid_transition` and what is allowed. */
    readonly command: (
      accountId: string,
      id: string,
      command: BotCommand,
      options?: StopRequest
    ) => Effect.Effect<CommandOutcome, Problem | StoreError>

    /** Closes the bot's positions at market, in any state. */
    readonly closePositions: (
      accountId: string,
      id: string
    ) => Effect.Effect<CommandOutcome, Problem | StoreError>

    /** Opens the risk gate again after a halt. */
    readonly resumeRisk: (
      accountId: string,
      id: string
    ) => Effect.Effect<CommandOutcome, Problem | StoreError>

    /** What a bot is doing now. */
    readonly status: (
      accountId: string,
      id: string
    ) => Effect.Effect<BotStatusView, Problem | StoreError>

    /** A bot's log lines, newest first. */
    readonly logs: (
      accountId: string,
      id: string,
      page: PageRequest & {
        readonly level?: LogEntry["level"] | undefined
        readonly since?: string | undefined
      }
    ) => Effect.Effect<Page<LogEntry>, Problem | StoreError>

    /** What a bot has earned. */
    readonly performance: (
      accountId: string,
      id: string
    ) => Effect.Effect<BotPerformance, Problem | StoreError>

    /** A bot's fills, newest first. */
    readonly trades: (
      accountId: string,
      id: string,
      page: PageRequest
    ) => Effect.Effect<Page<Trade>, Problem | StoreError>

    /** A bot's orders, newest first. */
    readonly orders: (
      accountId: string,
      id: string,
      page: PageRequest
    ) => Effect.Effect<Page<Order>, Problem | StoreError>
  }
>()("@candlewick/core/services/Bots") {}
