/**
 * Changes that no test can notice, because the program does the same with them, by file.
 *
 * `npm run mutants` leaves them out of the scores, and fails where one of them describes no
 * surviving change.
 */
import type { Equivalent } from "./score.ts"

/** The equivalents of each file. */
export const equivalents: Readonly<Record<string, ReadonlyArray<Equivalent>>> = {
  "packages/engine/src/match/levelRules.ts": [
    {
      text: "(price - activation) * side",
      becomes: "(price - activation) / side",
      reason: "A side is 1 or -1: its product and its quotient are the same."
    },
    {
      text: "(price - than) * side",
      becomes: "(price - than) / side",
      reason: "A side is 1 or -1: its product and its quotient are the same."
    }
  ],
  "packages/engine/src/match/fillRules.ts": [
    {
      text: "(limit - stop) * side",
      becomes: "(limit - stop) / side",
      reason: "A side is 1 or -1: its product and its quotient are the same."
    }
  ],
  "packages/engine/src/kernel/decide.ts": [
    {
      text: "(price - levelPrice(level, price, back)) * side",
      becomes: "(price - levelPrice(level, price, back)) / side",
      reason: "A side is 1 or -1: its product and its quotient are the same."
    }
  ]
}
