/**
 * Takes secrets out of text that is about to be logged.
 *
 * @since 0.1.0
 */

const secrets = /\b(cw_(?:live|test)_|whsec_|Bearer\s+)[A-Za-z0-9+/=._~-]+/g

/**
 * The text without API keys, signing secrets and bearer tokens.
 *
 * @category conversions
 * @since 0.1.0
 */
export const redact = (text: string): string => text.replace(secrets, "$1[redacted]")
