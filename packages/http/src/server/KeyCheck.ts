/**
 * Whether the key of the request under way is still good, for answers that go on for minutes.
 *
 * @since 0.1.0
 */
import type { Problem, StoreError } from "@candlewick/core"
import { Context, Effect } from "effect"

/**
 * Fails once the key was revoked or has expired, on whichever server; admission provides it.
 *
 * @category references
 * @since 0.1.0
 */
export const KeyCheck = Context.Reference<Effect.Effect<void, Problem | StoreError>>(
  "@candlewick/http/server/KeyCheck",
  { defaultValue: () => Effect.void }
)
