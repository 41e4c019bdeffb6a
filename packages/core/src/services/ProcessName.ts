/**
 * What a process calls itself where it owns something that others may want.
 *
 * @since 0.1.0
 */
import { Context } from "effect"

/**
 * What this process calls itself where bots are owned. A name of its own by default; where a store
 * has one process at a time, one name for all of them, so that the next takes up at once what one
 * left that was killed.
 *
 * @category services
 * @since 0.1.0
 */
export const ProcessName = Context.Reference<string>("@candlewick/core/services/ProcessName", {
  // oxlint-disable-next-line eslint/no-restricted-properties -- no two processes may share a name
  defaultValue: () => crypto.randomUUID()
})
