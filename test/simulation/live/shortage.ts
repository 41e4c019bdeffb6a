/**
 * Coins of bots that the owner of their exchange account has sold by hand. A bot that heard of it
 * enters nothing until they are there again.
 *
 * The exchange itself answers for trades and balances, and bots by their logs for what they heard.
 */
import type { Difference, LogEntry } from "@candlewick/core"
import { holdingsOf, tradesOf } from "../../../packages/core/src/testing/modelVenue/Exchange.ts"
import { marketAt } from "../accounts/faultyVenue.ts"
import { demand } from "../invariants.ts"
import { symbols } from "../strategies.ts"
import type { World } from "../world.ts"
import type { LiveSide } from "./liveSide.ts"

/** Sums of amounts are no more exact. */
const roundingMax = 1e-9

/** Fees leave less than a step, which no bot can sell. */
const step = Number(marketAt(symbols[0]).quantityStep)

/** A write of a slow store is told of after one that was kept later. */
const toldLateMs = 3_000

/** Answers of the exchange show how things were, and come late. */
const answerLateMs = 20_000

/**
 * How long a bot may take to hear that it lacks coins. Accounts are reconciled each minute, and
 * compared once more after a while.
 */
const hearMs = 90_000

type Line = Pick<LogEntry, "bot_id" | "data" | "event">

/** Since when a bot owns some of a coin of which its exchange lacks some, and when it heard. */
interface Lack {
  readonly sinceMs: number
  heardAtMs: number | null
}

/** The bots that lack coins at their exchange. */
export class Shortage {
  readonly #world: World
  readonly #live: LiveSide
  readonly #lacks = new Map<string, Lack>()
  /** The quantity of each market of which a bot's owner has accepted that it is gone. */
  readonly #accepted = new Map<string, Map<string, number>>()
  /** Whether any bot has ever lacked something. */
  hasBeen = false
  /** When bots lacked something last. */
  #lackedAtMs = -Infinity
  /** Whether coins of bots may have been sold, so that it is worth to look. */
  isSold = false

  constructor(world: World, live: LiveSide) {
    this.#world = world
    this.#live = live
  }

