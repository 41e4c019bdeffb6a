/**
 * A held position has its stop at the exchange, or is told of within the time that its bot allows.
 *
 * A bot that told that it can't act at all has told of this too.
 *
 * The exchange itself answers for positions and resting orders. Time in which processes, their
 * store or who places them fail does not count, for nobody could tell then.
 */
import type { OrderAttempt } from "@candlewick/core"
import { tradesOf } from "@candlewick/core/testing"
import { numberOf } from "../../../packages/core/src/domain/decimals.ts"
import { marketAt } from "../accounts/faultyVenue.ts"
import { demand } from "../invariants.ts"
import type { World, WorldBot } from "../world.ts"
import type { LiveSide } from "./liveSide.ts"

/**
 * How long a bot may take to hear that its exchange ended a stop, of which no hint may come: accounts
 * are reconciled each minute. It may have to look in its memory, and to be opened anew besides.
 */
const graceMs = 90_000

/** Each stop is sized to whole steps of its own lot after fees, so that a part of one is left. */
const stepShare = Number(marketAt("A/B").quantityStep)

/** The quantity of which a bot told that no order can sell it, so that no stop can either. */
const dustOf = ({ dust }: LiveSide["watch"], botId: string, symbol: string): number => {
  const lots = dust.get(`${botId} ${symbol}`)?.values() ?? []
  return [...lots].reduce((sum, quantity) => sum + quantity, 0)
}

/** A position that leaves at the market needs no stop. */
type Safety = "protected" | "leaving" | "bare"

/** The stops of all bots, as they are while a history goes on. */
export class StopWatch {
  readonly #allowedMs: number
  /** Since when a market of a bot lacks its stop, and does not leave either. */
  readonly #sinceMs = new Map<string, number>()
  /** Since when it lacks its stop, be it that it leaves or not: this is told of once. */
  readonly #bareSinceMs = new Map<string, number>()

  constructor(allowedMs: number) {
    this.#allowedMs = allowedMs
  }

  look(world: World, live: LiveSide): void {
    const nowMs = world.simulator.nowMs
    for (const bot of world.bots) {
      if (bot.definition.exits?.stop_loss === undefined) continue
      for (const symbol of bot.definition.symbols) {
        const name = `${bot.id} ${symbol}`
        const safety = this.#safetyOf(live, bot, symbol)
        if (safety !== "bare") this.#sinceMs.delete(name)
        if (safety === "protected") this.#bareSinceMs.delete(name)
        else if (!this.#bareSinceMs.has(name)) this.#bareSinceMs.set(name, nowMs)
        if (safety !== "bare") continue
        const bareMs = this.#sinceMs.get(name) ?? nowMs
        this.#sinceMs.set(name, bareMs)
        const sinceMs = Math.max(bareMs, world.disturbedAtMs)
        if (nowMs - sinceMs <= this.#allowedMs + graceMs) continue
        const fromMs = this.#bareSinceMs.get(name)!
        const hasTold = (live.watch.alerts.get(bot.id) ?? []).some((atMs) => atMs >= fromMs)
        const isTold = hasTold || live.watch.idle.has(bot.id)
        if (isTold) world.counts.add("live.bareTold")
        demand(isTold, `${symbol} lacks its stop for ${nowMs - bareMs} ms, and nobody was told`)
      }
    }
  }

  #safetyOf({ shortage, venue, watch }: LiveSide, { id: botId }: WorldBot, symbol: string): Safety {
    const own = (id: string | null): OrderAttempt | undefined => {
      const attempt = id === null ? undefined : watch.attempts.get(id)
      return attempt?.bot_id === botId && attempt.order.symbol === symbol ? attempt : undefined
    }
    const truth = venue.now(venue.model.truth)
    let held = 0
    for (const { fee, orderId, quantity, side } of tradesOf(truth)) {
      if (own(orderId) === undefined) continue
      held += side === "buy" ? Number(quantity) : -Number(quantity)
      if (fee.currency === marketAt(symbol).base) held -= Number(fee.amount)
    }
    // Nothing rests for coins that the owner has sold.
    if (shortage.lackingOf(marketAt(symbol).base) > 0) return "protected"
    const size = Math.abs(held - shortage.acceptedOf(botId, symbol))
    const price = numberOf(truth.prices.get(symbol)!)
    if (size * price < 2 * Number(marketAt(symbol).minNotional)) return "protected"
    let rests = 0
    let stopCount = 0
    for (const { filled, id, quantity, status } of venue.orders) {
      const attempt = status === "open" ? own(id) : undefined
      if (attempt === undefined || attempt.leg === "entry") continue
      // A position that leaves needs no stop.
      if (attempt.order.type === "market") return "leaving"
      if (attempt.order.type !== "stop") continue
      rests += numberOf(quantity) - numberOf(filled)
      stopCount++
    }
    if (rests >= size - (stopCount + 1) * stepShare - dustOf(watch, botId, symbol))
      return "protected"
    return "bare"
  }
}
