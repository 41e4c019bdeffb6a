/** The lint rules of this repository, as the linter loads them. */
import { fillRules } from "./fillRules.ts"
import { literalStates } from "./literalStates.ts"

export default {
  meta: { name: "candlewick" },
  rules: { "fill-rules": fillRules, "literal-states": literalStates }
}
