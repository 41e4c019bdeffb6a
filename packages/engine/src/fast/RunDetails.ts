/**
 * The terms of a run's positions besides its rules: levels, size and limits.
 *
 * @since 0.1.0
 */
import type { PlanDistance, StrategyPlan } from "../plan/StrategyPlan.ts"
import { resolveSetting } from "../language/resolveSetting.ts"
import { annualizingOf, toTradingPlan } from "../plan/tradingPlan.ts"
import { roundToTick } from "../kernel/fill.ts"
import type { SizingRule } from "../kernel/sizing.ts"
import type { ColumnStore } from "./ColumnStore.ts"
import type { Kernels } from "./kernels.ts"
import {
  activationLevelAt,
  annualizingAt,
  breakEvenLevelAt,
  breakEvenLevelOffsetAt,
  cooldownAfterStopAt,
  cooldownAt,
  entryKindAt,
  entryLifeAt,
  entryOffsetAt,
  equitySize,
  levelColumnAt,
  levelKindAt,
  limitEntry,
  lineBytes,
  lineCountAt,
  lineListAt,
  linePriceAt,
  marketEntry,
  notionalSize,
  quantitySize,
  riskSize,
  safetyCountAt,
  safetyDistanceAt,
  safetyDistanceFactorAt,
  safetyListAt,
  safetyNotionalAt,
  safetySizeFactorAt,
  sizeKindAt,
  sizeValueAt,
  stopEntry,
  stopTouchesAt,
  stopLevelAt,
  targetTouchesAt,
  targetLevelAt,
  timeLimitAt,
  trailLevelAt,
  volatilityColumnAt,
  volatilitySize
} from "./kernels/layout.ts"
import { distanceLevel, fractionLevel, noLevel, priceLevel } from "../match/matcherCodes.ts"
import { isGiven, type Level, type LevelTouches } from "./Level.ts"
import type { EngineRun } from "./Run.ts"

const levelKinds = {
  fraction: fractionLevel,
  distance: distanceLevel,
  price: priceLevel
} as const

const sizeKinds = {
  equity_fraction: equitySize,
  risk_per_trade: riskSize,
  fixed_notional: notionalSize,
  fixed_quantity: quantitySize,
  volatility_target: volatilitySize
} as const

const entryKinds = { market: marketEntry, limit: limitEntry, stop: stopEntry } as const

interface Size {
  readonly kind: number
  readonly value: number
}

/** The volatility of candles as a column, and the factor that makes it that of a year. */
interface Volatility {
  readonly column: number
  readonly annualizing: number
}

/** Lines that buy, and the one above them that only sells. */
interface Grid {
  readonly lines: ReadonlyArray<number>
}

/** Orders that average a position which loses. */
interface Safety {
  readonly count: number
  readonly distance: number
  readonly distanceFactor: number
  readonly sizeFactor: number
  /** Notional of the first order, or 0 where it is that of the first entry. */
  readonly notional: number
}

/**
 * The order of an entry: its distance from the close, and the most candles that it rests, or -1.
 */
interface Entry {
  readonly kind: number
  readonly offset: number
  readonly life: number
}

/** Levels, size and limits of a run. @category models @since 0.1.0 */
export interface RunDetails {
  readonly stop: Level
  readonly target: Level
  /** The distance by which the stop trails, and the level from which it does. */
  readonly trail: Level
  readonly activation: Level
  /** From where on the stop is at the entry, and how far beyond it. */
  readonly breakEven: Level
  readonly breakEvenOffset: number
  readonly entry: Entry
  readonly grid: Grid | null
  readonly safety: Safety | null
  readonly size: Size
  readonly volatility: Volatility
  /** Candles after which a position is exited, or -1. */
  readonly timeLimit: number
  readonly cooldown: number
  readonly cooldownAfterStop: number
}

const nowhere: Level = { kind: noLevel, value: 0, column: 0 }

const toLevel = (distance: PlanDistance | null, columns: ColumnStore): Level => {
  if (distance === null) return nowhere
  const kind = levelKinds[distance.kind]
  if (distance.kind === "fraction") return { kind, value: distance.value, column: 0 }
  const { inputs, operation } = distance.value
  const [of, multiple] = inputs
  return operation === "mul" && multiple!.operation === "constant"
    ? { kind, value: multiple!.settings[0]!, column: columns.whole(of!) }
    : { kind, value: 1, column: columns.whole(distance.value) }
}

const toSize = (sizing: SizingRule): Size => {
  switch (sizing.type) {
    case "fixed_notional":
      return { kind: sizeKinds.fixed_notional, value: sizing.notional }
    case "fixed_quantity":
      return { kind: sizeKinds.fixed_quantity, value: sizing.quantity }
    case "volatility_target":
      return { kind: sizeKinds.volatility_target, value: sizing.target }
    default:
      return { kind: sizeKinds[sizing.type], value: sizing.fraction }
  }
}

const toSafety = ({ ladder }: StrategyPlan, sizing: SizingRule): Safety | null => {
  const side = ladder?.plan.long ?? ladder?.plan.short
  if (!side?.safety) return null
  return { ...side.safety, notional: sizing.type === "fixed_notional" ? sizing.notional : 0 }
}

