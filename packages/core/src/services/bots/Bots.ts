/**
 * Bots: commands in; decide, save, announce, act.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer } from "effect"
import type { HaltOutcome, HaltRequest } from "../../domain/Account.ts"
import type { BotWithAlerts } from "../../domain/BotWithAlerts.ts"
import type { Bot, BotChanges, BotRequest } from "../../domain/Bot.ts"
import type { BotCommand } from "../../domain/BotMachine.ts"
import type {
  BotPerformance,
  BotStatusView,
  CommandOutcome,
  StopRequest
} from "../../domain/BotViews.ts"
import type { ReconcileOutcome, ReconcileRequest } from "../../domain/Reconciliation.ts"
import type { EquityPoint } from "../../domain/Backtest.ts"
import type { LogEntry } from "../../domain/LogEntry.ts"
import type { Order, Trade } from "../../domain/Order.ts"
import type { Page, PageRequest } from "../../domain/Page.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { Candles } from "../candles/Candles.ts"
import { makeBotHost } from "./botHost.ts"
import type { TaskResult } from "./botTasks.ts"
import { makeBotPorts } from "./botPorts.ts"
import { refusing, type RunnerError } from "./botFailure.ts"
import { performanceOf, statusOf } from "./botViews.ts"
import { type BotWorld, findBot, removeBot, updateBot, withAlerts } from "./changeBot.ts"
import { ask, carryOut } from "./commandBot.ts"
import { createBot } from "./createBot.ts"
import { haltAccount, resumeAccount } from "../accounts/haltAccount.ts"
import { isHalted, underHalt } from "../accounts/killSwitch.ts"
import { replacing } from "../refusals.ts"
import { transactOnce } from "../transactOnce.ts"

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

    /**
     * Holds the bot's books against the exchange's. A mismatch halts the bot and raises an alert;
     * with `accept` what the exchange holds is taken over, by an adjustment of the ledger.
     * `version` guards against accepting what one has not seen.
     */
    readonly reconcile: (
      accountId: string,
      id: string,
      request?: ReconcileRequest,
      version?: number
    ) => Effect.Effect<ReconcileOutcome, Problem | StoreError>

    /**
     * Halts the account: none of its bots increases its exposure any more, in whichever process,
     * and entries that rest are cancelled. Exits go on.
     */
    readonly haltAll: (
      accountId: string,
      request?: HaltRequest
    ) => Effect.Effect<HaltOutcome, Problem | StoreError>

    /** Ends what `haltAll` began; a bot that is halted by its own risk gate stays so. */
    readonly resumeAll: (accountId: string) => Effect.Effect<HaltOutcome, Problem | StoreError>

    /** What a bot is doing now. */
    readonly status: (
      accountId: string,
      id: string
    ) => Effect.Effect<BotStatusView, Problem | StoreError>

    /** A bot's log lines, newest first; those numbered higher than `after` where that is named. */
    readonly logs: (
      accountId: string,
      id: string,
      page: PageRequest & {
        readonly after?: string | undefined
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

    /** A bot's equity at the candles that it has worked off, as far as it is kept, newest first. */
    readonly equity: (
      accountId: string,
      id: string,
      page: PageRequest
    ) => Effect.Effect<Page<EquityPoint>, Problem | StoreError>
  }
>()("@candlewick/core/services/Bots") {
  /**
   * Bots over the stores, the broker and the market data; their fibres live as long as the layer.
   */
  static readonly layer = Layer.effect(
    Bots,
    Effect.gen(function* () {
      const ports = yield* makeBotPorts
      const candles = yield* Candles
      const host = yield* makeBotHost(ports)
      yield* host.resume
      const world: BotWorld = { ports, candles, host }
      const withBot = <A>(
        accountId: string,
        id: string,
        use: (bot: Bot) => Effect.Effect<A, RunnerError>
      ) => refusing(Effect.flatMap(findBot(ports, accountId, id), use))
      /** What is answered with a bot says that the account is halted, where it is. */
      const shown = <A extends Pick<Bot, "trading_state" | "trading_state_reason">>(
        accountId: string,
        answer: Effect.Effect<A, Problem | StoreError>
      ) =>
        Effect.flatMap(answer, (bot) =>
          Effect.map(isHalted(ports, accountId), (isOn) => underHalt(bot, isOn))
        )
      return Bots.of({
        create: (accountId, request) =>
          shown(accountId, refusing(create(world, accountId, request))),
        get: (accountId, id) =>
          shown(
            accountId,
            withBot(accountId, id, (bot) => withAlerts(ports, bot))
          ),
        list: Effect.fnUntraced(function* (accountId, page) {
          const { items, next } = yield* ports.bots.list(accountId, page)
          const isOn = yield* isHalted(ports, accountId)
          const bots = yield* Effect.forEach(items, (bot) => withAlerts(ports, bot))
          return { items: bots.map((bot) => underHalt(bot, isOn)), next }
        }),
        update: (accountId, id, changes, version) =>
          shown(
            accountId,
            replacing(
              host.alone(id, refusing(updateBot(world, accountId, id, changes, version))),
              "bot",
              id,
              version
            )
          ),
        remove: (accountId, id, positions) =>
          host.alone(id, refusing(removeBot(world, accountId, id, positions))),
        command: (accountId, id, command, options) =>
          shown(
            accountId,
            host.alone(id, refusing(carryOut(world, accountId, id, command, options)))
          ),
        closePositions: (accountId, id) =>
          shown(accountId, ask(world, accountId, id, { type: "close" })),
        resumeRisk: (accountId, id) =>
          shown(accountId, ask(world, accountId, id, { type: "resume_risk" })),
        haltAll: (accountId, request) => haltAccount(world, accountId, request),
        resumeAll: (accountId) => resumeAccount(world, accountId),
        reconcile: (accountId, id, { accept = false } = {}, version) =>
          shown(
            accountId,
            host.alone(id, refusing(reconcile(world, accountId, id, accept, version)))
          ),
        status: (accountId, id) =>
          shown(
            accountId,
            withBot(accountId, id, (bot) => statusOf(ports, bot))
          ),
        logs: (accountId, id, page) => withBot(accountId, id, () => ports.journal.list(id, page)),
        performance: (accountId, id) => withBot(accountId, id, (bot) => performanceOf(ports, bot)),
        trades: (accountId, id, page) =>
          withBot(accountId, id, () => ports.orders.listTrades(accountId, id, page)),
        orders: (accountId, id, page) =>
          withBot(accountId, id, () => ports.orders.list(accountId, id, page)),
        equity: (accountId, id, page) =>
          withBot(accountId, id, () => ports.journal.pageEquity(id, page))
      })
    })
  )
}

const create = Effect.fn("Bots.create")(function* (
  world: BotWorld,
  accountId: string,
  request: BotRequest
): Effect.fn.Return<BotWithAlerts, RunnerError> {
  const { ports, candles } = world
  const made = yield* transactOnce(
    ports.transactor,
    "create",
    createBot(ports, candles, accountId, request)
  )
  if (request.auto_start !== true) return { ...made.bot, alerts: made.alerts }
  yield* carryOut(world, accountId, made.bot.id, "start")
  return yield* withAlerts(ports, yield* findBot(ports, accountId, made.bot.id))
})

const reconcile = Effect.fn("Bots.reconcile")(function* (
  { ports, host }: BotWorld,
  accountId: string,
  id: string,
  accept: boolean,
  version: number | undefined
): Effect.fn.Return<ReconcileOutcome, RunnerError> {
  const bot = yield* findBot(ports, accountId, id)
  const found: TaskResult = yield* host.ask(bot, { type: "reconcile", accept, version })
  const { adjustment, changed, differences } = found
  return { ...(yield* findBot(ports, accountId, id)), changed, differences, adjustment }
})
