/**
 * The table of targets.
 */
import { coldStart } from "./coldStart.ts"
import { defaultCosts } from "./defaultCosts.ts"
import { liveStep } from "./liveStep.ts"
import { oneBacktest } from "./oneBacktest.ts"
import { peakMemory } from "./peakMemory.ts"
import { randomSearch } from "./randomSearch.ts"
import type { Row } from "./Row.ts"
import { sixIndicators } from "./sixIndicators.ts"
import { stopSweep } from "./stopSweep.ts"
import { sweep } from "./sweep.ts"
import { twoWorkers } from "./twoWorkers.ts"

/** Every row, in the order of its number. */
export const rows: ReadonlyArray<Row> = [
  sweep,
  twoWorkers,
  oneBacktest,
  stopSweep,
  randomSearch,
  sixIndicators,
  liveStep,
  coldStart,
  peakMemory,
  defaultCosts
]
