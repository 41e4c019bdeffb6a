/**
 * Every kernel of lanes, by the kind of operation that it computes.
 *
 * @since 0.1.0
 */
import { arithmeticLanes } from "./arithmeticLanes.ts"
import type { LaneKernel } from "./LaneGroup.ts"
import type { LaneNode } from "./LaneProgram.ts"
import { rollingLanes } from "./rollingLanes.ts"
import { truthLanes } from "./truthLanes.ts"

/** Kernels by kind. @category kernels @since 0.1.0 */
export const laneKernels: Readonly<Record<LaneNode["kind"], LaneKernel>> = {
  ...arithmeticLanes,
  ...rollingLanes,
  ...truthLanes
}