/** Levels, size and limits of a run. */
export const toRunDetails = (
  { definition, values }: EngineRun,
  plan: StrategyPlan,
  columns: ColumnStore,
  tick: number
): RunDetails => {
  const { cooldown, cooldownAfterStop, entry, sizing, timeLimit } = toTradingPlan(
    definition,
    values
  )
  const { volatility } = plan
  const grid = plan.ladder?.plan.grid ?? null
  const offset = definition.exits?.break_even?.offset
  return {
    stop: toLevel(plan.stopLoss, columns),
    target: toLevel(plan.takeProfit, columns),
    trail: toLevel(plan.trailingDistance, columns),
    activation: toLevel(plan.trailingActivation, columns),
    breakEven: toLevel(plan.breakEvenActivation, columns),
    breakEvenOffset: offset === undefined ? 0 : resolveSetting(offset, values),
    entry: {
      kind: entryKinds[entry.type],
      offset: entry.offsetRate,
      life: entry.expiresAfter ?? -1
    },
    grid: grid && { lines: grid.lines.map((line) => roundToTick(line, tick)) },
    safety: toSafety(plan, sizing),
    size: toSize(grid?.sizing ?? sizing),
    volatility: {
      column: volatility === null ? 0 : columns.whole(volatility),
      annualizing: annualizingOf(definition.timeframe)
    },
    timeLimit: timeLimit ?? -1,
    cooldown,
    cooldownAfterStop
  }
}

/** Bytes of the orders that a run rests beside its position, or in place of a position. */
export const listBytes = ({ grid, safety }: RunDetails): number =>
  grid === null ? (safety?.count ?? 0) * 16 : grid.lines.length * lineBytes

/** Whether positions are of all the equity. */
export const isAllIn = ({ size }: RunDetails): boolean =>
  size.kind === sizeKinds.equity_fraction && size.value === 1

/** Whether entries rest until a candle reaches them. */
export const isResting = ({ entry }: RunDetails): boolean => entry.kind !== marketEntry

/** Whether positions have a stop. */
export const isStopped = ({ stop }: RunDetails): boolean => isGiven(stop)

/** Whether stops may move while a position is held. */
export const hasMovingStop = ({ breakEven, trail }: RunDetails): boolean =>
  isGiven(trail) || isGiven(breakEven)

/** Whether a stop or a target is looked for inside candles. */
export const hasLevels = (details: RunDetails): boolean =>
  isStopped(details) || isGiven(details.target) || hasMovingStop(details)

/** Whether anything at all is looked for inside candles. */
export const looksInside = (details: RunDetails): boolean =>
  hasLevels(details) || isResting(details) || details.safety !== null || details.grid !== null

/** Whether positions are left by their rules alone, and entered whenever these say so. */
export const isSimple = (details: RunDetails): boolean => {
  const { cooldown, cooldownAfterStop, timeLimit } = details
  return !hasLevels(details) && timeLimit < 0 && cooldown === 0 && cooldownAfterStop === 0
}

/**
 * Writes details where the kernels look for them. `touches` are the places of the touches that
 * levels share, and `list` is the place of safety orders, or of lines.
 */
export const writeDetails = (
  { doubles, words }: Kernels,
  details: RunDetails,
  touches: LevelTouches,
  list: number,
  address: number
): void => {
  const writeLevel = ({ column, kind, value }: Level, at: number): void => {
    doubles[at / 8] = value
    words[(at + levelKindAt) / 4] = kind
    words[(at + levelColumnAt) / 4] = column
  }
  writeLevel(details.stop, address + stopLevelAt)
  writeLevel(details.target, address + targetLevelAt)
  writeLevel(details.trail, address + trailLevelAt)
  writeLevel(details.activation, address + activationLevelAt)
  writeLevel(details.breakEven, address + breakEvenLevelAt)
  doubles[(address + breakEvenLevelOffsetAt) / 8] = details.breakEvenOffset
  words[(address + entryKindAt) / 4] = details.entry.kind
  words[(address + entryLifeAt) / 4] = details.entry.life
  doubles[(address + entryOffsetAt) / 8] = details.entry.offset
  words[(address + volatilityColumnAt) / 4] = details.volatility.column
  doubles[(address + annualizingAt) / 8] = details.volatility.annualizing
  if (details.grid !== null) {
    const { lines } = details.grid
    words[(address + lineCountAt) / 4] = lines.length - 1
    words[(address + lineListAt) / 4] = list
    lines.forEach((line, nth) => {
      doubles[(list + nth * lineBytes + linePriceAt) / 8] = line
    })
  }
  if (details.safety !== null) {
    const { count, distance, distanceFactor, notional, sizeFactor } = details.safety
    words[(address + safetyCountAt) / 4] = count
    words[(address + safetyListAt) / 4] = list
    doubles[(address + safetyDistanceAt) / 8] = distance
    doubles[(address + safetyDistanceFactorAt) / 8] = distanceFactor
    doubles[(address + safetySizeFactorAt) / 8] = sizeFactor
    doubles[(address + safetyNotionalAt) / 8] = notional
  }
  words[(address + sizeKindAt) / 4] = details.size.kind
  doubles[(address + sizeValueAt) / 8] = details.size.value
  words[(address + timeLimitAt) / 4] = details.timeLimit
  words[(address + cooldownAt) / 4] = details.cooldown
  words[(address + cooldownAfterStopAt) / 4] = details.cooldownAfterStop
  words[(address + stopTouchesAt) / 4] = touches.stop
  words[(address + targetTouchesAt) / 4] = touches.target
}
