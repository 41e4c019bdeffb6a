/**
 * The refusal of an unknown name.
 *
 * The engine has this with its plans, and loads no schemas.
 *
 * @since 0.1.0
 */

const adviceOf = (names: ReadonlyArray<string>): string => {
  if (names.length === 0) return "none is known here"
  return names.length === 1 ? `use ${names[0]}` : `use one of ${names.join(", ")}`
}

/**
 * The refusal of an unknown name: it names the kind and the name, and lists the known ones.
 *
 * @category faults
 * @since 0.1.0
 */
export const notAmong = (noun: string, names: ReadonlyArray<string>): string =>
  `Unknown ${noun}; ${adviceOf(names)}`
