/**
 * The code that a module of the host exports.
 *
 * @since 0.1.0
 */
import { checkCoded, type CodeByName, type CodedStrategy, type CodeRules } from "@candlewick/engine"

const isCoded = (value: unknown): value is CodedStrategy =>
  typeof value === "object" && value !== null && "definition" in value && "rules" in value

/** Loads a module's strategies; rejects where one is at fault, or two have one name. */
export const loadCode = async (module: string): Promise<CodeByName> => {
  const exported: Readonly<Record<string, unknown>> = await import(module)
  const byName = new Map<string, CodeRules>()
  for (const strategy of Object.values(exported)) {
    if (!isCoded(strategy)) continue
    checkCoded(strategy)
    const name = strategy.definition.code!
    const before = byName.get(name)
    if (before !== undefined && before !== strategy.rules) {
      throw new Error(`${module} has two strategies named "${name}"`)
    }
    byName.set(name, strategy.rules)
  }
  return byName
}