  /** The amount of a coin that each bot has bought and not sold. */
  #ownedBy(coin: string): ReadonlyMap<string, number> {
    const { venue, watch } = this.#live
    const owned = new Map<string, number>()
    for (const trade of tradesOf(venue.now(venue.model.truth))) {
      const botId = watch.attempts.get(trade.orderId ?? "")?.bot_id
      if (botId === undefined) continue
      const { fee, quantity, side, symbol } = trade
      const moved = marketAt(symbol).base === coin ? Number(quantity) : 0
      const paid = fee.currency === coin ? Number(fee.amount) : 0
      const before = owned.get(botId) ?? 0
      owned.set(botId, before + (side === "buy" ? moved : -moved) - paid)
    }
    const symbol = symbols.find((one) => marketAt(one).base === coin)!
    for (const [botId, amount] of owned) {
      owned.set(botId, amount - this.acceptedOf(botId, symbol))
    }
    return new Map([...owned].filter(([, amount]) => amount > roundingMax))
  }

  /** The same without rests that no bot can sell. */
  #sellableBy(coin: string): ReadonlyMap<string, number> {
    return new Map([...this.#ownedBy(coin)].filter(([, amount]) => amount >= step))
  }

  /** The quantity of a market of which it was accepted that the bot does not have it. */
  acceptedOf(botId: string, symbol: string): number {
    return this.#accepted.get(botId)?.get(symbol) ?? 0
  }

  /** Whether a bot has heard that it lacks something. */
  hasHeard(botId: string): boolean {
    return (this.#lacks.get(botId)?.heardAtMs ?? null) !== null
  }

  #accept({ bot_id: botId, data }: Line): void {
    this.#world.counts.add("live.acceptedLack")
    const ofBot = this.#accepted.get(botId) ?? new Map<string, number>()
    this.#accepted.set(botId, ofBot)
    for (const difference of data["differences"] as ReadonlyArray<Difference>) {
      if (difference.kind !== "position") continue
      const { exchange, own, symbol } = difference
      const gone = (own?.quantity ?? 0) - (exchange?.quantity ?? 0)
      const all = (ofBot.get(symbol) ?? 0) + gone
      // The line has numbers, and amounts are decimals.
      ofBot.set(symbol, Number(all.toFixed(9)))
    }
  }

  /** The amount of a coin that the exchange has less than the bots own and can sell. */
  lackingOf(coin: string): number {
    return this.isSold ? this.#lackingFor(coin, this.#sellableBy(coin)) : 0
  }

  #lackingFor(coin: string, owned: ReadonlyMap<string, number>): number {
    const { venue } = this.#live
    const there = holdingsOf(venue.now(venue.model.truth)).balances.get(coin) ?? "0"
    const lacking = [...owned.values()].reduce((sum, amount) => sum + amount, 0) - Number(there)
    return lacking > roundingMax ? lacking : 0
  }

  /** Looks which bots lack something at this moment. */
  look(): void {
    if (!this.isSold) return
    const lacking = new Set<string>()
    for (const { base } of symbols.map(marketAt)) {
      // Bots hear of a rest that is gone as well.
      this.hasBeen ||= this.#lackingFor(base, this.#ownedBy(base)) > 0
      if (this.lackingOf(base) === 0) continue
      for (const botId of this.#sellableBy(base).keys()) lacking.add(botId)
    }
    const { nowMs } = this.#world.simulator
    if (lacking.size > 0) this.#lackedAtMs = nowMs
    for (const botId of this.#lacks.keys()) if (!lacking.has(botId)) this.#lacks.delete(botId)
    for (const botId of lacking) {
      if (this.#lacks.has(botId)) continue
      this.#world.counts.add("live.lacked")
      this.#lacks.set(botId, { sinceMs: nowMs, heardAtMs: null })
    }
  }

  /** Why bots may lack something still, or not have heard that they have it again; null if not. */
  get unsettled(): string | null {
    this.look()
    if (this.#lacks.size > 0) return "the exchange has less than bots own"
    const isFresh = this.#world.simulator.nowMs - this.#lackedAtMs <= hearMs
    return isFresh ? "the exchange had less than bots own until now" : null
  }

  #sinceMs({ sinceMs }: Lack): number {
    return Math.max(sinceMs, this.#world.disturbedAtMs)
  }

  /** A bot has logged that it and its exchange differ, that they agree, or that it takes that. */
  hear(line: Line): void {
    const { bot_id: botId, event } = line
    if (event === "reconcile.accepted") {
      this.#accept(line)
      // It has yet to hear of coins that it lacks besides.
      this.#lacks.delete(botId)
    }
    const lack = this.#lacks.get(botId)
    if (lack === undefined) return
    const { nowMs } = this.#world.simulator
    if (event === "reconcile.mismatch" && lack.heardAtMs === null) {
      lack.heardAtMs = nowMs
      this.#world.counts.add("live.heardOfLack")
    }
    if (event !== "reconcile.matches") return
    const isEarly = nowMs - this.#sinceMs(lack) <= answerLateMs
    demand(isEarly, "a bot agrees with its exchange, which has less than the bot owns")
    lack.heardAtMs = null
  }

  /** No entry of a bot that heard, or has had the time to. */
  refuseEntry(botId: string): void {
    this.look()
    const lack = this.#lacks.get(botId)
    if (lack === undefined) return
    const { nowMs } = this.#world.simulator
    const hasHeard = lack.heardAtMs !== null && nowMs - lack.heardAtMs > toldLateMs
    demand(!hasHeard, "a bot enters though it heard that its exchange has less than it owns")
    const isOverdue = nowMs - this.#sinceMs(lack) > hearMs
    demand(!isOverdue, "a bot enters, and never heard that its exchange has less than it owns")
  }
}
