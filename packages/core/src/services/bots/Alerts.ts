/**
 * The operations on the alerts of an account: they make, change, remove and list.
 *
 * An alert watches a figure of one bot, a price, or the kill switch of the account. This service
 * fires none: bots do as their candles close, and the kill switch does when it halts the account.
 *
 * **Example** (An alert on a price)
 *
 * ```ts setup=trend
 * import { Candlewick } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * await candlewick.candles.import({ key: { symbol: "BTC/USD", timeframe: "1d" }, columns })
 * const alert = await candlewick.alerts.create({
 *   metric: "price",
 *   symbol: "BTC/USD",
 *   op: "gt",
 *   threshold: 50_000
 * })
 * console.log(alert.kind, alert.cooldown_s)
 * await candlewick.close()
 * ```
 *
 * ```text output
 * price 900
 * ```
 *
 * @since 0.1.0
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { AlertChanges, AlertRequest } from "../../domain/Alert.ts"
import { toTimestamp } from "@candlewick/engine"
import { Limits } from "../../domain/Limits.ts"
import { invalid, problem } from "../../domain/Problem.ts"
import { AlertStore } from "../../ports/AlertStore.ts"
import { BotStore } from "../../ports/BotStore.ts"
import { MarketStore } from "../../ports/MarketStore.ts"
import { Transactor } from "../../ports/Transactor.ts"
import type { alertOperations } from "../../domain/operations/alertOperations.ts"
import type { MethodsOf } from "../methodsOf.ts"
import { Ids } from "../Ids.ts"
import { findMarket } from "../markets/marketRecords.ts"
import { checkQuota, lockAccount } from "../accounts/checkQuota.ts"
import { checkAlertRequest, toAlert } from "./toAlert.ts"
import { transactOnce } from "../transactOnce.ts"
import { checkVersion, replacing, required } from "../refusals.ts"

/**
 * Alerts of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Alerts extends Context.Service<Alerts, MethodsOf<typeof alertOperations>>()(
  "@candlewick/core/services/Alerts"
) {
  /** Alerts over the stores. */
  static readonly layer = Layer.effect(
    Alerts,
    Effect.gen(function* () {
      const ports: Ports = {
        alerts: yield* AlertStore,
        bots: yield* BotStore,
        markets: yield* MarketStore,
        transactor: yield* Transactor,
        ids: yield* Ids
      }
      const { alerts } = ports
      return Alerts.of({
        create: (accountId, request) => create(ports, accountId, request),
        get: (accountId, id) => required(alerts.get(accountId, id), "alert", id),
        list: (accountId, page) => alerts.list(accountId, page),
        update: (accountId, id, changes, version) =>
          replacing(update(ports, accountId, id, changes, version), "alert", id, version),
        remove: (accountId, id) => replacing(alerts.remove(accountId, id), "alert", id)
      })
    })
  )
}

interface Ports {
  readonly alerts: AlertStore["Service"]
  readonly bots: BotStore["Service"]
  readonly markets: MarketStore["Service"]
  readonly transactor: Transactor["Service"]
  readonly ids: Ids["Service"]
}

const create = Effect.fn("Alerts.create")(function* (
  { alerts, bots, ids, markets, transactor }: Ports,
  accountId: string,
  request: AlertRequest
) {
  const id = yield* ids.make("alert")
  return yield* transactOnce(
    transactor,
    "create",
    Effect.gen(function* () {
      // So that no caller deletes the bot meanwhile.
      yield* lockAccount(transactor, accountId)
      const botId = request.bot_id
      const bot = botId === undefined ? null : Option.getOrNull(yield* bots.get(accountId, botId))
      if (botId !== undefined && bot === null) {
        const message = `The bot ${botId} does not exist.`
        return yield* problem("unprocessable", message, {
          errors: [{ pointer: "/bot_id", code: "not_found", message }]
        })
      }
      const { symbol } = request
      const isUnknown =
        symbol !== undefined && Option.isNone(yield* findMarket({ markets }, accountId, symbol))
      if (isUnknown) {
        const message = `The server has no candles of ${symbol}.`
        return yield* problem("no_market_data", message, {
          errors: [{ pointer: "/symbol", code: "no_market_data", message }]
        })
      }
      const faults = checkAlertRequest(request, bot)
      if (faults.length > 0) return yield* invalid(faults)
      yield* checkQuota(transactor, {
        accountId,
        what: "alerts",
        max: Limits.alertsPerAccountMax,
        count: alerts.count(accountId)
      })
      const now = toTimestamp(yield* Clock.currentTimeMillis)
      return yield* alerts.insert(toAlert(request, bot, { id, accountId, now }))
    })
  )
})

const update = Effect.fn("Alerts.update")(function* (
  { alerts, transactor }: Ports,
  accountId: string,
  id: string,
  changes: AlertChanges,
  version: number | undefined
) {
  return yield* transactor.transact(
    Effect.gen(function* () {
      const alert = yield* required(alerts.get(accountId, id), "alert", id)
      yield* checkVersion(alert, version)
      return yield* alerts.update({
        ...alert,
        ...changes,
        // An observation under the old condition says nothing of the new one.
        is_armed: true,
        last_value: null,
        updated_at: toTimestamp(yield* Clock.currentTimeMillis)
      })
    })
  )
})
