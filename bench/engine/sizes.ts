/**
 * How large the work of each row is.
 */

/** Sizes of a whole run of the benchmark. */
export interface Sizes {
  readonly name: "full" | "quick"
  readonly candles: number
  readonly rounds: number
  /** Processes of row 8: one is over in less time than the host is busy with something else. */
  readonly coldProcesses: number
  /** Processes of row 9, of which the middle one counts. */
  readonly memoryProcesses: number
  /** Rounds of the two tables of costs. */
  readonly costRounds: number
  /** Averages of row 1: as many fast as slow ones. */
  readonly averages: number
  /** Averages of row 8. */
  readonly coldAverages: { readonly fast: number; readonly slow: number }
  readonly randomStrategies: number
  /** Runs of a sweep that a rival without shared work is timed on. */
  readonly sample: number
  readonly bots: number
  readonly candleCounts: ReadonlyArray<number>
  /** Averages of the grids of the two tables of costs. */
  readonly costAverages: number
}

/** The figures in the table of the targets. */
export const fullSizes: Sizes = {
  name: "full",
  candles: 1_000_000,
  rounds: 5,
  coldProcesses: 45,
  memoryProcesses: 3,
  costRounds: 3,
  averages: 100,
  coldAverages: { fast: 20, slow: 50 },
  randomStrategies: 10_000,
  sample: 24,
  bots: 10_000,
  candleCounts: [100_000, 1_000_000, 10_000_000],
  costAverages: 20
}

/** Small enough to see in a minute that everything runs; gates are not judged on it. */
export const quickSizes: Sizes = {
  name: "quick",
  candles: 50_000,
  rounds: 3,
  coldProcesses: 9,
  memoryProcesses: 3,
  costRounds: 3,
  averages: 10,
  coldAverages: { fast: 5, slow: 4 },
  randomStrategies: 100,
  sample: 6,
  bots: 200,
  candleCounts: [10_000, 50_000, 100_000],
  costAverages: 5
}

/**
 * The factor on rounds for rows that are over in milliseconds, or whose time passes on two
 * processors. Other work of the machine falls on them.
 */
export const moreRounds = 3
