/**
 * Connections that can only be made to where the address policy lets them.
 *
 * Looking a name up, checking every answer and connecting to one of them is a single step here. So
 * a name whose answers change in between gains nothing. The address is checked once more on the
 * open socket, before the first byte and before TLS. No environment variable is read: neither a
 * proxy nor a switch against certificates gets in.
 *
 * @since 0.1.0
 */
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { Agent, type buildConnector, type Dispatcher } from "undici"
import {
  type AddressPolicy,
  checkUrl,
  type Destination,
  refuseDestination,
  type UrlRefusal,
  type UrlVerdict
} from "./AddressPolicy.ts"
import { makeNameLookup, type NameLookup, type ResolvedAddress } from "./lookUpName.ts"
import { remember } from "./remember.ts"

/** How connections are made. @category options @since 0.1.0 */
export interface GuardedDispatcherOptions {
  readonly policy: AddressPolicy
  /** Finds all addresses of a name; one that asks the host's name servers unless given. */
  readonly lookup?: NameLookup | undefined
  /** For looking up, connecting and TLS together; 5000 unless given. */
  readonly connectTimeoutMs?: number | undefined
  /** How long a connection without a request is kept; 4000 unless given. */
  readonly keepAliveMs?: number | undefined
  /** The most connections to one host and port; 256 unless given. */
  readonly connectionsPerOrigin?: number | undefined
  /** Certificates of authorities to trust instead of the usual ones, in PEM. */
  readonly certificateAuthorities?: ReadonlyArray<string> | undefined
}

/**
 * A dispatcher whose every connection is checked; make it with `makeGuardedDispatcher`.
 *
 * @category models
 * @since 0.1.0
 */
export interface GuardedDispatcher {
  /** The policy's answer on a URL, without asking the network. */
  readonly checkUrl: (text: string) => UrlVerdict
  readonly dispatcher: Dispatcher
  /**
   * The number of the connection that was begun last to an origin, 0 where none is known. A request
   * that leaves the number as it was went out on a connection that was kept.
   */
  readonly latestConnection: (origin: string) => number
  /** Lets requests under way finish, then closes every connection. */
  readonly close: () => Promise<void>
  /** Breaks off every request, which ends as `cancelled`. */
  readonly destroy: () => Promise<void>
}

/** Why a connection was not made. @category models @since 0.1.0 */
export type ConnectionRefusal = "ssrf_blocked" | "dns_error" | "tls_error" | "timeout"

/** A connection was not made; no text of it names an address. @category errors @since 0.1.0 */
export class ConnectionRefused extends Error {
  override readonly name = "ConnectionRefused"
  readonly reason: ConnectionRefusal
  /** The rule that refused the destination, where one did. */
  readonly refusal: UrlRefusal | null

  constructor(reason: ConnectionRefusal, refusal: UrlRefusal | null = null) {
    super(`no connection was made: ${reason}`)
    this.reason = reason
    this.refusal = refusal
  }
}

const maximumHeaderBytes = 16_384
const keepAliveMaximumMs = 10_000
const rememberedOrigins = 10_000

const pinned =
  (answers: ReadonlyArray<ResolvedAddress>): LookupFunction =>
  (_hostname, options, callback) => {
    const [first] = answers
    if (options.all) callback(null, [...answers])
    else callback(null, first!.address, first!.family)
  }

/**
 * Settles with the socket once `event` happens, and with its error otherwise. Then it leaves no
 * listener behind.
 */
const whenOpen = <S extends Socket>(
  socket: S,
  event: "connect" | "secureConnect",
  signal: AbortSignal
): Promise<S> =>
  new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      socket.off(event, onOpen).off("error", onError).off("close", onClose)
      signal.removeEventListener("abort", onAbort)
      finish()
    }
    const onOpen = () => settle(() => resolve(socket))
    const onError = (error: Error) => settle(() => reject(error))
    const onClose = () => onError(Object.assign(new Error("closed"), { code: "ECONNRESET" }))
    const onAbort = () => {
      onError(new ConnectionRefused("timeout"))
      socket.on("error", () => {}).destroy()
    }
    socket.once(event, onOpen).once("error", onError).once("close", onClose)
    signal.addEventListener("abort", onAbort, { once: true })
    if (signal.aborted) onAbort()
  })

