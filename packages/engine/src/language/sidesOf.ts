/**
 * The sides that a strategy trades, each with the parts of a position that hold for it.
 *
 * A side has its own parts, and takes the others from the top.
 *
 * @since 0.1.0
 */
import {
  type PositionParts,
  positionPartNames,
  type StrategyDefinition
} from "./StrategyDefinition.ts"

/** One side of a strategy. @category models @since 0.1.0 */
export interface StrategySide {
  /** Null where code decides, or a grid, or rebalancing. */
  readonly direction: "long" | "short" | null
  readonly parts: PositionParts
  /** Where a part stands. */
  readonly pointerOf: (name: keyof PositionParts) => string
}

/** The parts of a position that hold for one side. @category models @since 0.1.0 */
export const partsOf = (
  definition: StrategyDefinition,
  direction: "long" | "short" | null
): PositionParts => {
  const own: PositionParts = (direction === null ? undefined : definition[direction]) ?? {}
  const parts = positionPartNames.map((name) => [name, own[name] ?? definition[name]] as const)
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined))
}

/** Every side that a strategy trades. @category models @since 0.1.0 */
export const sidesOf = (definition: StrategyDefinition): ReadonlyArray<StrategySide> => {
  const directions = (["long", "short"] as const).filter((side) => definition[side] !== undefined)
  return (directions.length === 0 ? [null] : directions).map((direction) => ({
    direction,
    parts: partsOf(definition, direction),
    pointerOf: (name) =>
      direction !== null && definition[direction]?.[name] !== undefined
        ? `/${direction}/${name}`
        : `/${name}`
  }))
}
