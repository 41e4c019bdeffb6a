/**
 * The refusal of an unknown name. The engine has this with its plans, and loads no schemas.
 *
 * @since 0.1.0
 */

/**
 * The refusal of an unknown name: it lists the known ones.
 *
 * @category faults
 * @since 0.1.0
 */
export const notAmong = (what: string, names: ReadonlyArray<string>): string =>
  `There is no ${what}; ${names.length === 0 ? "there are none" : `there are ${names.join(", ")}`}`
