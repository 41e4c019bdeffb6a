/**
 * The MCP server on its two transports.
 *
 * @since 0.1.0
 */
import { Effect, type Layer, type Stdio } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import { apiVersion } from "../api/Api.ts"
import type { Transport } from "./askApi.ts"
import { registrations } from "./registrations.ts"
import { ToolRefusal } from "./ToolRefusal.ts"

const instructions =
  "Candlewick generates, backtests and runs trading strategies. Say what the figures say: out of " +
  "sample before in sample, warnings first, and that a backtest promises nothing. no_edge_found is a " +
  "normal answer. Bots of mode live trade with money: never confirm anything in the user's place."

const about = {
  name: "candlewick",
  version: apiVersion,
  instructions,
  protocols: [McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26]
} as const

/**
 * The server at `/mcp` of a router. Requests of a browser from other origins are refused, but for
 * origins that are named.
 *
 * @category layers
 * @since 0.1.0
 */
export const httpServer = (options: {
  readonly transport: Transport
  readonly allowedOrigins: ReadonlyArray<string>
}) =>
  McpServer.layerHttp({
    ...about,
    path: "/mcp",
    allowedOrigins: options.allowedOrigins,
    allowSessionTermination: true,
    registrations: registrations(options.transport)
  })

/** Sends requests to the server at an address. */
const overNetwork =
  ({ baseUrl, fetch = globalThis.fetch }: Omit<StdioOptions, "apiKey">): Transport =>
  (request) =>
    Effect.tryPromise({
      try: (signal) => {
        const { pathname, search } = new URL(request.url)
        const url = baseUrl.replace(/\/$/, "") + pathname + search
        return fetch(new Request(url, request), { signal })
      },
      catch: () => new ToolRefusal({ detail: `The server at ${baseUrl} does not answer.` })
    })

/** Where a server is, and the key to speak with. @category models @since 0.1.0 */
export interface StdioOptions {
  readonly baseUrl: string
  readonly apiKey: string
  /** How requests go there; the one of the host unless it is given. */
  readonly fetch?: typeof globalThis.fetch
}

/**
 * The server over standard input and output, for clients that start it as a process. It speaks to
 * the Candlewick server at an address.
 *
 * @category layers
 * @since 0.1.0
 */
export const stdioServer = ({
  apiKey,
  ...server
}: StdioOptions): Layer.Layer<never, never, Stdio.Stdio> =>
  // The services that tools need of each request. Their transport gives them, which the compiler
  // can't see of a table.
  McpServer.layerStdio({
    ...about,
    registrations: registrations(overNetwork(server), apiKey)
  }) as never
