/**
 * The version that reports name, so that a result can be traced to the engine that made it.
 *
 * @since 0.1.0
 */

/** The version of the engine. */
export const engineVersion = "0.1.0"
