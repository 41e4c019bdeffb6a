/**
 * Histories that once failed, made short: every run of the tests runs them again.
 */
import type { History } from "./history.ts"

/** The histories, with the fault that each of them showed. */
export const cases: ReadonlyArray<{ readonly fault: string; readonly history: History }> = []
