/**
 * Strategies that a live bot may have, and the exchanges at which it trades them.
 *
 * Distances are a few ticks of the market, so that a path of few steps meets most orders.
 */
import type { RiskProfile, StrategyDefinition } from "@candlewick/core"
import type { Random } from "@candlewick/core/kernel"
import type { VenueCapabilities } from "../../../packages/core/src/ports/Venue.ts"
import type { EntryOrder, RestingEntry } from "../../../packages/engine/src/language/EntryOrder.ts"
import type { Exits } from "../../../packages/engine/src/language/Exits.ts"
import type { Addition } from "../../../packages/engine/src/language/Ladder.ts"
import type { PositionParts } from "../../../packages/engine/src/language/StrategyDefinition.ts"
import type { Writable } from "../../../packages/engine/src/testing/StrategyGenerator.ts"

/** An exchange, and the terms that it shares with the record of its markets. */
export interface LiveTerms {
  readonly capabilities: Partial<VenueCapabilities> & Pick<VenueCapabilities, "kind">
  readonly leverage: number
  readonly minNotional: number
}

/** A strategy at an exchange. */
export interface LiveDraw {
  readonly definition: StrategyDefinition
  readonly terms: LiveTerms
  readonly risk: RiskProfile | null
  /** The minutes after which its process ends, and another one takes the bot up. */
  readonly restarts: ReadonlyArray<number>
}

type Rule = NonNullable<StrategyDefinition["long"]>["enter"]
type Definition = Writable<StrategyDefinition>
type Parts = Writable<PositionParts>

/** When the prices of a law begin to move. */
export const liveStartMs = Date.UTC(2026, 0, 5)
const minuteMs = 60_000

/** The allocation of a bot. */
export const liveCapital = 1_000

/** How far the limit of a stop-limit order lies beyond its stop, where it has to be paid too. */
const limitOffset = 0.002

const close = { type: "price", field: "close" } as const
const sma = (period: number) => ({ type: "sma", period }) as const
const fraction = (value: number) => ({ type: "fraction", value }) as const

/** The kinds of ladders; a plain strategy has none. */
export const liveLadders = [
  "additions",
  "ruled additions",
  "safety_orders",
  "targets",
  "reductions",
  "overlap",
  "by_name",
  "first_in_first_out",
  "grid",
  "rebalance"
] as const

type Ladder = (typeof liveLadders)[number]

/** How often a ladder may enter, as parts of its first entry. */
const entryCounts: ReadonlyMap<Ladder, number> = new Map([
  ["additions", 3],
  ["ruled additions", 5],
  ["safety_orders", 5],
  ["by_name", 5],
  ["first_in_first_out", 5],
  ["overlap", 3]
])

const adding: ReadonlySet<Ladder> = new Set([
  "additions",
  "ruled additions",
  "safety_orders",
  "by_name",
  "first_in_first_out"
])

class LiveGenerator {
  readonly #random: Random
  readonly #terms: LiveTerms
  /** Whether a target may rest beside a stop, or in its place. */
  readonly #mayMix: boolean

  constructor(random: Random, terms: LiveTerms) {
    this.#random = random
    this.#terms = terms
    const { canShareQuantity, hasReduceOnly, kind } = terms.capabilities
    // Elsewhere a bot watches its targets, and sells them a candle later: docs/known-limits.md.
    this.#mayMix = kind === "one_way" && canShareQuantity === true && hasReduceOnly === true
  }

  /**
   * Whether entries are added to a position. Exits follow them at once, and a backtest moves them
   * in the next candle: docs/known-limits.md. By another range they may lie beyond the price.
   */
  #adds = false

  mayHave(ladder: Ladder): boolean {
    return this.#mayMix || ladder !== "grid"
  }

