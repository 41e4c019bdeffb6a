/**
 * A row that holds a public call against a loop written for just its strategy.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { Comparison } from "../compare.ts"
import type { PythonPeers } from "../peers/python/PythonPeers.ts"

/** The rival of a row's ratio. */
export type Rival = "naive" | "runOne" | "vectorbt" | "the baseline"

/** How many times as fast as a rival ours is to be; 1/3 may take three times as long. */
export interface Goal {
  readonly rival: Rival
  readonly times: number
  readonly text: string
}

/** Series of candles and how many sets of values are run on them. */
export interface LoopInput {
  readonly candles: CandleColumns
  /** A second market, with candles of the same times. */
  readonly others: CandleColumns
  readonly setCount: number
  readonly python: PythonPeers | null
}

/** A call that is timed; what it does is counted in candles × sets. */
export interface LoopSide {
  readonly units: number
  readonly run: () => unknown
}

/** A row on its candles. */
export interface OpenRow {
  readonly naive: LoopSide
  /** Null where the engine can't say the work; `refusal` tells why. */
  readonly ours: LoopSide | null
  /** Why the row counts as missed however fast it is, or null. */
  readonly refusal: string | null
  readonly others: ReadonlyArray<
    { readonly name: Rival } & (
      | LoopSide
      | { readonly units: number; readonly runMs: () => Promise<number> }
    )
  >
  /** The naive loop's figures for the first set: the baseline keeps them. */
  readonly figures: Float64Array
  readonly compare: () => Promise<ReadonlyArray<Comparison>>
}

/** A row. */
export interface LoopRow {
  readonly name: string
  readonly work: string
  /** The public function that ours is. */
  readonly calls: string
  readonly must: Goal
  readonly aim: Goal
  /** Strategy, sets and options: the baseline keeps their digest. */
  readonly frozen: unknown
  /** Files of the naive loop: the baseline keeps their digest. */
  readonly sources: ReadonlyArray<string>
  /** Candles where they are not those of the other rows. */
  readonly candleCount?: number
  readonly hasPython?: boolean
  readonly open: (input: LoopInput) => OpenRow
}

/** At least as fast as the naive loop. */
export const asNaive: Goal = { rival: "naive", times: 1, text: "naive" }

/** At most three times as long as the naive loop. */
export const thriceNaive: Goal = { rival: "naive", times: 1 / 3, text: "3× naive" }
