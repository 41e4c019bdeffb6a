/**
 * The import restrictions of the lint rules, from the table of layers; every other rule stays as it
 * is written.
 */
import { entryFiles, layers, restrictionOf } from "../layers.ts"

const rule = "eslint/no-restricted-imports"

interface LintRules {
  readonly overrides: ReadonlyArray<{ readonly rules: Readonly<Record<string, unknown>> }>
}

/** The text of `.oxlintrc.json` with the restrictions of the table, given the text that is there. */
export const lintRules = (text: string): string => {
  const config: LintRules = JSON.parse(text)
  const others = config.overrides.filter(({ rules }) => !(rule in rules))
  const overrides = [...others, ...[...layers, ...entryFiles].map(restrictionOf)]
  return `${JSON.stringify({ ...config, overrides }, null, 2)}\n`
}
