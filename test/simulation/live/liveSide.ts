/**
 * The exchange of bots that trade live, as their processes have it.
 */
import { type BotRequest, venueKeyOf, type VenueLimits, Venues } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { AccountWatch } from "../accounts/accountWatch.ts"
import { FaultyVenue } from "../accounts/faultyVenue.ts"
import type { Counts } from "../counts.ts"
import type { Market } from "../market.ts"
import type { Lane, Simulator } from "../seededScheduler.ts"
import { symbols } from "../strategies.ts"
import { BoundsWatch } from "./boundsWatch.ts"
import { Shortage } from "./shortage.ts"
import type { World } from "../world.ts"
import type { LiveHistory } from "./liveHistory.ts"

const exchange = "model"

/** More than the allocations of two bots: the rest is the owner's. */
export const balance = "25000"

/** A profile that closes no gate. */
const risk = {
  max_drawdown: 1,
  risk_per_trade: 1,
  max_exposure: 10,
  daily_loss: 1,
  is_stop_loss_mandatory: false
}

/** An exchange account, its exchange, and what must hold of them. */
export class LiveSide {
  readonly watch: AccountWatch
  readonly venue: FaultyVenue
  readonly shortage: Shortage
  readonly kind: "spot" | "one_way"
  readonly feeCoin: LiveHistory["exchange"]["feeCoin"]
  readonly limits: VenueLimits
  readonly request: Pick<BotRequest, "mode" | "exchange" | "risk">

  constructor(simulator: Simulator, counts: Counts, history: LiveHistory, world: World) {
    const plan = history.exchange
    const seconds = history.unprotectedMaxSeconds
    this.request = {
      mode: "live",
      exchange,
      ...(seconds !== undefined && { risk: { ...risk, unprotected_max_seconds: seconds } })
    }
    this.shortage = new Shortage(world, this)
    const bounds = new BoundsWatch(world, this, history.terms)
    this.watch = new AccountWatch(counts, plan, {
      onLog: (line) => this.shortage.hear(line),
      onEntry: (entry) => {
        this.shortage.refuseEntry(entry.bot_id)
        bounds.refuseBroken(entry)
      }
    })
    const look = (id: string): void => world.noting(() => this.watch.refuseUnwritten(id))
    const { kind, leverage, dailyLossMax, drawdownMax, exposureMax } = history.terms
    this.kind = kind
    this.feeCoin = plan.feeCoin
    this.limits = {
      orderNotionalMax: plan.orderNotionalMax ?? undefined,
      ordersPerMinuteMax: plan.ordersPerMinuteMax ?? undefined,
      dailyLossMax: dailyLossMax ?? undefined,
      drawdownMax: drawdownMax ?? undefined,
      exposureMax: exposureMax ?? undefined
    }
    this.venue = new FaultyVenue(simulator, counts, plan, look, {
      balance,
      kind,
      leverage,
      symbols
    })
  }

  /** The port as a process has it. */
  connect(lane: Lane): Layer.Layer<never> {
    const connected = { venue: this.venue.connect(lane), limits: this.limits, isRehearsal: true }
    return Layer.succeed(Venues, { find: () => Effect.succeedSome(connected) })
  }

  /** The bots of an exchange account are placed together. */
  readonly shareOf = (accountId: string): string => venueKeyOf(accountId, exchange)

  /** Has the exchange trade at the close of the candle that was told last. */
  follow({ count, series, told }: Market): void {
    if (told > count) return
    for (const [symbol, columns] of series) {
      this.venue.now(this.venue.model.moveTo(symbol, columns.close[told - 1]!.toFixed(2)))
    }
  }
}
