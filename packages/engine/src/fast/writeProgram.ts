/**
 * Steps and runs as the list that `kernels/program.ts` goes through.
 *
 * @since 0.1.0
 */
import type { RuleBits, BitStep } from "./BitProgram.ts"
import type { Kernels } from "./kernels.ts"
import { netStep } from "./kernels/layout.ts"
import {
  programEntryBytes,
  runAccountAt,
  runDetailsAt,
  runEnterLongAt,
  runEnterShortAt,
  runExitLongAt,
  runExitShortAt,
  runKindAt,
  runStepCountAt,
  stepKeptValueAt,
  stepIntoAt,
  stepInverseSumAt,
  stepKindAt,
  stepLeftAt,
  stepOppositeAt,
  stepOtherLeftAt,
  stepOtherPeriodAt,
  stepOtherRightAt,
  stepPeriodAt,
  stepPeriodSumAt,
  stepRightAt
} from "./kernels/programLayout.ts"
import type { TileAddress } from "./TileAddress.ts"

const nowhere: TileAddress = { base: 0, stride: 0 }

const writePlace = (words: Kernels["words"], at: number, place: TileAddress | null): void => {
  const { base, stride } = place ?? nowhere
  words[at / 4] = base
  words[at / 4 + 1] = stride
}

/** Writes steps one after the other. */
export const writeSteps = (
  { doubles, words }: Kernels,
  steps: ReadonlyArray<BitStep>,
  address: number
): void => {
  steps.forEach((step, index) => {
    const at = address + index * programEntryBytes
    const { otherPeriod, period } = step
    words[(at + stepKindAt) / 4] = step.kind
    writePlace(words, at + stepLeftAt, step.left)
    writePlace(words, at + stepRightAt, step.right)
    words[(at + stepIntoAt) / 4] = step.into
    words[(at + stepOppositeAt) / 4] = step.opposite
    words[(at + stepKeptValueAt) / 4] = step.carry
    if (step.kind === netStep) {
      writePlace(words, at + stepOtherLeftAt, step.otherLeft)
      writePlace(words, at + stepOtherRightAt, step.otherRight)
      return
    }
    words[(at + stepPeriodAt) / 4] = period
    words[(at + stepOtherPeriodAt) / 4] = otherPeriod
    doubles[(at + stepPeriodSumAt) / 8] = period + otherPeriod
    doubles[(at + stepInverseSumAt) / 8] = period === 0 ? 0 : 1 / period + 1 / otherPeriod
  })
}

/** Writes a run with its steps; the address after it comes back. */
export const writeRun = (
  kernels: Kernels,
  rules: RuleBits,
  account: number,
  details: number,
  kind: number,
  address: number
): number => {
  const { enterLong, enterShort, exitLong, exitShort, steps } = rules
  const { words } = kernels
  words[(address + runStepCountAt) / 4] = steps.length
  words[(address + runAccountAt) / 4] = account
  words[(address + runKindAt) / 4] = kind
  writePlace(words, address + runEnterLongAt, enterLong)
  writePlace(words, address + runExitLongAt, exitLong)
  writePlace(words, address + runEnterShortAt, enterShort)
  writePlace(words, address + runExitShortAt, exitShort)
  words[(address + runDetailsAt) / 4] = details
  writeSteps(kernels, steps, address + programEntryBytes)
  return address + programEntryBytes * (1 + steps.length)
}
