/** The lint rules of this repository, as the linter loads them. */
import { declarations } from "./declarations.ts"
import { fillRules } from "./fillRules.ts"
import { literalStates } from "./literalStates.ts"
import { wallClock } from "./wallClock.ts"

export default {
  meta: { name: "candlewick" },
  rules: {
    declarations,
    "fill-rules": fillRules,
    "literal-states": literalStates,
    "wall-clock": wallClock
  }
}
