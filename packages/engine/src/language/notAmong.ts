/**
 * How a name that is none is refused. The engine has this with its plans, and loads no schemas.
 *
 * @since 0.1.0
 */

/**
 * What is said where there is no such thing: the names that there are.
 *
 * @category faults
 * @since 0.1.0
 */
export const notAmong = (what: string, names: ReadonlyArray<string>): string =>
  `There is no ${what}; ${names.length === 0 ? "there are none" : `there are ${names.join(", ")}`}`
