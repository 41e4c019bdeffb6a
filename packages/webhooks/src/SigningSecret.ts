/**
 * The secret that an endpoint and its receiver share, as a value that never shows itself in a log.
 *
 * One text serves both signature schemes: `whsec_` and standard base64. A new secret is made of 33
 * random bytes, so that its text has no padding and survives double-clicks and `.env` files.
 *
 * @since 0.1.0
 */
import { randomBytes } from "node:crypto"
import { Effect, Redacted, Result, Schema } from "effect"

/** A signing secret, redacted until it is needed. @category models @since 0.1.0 */
export type SigningSecret = Redacted.Redacted<string>

/** The beginning of every signing secret. @category constants @since 0.1.0 */
export const secretPrefix = "whsec_"

const generatedBytes = 33
const minimumBytes = 24
const maximumBytes = 64

const explanations = {
  version_prefix: `remove the "v1," in front: the secret begins with "${secretPrefix}"`,
  missing_prefix: `a signing secret begins with "${secretPrefix}"`,
  not_base64: `after "${secretPrefix}" comes standard base64 with padding, not URL-safe`,
  wrong_length: `a signing secret holds ${minimumBytes} to ${maximumBytes} bytes`
} as const

/**
 * The text is no signing secret; `reason` says why, and the text itself is not repeated.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidSecret extends Schema.TaggedError<InvalidSecret>()("InvalidSecret", {
  reason: Schema.Literals(["version_prefix", "missing_prefix", "not_base64", "wrong_length"])
}) {
  override get message(): string {
    return explanations[this.reason]
  }
}

const fromTrusted = (text: string): SigningSecret => Redacted.make(text, { label: "SigningSecret" })

/** Makes a new secret of 33 random bytes. @category constructors @since 0.1.0 */
export const generateSecret: Effect.Effect<SigningSecret> = Effect.sync(() =>
  fromTrusted(secretPrefix + randomBytes(generatedBytes).toString("base64"))
)

/**
 * Takes over a secret that was made elsewhere, of 24 to 64 bytes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const parseSecret = (text: string): Result.Result<SigningSecret, InvalidSecret> => {
  const refuse = (reason: InvalidSecret["reason"]) => Result.fail(new InvalidSecret({ reason }))
  if (text.startsWith("v1,")) return refuse("version_prefix")
  if (!text.startsWith(secretPrefix)) return refuse("missing_prefix")
  const encoded = text.slice(secretPrefix.length)
  const bytes = Buffer.from(encoded, "base64")
  if (bytes.toString("base64") !== encoded) return refuse("not_base64")
  if (bytes.length < minimumBytes || bytes.length > maximumBytes) return refuse("wrong_length")
  return Result.succeed(fromTrusted(text))
}

/**
 * The last four characters, to tell secrets apart without showing one.
 *
 * @category getters
 * @since 0.1.0
 */
export const secretHint = (secret: SigningSecret): string => Redacted.value(secret).slice(-4)
