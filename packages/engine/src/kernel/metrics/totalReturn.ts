/**
 * The return over the whole time.
 *
 * @since 0.1.0
 */

/** Last equity over first, less one. @category metrics @since 0.1.0 */
export const totalReturn = (initial: number, final: number): number => final / initial - 1
