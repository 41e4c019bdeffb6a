/**
 * Steps and runs as the list that `kernels/program.ts` goes through.
 *
 * @since 0.1.0
 */
import type { RuleBits, BitStep } from "./BitProgram.ts"
import type { Kernels } from "./kernels.ts"
import { netStep } from "./kernels/layout.ts"
import type { TileAddress } from "./TileAddress.ts"

/** Bytes of a step, and of a run without its steps. */
export const programEntryBytes = 64

/** Writes steps one after the other. */
export const writeSteps = (
  { doubles, words }: Kernels,
  steps: ReadonlyArray<BitStep>,
  address: number
): void => {
  steps.forEach((step, index) => {
    const at = (address + index * programEntryBytes) / 4
    const { left, otherPeriod, period, right } = step
    words[at] = step.kind
    words[at + 1] = left.base
    words[at + 2] = left.stride
    words[at + 3] = right.base
    words[at + 4] = right.stride
    words[at + 5] = step.into
    words[at + 6] = step.opposite
    words[at + 7] = step.carry
    if (step.kind === netStep) {
      words[at + 8] = step.otherLeft.base
      words[at + 9] = step.otherLeft.stride
      words[at + 10] = step.otherRight.base
      words[at + 11] = step.otherRight.stride
      return
    }
    words[at + 8] = period
    words[at + 9] = otherPeriod
    doubles[(at + 10) / 2] = period + otherPeriod
    doubles[(at + 12) / 2] = period === 0 ? 0 : 1 / period + 1 / otherPeriod
  })
}

const nowhere: TileAddress = { base: 0, stride: 0 }

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
  const at = address / 4
  words[at] = steps.length
  words[at + 1] = account
  words[at + 2] = kind
  ;[enterLong, exitLong, enterShort, exitShort].forEach((place, nth) => {
    const { base, stride } = place ?? nowhere
    words[at + 3 + 2 * nth] = base
    words[at + 4 + 2 * nth] = stride
  })
  words[at + 11] = details
  writeSteps(kernels, steps, address + programEntryBytes)
  return address + programEntryBytes * (1 + steps.length)
}
