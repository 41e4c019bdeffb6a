/**
 * The operations on bots, and with all bots of an account.
 *
 * Each names its scopes and its arguments. A command asks for a state of `BotMachine`; the bot's
 * own process reaches it.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { type HaltOutcome, HaltRequest } from "../Account.ts"
import type { EquityPoint } from "../Backtest.ts"
import { BotChanges, BotRequest } from "../Bot.ts"
import { type BotCommand, botCommands } from "../BotMachine.ts"
import {
  type BotPerformance,
  type BotStatusView,
  type CommandOutcome,
  StopRequest
} from "../BotViews.ts"
import type { BotWithAlerts } from "../BotWithAlerts.ts"
import type { ExpectedView } from "../ExpectedView.ts"
import { type LogEntry, LogEntryLevel } from "../LogEntry.ts"
import type { ListedOrder, Trade } from "../Order.ts"
import type { Page, PageRequest } from "../Page.ts"
import { type ReconcileOutcome, ReconcileRequest } from "../Reconciliation.ts"
import { type SignalOutcome, SignalRequest } from "../Signal.ts"
import {
  botFilter,
  type BotPageRequest,
  equityFilter,
  type EquityPageRequest,
  orderFilter,
  type OrderPageRequest,
  tradeFilter,
  type TradePageRequest
} from "../listFilters.ts"
import { body, filteredPage, given, id, operation, pageArgument, version } from "./Operation.ts"

/** Which lines of a log. @category models @since 0.1.0 */
export interface LogPageRequest extends PageRequest {
  /** The number of a line: those with higher ones. */
  readonly after?: string | undefined
  readonly level?: LogEntry["level"] | undefined
  readonly since?: string | undefined
  /** Lines before this. */
  readonly until?: string | undefined
  readonly event?: string | undefined
}

/** Which lines of a log. @category arguments @since 0.1.0 */
export const logPage = pageArgument({
  after: Schema.optional(Schema.String),
  level: Schema.optional(LogEntryLevel),
  since: Schema.optional(Schema.String),
  until: Schema.optional(Schema.String),
  event: Schema.optional(Schema.String)
})

/** The operations on bots. @category tables @since 0.1.0 */
export const botOperations = {
  /** Makes a bot; fails with `unknown_strategy`, `strategy_not_ready` or `no_market_data`. */
  create: operation<(request: BotRequest) => BotWithAlerts>()({
    scopes: ["bots:write"],
    takes: [body(BotRequest)],
    isVersioned: true
  }),
  /** Finds a bot; fails with `not_found`. */
  get: operation<(id: string) => BotWithAlerts>()({
    scopes: ["bots:read"],
    takes: [id],
    isVersioned: true
  }),
  /** The account's bots that the filter leaves, newest first. */
  list: operation<(page: BotPageRequest) => Page<BotWithAlerts>>()({
    scopes: ["bots:read"],
    takes: [filteredPage(botFilter)]
  }),
  /** Changes the fields that the state allows to change; `version` guards against lost updates. */
  update: operation<(id: string, changes: BotChanges, version?: number) => BotWithAlerts>()({
    scopes: ["bots:write"],
    takes: [id, body(BotChanges), version],
    isVersioned: true
  }),
  /**
   * Deletes a bot that is at rest, and flat unless `positions` is `keep`. The archive keeps its
   * record, trades, orders, log and equity. Positions that are kept at an exchange lose their
   * stops: they are the account owner's from then on, and no bot's.
   */
  remove: operation<(id: string, positions?: "keep") => void>()({
    scopes: ["bots:write"],
    takes: [id, given("positions", Schema.UndefinedOr(Schema.Literal("keep")))]
  }),
  /** Starts, pauses or stops. Fails with `invalid_transition`, which names the allowed commands. */
  command: operation<(id: string, command: BotCommand, options?: StopRequest) => CommandOutcome>()({
    scopes: ["bots:execute"],
    takes: [
      id,
      given("command", Schema.Literals(botCommands)),
      body(Schema.UndefinedOr(StopRequest))
    ],
    isVersioned: true
  }),
  /**
   * Carries out the alert of a charting service, and notes it in the bot's log. Refuses to start a
   * live bot.
   */
  signal: operation<(request: SignalRequest) => SignalOutcome>()({
    scopes: ["signals:send"],
    takes: [body(SignalRequest)]
  }),
  /** Notes in the bot's log that a signal was refused before it was carried out, and why. */
  refuseSignal: operation<(id: string, reason: string) => void>()({
    scopes: ["signals:send"],
    takes: [id, given("reason", Schema.String)]
  }),
  /** Closes the bot's positions at market, in any state. */
  closePositions: operation<(id: string) => CommandOutcome>()({
    scopes: ["bots:execute"],
    takes: [id]
  }),
  /** Opens the risk gate again after a halt. */
  resumeRisk: operation<(id: string) => CommandOutcome>()({
    scopes: ["bots:execute"],
    takes: [id]
  }),
  /**
   * Holds the bot's books against the exchange's. A mismatch halts the bot and raises an alert;
   * with `accept` the bot takes the exchange's positions over, by an adjustment of the ledger.
   * `version` guards against accepting a state that the caller has not seen.
   */
  reconcile: operation<
    (id: string, request?: ReconcileRequest, version?: number) => ReconcileOutcome
  >()({
    scopes: ["bots:execute"],
    takes: [id, body(Schema.UndefinedOr(ReconcileRequest)), version],
    isVersioned: true
  }),
  /**
   * Halts the account: none of its bots increases its exposure any more, in whichever process,
   * and entries that rest are cancelled. Exits go on.
   */
  haltAll: operation<(request?: HaltRequest) => HaltOutcome>()({
    scopes: ["account:write"],
    takes: [body(Schema.UndefinedOr(HaltRequest))],
    isVersioned: true
  }),
  /** Ends the halt of `haltAll`; a bot that is halted by its own risk gate stays so. */
  resumeAll: operation<() => HaltOutcome>()({
    scopes: ["account:write"],
    takes: [],
    isVersioned: true
  }),
  /** The present state of a bot. */
  status: operation<(id: string) => BotStatusView>()({ scopes: ["bots:read"], takes: [id] }),
  /** A bot's log lines, newest first; those numbered higher than `after` where that is named. */
  logs: operation<(id: string, page: LogPageRequest) => Page<LogEntry>>()({
    scopes: ["bots:read"],
    takes: [id, logPage]
  }),
  /** The results of a bot. */
  performance: operation<(id: string) => BotPerformance>()({ scopes: ["bots:read"], takes: [id] }),
  /**
   * A bot beside the backtest of its own period, each difference with its cause. Refuses a bot with
   * more candles or fills than one answer may take.
   */
  expected: operation<(id: string) => ExpectedView>()({ scopes: ["bots:read"], takes: [id] }),
  /** A bot's fills, newest first. */
  trades: operation<(id: string, page: TradePageRequest) => Page<Trade>>()({
    scopes: ["bots:read"],
    takes: [id, filteredPage(tradeFilter)]
  }),
  /** A bot's orders, newest first. Orders of a live bot have their ids at its exchange. */
  orders: operation<(id: string, page: OrderPageRequest) => Page<ListedOrder>>()({
    scopes: ["bots:read"],
    takes: [id, filteredPage(orderFilter)]
  }),
  /** A bot's equity at the candles that it has processed, as far as it is kept, newest first. */
  equity: operation<(id: string, page: EquityPageRequest) => Page<EquityPoint>>()({
    scopes: ["bots:read"],
    takes: [id, filteredPage(equityFilter)]
  })
}
