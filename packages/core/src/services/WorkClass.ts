/**
 * The kind of work that a call to the store belongs to.
 *
 * @since 0.1.0
 */
import { Context } from "effect"

/** The classes of work that share a store. @category models @since 0.1.0 */
export type WorkClass = "requests" | "bots" | "deliveries" | "runs"

/**
 * The class of the work under way. A store that does one thing at a time gives each class its turn,
 * however much another has waiting.
 *
 * @category references
 * @since 0.1.0
 */
export const WorkClass = Context.Reference<WorkClass>("@candlewick/core/services/WorkClass", {
  defaultValue: () => "requests"
})
