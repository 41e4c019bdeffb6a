/**
 * The MCP server, for hosts that start it themselves.
 *
 * @since 0.1.0
 */
export type { Transport } from "./askApi.ts"
export { httpServer, type StdioOptions, stdioServer } from "./mcpServer.ts"
export { ToolRefusal } from "./ToolRefusal.ts"
