/**
 * A receiver of webhooks on the loopback, which outlives the server and verifies what it gets.
 */
import { verifyNotification } from "@candlewick/webhooks/verify"
import { createServer } from "node:http"

export interface HeardEvent {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
  count: number
}

export interface Receiver {
  readonly url: string
  secret: string
  /** By the id of the event. */
  readonly heard: Map<string, HeardEvent>
  readonly refused: () => number
  readonly close: () => Promise<void>
}

export const startReceiver = async (): Promise<Receiver> => {
  const heard = new Map<string, HeardEvent>()
  let refusedCount = 0
  const receiver = { secret: "" }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const rawBody = Buffer.concat(chunks)
      try {
        const verified = verifyNotification({
          secret: receiver.secret,
          headers: request.headers,
          rawBody
        })
        if (verified.id === null) throw new Error("an event without an id")
        const known = heard.get(verified.id)
        if (known === undefined) {
          const data = verified.data as HeardEvent["data"]
          heard.set(verified.id, { event: verified.event, data, count: 1 })
        } else known.count++
        response.writeHead(204).end()
      } catch {
        refusedCount++
        response.writeHead(400).end()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/hook`,
    heard,
    refused: () => refusedCount,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  })
}
