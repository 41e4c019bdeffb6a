#!/usr/bin/env node
/**
 * The MCP server over standard input and output, for clients that start it as a process.
 *
 * Nothing but the protocol goes to standard output: all messages go to standard error.
 *
 * @since 0.1.0
 */
import { runMain } from "@effect/platform-node/NodeRuntime"
import { layer as nodeStdio } from "@effect/platform-node/NodeStdio"
import { Console, Effect, Layer, Logger } from "effect"
import { stdioServer } from "../mcp/mcpServer.ts"

const baseUrl = process.env["CANDLEWICK_URL"] ?? "http://127.0.0.1:8080"
const apiKey = process.env["CANDLEWICK_KEY"] ?? ""

const toStandardError = Logger.layer([Logger.withConsoleError(Logger.formatSimple)])

const keyMissing = Effect.gen(function* () {
  yield* Console.error(
    "CANDLEWICK_KEY is not set: give it an API key of the server at CANDLEWICK_URL"
  )
  process.exitCode = 2
})

runMain(
  apiKey === ""
    ? keyMissing
    : Layer.launch(
        stdioServer({ apiKey, baseUrl }).pipe(
          Layer.provide(Layer.merge(nodeStdio, toStandardError))
        )
      )
)
