/**
 * The tools and resources as the MCP server registers them, over any transport to the API.
 *
 * @since 0.1.0
 */
import { Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer, Tool, Toolkit } from "effect/ai"
import { CallerKeyText, makeAsk, type Transport } from "./askApi.ts"
import { bounded } from "./bounded.ts"
import { resources } from "./resources.ts"
import { ToolRefusal } from "./ToolRefusal.ts"
import type { ToolRow } from "./ToolRow.ts"
import { botTools } from "./tools/botTools.ts"
import { runTools } from "./tools/runTools.ts"
import { strategyTools } from "./tools/strategyTools.ts"

/** Every tool. @category tables @since 0.1.0 */
export const toolRows: ReadonlyArray<ToolRow> = [...strategyTools, ...runTools, ...botTools]

const Answer = Schema.Record(Schema.String, Schema.Json)

const toTool = ({ description, kind, name, parameters, title }: ToolRow) =>
  Tool.make(name, {
    description,
    // An empty struct takes anything, which is no object to a client.
    parameters: Object.keys(parameters.fields).length === 0 ? Tool.EmptyParams : parameters,
    success: Answer,
    failure: ToolRefusal,
    dependencies: [McpSchema.McpRequestContext, McpSchema.McpServerClient]
  })
    .annotate(Tool.Title, title)
    .annotate(Tool.Readonly, kind === "reads")
    .annotate(Tool.Destructive, kind === "ends")
    .annotate(Tool.Idempotent, kind === "reads")
    .annotate(Tool.OpenWorld, false)
    .annotate(Tool.Strict, true)

const bearer = /^Bearer\s+(\S+)$/i

/** The key of each request: that of its header, or the one that the whole server speaks with. */
const keyed = (key: string | undefined) =>
  McpServer.middleware()((effect, { headers }) =>
    Effect.provideService(
      effect,
      CallerKeyText,
      key ?? bearer.exec(headers["authorization"] ?? "")?.[1] ?? ""
    )
  )

/**
 * Tools and resources over a transport. With `key` each request speaks with that one, else with the
 * bearer token that it came with.
 *
 * @category layers
 * @since 0.1.0
 */
export const registrations = (transport: Transport, key?: string) => {
  const ask = makeAsk(transport)
  const toolkit = Toolkit.make(...toolRows.map(toTool))
  const handlers = Object.fromEntries(
    toolRows.map(({ name, run }) => [
      name,
      (given: unknown) => Effect.map(run(ask, given), bounded)
    ])
  )
  return Layer.mergeAll(
    McpServer.toolkit(toolkit).pipe(Layer.provide(toolkit.toLayer(handlers))),
    resources(ask)
  ).pipe(Layer.provide(keyed(key).layer))
}
