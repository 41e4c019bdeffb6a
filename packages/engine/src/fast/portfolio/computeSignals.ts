/**
 * The rules of many plans over one market as bits.
 *
 * The kernels of the fast path compute shared parts once, tile by tile.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../../kernel/columns.ts"
import type { OtherCandles } from "../../plan/evaluateColumns.ts"
import type { StrategyPlan } from "../../plan/StrategyPlan.ts"
import { Arena } from "../Arena.ts"
import { Averages } from "../averages.ts"
import { BitProgram, type RuleBits } from "../BitProgram.ts"
import { ColumnStore } from "../ColumnStore.ts"
import { giveBackKernels, type Kernels, takeKernels } from "../kernels.ts"
import { tileLength, tileWords } from "../kernels/tileLayout.ts"
import type { TileAddress } from "../TileAddress.ts"
import { programEntryBytes } from "../kernels/programLayout.ts"
import { writeSteps } from "../writeProgram.ts"
import type { PortfolioSignals } from "./PortfolioSignals.ts"

/** The columns that are computed. */
export interface SignalWork {
  readonly candles: CandleColumns
  /** Index of the first candle that counts. */
  readonly from: number
  /** Candles of all markets by their symbols. */
  readonly others: OtherCandles
  readonly plans: ReadonlyArray<StrategyPlan>
  readonly webAssembly: boolean
}

/** The rules of a plan, where its own steps are, and where their bits go. */
interface Compiled {
  readonly rules: RuleBits
  readonly steps: number
  readonly signals: PortfolioSignals
}

const names = ["enterLong", "exitLong", "enterShort", "exitShort"] as const

const makeSignals = (rules: RuleBits, words: number): PortfolioSignals => {
  const bitsOf = (place: TileAddress | null) => (place === null ? null : new Int32Array(words))
  return {
    enterLong: bitsOf(rules.enterLong),
    exitLong: bitsOf(rules.exitLong),
    enterShort: bitsOf(rules.enterShort),
    exitShort: bitsOf(rules.exitShort)
  }
}

/** Copies the bits of a tile that a plan's steps have left. */
const copyTile = ({ words }: Kernels, { rules, signals }: Compiled, tile: number): void => {
  for (const name of names) {
    const place = rules[name]
    if (place === null) continue
    const at = (place.base + place.stride * tile) / 4
    signals[name]!.set(words.subarray(at, at + tileWords), tile * tileWords)
  }
}

/** Computes the signals of each plan; exits and entries at once say nothing, and are neither. */
export const computeSignals = ({
  candles,
  from,
  others,
  plans,
  webAssembly
}: SignalWork): ReadonlyArray<PortfolioSignals> => {
  const { length } = candles
  const tileCount = Math.ceil(length / tileLength)
  const arena = new Arena()
  const columns = new ColumnStore(arena, length)
  const averages = new Averages(arena)
  const program = new BitProgram(arena, columns, averages)
  const counted = plans.map((plan) => program.count(plan))
  const compiled = counted.map((bits): Compiled => {
    const rules = program.compile(bits)
    const steps = arena.take(rules.steps.length * programEntryBytes)
    return { rules, steps, signals: makeSignals(rules, tileCount * tileWords) }
  })
  // Indicators are computed where prices are.
  for (const name of ["open", "high", "low", "close"] as const) {
    if (columns.reads(name)) columns.price(name)
  }
  const close = averages.size > 0 ? columns.price("close").base : 0
  averages.reserve()
  const shared = arena.take(program.shared.length * programEntryBytes)
  const kernels = takeKernels(arena, webAssembly)
  const { functions } = kernels
  columns.fill(candles, null, kernels, others)
  averages.write(kernels, candles.close)
  writeSteps(kernels, program.shared, shared)
  for (const { rules, steps } of compiled) writeSteps(kernels, rules.steps, steps)
  functions.setCandles(close, length, 0, 0)
  // A crossing at the first candle that counts is seen from the one before it.
  for (let tile = Math.floor(Math.max(0, from - 1) / tileLength); tile < tileCount; tile++) {
    const start = tile * tileLength
    const end = Math.min(start + tileLength, length)
    averages.prepare(kernels, close, start, end - start)
    functions.setTile(start, end, 0, 0, 0, 0, 0, 0, 0)
    const { priceError, sumError } = averages
    functions.takeSteps(shared, program.shared.length, tile, priceError, sumError)
    for (const one of compiled) {
      const { length: stepCount } = one.rules.steps
      functions.takeSteps(one.steps, stepCount, tile, priceError, sumError)
      copyTile(kernels, one, tile)
    }
  }
  giveBackKernels(kernels)
  return compiled.map(({ signals }) => signals)
}
