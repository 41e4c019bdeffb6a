/**
 * The kind of an address: public, or one of the kinds that a webhook must not reach.
 *
 * IPv4 is public where no special-purpose block holds it. IPv6 is public only inside `2000::/3`
 * without its special blocks, so that mapped, translated and future forms are refused without a
 * list of them.
 *
 * @since 0.1.0
 */
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** The kind of an address. @category models @since 0.1.0 */
export type AddressClass =
  | "public"
  | "private"
  | "loopback"
  | "link_local"
  | "metadata"
  | "multicast"
  | "unspecified"
  | "reserved"
  | "malformed_address"

const networks = (text: string): ReadonlyArray<IpNetwork.IpNetwork> =>
  text.split(" ").map(IpNetwork.fromStringUnsafe)

const metadata =
  "169.254.169.254/32 169.254.170.2/32 100.100.100.200/32 168.63.129.16/32 192.0.0.192/32" +
  " fd00:ec2::254/128 fd20:ce::254/128"
const reserved =
  "192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.175.48.0/24" +
  " 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4" +
  " 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20"

/**
 * The first that holds an address names it; clouds keep their metadata in blocks of other kinds.
 */
const kinds: ReadonlyArray<readonly [AddressClass, ReadonlyArray<IpNetwork.IpNetwork>]> = [
  ["metadata", networks(metadata)],
  ["unspecified", networks("0.0.0.0/8 ::/128")],
  ["loopback", networks("127.0.0.0/8 ::1/128")],
  ["link_local", networks("169.254.0.0/16 fe80::/10")],
  ["private", networks("10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.168.0.0/16 fc00::/7")],
  ["multicast", networks("224.0.0.0/4 ff00::/8")],
  ["reserved", networks(reserved)]
]

const globalUnicast = IpNetwork.fromStringUnsafe("2000::/3")

/** The networks without any public or private address. */
const specialNetworks = networks(
  "0.0.0.0/8 127.0.0.0/8 169.254.0.0/16 224.0.0.0/4 " +
    `${reserved} ` +
    // Everything in IPv6 that is neither in 2000::/3 nor in fc00::/7.
    "::/3 4000::/2 8000::/2 c000::/3 e000::/4 f000::/5 f800::/6 fe00::/8 ff00::/8"
)

/** The address that a text without brackets is, or null. @category parsing @since 0.1.0 */
export const parseAddress = (text: string): NetAddress.IpAddress | null =>
  Result.getOrElse(NetAddress.ipFromString(text), () => null)

/** Whether one of these networks holds an address. @category predicates @since 0.1.0 */
export const holds = (
  networks: ReadonlyArray<IpNetwork.IpNetwork>,
  address: NetAddress.IpAddress
): boolean => networks.some((network) => IpNetwork.contains(network, address))

/**
 * Whether a network has no address that is public or private, so that to open it would open
 * nothing.
 *
 * @category classification
 * @since 0.1.0
 */
export const isSpecialNetwork = (network: IpNetwork.IpNetwork): boolean =>
  specialNetworks.some((special) => IpNetwork.containsNetwork(special, network))

/** Names the kind of an address. @category classification @since 0.1.0 */
export const classifyAddress = (address: NetAddress.IpAddress | null): AddressClass => {
  if (address === null) return "malformed_address"
  for (const [kind, blocks] of kinds) {
    if (holds(blocks, address)) return kind
  }
  return NetAddress.isIpv4Address(address) || IpNetwork.contains(globalUnicast, address)
    ? "public"
    : "reserved"
}
