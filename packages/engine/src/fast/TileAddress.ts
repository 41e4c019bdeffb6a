/**
 * Where something is in the kernels' memory, and how far it moves from one tile to the next.
 *
 * @since 0.1.0
 */

/** An address in the first tile, and the offset for each tile after. */
export interface TileAddress {
  readonly base: number
  readonly stride: number
}
