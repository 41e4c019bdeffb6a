/**
 * Faults of the disk that a test turns on and off while a database runs in its thread.
 */
import { setEnvironmentData } from "node:worker_threads"

/** The faults of the disk. */
export const faultKinds = {
  none: 0,
  /** Nothing grows any more, as on a full disk. */
  noSpace: 1,
  /** Nothing is written at all, as on a full disk whose files are never written in place. */
  noWrites: 2,
  /** A sync fails. */
  noSync: 3,
  /** The next write ends the thread. */
  crash: 4,
  /** A sync takes until this is turned off. */
  slow: 5
} as const

/** A fault that can be turned on. */
export type Fault = keyof typeof faultKinds

/** The name under which a thread finds the switch. */
export const faultsKey = "candlewick/faults"

/** The thread that obeys. */
export const faultyWorker = new URL("faultyWorker.ts", import.meta.url)

/** A switch for threads that are started from now on. */
export const makeFaults = (): ((fault: Fault) => void) => {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  setEnvironmentData(faultsKey, flag)
  return (fault) => {
    Atomics.store(flag, 0, faultKinds[fault])
    Atomics.notify(flag, 0)
  }
}
