/**
 * What is said of a name that is not among those that there are. It stands by itself because the
 * engine says it too, which loads no schemas.
 *
 * @since 0.1.0
 */

/** What is said where there is no such thing: the names that there are. */
export const notAmong = (what: string, names: ReadonlyArray<string>): string =>
  `There is no ${what}; ${names.length === 0 ? "there are none" : `there are ${names.join(", ")}`}`