  #chance(rate: number): boolean {
    return this.#random.next() < rate
  }

  #pick<A>(items: ReadonlyArray<A>): A {
    return this.#random.pick(items)
  }

  #rule(): Rule {
    const type = this.#pick(["above", "below", "crosses_above", "crosses_below"] as const)
    return { type, left: close, right: sma(this.#random.integer(2, 4)) }
  }

  #enter(side: "long" | "short"): Rule {
    const right = sma(this.#random.integer(2, 4))
    if (this.#chance(0.1)) return { type: "rising", of: close, for: 1 }
    return { type: side === "long" ? "above" : "below", left: close, right }
  }

  #distance(points: ReadonlyArray<number>) {
    if (!this.#adds && this.#chance(0.2))
      return { type: "atr", period: 2, multiple: this.#pick([1, 2]) } as const
    return fraction(this.#pick(points) / 10_000)
  }

  /** Exits of the losing side, of the winning side, or of both where they may rest together. */
  #exits(hasStops: boolean, hasTargets: boolean): Exits {
    const exits: Writable<Exits> = {}
    if (hasStops && this.#chance(0.8)) {
      const series = {
        type: "add",
        left: close,
        right: { type: "constant", value: -0.67 }
      } as const
      exits.stop_loss =
        !this.#adds && this.#chance(0.1)
          ? { type: "level", series }
          : this.#distance([43, 107, 310])
    }
    if (hasTargets && this.#chance(0.4)) exits.take_profit = this.#distance([51, 103])
    if (hasStops && this.#chance(0.3)) {
      const distance = this.#distance([61, 123])
      const activation = this.#distance([41])
      exits.trailing_stop = this.#chance(0.3) ? { distance, activation } : { distance }
    }
    if (hasStops && this.#chance(0.25)) {
      const activation = fraction(0.0039)
      exits.break_even = this.#chance(0.5) ? { activation } : { activation, offset: 0.0007 }
    }
    if (this.#chance(0.3)) exits.time_limit = this.#pick([1, 2, 5])
    return exits
  }

  #until(): string {
    return new Date(liveStartMs + this.#random.integer(4, 20) * minuteMs).toISOString()
  }

  #candles(): { readonly expires_after?: number } {
    return this.#pick([{}, { expires_after: this.#pick([1, 2, 4]) }])
  }

  #life(): { readonly expires_after?: number; readonly until?: string } {
    return this.#chance(0.35) ? { until: this.#until() } : this.#candles()
  }

  #resting(isAddition = false): RestingEntry {
    const type = this.#pick(["limit", "stop", "stop_limit"] as const)
    const window = { of: close, period: 3 }
    const level = type === "limit" ? ({ type: "lowest", ...window } as const) : null
    const price = this.#chance(0.7)
      ? { offset: this.#pick([13, 21, 37]) / 10_000 }
      : { level: level ?? ({ type: "highest", ...window } as const) }
    const life = this.#life()
    if (type === "stop_limit") return { type, ...price, limit_offset: limitOffset, ...life }
    if (type === "limit" && !isAddition && this.#chance(0.35)) {
      // The open has to meet its limit.
      const level = { type: this.#pick(["highest", "lowest"] as const), ...window } as const
      return { type, level, immediate: true }
    }
    return { type, ...price, ...life }
  }

  #entry(): EntryOrder {
    if (this.#chance(0.7)) return this.#resting()
    // Two that fill at one price fill both, before a cancel arrives: docs/known-limits.md.
    const price = () => ({ offset: this.#pick([13, 21, 37]) / 10_000 })
    const type = this.#pick(["stop", "stop_limit"] as const)
    const beyond = type === "stop" ? { type } : { type, limit_offset: limitOffset }
    const until = this.#until()
    // A group whose orders end apart is entered anew a candle early: docs/known-limits.md.
    const life = () => (isUntil ? { until } : this.#candles())
    const isUntil = this.#chance(0.3)
    return {
      type: "one_cancels_other",
      orders: [
        { type: "limit", ...price(), ...life() },
        { ...beyond, ...price(), ...life() }
      ]
    }
  }

  /** A size of which so many fit into the bot's allocation. */
  #sizing(hasStop: boolean, count: number, most: number): NonNullable<Parts["sizing"]> {
    const share = (this.#pick([0.2, 0.5, 0.9, most]) / count) * (1 - limitOffset)
    return this.#pick([
      { type: "fixed_notional", notional: Math.floor(share * liveCapital) },
      { type: "equity_fraction", fraction: Math.min(1, share) },
      { type: "equity_fraction", fraction: Math.min(1, share) },
      { type: "fixed_quantity", quantity: Math.floor(share * liveCapital) / 100 },
      // Where prices hardly move, its size is all that the bot has.
      ...(count === 1 ? [{ type: "volatility_target", target: share, period: 4 } as const] : []),
      ...(hasStop ? [{ type: "risk_per_trade", fraction: 0.002 / count } as const] : [])
    ] as const)
  }

  #scaled() {
    const of = this.#pick(["first", "last"] as const)
    return { type: "scaled", of, factor: this.#pick([0.5, 0.7, 1]) } as const
  }

  #additions(isRuled: boolean, hasOwnExits: boolean): readonly [Addition, ...Array<Addition>] {
    const exits = () =>
      hasOwnExits && this.#chance(0.5) ? { exits: this.#exits(true, this.#mayMix) } : {}
    if (!isRuled) {
      return [
        { name: "dip", against: 0.0019, sizing: this.#scaled(), ...exits() },
        { name: "up", in_favour: 0.0022, ...(this.#chance(0.5) ? { sizing: this.#scaled() } : {}) }
      ]
    }
    const ruled: Addition = {
      name: "more",
      enter: this.#rule(),
      times: this.#random.integer(1, 3),
      sizing: this.#scaled(),
      ...exits(),
      ...(this.#chance(0.4) ? { entry: this.#resting(true) } : {})
    }
    return this.#chance(0.5)
      ? [ruled]
      : [{ name: "dip", against: 0.0029, sizing: this.#scaled(), ...exits() }, ruled]
  }

  #targets(): NonNullable<Parts["targets"]> {
    const stop = (name: "entry" | "previous_target") =>
      this.#mayMix && this.#chance(0.5) ? { stop: name } : {}
    return [
      { at: fraction(0.0023), portion: 0.4, ...stop("entry") },
      { at: fraction(0.0047), portion: 0.3, ...stop("previous_target") },
      { at: fraction(0.0083), portion: 0.3 }
    ]
  }

  #parts(ladder: Ladder | null, count: number): Parts {
    const hasStops = this.#mayMix || ladder !== "targets"
    const parts: Parts = { exits: this.#exits(hasStops, this.#mayMix) }
    if (this.#chance(0.5)) parts.entry = this.#entry()
    // Each order of a group has to fit into the allocation: docs/known-limits.md.
    const orderCount = parts.entry?.type === "one_cancels_other" ? 2 : 1
    // An entry at a price with all of the money is cut down by its limit: docs/known-limits.md.
    const most = parts.entry === undefined && count === 1 ? 1.1 : 0.9
    parts.sizing = this.#sizing(parts.exits!.stop_loss !== undefined, orderCount * count, most)
    if (ladder === "additions") parts.additions = this.#additions(false, false)
    if (ladder === "ruled additions") parts.additions = this.#additions(true, false)
    if (ladder === "safety_orders") {
      parts.safety_orders = {
        count: 3,
        distance: 0.0019,
        distance_factor: 1.3,
        size_factor: this.#pick([0.5, 1.2])
      }
    }
    if (ladder === "targets") parts.targets = this.#targets()
    if (ladder === "reductions") {
      parts.reductions = [{ when: this.#rule(), portion: this.#pick([0.4, 0.5, 1]) }]
    }
    return parts
  }

  #lots(ladder: "by_name" | "first_in_first_out"): Partial<Definition> {
    const exitsOf = this.#pick(["lot", "position"] as const)
    const hasOwnExits = ladder === "by_name" && exitsOf === "lot"
    const additions = this.#additions(this.#chance(0.5), hasOwnExits)
    const named = ladder === "by_name" ? { lot: this.#pick(["base", additions[0].name]) } : {}
    const reduction = { when: this.#rule(), portion: this.#pick([0.5, 1]), ...named }
    return {
      lots: ladder,
      ...(this.#chance(0.7) ? { exits_of: exitsOf } : {}),
      additions,
      ...(this.#chance(0.5) ? { reductions: [reduction] } : {})
    }
  }

  #ruled(ladder: Ladder | null, marketCount: number): Partial<Definition> {
    const { kind } = this.#terms.capabilities
    const sides = kind === "spot" ? "long" : this.#pick(["long", "short", "both", "both"] as const)
    const side = (name: "long" | "short") => {
      const exit = this.#enter(name === "long" ? "short" : "long")
      return { enter: this.#enter(name), ...(this.#chance(0.5) ? { exit } : {}) }
    }
    const count = marketCount * (ladder === null ? 1 : (entryCounts.get(ladder) ?? 1))
    const lots = ladder === "by_name" || ladder === "first_in_first_out" ? this.#lots(ladder) : {}
    const rest: Partial<Definition> = { ...lots }
    if (this.#chance(0.3)) {
      rest.reentry = this.#pick([
        { cooldown: 1 },
        { cooldown: 2 },
        { cooldown_after_stop: 2 },
        { cooldown: 1, cooldown_after_stop: 3 }
      ])
    }
    if (ladder === "overlap") Object.assign(rest, { overlap: true, max_positions: 3 })
    const isApart = ladder !== "overlap" && lots.lots === undefined && this.#chance(0.2)
    const parts = () => {
      // Sides may differ in their ladder as well.
      const own = isApart && this.#chance(0.3) ? null : ladder
      return this.#parts(own, count)
    }
    const own = () => (isApart ? parts() : {})
    return {
      ...(sides !== "short" && { long: { ...side("long"), ...own() } }),
      ...(sides !== "long" && { short: { ...side("short"), ...own() } }),
      ...(isApart ? {} : parts()),
      ...rest
    }
  }

  #grid(marketCount: number): Partial<Definition> {
    const spacing = this.#pick(["arithmetic", "geometric"] as const)
    const hasStop = this.#chance(0.5)
    return {
      grid: { lower: 98, upper: 102, lines: this.#pick([5, 9]), spacing },
      sizing: { type: "equity_fraction", fraction: this.#pick([0.5, 0.9]) / marketCount },
      ...(hasStop ? { exits: { stop_loss: fraction(0.005) } } : {})
    }
  }

  definition(symbols: readonly [string, ...ReadonlyArray<string>], ladder: Ladder | null) {
    this.#adds = ladder !== null && adding.has(ladder)
    const parts =
      ladder === "grid"
        ? this.#grid(symbols.length)
        : ladder === "rebalance"
          ? {
              rebalance: {
                weight: this.#pick([0.5, 0.9]) / symbols.length,
                band: this.#pick([0.001, 0.01])
              }
            }
          : this.#ruled(ladder, symbols.length)
    const isOne = ladder !== "grid" && ladder !== "rebalance" && ladder !== "overlap"
    // An order is over at its `until` before the close at which a backtest counts it still. Another
    // market may then be entered: docs/known-limits.md.
    const isCapped = !JSON.stringify(parts).includes('"until"') && this.#chance(0.35)
    const definition: StrategyDefinition = {
      format: 1,
      symbols,
      timeframe: "1m",
      parameters: {},
      ...parts,
      ...(symbols.length > 1 && isOne && isCapped ? { max_positions: 1 } : {})
    }
    return definition
  }
}

/** Whether orders may be too small for a market, which then rejects them. */
const mayBeSmall = ({ long, rebalance, reductions, short }: StrategyDefinition): boolean =>
  rebalance !== undefined || [reductions, long?.reductions, short?.reductions].some(Boolean)

const drawTerms = (random: Random): LiveTerms => {
  const kind = random.pick(["spot", "one_way", "one_way"] as const)
  const may = () => random.next() < 0.5
  const [hasImmediate, hasExpiry] = [may(), may()]
  const isReducing = random.next() < 0.7
  const positions = { hasReduceOnly: isReducing, canShareQuantity: isReducing || may() }
  return {
    capabilities: { kind, hasImmediate, hasExpiry, ...(kind === "one_way" && positions) },
    leverage: kind === "spot" ? 1 : random.pick([1, 3]),
    minNotional: 1
  }
}

/** A profile that closes its gate now and then, and bounds sizes. */
const drawRisk = (random: Random): RiskProfile | null =>
  random.next() < 0.7
    ? null
    : {
        max_drawdown: random.pick([0.01, 0.5]),
        daily_loss: random.pick([0.004, 0.5]),
        max_exposure: random.pick([0.3, 1, 3]),
        risk_per_trade: random.pick([0.001, 0.5]),
        is_stop_loss_mandatory: false
      }

/** One of several markets is traded alone now and then. */
const withTrades = (random: Random, definition: StrategyDefinition): StrategyDefinition =>
  definition.symbols.length > 1 && random.next() < 0.15
    ? { ...definition, trades: [random.pick(definition.symbols)] }
    : definition

/** Draws a strategy and an exchange for it. */
export const drawLive = (random: Random): LiveDraw => {
  const terms = drawTerms(random)
  const markets = [["AAA/USD"], ["AAA/USD"], ["AAA/USD", "BBB/USD"]] as const
  const generator = new LiveGenerator(random, terms)
  const ladders = liveLadders.filter((ladder) => generator.mayHave(ladder))
  const ladder = random.next() < 0.25 ? null : random.pick(ladders)
  const definition = generator.definition(random.pick(markets), ladder)
  // A reduction below the least notional is rejected: docs/known-limits.md.
  const minNotional = mayBeSmall(definition) ? 0 : terms.minNotional
  return {
    definition: withTrades(random, definition),
    terms: { ...terms, minNotional },
    risk: drawRisk(random),
    restarts: random.next() < 0.3 ? [random.integer(2, 10), random.integer(11, 22)] : []
  }
}
