/**
 * The kind of a host name: public, or one that has a meaning only inside some network, or none
 * anywhere.
 *
 * @since 0.1.0
 */

/** The kind of a host name. @category models @since 0.1.0 */
export type HostNameClass = "public" | "private_name" | "reserved_name" | "malformed_name"

/** Names for machines inside a network; an operator may open their addresses. */
const privateSuffixes = (
  "localhost local localdomain internal intranet lan home corp private home.arpa svc" +
  " svc.cluster.local"
).split(" ")

/** Names that no machine has. */
const reservedSuffixes = "arpa onion test invalid example".split(" ")

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

const endsWithOneOf = (name: string, suffixes: ReadonlyArray<string>): boolean =>
  suffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))

/** Names the kind of a host name without a trailing dot. @category classification @since 0.1.0 */
export const classifyHostName = (hostName: string): HostNameClass => {
  const name = hostName.toLowerCase()
  const labels = name.split(".")
  if (name.length > 253 || !labels.every((one) => label.test(one))) return "malformed_name"
  if (endsWithOneOf(name, privateSuffixes)) return "private_name"
  if (endsWithOneOf(name, reservedSuffixes)) return "reserved_name"
  return labels.length === 1 ? "private_name" : "public"
}
