/**
 * Runs one history of any kind, and says how it ended.
 */
import { makeRandom } from "@candlewick/core/kernel"
import { AccountWorld } from "./accounts/accountWorld.ts"
import { carryOutAccount } from "./accounts/runAccount.ts"
import type { History } from "./history.ts"
import { carryOutLive } from "./live/runLive.ts"
import { carryOutBots } from "./runBots.ts"
import { Violation } from "./seededScheduler.ts"
import { World } from "./world.ts"

/** How a history ended. */
export interface Outcome {
  /** The broken law; null where all held. */
  readonly violation: string | null
  readonly counts: Readonly<Record<string, number>>
}

/** Ids and secrets come from the host's randomness: for one history it is the seed's. */
const withSeededHost = <A>(seed: string, run: () => A): A => {
  const random = makeRandom(`${seed} host`)
  const getRandomValues = (array: Uint8Array): Uint8Array => {
    array.forEach((_, at) => (array[at] = random.integer(0, 255)))
    return array
  }
  Object.defineProperty(crypto, "getRandomValues", { value: getRandomValues, configurable: true })
  try {
    return run()
  } finally {
    // The prototype's own shows again.
    Reflect.deleteProperty(crypto, "getRandomValues")
  }
}

/** The world of a history, and what is to be done in it. */
const begin = (history: History) => {
  if (history.kind === "bots") {
    const world = new World(history)
    return { world, carryOut: () => carryOutBots(history, world) }
  }
  if (history.kind === "live") {
    const world = new World(history)
    return { world, carryOut: () => carryOutLive(history, world) }
  }
  const world = new AccountWorld(history)
  return { world, carryOut: () => carryOutAccount(history, world) }
}

/** Runs a history to its end; the same history ends in the same way. */
export const runHistory = (history: History): Outcome =>
  withSeededHost(history.seed, () => {
    let begun: ReturnType<typeof begin> | null = null
    let violation: string | null = null
    try {
      begun = begin(history)
      begun.carryOut()
    } catch (error) {
      if (error instanceof Violation) violation = error.message
      else violation = `the simulation failed: ${String((error as Error).stack)}`
    }
    begun?.world.counts.add("tasks", begun.world.simulator.taskCount)
    begun?.world.close()
    return { violation, counts: begun?.world.counts.toRecord() ?? {} }
  })
