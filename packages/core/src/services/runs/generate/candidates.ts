/**
 * The candidates of a generation: strategies drawn from the grammar, each from its own index.
 *
 * Candidates take turns through every family and every way of leaving, so that a search of any size
 * has looked everywhere. The candidate of an index depends on the seed and the training candles
 * alone.
 *
 * @since 0.1.0
 */
import {
  type Distance,
  type Exits,
  type Parameter,
  type Rule,
  type StrategyDefinition,
  type Timeframe,
  timeframeMs
} from "@candlewick/engine"
import { dayMs, makeRandom, type Random } from "@candlewick/engine/kernel"
import {
  type Draw,
  drawPeriod,
  families,
  type Family,
  familyNames,
  filtered,
  floatOf,
  integerOf,
  tidy
} from "./candidateRules.ts"
import { laddered, type PriceRange } from "./candidateLadders.ts"
import type { RiskAppetite } from "./riskAppetite.ts"

/** The purpose of candidates. */
export interface CandidateContext {
  readonly symbols: ReadonlyArray<string>
  readonly timeframe: Timeframe
  readonly canShort: boolean
  readonly appetite: RiskAppetite
  /** Median average true range over close of the training candles. */
  readonly atrRate: number
  /** Where most of the training candles closed, or null where there are several markets. */
  readonly range: PriceRange | null
  readonly seed: number
}

/** A strategy that a search may choose. */
export interface StrategyCandidate {
  readonly family: Family
  readonly definition: StrategyDefinition
}

/** Which candidate: the one of an index, or a variation of an earlier one. */
export interface CandidateRef {
  readonly index: number
  /** The candidate that this one varies, or null where it is drawn anew. */
  readonly parentIndex: number | null
}

/** The ways of leaving, besides the stop loss that every candidate has. */
export const exitKinds = ["target", "trailing", "time", "opposite"] as const

type ExitKind = (typeof exitKinds)[number]

const filterRate = 0.3

/** In one of so many turns candidates are ladders, most of which go candle by candle. */
export const candidatesPerLadder = 12

const drawStop = (draw: Draw, { stopScale }: RiskAppetite): Distance => {
  const { atrRate, random } = draw
  const multiple = stopScale * (1.5 + 3.5 * random.next())
  if (random.next() < 0.3) {
    const fraction = Math.min(0.5, atrRate * multiple)
    return {
      type: "fraction",
      value: floatOf(
        draw,
        "stop",
        fraction,
        Math.max(1e-5, fraction / 2),
        Math.min(0.9, fraction * 2)
      )
    }
  }
  return { type: "atr", period: 14, multiple: floatOf(draw, "stop", multiple, 1, 8) }
}

const drawExits = (draw: Draw, appetite: RiskAppetite, kind: ExitKind, isLong: boolean): Exits => {
  const { random } = draw
  const stop_loss = drawStop(draw, appetite)
  const distance = (name: string, multiple: number): Distance => ({
    type: "atr",
    period: 14,
    multiple: floatOf(draw, name, multiple, 0.5, 20)
  })
  switch (kind) {
    case "target":
      return { stop_loss, take_profit: distance("target", 1 + 7 * random.next()) }
    case "trailing":
      return { stop_loss, trailing_stop: { distance: distance("trail", 1.5 + 5 * random.next()) } }
    case "time": {
      const candles = drawPeriod(random, 1, isLong ? 24 : 72)
      return { stop_loss, time_limit: integerOf(draw, "candles_held", candles, 1) }
    }
    default:
      return { stop_loss }
  }
}

