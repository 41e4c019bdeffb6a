/**
 * Ids that orders have at venues: 128 bits, in the form that a venue takes.
 *
 * Nothing parses such an id. A caller that meets one looks it up among the ids that were given.
 *
 * @since 0.1.0
 */

/** The mark of an order of one kind at a venue. @category models @since 0.1.0 */
export interface VenueIdParts {
  readonly botId: string
  /** The epoch of the exchange account when the order was decided. */
  readonly epoch: number
  /** Index of the market among the bot's. */
  readonly market: number
  /** Names the decision among all of the bot's, such as the client order id of its order. */
  readonly decision: string
  readonly leg: string
  /** 1 for the first attempt of an order. */
  readonly attempt: number
}

/** The text whose digest is an id; different parts have different texts. */
export const venueIdText = ({
  attempt,
  botId,
  decision,
  epoch,
  leg,
  market
}: VenueIdParts): string => JSON.stringify([botId, epoch, market, decision, leg, attempt])

/** Each form that a venue may ask for. @category codecs @since 0.1.0 */
export const venueIdPatterns = {
  base62: /^[0-9A-Za-z]{22}$/,
  hex: /^[0-9a-f]{32}$/,
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
} as const

const digits62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const toBase62 = (hex: string): string => {
  let rest = BigInt(`0x${hex}`)
  let text = ""
  for (let place = 0; place < 22; place++) {
    text = digits62[Number(rest % 62n)]! + text
    rest /= 62n
  }
  return text
}

const toUuid = (hex: string): string =>
  hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/**
 * The first 128 bits of a digest, in a venue's form.
 *
 * @throws RangeError where the digest is not lower-case hex of 128 bits or more.
 * @category codecs
 * @since 0.1.0
 */
export const venueIdOf = (digest: string, form: keyof typeof venueIdPatterns): string => {
  const hex = digest.slice(0, 32)
  if (!venueIdPatterns.hex.test(hex)) throw new RangeError(`"${digest}" is no digest in hex`)
  if (form === "hex") return hex
  return form === "uuid" ? toUuid(hex) : toBase62(hex)
}
