/**
 * Variables with a name like the server's that the server does not have: most are misspelt.
 *
 * @since 0.1.0
 */
import { settingRows } from "./settings.ts"

const prefix = "CANDLEWICK_"

/**
 * The variables of the command line: such a variable is no mistake where a server starts beside it.
 */
const namesOfCommands: ReadonlyArray<string> = ["CANDLEWICK_KEY", "CANDLEWICK_URL"]

const ownNames: ReadonlyArray<string> = settingRows
  .map(({ variable }) => variable)
  .filter((name) => name.startsWith(prefix))

const names: ReadonlySet<string> = new Set([...ownNames, ...namesOfCommands])

/** How many letters have to be put in, taken out or changed to make one text of the other. */
const editsBetween = (one: string, other: string): number => {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const line = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      line.push(
        Math.min(above[column]! + 1, line[column - 1]! + 1, above[column - 1]! + (isSame ? 0 : 1))
      )
    }
    above = line
  }
  return above[other.length]!
}

const nearestTo = (name: string): string => {
  const byDistance = ownNames.map((own) => ({ own, edits: editsBetween(name, own) }))
  return byDistance.reduce((best, each) => (each.edits < best.edits ? each : best)).own
}

/**
 * A sentence for each variable of an environment that looks like the server's and is not read,
 * with the nearest name that is.
 *
 * @category checks
 * @since 0.1.0
 */
export const unknownVariables = (
  environment: Readonly<Record<string, string | undefined>>
): ReadonlyArray<string> =>
  Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !names.has(name))
    .filter((name) => !namesOfCommands.includes(name))
    .toSorted()
    .map((name) => `${name} is no variable of the server; the nearest one is ${nearestTo(name)}`)
