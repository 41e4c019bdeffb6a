/**
 * Receivers on loopback, with real sockets, that answer as badly as a test wants.
 *
 * @since 0.1.0
 */
import { createServer as createHttpServer, type RequestListener } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket
} from "node:net"
import { Effect, Result } from "effect"
import { type AddressPolicyOptions, makeAddressPolicy } from "../src/AddressPolicy.ts"
import { type GuardedDispatcherOptions, makeGuardedDispatcher } from "../src/guardedDispatcher.ts"
import type { NotificationRequest } from "../src/postNotification.ts"
import { testCertificate, testKey } from "./testCertificate.ts"

/** A server that counts who connects. */
export interface Receiver {
  readonly port: number
  readonly url: string
  readonly connections: () => number
  readonly bytesReceived: () => number
  readonly openSockets: () => number
}

const listen = (server: Server, host: string, scheme: string, port = 0) =>
  Effect.acquireRelease(
    Effect.callback<Receiver & { readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      let connections = 0
      let bytesReceived = 0
      server.on("connection", (socket: Socket) => {
        connections++
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => {
          bytesReceived += socket.bytesRead
          sockets.delete(socket)
        })
      })
      server.listen(port, host, () => {
        const { port } = server.address() as AddressInfo
        resume(
          Effect.succeed({
            port,
            url: `${scheme}://${host}:${port}/hook?x=1`,
            connections: () => connections,
            bytesReceived: () =>
              [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, bytesReceived),
            openSockets: () => sockets.size,
            close: () => {
              server.close()
              for (const socket of sockets) socket.destroy()
            }
          })
        )
      })
    }),
    (receiver) => Effect.sync(receiver.close)
  )

/** A receiver that speaks HTTP. */
export const httpReceiver = (listener: RequestListener, host = "127.0.0.1", port = 0) =>
  listen(createHttpServer(listener), host, "http", port)

/** A receiver that speaks HTTPS as `receiver.example.com`. */
export const httpsReceiver = (listener: RequestListener) =>
  listen(createHttpsServer({ key: testKey, cert: testCertificate }, listener), "127.0.0.1", "https")

/** A receiver that speaks whatever the test writes. */
export const tcpReceiver = (listener: (socket: Socket) => void) =>
  listen(createTcpServer(listener), "127.0.0.1", "http")

/** Lets a test reach loopback; the network, which no test reaches, opens any port to names. */
export const loopback: AddressPolicyOptions = {
  allowCidrs: ["127.0.0.1/32", "10.99.0.0/16"],
  allowHttp: true
}

/** A dispatcher that ends with the test. */
export const dispatcherFor = (
  policy: AddressPolicyOptions = loopback,
  options: Omit<GuardedDispatcherOptions, "policy"> = {}
) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      makeGuardedDispatcher({ ...options, policy: Result.getOrThrow(makeAddressPolicy(policy)) })
    ),
    (guarded) => Effect.promise(() => guarded.destroy())
  )

/** A small notification to an address. */
export const notificationTo = (url: string, timeoutMs?: number): NotificationRequest => ({
  url,
  headers: { "content-type": "application/json", "webhook-id": "msg_1" },
  body: Buffer.from('{"event":"trade.executed"}'),
  timeoutMs
})
