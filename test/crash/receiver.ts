/**
 * A receiver of webhooks on the loopback, which outlives the server and verifies what it gets.
 */
import { verifyNotification } from "@candlewick/webhooks/verify"
import { createServer, type IncomingHttpHeaders } from "node:http"

export interface HeardEvent {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
  /** When the event happened. */
  readonly timestamp: string
  readonly firstMs: number
  lastMs: number
  count: number
}

/** A secret that signs, or may. */
interface ReceiverSecret {
  readonly text: string
  /** Since when it is known to sign; null where nobody has answered that. */
  sinceMs: number | null
}

export interface Receiver {
  readonly url: string
  /** The newest secret; setting it makes it one. */
  secret: string
  /** Every secret that it ever had or may have, oldest first. */
  readonly secrets: Array<ReceiverSecret>
  /** By the id of the event, without samples. */
  readonly heard: Map<string, HeardEvent>
  /** How often each secret was the newest one that signed. */
  readonly signed: Map<string, number>
  readonly refused: () => number
  /** Requests that were signed with nothing but a secret that had been replaced by then. */
  readonly stale: () => number
  readonly close: () => Promise<void>
}

/** A replaced secret may sign deliveries on their way, and a second tells no more than that. */
const replacingMs = 2_000

const secretFaultOf = (
  secrets: ReadonlyArray<ReceiverSecret>,
  headers: IncomingHttpHeaders,
  used: number
): "stale" | null => {
  const signedMs = Number(headers["webhook-timestamp"]) * 1_000
  const newest = secrets.findLastIndex(
    ({ sinceMs }) => sinceMs !== null && sinceMs + replacingMs < signedMs
  )
  return used < newest ? "stale" : null
}

export const startReceiver = async (): Promise<Receiver> => {
  const heard = new Map<string, HeardEvent>()
  const signed = new Map<string, number>()
  const secrets: Array<ReceiverSecret> = []
  let refusedCount = 0
  let staleCount = 0
  const verifyWithNewest = (headers: IncomingHttpHeaders, rawBody: Buffer) => {
    for (const [index, { text: secret }] of [...secrets.entries()].toReversed()) {
      try {
        return { ...verifyNotification({ secret, headers, rawBody }), index, secret }
      } catch {
        // An older one may have signed it.
      }
    }
    return null
  }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const verified = verifyWithNewest(request.headers, Buffer.concat(chunks))
      if (verified === null || verified.id === null) {
        refusedCount++
        response.writeHead(400).end()
        return
      }
      const { event, id, index, secret, timestamp } = verified
      signed.set(secret, (signed.get(secret) ?? 0) + 1)
      if (secretFaultOf(secrets, request.headers, index) === "stale") staleCount++
      const known = heard.get(id)
      const nowMs = Date.now()
      if (known !== undefined) {
        known.count++
        known.lastMs = nowMs
      } else if (!id.startsWith("msg_test_")) {
        const data = verified.data as HeardEvent["data"]
        heard.set(id, { event, data, timestamp, firstMs: nowMs, lastMs: nowMs, count: 1 })
      }
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/hook`,
    get secret() {
      return secrets.findLast(({ sinceMs }) => sinceMs !== null)?.text ?? ""
    },
    set secret(text: string) {
      secrets.push({ text, sinceMs: Date.now() })
    },
    secrets,
    heard,
    signed,
    refused: () => refusedCount,
    stale: () => staleCount,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
