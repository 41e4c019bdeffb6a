/**
 * The names that AssemblyScript has for its numbers, so that kernels can be read as both.
 *
 * @since 0.1.0
 */

/** A whole number of 32 bits. @category models @since 0.1.0 */
export type i32 = number

/** A double. @category models @since 0.1.0 */
export type f64 = number
