/**
 * Where this server can be reached, so that no webhook is sent to itself.
 *
 * @since 0.1.0
 */
import { isIPv6 } from "node:net"
import { networkInterfaces } from "node:os"
import type { ServerSettings } from "./settings.ts"

const wildcards: ReadonlySet<string> = new Set(["0.0.0.0", "::"])
const loopback: ReadonlyArray<string> = ["localhost", "127.0.0.1", "::1"]

const addressesOfThisMachine = (): ReadonlyArray<string> =>
  Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))

const listensOn = (host: string): ReadonlyArray<string> => {
  if (wildcards.has(host)) return [...wildcards, ...loopback, ...addressesOfThisMachine()]
  return host === "localhost" ? loopback : [host]
}

/**
 * The address that a server listens on, with its port, and the names that callers know.
 *
 * **Details**
 *
 * A server that takes a free port is known by its public names alone.
 *
 * @category models
 * @since 0.1.0
 */
export const ownHosts = ({
  host,
  port,
  publicHosts
}: Pick<ServerSettings, "host" | "port" | "publicHosts">): ReadonlyArray<string> => {
  if (port === 0) return publicHosts
  const listening = listensOn(host).map(
    (address) => `${isIPv6(address) ? `[${address}]` : address}:${port}`
  )
  return [...publicHosts, ...listening]
}
