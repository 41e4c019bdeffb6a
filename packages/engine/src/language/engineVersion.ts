/**
 * The version of the engine that made a result: it makes the results of its version again, to the
 * bit.
 *
 * @since 0.1.0
 */

/**
 * The version of the simulation rules and kernels; it rises when a result may change.
 *
 * @category tables
 * @since 0.1.0
 */
export const engineVersion = "1"
