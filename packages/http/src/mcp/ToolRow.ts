/**
 * One tool: its text for models, and its effect.
 *
 * @since 0.1.0
 */
import type { Effect, Schema } from "effect"
import type { Ask, JsonObject } from "./askApi.ts"
import type { ElicitationContext } from "./confirm.ts"
import type { ToolRefusal } from "./ToolRefusal.ts"

/** The effect of a tool on the account. */
type ToolKind = "reads" | "writes" | "ends"

/** One tool. @category models @since 0.1.0 */
export interface ToolRow {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly kind: ToolKind
  readonly parameters: Schema.Struct<Schema.Struct.Fields>
  readonly run: (ask: Ask, given: any) => Effect.Effect<JsonObject, ToolRefusal, ElicitationContext>
}

/** A tool whose arguments are typed by its parameters. @category constructors @since 0.1.0 */
export const tool = <const Fields extends Schema.Struct.Fields>(row: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly kind: ToolKind
  readonly parameters: Schema.Struct<Fields>
  readonly run: (
    ask: Ask,
    given: Schema.Struct<Fields>["Type"]
  ) => Effect.Effect<JsonObject, ToolRefusal, ElicitationContext>
}): ToolRow => row
