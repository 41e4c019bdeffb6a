/**
 * The thread of an embedded database over a disk with faults: every write of the database to a file
 * passes through here.
 */
import fs from "node:fs"
import { getEnvironmentData, parentPort, workerData } from "node:worker_threads"
import { serveDatabase } from "../../src/internal/serveDatabase.ts"
import type { ThreadOptions } from "../../src/internal/threadMessages.ts"
import { faultKinds, faultsKey } from "./faults.ts"

const flag = getEnvironmentData(faultsKey) as Int32Array
const isOn = (kind: keyof typeof faultKinds): boolean => Atomics.load(flag, 0) === faultKinds[kind]

const failure = (code: string, text: string): Error =>
  Object.assign(new Error(`${code}: ${text}`), { code })

const { fdatasyncSync, fsyncSync, writeSync } = fs
const refuseSync = (): void => {
  Atomics.wait(flag, 0, faultKinds.slow)
  if (isOn("noSync")) throw failure("EIO", "i/o error, fsync")
}

Object.assign(fs, {
  writeSync: (
    file: number,
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number
  ): number => {
    if (isOn("crash")) process.exit(3)
    const grows = () => position + length > fs.fstatSync(file).size
    if (isOn("noWrites") || (isOn("noSpace") && grows())) {
      throw failure("ENOSPC", "no space left on device, write")
    }
    return writeSync(file, bytes, offset, length, position)
  },
  fsyncSync: (file: number): void => {
    refuseSync()
    fsyncSync(file)
  },
  fdatasyncSync: (file: number): void => {
    refuseSync()
    fdatasyncSync(file)
  }
})

if (parentPort !== null) await serveDatabase(parentPort, workerData as ThreadOptions)
