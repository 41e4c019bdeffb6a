/**
 * Reads a file of candles that a host has in memory.
 *
 * @since 0.1.0
 */
import { Effect, Stream } from "effect"
import type { CandleFileImport } from "../../../domain/operations/candleOperations.ts"
import { readCandleTable } from "./readCandleTable.ts"

/** The candles of a file, as an import takes them, and the faults of its rows. */
export const readImportFile = Effect.fnUntraced(function* ({
  bytes,
  source,
  synthetic,
  ...options
}: CandleFileImport) {
  const content = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes
  const read = yield* readCandleTable(Stream.make(content), options)
  return { ...read, source, synthetic, on_conflict: options.on_conflict }
})
