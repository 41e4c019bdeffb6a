/**
 * A receiver on this machine, and a dispatcher that may send to it, for stories over real sockets.
 */
import { createServer, type IncomingHttpHeaders } from "node:http"
import { Webhooks } from "@candlewick/webhooks"
import { Effect } from "effect"
import { over } from "./webhookWorld.ts"

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A receiver on this machine that answers with these statuses, the last one for ever. */
export const receiver = (statuses: ReadonlyArray<number>) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{
          readonly url: string
          readonly received: Array<Received>
          close: () => void
        }>((resolve) => {
          const received: Array<Received> = []
          const server = createServer((request, response) => {
            const chunks: Array<Buffer> = []
            request.on("data", (chunk: Buffer) => chunks.push(chunk))
            request.on("end", () => {
              received.push({ headers: request.headers, body: Buffer.concat(chunks) })
              const at = Math.min(received.length, statuses.length) - 1
              response.writeHead(statuses[at]!, { "retry-after": "0" }).end()
            })
          })
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            const port = typeof address === "object" && address !== null ? address.port : 0
            resolve({
              url: `http://127.0.0.1:${port}/hook`,
              received,
              close: () => server.close()
            })
          })
        })
    ),
    ({ close }) => Effect.sync(close)
  )

/** The announcer and the sender, to this machine too. */
export const OnLoopback = over(
  Webhooks.layerWith({ allowCidrs: ["127.0.0.1/32"], allowHttp: true })
)
