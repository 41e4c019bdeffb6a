/**
 * Which engine made a result: results of one version can be made again with it, to the bit.
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
