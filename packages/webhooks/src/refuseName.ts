/**
 * A look-up when a webhook is registered, so that a name that leads to a forbidden address is
 * refused at once.
 *
 * Only the check when a delivery connects counts; a name that does not resolve now is let pass.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import { isIP } from "node:net"
import { type AddressPolicy, refuseDestination, type UrlRefusal } from "./AddressPolicy.ts"
import type { NameLookup } from "./lookUpName.ts"

const patience = "1 second"

/** Why a name's addresses may not be reached, or null. @category decisions @since 0.1.0 */
export const refuseName = (
  policy: AddressPolicy,
  { protocol, hostname, port }: URL,
  lookup: NameLookup
): Effect.Effect<UrlRefusal | null> => {
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return Effect.succeed(null)
  const destination = {
    protocol,
    hostname,
    port: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port)
  }
  return Effect.tryPromise((signal) => lookup(hostname, signal)).pipe(
    Effect.timeout(patience),
    Effect.option,
    Effect.map(
      Option.match({
        onNone: () => null,
        onSome: (found) =>
          refuseDestination(
            policy,
            destination,
            found.map(({ address }) => address)
          )
      })
    )
  )
}
