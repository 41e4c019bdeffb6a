/**
 * Which addresses a webhook may reach, decided from the URL's text and again from every resolved
 * address.
 *
 * Everything is refused that isn't known to be public. An operator may open private networks by any
 * range, but loopback, link-local, metadata and other special addresses only by naming the one
 * address. It resolves nothing by itself.
 *
 * @since 0.1.0
 */
import { isIP, isIPv4 } from "node:net"
import { Option, Result, Schema } from "effect"
import { IpInterface, IpNetwork, NetAddress } from "effect/net"
import {
  type AddressClass,
  classifyAddress,
  holds,
  isSpecialNetwork,
  parseAddress
} from "./classifyAddress.ts"
import { type HostNameClass, classifyHostName } from "./classifyHostName.ts"

/**
 * The settings by which an operator loosens or tightens the policy. @category options @since 0.1.0
 */
export interface AddressPolicyOptions {
  /**
   * Ranges such as `10.0.0.0/8` or `127.0.0.1/32` that may be reached besides public addresses, on
   * any port.
   */
  readonly allowCidrs?: ReadonlyArray<string> | undefined
  /** The ports of all other destinations; 443 and 8443 unless given. */
  readonly ports?: ReadonlyArray<number> | undefined
  /** Whether `http:` is accepted; false unless given. */
  readonly allowHttp?: boolean | undefined
  /**
   * The service's own host names and addresses, which webhooks may never reach under any setting:
   * `api.example.org` on every port, `127.0.0.1:8080` or `[::1]:8080` on one.
   */
  readonly ownHosts?: ReadonlyArray<string> | undefined
}

/** The rules in force; make it with `makeAddressPolicy`. @category models @since 0.1.0 */
export interface AddressPolicy {
  readonly ports: ReadonlySet<number>
  readonly isHttpAllowed: boolean
  readonly ownHosts: ReadonlySet<string>
  /**
   * Every allowed range. Addresses that are neither private nor public are open only by `exact`.
   */
  readonly allowed: ReadonlyArray<IpNetwork.IpNetwork>
  /** The allowed ranges that hold one address. */
  readonly exact: ReadonlyArray<IpNetwork.IpNetwork>
  /** Whether a whole network is allowed, so that names may lead into it. */
  readonly hasNetworks: boolean
}

/** A range or port that is none. @category errors @since 0.1.0 */
export class InvalidAddressPolicy extends Schema.TaggedError<InvalidAddressPolicy>()(
  "InvalidAddressPolicy",
  { option: Schema.Literals(["allowCidrs", "ports"]), value: Schema.String }
) {
  override get message(): string {
    return this.option === "ports"
      ? `${this.value} is no port: 1 to 65535`
      : `${this.value} is no range that can be allowed: write 10.0.0.0/8 or fd00::/8, and special addresses such as 127.0.0.1/32 one by one`
  }
}

/** Why a URL can't be delivered to, in a word. @category models @since 0.1.0 */
export type UrlRefusal =
  | "malformed"
  | "too_long"
  | "scheme_not_allowed"
  | "user_info"
  | "fragment"
  | "not_canonical"
  | "port_not_allowed"
  | "own_host"
  | Exclude<HostNameClass, "public">
  | Exclude<AddressClass, "public">

/**
 * Whether a URL's text may be registered. Its addresses are checked at delivery.
 *
 * @category models
 * @since 0.1.0
 */
export type UrlVerdict =
  | { readonly isAllowed: true; readonly url: URL }
  | { readonly isAllowed: false; readonly reason: UrlRefusal }

/** Where a connection is about to go. @category models @since 0.1.0 */
export interface Destination {
  readonly protocol: string
  /** A name, or an address without brackets. */
  readonly hostname: string
  readonly port: number
}

const maximumUrlLength = 2048

const isMapped = (address: NetAddress.IpAddress): boolean =>
  NetAddress.isIpv6Address(address) && NetAddress.isIpv4Mapped(address)

const ownHostOf = (text: string): string => text.toLowerCase().replace(/^\[(.*)\]$/, "$1")

const isOwn = ({ ownHosts }: AddressPolicy, host: string, port: number): boolean => {
  // A receiver on one loopback address may listen on all of them.
  const isLoopback = isIPv4(host) && host.startsWith("127.")
  if (isLoopback && ownHosts.has(`127.0.0.1:${port}`)) return true
  return ownHosts.has(host) || ownHosts.has(`${host.includes(":") ? `[${host}]` : host}:${port}`)
}

const isOneAddress = ({ address, prefixLength }: IpNetwork.IpNetwork): boolean =>
  prefixLength === NetAddress.width(address)

/** The range that a text is, or null where it can't be allowed. */
const parseRange = (text: string): IpNetwork.IpNetwork | null => {
  const written = Result.getOrElse(IpInterface.fromString(text, { prefix: "required" }), () => null)
  // An IPv4 address in IPv6 clothes is never needed, and looks as if it opened the IPv4 one.
  if (written === null || isMapped(written.address)) return null
  // Any address of a range names it.
  const range = IpNetwork.fromInterface(written)
  // Its author believes that it opens addresses which only a single address can open.
  return isOneAddress(range) || !isSpecialNetwork(range) ? range : null
}

