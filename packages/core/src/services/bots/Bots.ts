/**
 * The operations on the bots of an account: they read, change and command bots.
 *
 * A command is decided and saved in one transaction. After it the host starts or wakes the bot's
 * fibre, which carries the command out. Tasks, as to close positions, go through the host too. It
 * carries them out itself where the bot has no fibre. This service decides no trade and sends no
 * order.
 *
 * **Example** (A paper bot starts)
 *
 * ```ts setup=trend
 * import { Candlewick } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * await candlewick.candles.import({ key: { symbol: "BTC/USD", timeframe: "1d" }, columns })
 * const written = await candlewick.strategies.write({ name: "trend", definition: trend })
 * const bot = await candlewick.bots.create({
 *   name: "trend",
 *   strategy_id: written.id,
 *   capital_allocation: 10_000
 * })
 * const { changed } = await candlewick.bots.command(bot.id, "start")
 * console.log(bot.status, changed)
 * await candlewick.close()
 * ```
 *
 * ```text output
 * created true
 * ```
 *
 * @since 0.1.0
 */
import type { botOperations } from "../../domain/operations/botOperations.ts"
import type { MethodsOf } from "../methodsOf.ts"
import { Context, Effect, Layer, type Scope } from "effect"
import type { BotWithAlerts } from "../../domain/BotWithAlerts.ts"
import type { Bot, BotRequest } from "../../domain/Bot.ts"
import type { BotStatusView } from "../../domain/BotViews.ts"
import type { ReconcileOutcome } from "../../domain/Reconciliation.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { Candles } from "../candles/Candles.ts"
import { replacedUnder } from "../candles/replacedCandles.ts"
import { makeBotHost } from "./botHost.ts"
import type { BotTask, BotTaskResult } from "./botTasks.ts"
import { type BotPorts, makeBotPorts } from "./botPorts.ts"
import { refusing, type RunnerError } from "./botFailure.ts"
import { performanceOf, statusOf } from "./botViews.ts"
import {
  allWithAlerts,
  type BotServices,
  requireBot,
  removeBot,
  updateBot,
  withAlerts
} from "./changeBot.ts"
import { ask, commandBot } from "./commandBot.ts"
import { compareSinceLoss } from "./compareSinceLoss.ts"
import { createBot } from "./createBot.ts"
import { expectedOf } from "./expectedOf.ts"
import { HaltFlag } from "../accounts/HaltFlag.ts"
import { haltAccount, resumeAccount } from "../accounts/haltAccount.ts"
import { isHalted, underHalt } from "../accounts/killSwitch.ts"
import { replacing } from "../refusals.ts"
import { transactOnce } from "../transactOnce.ts"
import type { FoundHoldings } from "../venues/agent/AgentReport.ts"
import { prepareRequest } from "../venues/bots/prepareLive.ts"
import { listOrders } from "./listOrders.ts"
import { refuseSignal, signalBot } from "./signalBot.ts"

type Methods = MethodsOf<typeof botOperations>

/**
 * Bots of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Bots extends Context.Service<Bots, Methods>()("@candlewick/core/services/Bots") {
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
      const services: BotServices = { ports, candles, host }
      return Bots.of({
        ...reading(services),
        ...changing(services),
        ...commanding(services, yield* Effect.scope),
        haltAll: (accountId, request) => haltAccount(services, accountId, request),
        resumeAll: (accountId) => resumeAccount(services, accountId)
      })
    })
  ).pipe(Layer.provide(HaltFlag.layer))
}

/** An answer with a bot says that the account is halted, where it is. */
const shown = <A extends Pick<Bot, "trading_state" | "trading_state_reason">>(
  ports: BotPorts,
  accountId: string,
  answer: Effect.Effect<A, Problem | StoreError>
) =>
  Effect.flatMap(answer, (bot) =>
    Effect.map(isHalted(ports, accountId), (isOn) => underHalt(bot, isOn))
  )

/** The status of a bot with the candles that were replaced under it. */
const statusWith = Effect.fnUntraced(function* (
  { candles, ports }: Pick<BotServices, "candles" | "ports">,
  bot: Bot
): Effect.fn.Return<BotStatusView, RunnerError> {
  const status = yield* statusOf(ports, bot)
  const replaced_candles = yield* replacedUnder({ candles }, bot)
  return replaced_candles.length === 0 ? status : { ...status, replaced_candles }
})

/** The reads of bots, which change none. */
const reading = ({
  candles,
  ports
}: Pick<BotServices, "candles" | "ports">): Pick<
  Methods,
  "get" | "list" | "status" | "logs" | "performance" | "expected" | "trades" | "orders" | "equity"
