/**
 * The changes that a proxy in front of the server makes: the caller's address, and the path's
 * beginning.
 *
 * Headers of a proxy count only where the proxy is named. Anybody else could write into them
 * whichever address is to be held back.
 *
 * @since 0.1.0
 */
import { BlockList, isIP } from "node:net"

/** How the server is reached. @category models @since 0.1.0 */
export interface ProxyOptions {
  /** The beginning of paths for callers, such as `/candlewick`; nothing by default. */
  readonly basePath?: string | undefined
  /** Addresses of proxies, with a prefix length, whose `X-Forwarded-` headers count. */
  readonly trustedProxies?: ReadonlyArray<string>
}

/** A path that others can begin with. @category checks @since 0.1.0 */
export const isBasePath = (path: string): boolean => /^(?:\/[\w.~-]+)+$/.test(path)

const familyOf = (address: string): "ipv4" | "ipv6" | undefined =>
  ({ 4: "ipv4", 6: "ipv6" } as const)[isIP(address)]

const rangeOf = (range: string) => {
  const [address = "", length] = range.split("/")
  const family = familyOf(address)
  if (family === undefined) return undefined
  const most = family === "ipv4" ? 32 : 128
  const bits = length === undefined ? most : Number(length)
  const isFit = length === undefined || (/^\d{1,3}$/.test(length) && bits <= most)
  return isFit ? { address, bits, family } : undefined
}

/** Whether a text names an address or a range of them. @category checks @since 0.1.0 */
export const isAddressRange = (range: string): boolean => rangeOf(range) !== undefined

/** Whether an address is one of these ranges'. @category constructors @since 0.1.0 */
export const makeIsTrusted = (
  ranges: ReadonlyArray<string> = []
): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const range of ranges) {
    const found = rangeOf(range)
    if (found !== undefined) list.addSubnet(found.address, found.bits, found.family)
  }
  return (address) => {
    const family = familyOf(address)
    return family !== undefined && list.check(address, family)
  }
}

/** The way that a request came. @category models @since 0.1.0 */
export interface Way {
  readonly address: string
  /** The beginning of the caller's path, to be put before every path of the answer. */
  readonly prefix: string
  /** The path and query within the server. */
  readonly target: string
}

type Headers = Readonly<Record<string, string | undefined>>

/** An address without the port that some proxies add. */
const plain = (entry: string): string =>
  entry
    .trim()
    .replace(/^\[(.+)\](?::\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")

/** The nearest address that is no trusted proxy's; each proxy adds the one that it heard from. */
const callerOf = (
  peer: string,
  forwarded: string | undefined,
  isTrusted: (address: string) => boolean
): string => {
  let address = peer
  for (const entry of (forwarded ?? "").split(",").toReversed()) {
    const before = plain(entry)
    if (!isTrusted(address) || isIP(before) === 0) return address
    address = before
  }
  return address
}

const withoutPrefix = (target: string, prefix: string): string => {
  if (prefix === "" || !target.startsWith(prefix)) return target
  const rest = target.slice(prefix.length)
  if (rest === "" || rest.startsWith("?")) return `/${rest}`
  return rest.startsWith("/") ? rest : target
}

/** Reads the way of a request. @category constructors @since 0.1.0 */
export const makeWayOf = ({ basePath = "", trustedProxies }: ProxyOptions) => {
  const isTrusted = makeIsTrusted(trustedProxies)
  return (peer: string, headers: Headers, target: string): Way => {
    if (!isTrusted(peer)) {
      return { address: peer, prefix: basePath, target: withoutPrefix(target, basePath) }
    }
    const told = (headers["x-forwarded-prefix"] ?? "").trim().replace(/\/$/, "")
    const prefix = isBasePath(told) ? told : basePath
    return {
      address: callerOf(peer, headers["x-forwarded-for"], isTrusted),
      prefix,
      target: withoutPrefix(target, prefix)
    }
  }
}

/** The headers of an answer that have paths, as the caller has to ask for them. */
export const withPrefix = (
  headers: Readonly<Record<string, string>>,
  prefix: string
): Readonly<Record<string, string>> => {
  if (prefix === "") return headers
  const { link, location } = headers
  return {
    ...headers,
    ...(location?.startsWith("/") === true ? { location: prefix + location } : {}),
    ...(link?.startsWith("</") === true ? { link: `<${prefix}${link.slice(1)}` } : {})
  }
}
