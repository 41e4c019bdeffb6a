/**
 * The number of connections that callers keep open: each account, and together all callers without
 * a key.
 *
 * The bound closes connections instead of refusing new ones. A caller that opens many would
 * otherwise keep all others out. So the one that goes is of the address or account that has the
 * most.
 *
 * @since 0.1.0
 */
import { Limits } from "@candlewick/core"
import { makeIsTrusted, type ProxyOptions } from "./proxies.ts"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Bounds of connections. @category models @since 0.1.0 */
export interface ConnectionLimits extends Pick<ProxyOptions, "trustedProxies"> {
  /** Connections on which no key was accepted yet, of all addresses together. */
  readonly anonymousConnectionsMax?: number
  /** Connections on which a key of one account was accepted last. */
  readonly connectionsPerAccountMax?: number
}

interface Connection {
  readonly socket: Socket
  readonly address: string
  accountId: string | undefined
  /** Requests that are not answered to their end. */
  openCount: number
}

const bySocket = new WeakMap<object, { readonly noteAccount: (accountId: string) => void }>()

const socketOf = (source: object): unknown => ("socket" in source ? source.socket : undefined)

/**
 * Says whose key was accepted on the connection of a request. A request that came by no connection
 * of this server is none of its concern.
 *
 * @category combinators
 * @since 0.1.0
 */
export const noteAccount = (source: object, accountId: string): void => {
  const socket = socketOf(source)
  if (typeof socket === "object" && socket !== null) bySocket.get(socket)?.noteAccount(accountId)
}

/** The first connection that nothing is asked on, or the oldest of all. */
const spare = (connections: ReadonlyArray<Connection>): Connection | undefined =>
  connections.find(({ openCount }) => openCount === 0) ?? connections[0]

/** The connections of the caller with the most, in the order in which they came. */
const ofTheGreediest = (connections: Iterable<Connection>): ReadonlyArray<Connection> =>
  [...Map.groupBy(connections, ({ address }) => address).values()].reduce(
    (most, each) => (each.length > most.length ? each : most),
    [] as ReadonlyArray<Connection>
  )

/** Sets of connections, by a name of whose they are. */
const makeSets = () => {
  const sets = new Map<string, Set<Connection>>()
  return {
    add: (name: string, connection: Connection): Set<Connection> => {
      const set = sets.get(name) ?? new Set()
      sets.set(name, set.add(connection))
      return set
    },
    remove: (name: string, connection: Connection): void => {
      const set = sets.get(name)
      set?.delete(connection)
      if (set?.size === 0) sets.delete(name)
    }
  }
}

const anonymous = "anonymous"
const nameOf = ({ accountId }: Connection): string =>
  accountId === undefined ? anonymous : `account ${accountId}`

/** Keeps the bounds on a server. @category constructors @since 0.1.0 */
export const boundConnections = (server: Server, limits: ConnectionLimits): void => {
  const anonymousMax = limits.anonymousConnectionsMax ?? Limits.anonymousConnectionsMax
  const accountMax = limits.connectionsPerAccountMax ?? Limits.connectionsPerAccountMax
  const isTrusted = makeIsTrusted(limits.trustedProxies)
  const sets = makeSets()
  const connections = new WeakMap<object, Connection>()
  const leave = (connection: Connection) => sets.remove(nameOf(connection), connection)
  const close = (connection: Connection | undefined): void => {
    if (connection === undefined) return
    leave(connection)
    connection.socket.destroy()
  }
  const enter = (connection: Connection): void => {
    const set = sets.add(nameOf(connection), connection)
    if (connection.accountId === undefined) {
      if (set.size > anonymousMax) close(spare(ofTheGreediest(set)))
    } else if (set.size > accountMax) close(spare([...set]))
  }
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? ""
    // A proxy has few connections for many callers, and bounds them itself.
    if (isTrusted(address)) return
    const connection: Connection = { socket, address, accountId: undefined, openCount: 0 }
    connections.set(socket, connection)
    const noteAccount = (accountId: string): void => {
      if (connection.accountId === accountId || socket.destroyed) return
      leave(connection)
      connection.accountId = accountId
      enter(connection)
    }
    bySocket.set(socket, { noteAccount })
    socket.once("close", () => leave(connection))
    enter(connection)
  })
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket)
    if (connection === undefined) return
    connection.openCount++
    response.once("close", () => {
      connection.openCount--
    })
  })
}
