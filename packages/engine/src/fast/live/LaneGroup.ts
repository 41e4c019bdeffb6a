/**
 * Operations of one kind at one depth, as arrays, and the memory that they work on.
 *
 * @since 0.1.0
 */
import type { StepCandle } from "../../plan/candleLanes.ts"
import type { LaneNode } from "./LaneProgram.ts"

/** An array whose bytes are the whole state of something. @category models @since 0.1.0 */
export type StateArray = Float64Array | Int32Array | Uint8Array

/** The memory that all lanes share. @category models @since 0.1.0 */
export interface LaneMemory {
  readonly values: Float64Array
  /** 0 false, 1 undefined, 3 true: `and` is the smaller in every bit, `or` the larger. */
  readonly truths: Uint8Array
  /** Makes an array part of every snapshot. */
  readonly keep: <A extends StateArray>(array: A) => A
}

/** Operations of one kind and depth; every array has an element for each. */
export interface LaneGroup {
  readonly count: number
  readonly name: string
  readonly to: Int32Array
  /** Slots of the first, second … input. */
  readonly from: ReadonlyArray<Int32Array>
  /** The first, second … setting. */
  readonly settings: ReadonlyArray<Float64Array>
}

/** Makes the function that computes a group at each candle. @category models @since 0.1.0 */
export type LaneKernel = (group: LaneGroup, memory: LaneMemory) => (candle: StepCandle) => void

/** Columns of the values of a group's nodes. @category groups @since 0.1.0 */
export const toLaneGroup = (nodes: ReadonlyArray<LaneNode>): LaneGroup => {
  const { inputs, name, settings } = nodes[0]!
  return {
    count: nodes.length,
    name,
    to: Int32Array.from(nodes, ({ slot }) => slot),
    from: inputs.map((_, nth) => Int32Array.from(nodes, (node) => node.inputs[nth]!.slot)),
    settings: settings.map((_, nth) => Float64Array.from(nodes, (node) => node.settings[nth]!))
  }
}

/** Where each lane's ring begins among all of them. @category groups @since 0.1.0 */
export const ringStarts = (sizes: Float64Array): { starts: Int32Array; length: number } => {
  const starts = new Int32Array(sizes.length)
  let length = 0
  sizes.forEach((size, lane) => {
    starts[lane] = length
    length += size
  })
  return { starts, length }
}
