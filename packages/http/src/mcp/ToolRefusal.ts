/**
 * Why a tool did nothing, as its model and the person behind it read it.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** Why a tool did nothing. @category errors @since 0.1.0 */
export class ToolRefusal extends Schema.TaggedError<ToolRefusal>()("ToolRefusal", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}
