/**
 * The last words of the server, where it can't start or go on.
 *
 * @since 0.1.0
 */
import { Cause, Option } from "effect"
import { HttpServerError } from "effect/http"
import type { ServerSettings } from "./settings.ts"

type Listening = Pick<ServerSettings, "host" | "port">

/**
 * The reason why nothing listens, by the code of the system's refusal. Each names the setting to
 * change.
 */
const listenFaults: Record<string, (settings: Listening) => string> = {
  EADDRINUSE: ({ host, port }) =>
    `PORT ${port} is in use on ${host}: stop that process, or set PORT to another one (0 takes a free one)`,
  EACCES: ({ port }) =>
    `PORT ${port} is not open to this user: set PORT to 1024 or above, and have a proxy in front of it`
}

const badHost = ({ host }: Listening): string =>
  `HOST ${host} is no address of this machine: set HOST to one, such as 127.0.0.1, or 0.0.0.0 for all of them`

const hostCodes = ["ENOTFOUND", "EAI_AGAIN", "EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"]

/** The sentence for a server that can't listen, or null where none is known. */
const listenText = (error: Error, settings: Listening): string | null => {
  if (!(error instanceof HttpServerError.ServeError) || !(error.cause instanceof Error)) return null
  const { code } = error.cause as NodeJS.ErrnoException
  if (code === undefined) return null
  return (hostCodes.includes(code) ? badHost : listenFaults[code])?.(settings) ?? null
}

/**
 * A failure in one line with its cause; a defect of the program in full.
 *
 * @category conversions
 * @since 0.1.0
 */
export const faultText = (cause: Cause.Cause<unknown>, settings: Listening): string => {
  const error = Option.getOrNull(Cause.findErrorOption(cause))
  if (!(error instanceof Error)) return Cause.pretty(cause)
  const texts: Array<string> = []
  const sentence = listenText(error, settings)
  if (sentence !== null) texts.push(sentence)
  for (let under: unknown = error; under instanceof Error; under = under.cause) {
    // Some errors say nothing but that there is a cause.
    if (under.message !== "" && !texts.includes(under.message)) texts.push(under.message)
  }
  return `Candlewick ends: ${texts.join(": ")}`
}