/** The candidate of an index, drawn from the grammar. */
const drawCandidate = (context: CandidateContext, index: number): StrategyCandidate => {
  const random = makeRandom(context.seed).fork("candidate").fork(index)
  const family = familyNames[index % familyNames.length]!
  const turn = Math.floor(index / familyNames.length)
  const kind = exitKinds[turn % exitKinds.length]!
  const isPlain = turn < exitKinds.length
  const parameters: Record<string, Parameter> = {}
  const durationMs = timeframeMs(context.timeframe)
  const draw: Draw = { random, parameters, atrRate: context.atrRate, durationMs }
  const drawn = families[family](draw)
  const isFiltered = !isPlain && random.next() < filterRate
  const rules = isFiltered ? filtered(draw, drawn) : drawn
  const side = context.canShort ? random.pick(["long", "both", "both", "short"] as const) : "long"
  const hasExitRule = kind === "opposite" || family === "regime" || random.next() < 0.35
  const exits = drawExits(draw, context.appetite, kind, durationMs >= dayMs)
  const direction = (enter: Rule, exit: Rule) => (hasExitRule ? { enter, exit } : { enter })
  const [first, ...rest] = context.symbols
  const exposure = context.appetite.exposure / context.symbols.length
  const definition: StrategyDefinition = {
    format: 1,
    symbols: [first!, ...rest],
    timeframe: context.timeframe,
    parameters,
    ...(side !== "short" && { long: direction(rules.enterLong, rules.exitLong) }),
    ...(side !== "long" && { short: direction(rules.enterShort, rules.exitShort) }),
    exits,
    // Markets share one account; the profile caps the loss of an order at its stop.
    sizing: { type: "equity_fraction", fraction: tidy(exposure) }
  }
  if (turn % candidatesPerLadder !== candidatesPerLadder - 1) return { family, definition }
  const frame = { draw, exposure, range: context.range }
  return { family, definition: laddered(definition, family, frame) }
}

const nudged = (parameter: Parameter, random: Random): Parameter => {
  if (parameter.kind === "choice" || random.next() < 0.3) return parameter
  const { max, min } = parameter
  const inside = (value: number): number => Math.min(max, Math.max(min, value))
  if (parameter.kind === "integer") {
    const moved = Math.round(parameter.default * Math.exp(0.35 * random.normal()))
    const value = moved === parameter.default ? moved + random.pick([-1, 1]) : moved
    return { ...parameter, default: inside(value) }
  }
  // Factors of a price lie just above 1, and it is their distance from it that counts.
  const origin = min === 1 && parameter.default > 1 ? 1 : 0
  const moved = (parameter.default - origin) * Math.exp(0.35 * random.normal())
  return { ...parameter, default: inside(origin + tidy(moved)) }
}

const shifted = (rule: Rule, random: Random): Rule => {
  const startShift = random.integer(-1, 1)
  const endShift = random.integer(-1, 1)
  const move = (one: Rule): Rule => {
    switch (one.type) {
      case "hours": {
        const from = (one.from + startShift + 24) % 24
        const to = (one.to + endShift + 24) % 24
        return from === to ? one : { ...one, from, to }
      }
      case "all":
      case "any":
        return { ...one, rules: one.rules.map(move) }
      case "not":
        return { ...one, rule: move(one.rule) }
      default:
        return one
    }
  }
  return move(rule)
}

/** The same strategy with other values of its parameters and other hours. */
const varied = ({ definition, family }: StrategyCandidate, random: Random): StrategyCandidate => {
  const parameters = Object.fromEntries(
    Object.entries(definition.parameters).map(([name, one]) => [name, nudged(one, random)])
  )
  // One shift for all rules, so that an exit at the end of the hours stays there.
  const shiftSeed = random.integer(0, 1_000_000)
  const side = (one: NonNullable<StrategyDefinition["long"]>) => ({
    enter: shifted(one.enter, makeRandom(shiftSeed)),
    ...(one.exit !== undefined && { exit: shifted(one.exit, makeRandom(shiftSeed)) })
  })
  return {
    family,
    definition: {
      ...definition,
      parameters,
      ...(definition.long !== undefined && { long: side(definition.long) }),
      ...(definition.short !== undefined && { short: side(definition.short) })
    }
  }
}

/** The candidate that a reference stands for. */
export const candidateAt = (context: CandidateContext, ref: CandidateRef): StrategyCandidate =>
  ref.parentIndex === null
    ? drawCandidate(context, ref.index)
    : varied(
        drawCandidate(context, ref.parentIndex),
        makeRandom(context.seed).fork("variation").fork(ref.index)
      )
