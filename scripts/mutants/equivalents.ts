/**
 * Changes that no test can notice, because the program does the same with them, by file.
 *
 * `npm run mutants` leaves them out of the scores, and fails where one of them describes no
 * surviving change.
 */
import type { Equivalent } from "./score.ts"

/** The equivalents of each file. */
export const equivalents: Readonly<Record<string, ReadonlyArray<Equivalent>>> = {}
