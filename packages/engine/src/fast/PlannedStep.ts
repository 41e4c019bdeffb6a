/**
 * Steps of rules before they have places, and the bits that they compute.
 *
 * @since 0.1.0
 */
import { andStep, averagesStep, crossStep, netStep, orStep } from "./kernels/layout.ts"
import type { TileAddress } from "./TileAddress.ts"

/** The answer of a rule at a candle where it has one. */
export type RuleAnswer = "holds" | "fails"

/** Where bits are. */
export interface Known {
  readonly holds: TileAddress
  readonly fails: TileAddress
}

/** Bits that a step computes, or that lie in a column; `name` is theirs in every run. */
export interface Bits {
  readonly name: number
  readonly part: RuleAnswer
  readonly source: PlannedStep | Known
  /** Whether it is known which of their words are not 0, as positions need it. */
  readonly isSummarized: boolean
}

/** An input of a step. */
export type Input = Bits | TileAddress

/** Whether a step is as soon taken as its bits are read from afar. */
export const isCheap = (kind: number): boolean => kind === andStep || kind === orStep

/** A step before it has places, and how many runs take it. */
export class PlannedStep {
  runCount = 0
  /** The last run that was seen to take it. */
  lastRun = -1
  known: Known | null = null
  /** Whether its place is kept for other runs, or else the last run that it was written for. */
  isKept = false
  writtenFor = -1
  /** Whether it gives the bits that fail; a comparison does only where somebody asks for them. */
  hasOpposite: boolean
  readonly holds: Bits
  readonly fails: Bits
  readonly kind: number
  readonly left: Input
  readonly right: Input
  readonly period: number
  readonly otherPeriod: number

  constructor(
    kind: number,
    left: Input,
    right: Input,
    period: number,
    otherPeriod: number,
    name: number
  ) {
    this.kind = kind
    this.hasOpposite = kind === averagesStep || kind === crossStep || kind === netStep
    this.left = left
    this.right = right
    this.period = period
    this.otherPeriod = otherPeriod
    const isSummarized = !isCheap(kind)
    this.holds = { name, part: "holds", source: this, isSummarized }
    this.fails = { name: name + 1, part: "fails", source: this, isSummarized }
  }
}

/** Where a net has its conjunction, and where its disjunction: it can take them together. */
export const junctionOf = ({ source }: Bits): number => {
  if (!(source instanceof PlannedStep)) return 0
  return source.kind === andStep ? 1 : source.kind === orStep ? -1 : 0
}
