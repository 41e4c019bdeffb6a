/**
 * The record of a test run: its counts, and the time of each file.
 */

/** A file of tests in a run. */
export interface FileSummary {
  readonly path: string
  readonly project: string
  readonly seconds: number
  readonly tests: number
  /** The full names of the tests that failed. */
  readonly failures: ReadonlyArray<string>
}

/** A run. */
export interface Summary {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** The slowest first. */
  readonly files: ReadonlyArray<FileSummary>
}

/** The line by which machines read an outcome. */
export const closingLine = ({
  failed,
  passed,
  skipped
}: Pick<Summary, "failed" | "passed" | "skipped">): string =>
  `Tests: ${passed} passed, ${failed} failed, ${skipped} skipped`
