/**
 * The limits that the engine keeps by itself, in a service and in a program of one's own.
 *
 * @since 0.1.0
 */

/** Bounds of capital, of memory of code and of faults listed. @category tables @since 0.1.0 */
export const engineLimits = {
  codeLookbackCandles: 2_000,
  faultsMaxCount: 100,
  capitalMin: 1e-9,
  capitalMax: 1e15
} as const
