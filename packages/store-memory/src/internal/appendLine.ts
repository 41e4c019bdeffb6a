/**
 * Lines of bots' logs.
 *
 * @since 0.1.0
 */
import { Limits, type LogEntry } from "@candlewick/core"
import { keyOf } from "./Collection.ts"
import type { Tables } from "./tables.ts"

/** Appends a line and numbers it; the oldest beyond the limit is dropped. @since 0.1.0 */
export const appendLine = (tables: Tables, entry: Omit<LogEntry, "seq">): LogEntry => {
  const group = keyOf("bot", entry.bot_id)
  const numbered = { ...entry, seq: (tables.logEntries.last(group)?.seq ?? 0) + 1 }
  tables.logEntries = tables.logEntries.put(numbered)
  // Numbers have no holes, so that the first one shows how many lines there are.
  const oldest = tables.logEntries.first(group)?.seq ?? numbered.seq
  if (numbered.seq - oldest >= Limits.logsPerBotMaxCount) {
    tables.logEntries = tables.logEntries.remove(keyOf(entry.bot_id, String(oldest)))
  }
  return numbered
}
