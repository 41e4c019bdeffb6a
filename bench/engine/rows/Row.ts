/**
 * One row of the table of targets: what is run, against which rivals, and what must be reached.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { Comparison } from "../compare.ts"
import type { Engine } from "../Engine.ts"
import type { PythonPeers } from "../peers/python/PythonPeers.ts"
import type { Sizes } from "../sizes.ts"

/** The inputs of a row. */
export interface RowContext {
  readonly candles: CandleColumns
  readonly engine: Engine
  readonly sizes: Sizes
  /** The Python libraries, where the machine has them. */
  readonly python: PythonPeers | null
}

/** A rival's figure, and how many times ours it is where both are the same unit. */
export interface RivalFigure {
  readonly name: string
  readonly figure: string
  readonly ratio: number | null
}

/** The result of a row. */
export interface RowResult {
  readonly comparisons: ReadonlyArray<Comparison>
  /** Null where the comparisons failed, so that nothing was timed. */
  readonly timed: {
    readonly ours: string
    readonly rivals: ReadonlyArray<RivalFigure>
    readonly isGateMet: boolean
  } | null
  readonly notes: ReadonlyArray<string>
}

/** A row. */
export interface Row {
  readonly number: number
  readonly work: string
  readonly unit: string
  readonly gate: string
  readonly goal: string
  /** The public functions that ours is, for who wants to call them. */
  readonly calls: string
  /** Whether Python libraries are among its rivals. */
  readonly hasPython?: boolean
  readonly run: (context: RowContext) => Promise<RowResult>
}
