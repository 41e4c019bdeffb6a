/**
 * Arithmetic that the rules of `match/` and the kernels of `fast/` share.
 *
 * They are written once, in the common part of TypeScript and AssemblyScript. Where they are built
 * for WebAssembly, `assembly/arithmetic.as` stands in this file's place: the same functions as
 * machine instructions, with the same results to the bit.
 *
 * @since 0.1.0
 */

/** An integer as a double. @category arithmetic @since 0.1.0 */
export function toDouble(value: number): number {
  return value
}

/** The double without its sign. @category arithmetic @since 0.1.0 */
export function magnitude(value: number): number {
  return Math.abs(value)
}

/** The second where it is less, else the first. @category arithmetic @since 0.1.0 */
export function lesser(one: number, other: number): number {
  return other < one ? other : one
}

/** The second where it is more, else the first. @category arithmetic @since 0.1.0 */
export function greater(one: number, other: number): number {
  return other > one ? other : one
}

/** The first where that is wanted, else the other. @category arithmetic @since 0.1.0 */
export function chosen(isFirst: boolean, one: number, other: number): number {
  return isFirst ? one : other
}

/** The nearest integer, halves up. @category arithmetic @since 0.1.0 */
export function roundHalfUp(value: number): number {
  return Math.round(value)
}

/** The largest integer that is not above. @category arithmetic @since 0.1.0 */
export function roundDown(value: number): number {
  return Math.floor(value)
}