> => {
  const withBot = <A>(
    accountId: string,
    id: string,
    use: (bot: Bot) => Effect.Effect<A, RunnerError>
  ) => refusing(Effect.flatMap(requireBot(ports, accountId, id), use))
  return {
    get: (accountId, id) =>
      shown(
        ports,
        accountId,
        withBot(accountId, id, (bot) => withAlerts(ports, bot))
      ),
    list: Effect.fnUntraced(function* (accountId, page) {
      const { items, next } = yield* ports.bots.list(accountId, page)
      const isOn = yield* isHalted(ports, accountId)
      const bots = yield* allWithAlerts(ports, accountId, items)
      return { items: bots.map((bot) => underHalt(bot, isOn)), next }
    }),
    status: (accountId, id) =>
      shown(
        ports,
        accountId,
        withBot(accountId, id, (bot) => statusWith({ candles, ports }, bot))
      ),
    logs: (accountId, id, page) => withBot(accountId, id, () => ports.journal.list(id, page)),
    performance: (accountId, id) => withBot(accountId, id, (bot) => performanceOf(ports, bot)),
    expected: (accountId, id) => refusing(expectedOf({ candles, ports }, accountId, id)),
    trades: (accountId, id, page) =>
      withBot(accountId, id, () => ports.orders.listTrades(accountId, id, page)),
    orders: (accountId, id, page) => withBot(accountId, id, (bot) => listOrders(ports, bot, page)),
    equity: (accountId, id, page) =>
      withBot(accountId, id, () => ports.journal.pageEquity(id, page))
  }
}

/** The operations that change the record of a bot. */
const changing = (services: BotServices): Pick<Methods, "create" | "update" | "remove"> => {
  const { host, ports } = services
  return {
    create: (accountId, request) =>
      shown(ports, accountId, refusing(create(services, accountId, request))),
    update: (accountId, id, changes, version) => {
      const updating = host.alone(
        id,
        refusing(updateBot(services, accountId, id, changes, version))
      )
      return shown(ports, accountId, replacing(updating, "bot", id, version))
    },
    remove: (accountId, id, positions) =>
      host.alone(id, refusing(removeBot(services, accountId, id, positions)))
  }
}

/** The commands to a bot. */
const commanding = (
  services: BotServices,
  scope: Scope.Scope
): Pick<
  Methods,
  "command" | "closePositions" | "resumeRisk" | "reconcile" | "signal" | "refuseSignal"
> => {
  const { host, ports } = services
  return {
    command: (accountId, id, command, options) => {
      const commanded = refusing(commandBot(services, accountId, id, command, options))
      return shown(ports, accountId, host.alone(id, commanded))
    },
    signal: (accountId, request) => signalBot(services, accountId, request),
    refuseSignal: (accountId, id, reason) => refuseSignal(ports, accountId, id, reason),
    closePositions: (accountId, id) =>
      shown(ports, accountId, ask(services, accountId, id, { type: "close" })),
    resumeRisk: (accountId, id) =>
      shown(ports, accountId, ask(services, accountId, id, { type: "resume_risk" })),
    reconcile: (accountId, id, { accept = false } = {}, version) => {
      const reconciled = (found: FoundHoldings | null) =>
        refusing(reconcile(services, accountId, id, { type: "reconcile", accept, version, found }))
      // Other commands of the bot need not wait for its venue.
      const compared = refusing(compareVenue(ports, accountId, id, accept))
      const whole = Effect.flatMap(compared, (found) => host.alone(id, reconciled(found)))
      // Other bots of the coin lack the loss until the next comparison; the caller does not wait.
      const compareAgain = Effect.ignore(compareVenue(ports, accountId, id, false))
      const told = Effect.tap(whole, ({ adjustment }) =>
        adjustment === null ? Effect.void : Effect.forkIn(compareAgain, scope)
      )
      return shown(ports, accountId, told)
    }
  }
}

const create = Effect.fn("Bots.create")(function* (
  services: BotServices,
  accountId: string,
  request: BotRequest
): Effect.fn.Return<BotWithAlerts, RunnerError> {
  const { ports, candles } = services
  const live = yield* prepareRequest(ports, accountId, request)
  const made = yield* transactOnce(
    ports.transactor,
    "create",
    createBot(ports, candles, accountId, request, live)
  )
  if (request.auto_start !== true) return { ...made.bot, alerts: made.alerts }
  yield* commandBot(services, accountId, made.bot.id, "start")
  return yield* withAlerts(ports, yield* requireBot(ports, accountId, made.bot.id))
})

/** Has the exchange account of a live bot compared with its venue; null for a bot on paper. */
const compareVenue = (
  ports: BotPorts,
  accountId: string,
  id: string,
  isAccepting: boolean
): Effect.Effect<FoundHoldings | null, RunnerError> =>
  Effect.flatMap(requireBot(ports, accountId, id), (bot) =>
    compareSinceLoss(ports, bot, isAccepting)
  )

const reconcile = Effect.fn("Bots.reconcile")(function* (
  { ports, host }: BotServices,
  accountId: string,
  id: string,
  task: Extract<BotTask, { readonly type: "reconcile" }>
): Effect.fn.Return<ReconcileOutcome, RunnerError> {
  const bot = yield* requireBot(ports, accountId, id)
  const { adjustment, changed, differences }: BotTaskResult = yield* host.ask(bot, task)
  return { ...(yield* requireBot(ports, accountId, id)), changed, differences, adjustment }
})