/**
 * Makes the rules from an operator's options, or says which option is wrong.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeAddressPolicy = (
  options: AddressPolicyOptions = {}
): Result.Result<AddressPolicy, InvalidAddressPolicy> => {
  const ports = options.ports ?? [443, 8443]
  for (const port of ports) {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      return Result.fail(new InvalidAddressPolicy({ option: "ports", value: String(port) }))
    }
  }
  const allowed: Array<IpNetwork.IpNetwork> = []
  for (const text of options.allowCidrs ?? []) {
    const range = parseRange(text)
    if (range === null) {
      return Result.fail(new InvalidAddressPolicy({ option: "allowCidrs", value: text }))
    }
    allowed.push(range)
  }
  const exact = allowed.filter(isOneAddress)
  return Result.succeed({
    ports: new Set(ports),
    isHttpAllowed: options.allowHttp ?? false,
    ownHosts: new Set((options.ownHosts ?? []).map(ownHostOf)),
    allowed,
    exact,
    hasNetworks: exact.length < allowed.length
  })
}

/**
 * The first range that can't be allowed, or undefined where all of them can.
 *
 * @category decisions
 * @since 0.1.0
 */
export const findUnfitRange = (allowCidrs: ReadonlyArray<string>): string | undefined =>
  Option.getOrUndefined(Result.getFailure(makeAddressPolicy({ allowCidrs })))?.value

const isExcepted = (policy: AddressPolicy, address: NetAddress.IpAddress | null): boolean => {
  if (address === null || isMapped(address)) return false
  const kind = classifyAddress(address)
  return holds(kind === "public" || kind === "private" ? policy.allowed : policy.exact, address)
}

/**
 * Decides about one address, given as text without brackets; null where it may be reached.
 *
 * @category decisions
 * @since 0.1.0
 */
export const refuseAddress = (
  policy: AddressPolicy,
  address: string,
  port: number
): UrlRefusal | null => {
  if (isOwn(policy, address, port)) return "own_host"
  const parsed = parseAddress(address)
  if (isExcepted(policy, parsed)) return null
  const kind = classifyAddress(parsed)
  if (kind !== "public") return kind
  return policy.ports.has(port) ? null : "port_not_allowed"
}

const refuseHost = (policy: AddressPolicy, host: string, port: number): UrlRefusal | null => {
  const address = host.startsWith("[") ? host.slice(1, -1) : host
  if (isIP(address) !== 0) return refuseAddress(policy, address, port)
  if (isOwn(policy, host, port)) return "own_host"
  const kind = classifyHostName(host)
  if (kind === "malformed_name" || kind === "reserved_name") return kind
  // Where a network is open only the resolved address can decide, so the delivery decides.
  if (policy.hasNetworks) return null
  if (kind !== "public") return kind
  return policy.ports.has(port) ? null : "port_not_allowed"
}

/**
 * Decides about a connection from its destination and everything that its name resolved to; null
 * where it may be made.
 *
 * **Details**
 *
 * One forbidden answer refuses the whole name. A name for private networks must resolve to excepted
 * addresses only. Without addresses only the destination itself is judged.
 *
 * @category decisions
 * @since 0.1.0
 */
export const refuseDestination = (
  policy: AddressPolicy,
  { protocol, hostname, port }: Destination,
  addresses: ReadonlyArray<string>
): UrlRefusal | null => {
  if (protocol !== "https:" && !(protocol === "http:" && policy.isHttpAllowed)) {
    return "scheme_not_allowed"
  }
  const refusal = refuseHost(policy, hostname.toLowerCase(), port)
  if (refusal !== null) return refusal
  const isPrivateName = isIP(hostname) === 0 && classifyHostName(hostname) === "private_name"
  for (const address of addresses) {
    const refused = refuseAddress(policy, address, port)
    if (refused !== null) return refused
    if (isPrivateName && !isExcepted(policy, parseAddress(address))) {
      return "private_name"
    }
  }
  return null
}

// Space and control characters, which URL parsers drop in silence, and the backslash, which they
// turn into a slash.
// oxlint-disable-next-line no-control-regex -- these characters are looked for
const confusing = /[\u0000-\u0020\u007f-\u00a0\\]/
const shape = /^([a-z][a-z0-9+.-]*):\/\/([^/?]*)/i
const hostAndPort = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i

/**
 * Decides about the text of a URL, without asking the network.
 *
 * **Details**
 *
 * A host must be written as a URL parser writes it: no shorthand, octal or hexadecimal address, no
 * percent escapes, no trailing dot. It has no Unicode either; an international name goes in its
 * `xn--` form.
 *
 * @category decisions
 * @since 0.1.0
 */
export const checkUrl = (policy: AddressPolicy, text: string): UrlVerdict => {
  const refuse = (reason: UrlRefusal): UrlVerdict => ({ isAllowed: false, reason })
  if (text.length > maximumUrlLength) return refuse("too_long")
  if (confusing.test(text)) return refuse("malformed")
  const [, scheme = "", authority = ""] = shape.exec(text) ?? []
  if (scheme === "") return refuse(/^https?:/i.test(text) ? "malformed" : "scheme_not_allowed")
  const isHttp = /^http$/i.test(scheme)
  if (!/^https$/i.test(scheme) && !(isHttp && policy.isHttpAllowed)) {
    return refuse("scheme_not_allowed")
  }
  if (text.includes("#")) return refuse("fragment")
  if (authority.includes("@")) return refuse("user_info")
  const [, host, port] = hostAndPort.exec(authority) ?? []
  if (host === undefined || !URL.canParse(text)) return refuse("malformed")
  const url = new URL(text)
  const isWrittenOut = host.startsWith("[") || host.toLowerCase() === url.hostname
  if (!isWrittenOut || url.hostname.endsWith(".")) return refuse("not_canonical")
  const refusal = refuseHost(policy, url.hostname, Number(port ?? (isHttp ? 80 : 443)))
  return refusal === null ? { isAllowed: true, url } : refuse(refusal)
}
