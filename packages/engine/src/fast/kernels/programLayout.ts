/**
 * The offsets of the work of a tile, in bytes from the beginning of a run or of a step in the list.
 *
 * A place takes eight bytes: an address, and the stride by which it moves with each tile.
 *
 * @since 0.1.0
 */
import type { i32 } from "../../match/number.ts"

/** Bytes of a step, and of a run without its steps. */
export const programEntryBytes: i32 = 64

// A run; its steps follow it.
/** Number of its steps. */
export const runStepCountAt: i32 = 0

/** Address of its account. */
export const runAccountAt: i32 = 4

/** The loop that takes it. */
export const runKindAt: i32 = 8

/** Place of the rule that enters long. */
export const runEnterLongAt: i32 = 12

/** Place of the rule that exits long. */
export const runExitLongAt: i32 = 20

/** Place of the rule that enters short. */
export const runEnterShortAt: i32 = 28

/** Place of the rule that exits short. */
export const runExitShortAt: i32 = 36

/** Address of its details. */
export const runDetailsAt: i32 = 44

// A step. Averages and nets use the bytes after the first 32 each in their own way.
/** Its kind. */
export const stepKindAt: i32 = 0

/** Place of the left input. */
export const stepLeftAt: i32 = 4

/** Place of the right input. */
export const stepRightAt: i32 = 12

/** Address of the result. */
export const stepIntoAt: i32 = 20

/** Address of the opposite result, or 0. */
export const stepOppositeAt: i32 = 24

/** Address of the value that is kept from one tile to the next. */
export const stepKeptValueAt: i32 = 28

/** Period of the left average. */
export const stepPeriodAt: i32 = 32

/** Period of the right average. */
export const stepOtherPeriodAt: i32 = 36

/** Sum of the periods. */
export const stepPeriodSumAt: i32 = 40

/** Sum of the inverses of the periods. */
export const stepInverseSumAt: i32 = 48

/** Second place of the left input of a net. */
export const stepOtherLeftAt: i32 = 32

/** Second place of the right input of a net. */
export const stepOtherRightAt: i32 = 40
