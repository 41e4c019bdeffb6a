/**
 * Node's HTTP server, with bounds for slow callers and a problem for requests that never reach an
 * operation.
 *
 * @since 0.1.0
 */
import { Limits } from "@candlewick/core"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { problemMediaType } from "../api/ApiProblem.ts"
import { boundConnections, type ConnectionLimits } from "./connections.ts"

/** How long callers may take. @category models @since 0.1.0 */
export interface SlownessLimits extends ConnectionLimits {
  /** How long nothing may move on a connection that has an answer to come; 150 s by default. */
  readonly stallTimeoutMs?: number
  /** How long the rest of a body may come after an answer that did not need it; 5 s by default. */
  readonly unreadBodyTimeoutMs?: number
}

// An import of a gigabyte may take minutes; the edge's time-out begins when its last bytes came.
const requestTimeoutMs = 900_000
const headersTimeoutMs = 15_000
/** How often Node looks for headers that are late. */
const connectionsCheckMs = 5_000
const keepAliveTimeoutMs = 65_000
const maxHeaderBytes = 16_384

// Longer than any answer takes to begin. A reader that has stopped reading one would keep it for
// ever.
const stallTimeoutMs = 2 * Limits.requestTimeoutSeconds * 1_000

const unreadBodyTimeoutMs = 5_000

interface Refusal {
  readonly status: number
  readonly reason: string
  readonly code: string
  readonly title: string
  readonly detail: string
}

const malformed: Refusal = {
  status: 400,
  reason: "Bad Request",
  code: "malformed_request",
  title: "The request is not HTTP",
  detail: "The request breaks the rules of HTTP/1.1, and can't be read."
}

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: "Request Header Fields Too Large",
    code: "headers_too_large",
    title: "The headers are too large",
    detail: `The request line and the headers may have ${maxHeaderBytes} bytes together.`
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    reason: "Request Timeout",
    code: "request_timeout",
    title: "The request took too long to come",
    detail: `Headers may take ${headersTimeoutMs / 1_000} s, a whole request ${requestTimeoutMs / 1_000} s.`
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    reason: "Payload Too Large",
    code: "payload_too_large",
    title: "The body is too large",
    detail: "The extensions of a chunk are too large."
  }
}

const unknownExpectation: Refusal = {
  status: 417,
  reason: "Expectation Failed",
  code: "expectation_failed",
  title: "The expectation can't be met",
  detail: "The only expectation that is known is 100-continue."
}

/** Every refusal of a request that reaches no operation. @category tables @since 0.1.0 */
export const parserRefusals: ReadonlyArray<Pick<Refusal, "code" | "status" | "title">> = [
  malformed,
  ...Object.values(refusals),
  unknownExpectation
]

const headersOf = (requestId: string) => ({
  "content-type": problemMediaType,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-request-id": requestId,
  connection: "close"
})

const bodyOf = ({ code, detail, status, title }: Refusal, instance: string, requestId: string) =>
  JSON.stringify({
    type: `urn:candlewick:problem:${code}`,
    title,
    status,
    detail,
    instance,
    code,
    request_id: requestId,
    errors: []
  })

/** A whole answer for a request that Node's parser gave up. */
const answerText = (refusal: Refusal, requestId: string): string => {
  // The path is not known.
  const body = bodyOf(refusal, "", requestId)
  const headers = { ...headersOf(requestId), "content-length": String(Buffer.byteLength(body)) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${refusal.status} ${refusal.reason}`, ...lines, "", body].join("\r\n")
}

/** Answers requests that Node's parser refuses; one amid another's answer can only be cut off. */
const answerParser = (server: Server, makeId: () => string): void => {
  const answering = new WeakMap<object, ServerResponse>()
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    answering.set(request.socket, response)
  })
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const current = answering.get(socket)
    const isAmidAnswer = current?.headersSent === true && !current.writableFinished
    if (!socket.writable || error.code === "ECONNRESET" || isAmidAnswer) {
      socket.destroy()
      return
    }
    const refusal = refusals[error.code ?? ""] ?? malformed
    socket.end(answerText(refusal, makeId()), () => socket.destroy())
  })
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    const id = makeId()
    const [path = ""] = (request.url ?? "").split("?")
    response.writeHead(unknownExpectation.status, headersOf(id))
    response.end(bodyOf(unknownExpectation, path, id))
  })
}

/**
 * Closes connections whose request goes on after its answer, as where the key was refused before
 * the body came. Closing at once would keep callers that are still sending from reading why.
 */
const cutUnreadBodies = (server: Server, waitMs: number): void => {
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    response.once("finish", () => {
      if (request.complete) return
      const timer = setTimeout(() => request.socket.destroy(), waitMs).unref()
      request.once("close", () => clearTimeout(timer))
      request.once("end", () => clearTimeout(timer))
    })
  })
}

/** Node's server with all of its bounds. @category constructors @since 0.1.0 */
export const makeNodeServer = (limits: SlownessLimits, makeId: () => string): Server => {
  const server = createServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: connectionsCheckMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: maxHeaderBytes
  }).setTimeout(limits.stallTimeoutMs ?? stallTimeoutMs)
  answerParser(server, makeId)
  boundConnections(server, limits)
  cutUnreadBodies(server, limits.unreadBodyTimeoutMs ?? unreadBodyTimeoutMs)
  return server
}
