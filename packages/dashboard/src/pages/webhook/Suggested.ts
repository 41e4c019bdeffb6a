/**
 * A replay that a change of an endpoint suggests.
 */
import type { Answer } from "../../api/types.ts"

/** The deliveries that an endpoint has missed while it was disabled. */
export type Suggested = NonNullable<Answer<"webhooks.change">["suggested_replay"]>
