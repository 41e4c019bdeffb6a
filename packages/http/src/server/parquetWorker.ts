/**
 * The file that a thread begins with which reads one Parquet file.
 *
 * @since 0.1.0
 */
import { read } from "node:fs"
import { promisify } from "node:util"
import { parentPort, workerData } from "node:worker_threads"
import { type ParquetLimits, readParquetFile } from "./parquetFile.ts"

/** Which file is read. @category models @since 0.1.0 */
export interface ParquetTask extends ParquetLimits {
  /** Open for as long as the thread lives. */
  readonly fd: number
  readonly byteLength: number
}

const readAll = promisify(read)

const bytesOf = ({ byteLength, fd }: ParquetTask) => ({
  byteLength,
  read: async (start: number, end: number): Promise<ArrayBuffer> => {
    const bytes = new Uint8Array(end - start)
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await readAll(fd, bytes, length, bytes.length - length, start + length)
      if (bytesRead === 0) throw new Error("the file became shorter")
      length += bytesRead
    }
    return bytes.buffer
  }
})

if (parentPort !== null) {
  const task = workerData as ParquetTask
  const content = await readParquetFile(bytesOf(task), task)
  const moved =
    content.type === "candles" ? Object.values(content.columns).map(({ buffer }) => buffer) : []
  parentPort.postMessage(content, moved)
}
