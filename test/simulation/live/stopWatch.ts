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

/**
 * For how long a stop has to rest before its bot tells anew that it is missing. To the bot it may
 * rest for longer than it does.
 */
const restedMs = 120_000 + graceMs

/** Each stop is sized to whole steps of its own lot after fees, so that a part of one is left. */
const stepShare = Number(marketAt("A/B").quantityStep)

/** The quantity of which a bot told that no order can sell it, so that no stop can either. */
const dustOf = ({ dust }: LiveSide["watch"], botId: string, symbol: string): number => {
  const lots = dust.get(`${botId} ${symbol}`)?.values() ?? []
  return [...lots].reduce((sum, quantity) => sum + quantity, 0)
}

/** An order of a bot in one of its markets, as it was kept last. */
const ownOf = (
  { watch }: LiveSide,
  botId: string,
  symbol: string,
  id: string | null
): OrderAttempt | undefined => {
  const attempt = id === null ? undefined : watch.attempts.get(id)
  return attempt?.bot_id === botId && attempt.order.symbol === symbol ? attempt : undefined
}

/** The stop that a bot counts, and that its exchange has ended; null for none. */
const endedUnheard = (live: LiveSide, botId: string, symbol: string): string | null => {
  const found = live.venue.orders.find(({ id, status }) => {
    const attempt = status === "open" ? undefined : ownOf(live, botId, symbol, id)
    return attempt?.order.type === "stop" && attempt.state === "working"
  })
  return found?.id ?? null
}

/** The first stop that ended unheard while a market lacks its stop, and when its bot heard. */
interface FirstEnd {
  readonly id: string
  readonly heardAtMs: number | null
}

/**
 * A position needs no stop while it leaves at the market, or is too small. A stop is unseen that
 * rests, and that its bot does not count. The bot takes it back, or has yet to hear of it.
 */
type Safety = "none" | "protected" | "unseen" | "leaving" | "bare"

/** The stops of all bots, as they are while a history goes on. */
export class StopWatch {
  readonly #allowedMs: number
  /** Since when a market of a bot lacks its stop, and does not leave either. */
  readonly #sinceMs = new Map<string, number>()
  /** Since when it lacks a stop that its bot counts, or leaves: this is told of once. */
  readonly #bareSinceMs = new Map<string, number>()
  readonly #restingSinceMs = new Map<string, number>()
  readonly #firstEnds = new Map<string, FirstEnd>()

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
        if (safety !== "bare") {
          this.#sinceMs.delete(name)
          this.#firstEnds.delete(name)
        }
        this.#noteBare(name, safety, nowMs)
        if (safety !== "bare") continue
        const bareMs = this.#sinceMs.get(name) ?? nowMs
        this.#sinceMs.set(name, bareMs)
        const heardAtMs = this.#heardAtMs(name, endedUnheard(live, bot.id, symbol), nowMs)
        const sinceMs = Math.max(bareMs, heardAtMs, world.disturbedAtMs)
        if (nowMs - sinceMs <= this.#allowedMs + graceMs) continue
        const fromMs = this.#bareSinceMs.get(name)!
        const hasTold = (live.watch.alerts.get(bot.id) ?? []).some((atMs) => atMs >= fromMs)
        const isTold = hasTold || live.watch.idle.has(bot.id)
        if (isTold) world.counts.add("live.bareTold")
        demand(isTold, `${symbol} lacks its stop for ${nowMs - bareMs} ms, and nobody was told`)
      }
    }
  }

  /** A stop that rests for a short time ends no stretch of which its bot has told. */
  #noteBare(name: string, safety: Safety, nowMs: number): void {
    if (safety !== "protected") this.#restingSinceMs.delete(name)
    else if (!this.#restingSinceMs.has(name)) this.#restingSinceMs.set(name, nowMs)
    const hasRested = nowMs - (this.#restingSinceMs.get(name) ?? nowMs) > restedMs
    if (safety === "none" || hasRested) this.#bareSinceMs.delete(name)
    else if (safety !== "protected" && !this.#bareSinceMs.has(name)) {
      this.#bareSinceMs.set(name, nowMs)
    }
  }

  /** When a bot heard that a stop of it has ended. The next one may end unheard as well. */
  #heardAtMs(name: string, ended: string | null, nowMs: number): number {
    const first = this.#firstEnds.get(name)
    if (first === undefined && ended !== null) {
      this.#firstEnds.set(name, { id: ended, heardAtMs: null })
    }
    if (first?.heardAtMs === null && first.id !== ended) {
      this.#firstEnds.set(name, { ...first, heardAtMs: nowMs })
    }
    return this.#firstEnds.get(name)?.heardAtMs ?? -Infinity
  }

  #safetyOf(live: LiveSide, { id: botId }: WorldBot, symbol: string): Safety {
    const { shortage, venue, watch } = live
    const own = (id: string | null) => ownOf(live, botId, symbol, id)
    const truth = venue.now(venue.model.truth)
    let held = 0
    for (const { fee, orderId, quantity, side } of tradesOf(truth)) {
      if (own(orderId) === undefined) continue
      held += side === "buy" ? Number(quantity) : -Number(quantity)
      if (fee.currency === marketAt(symbol).base) held -= Number(fee.amount)
    }
    // Nothing rests for coins that the owner has sold.
    if (shortage.lackingOf(marketAt(symbol).base) > 0) return "none"
    const size = Math.abs(held - shortage.acceptedOf(botId, symbol))
    const price = numberOf(truth.prices.get(symbol)!)
    if (size * price < 2 * Number(marketAt(symbol).minNotional)) return "none"
    let rests = 0
    let stopCount = 0
    let isSeen = true
    for (const { filled, id, quantity, status } of venue.orders) {
      const attempt = status === "open" ? own(id) : undefined
      if (attempt === undefined || attempt.leg === "entry") continue
      // A position that leaves needs no stop.
      if (attempt.order.type === "market") return "leaving"
      if (attempt.order.type !== "stop") continue
      rests += numberOf(quantity) - numberOf(filled)
      stopCount++
      isSeen &&= attempt.state === "working" && !attempt.is_cancel_wanted
    }
    const left = size - (stopCount + 1) * stepShare - dustOf(watch, botId, symbol)
    if (rests < left) return "bare"
    return isSeen ? "protected" : "unseen"
  }
}
