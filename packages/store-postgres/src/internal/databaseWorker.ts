/**
 * The file that an embedded database's thread begins with.
 *
 * @since 0.1.0
 */
import { parentPort, workerData } from "node:worker_threads"
import { serveDatabase } from "./serveDatabase.ts"
import type { ThreadOptions } from "./threadMessages.ts"

if (parentPort !== null) await serveDatabase(parentPort, workerData as ThreadOptions)