const resolve = (
  lookup: () => Promise<ReadonlyArray<ResolvedAddress>>,
  signal: AbortSignal
): Promise<ReadonlyArray<ResolvedAddress>> =>
  new Promise((resolve, reject) => {
    const onAbort = () => reject(new ConnectionRefused("timeout"))
    signal.addEventListener("abort", onAbort, { once: true })
    lookup()
      .then(
        (answers) =>
          answers.length > 0 ? resolve(answers) : reject(new ConnectionRefused("dns_error")),
        () => reject(new ConnectionRefused("dns_error"))
      )
      .finally(() => signal.removeEventListener("abort", onAbort))
  })

const isReset = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["ECONNRESET", "EPIPE"].includes(String(error.code))

const upgradeToTls = async (
  socket: Socket,
  hostname: string,
  authorities: ReadonlyArray<string> | undefined,
  signal: AbortSignal
): Promise<Socket> => {
  const secured = connectTls({
    socket,
    host: hostname,
    servername: isIP(hostname) === 0 ? hostname : "",
    ALPNProtocols: ["http/1.1"],
    minVersion: "TLSv1.2",
    rejectUnauthorized: true,
    ...(authorities === undefined ? {} : { ca: [...authorities] })
  })
  try {
    return await whenOpen(secured, "secureConnect", signal)
  } catch (error) {
    if (error instanceof ConnectionRefused || isReset(error)) throw error
    throw new ConnectionRefused("tls_error")
  }
}

const openSocket = async (
  options: GuardedDispatcherOptions,
  lookup: NameLookup,
  destination: Destination,
  signal: AbortSignal
): Promise<Socket> => {
  const { policy } = options
  const { hostname, port, protocol } = destination
  const family = isIP(hostname)
  const check = (addresses: ReadonlyArray<string>) => {
    const refusal = refuseDestination(policy, destination, addresses)
    if (refusal !== null) throw new ConnectionRefused("ssrf_blocked", refusal)
  }
  // Node asks no resolver about a literal address, so it is checked here or nowhere.
  check([])
  const answers =
    family === 0
      ? await resolve(() => lookup(hostname, signal), signal)
      : [{ address: hostname, family }]
  check(answers.map(({ address }) => address))
  const socket = connectTcp({
    host: hostname,
    port,
    lookup: pinned(answers),
    autoSelectFamily: true,
    noDelay: true
  })
  await whenOpen(socket, "connect", signal)
  try {
    check([socket.remoteAddress ?? ""])
    if (protocol !== "https:") return socket
    socket.on("error", () => {})
    return await upgradeToTls(socket, hostname, options.certificateAuthorities, signal)
  } catch (error) {
    socket.on("error", () => {}).destroy()
    throw error
  }
}

const toDestination = (options: buildConnector.Options): Destination => ({
  protocol: options.protocol,
  hostname: options.hostname,
  port: Number(options.port || (options.protocol === "https:" ? 443 : 80))
})

/**
 * Makes a dispatcher whose every connection is checked against a policy; it follows no redirect and
 * uses no proxy.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeGuardedDispatcher = (options: GuardedDispatcherOptions): GuardedDispatcher => {
  const { connectTimeoutMs = 5000, keepAliveMs = 4000, connectionsPerOrigin = 256 } = options
  const lookup = options.lookup ?? makeNameLookup()
  const latest = new Map<string, number>()
  let connectionNumber = 0
  const connect: buildConnector.connector = (target, callback) => {
    const destination = toDestination(target)
    const origin = `${target.protocol}//${target.host ?? target.hostname}`
    latest.delete(origin)
    latest.set(origin, ++connectionNumber)
    if (latest.size > rememberedOrigins) latest.delete(latest.keys().next().value!)
    openSocket(options, lookup, destination, AbortSignal.timeout(connectTimeoutMs)).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null)
    )
  }
  const agent = new Agent({
    connect,
    allowH2: false,
    pipelining: 1,
    connections: connectionsPerOrigin,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMaximumMs,
    maxHeaderSize: maximumHeaderBytes
  })
  return {
    checkUrl: remember((text) => checkUrl(options.policy, text)),
    dispatcher: agent,
    latestConnection: (origin) => latest.get(origin) ?? 0,
    close: () => agent.close(),
    destroy: () => agent.destroy()
  }
}
