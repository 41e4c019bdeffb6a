/**
 * Seals texts that are kept but must not be read from a store that someone copied.
 *
 * A box with a key seals what it is given. A box without one keeps them plain: `isPlain`.
 *
 * @since 0.1.0
 */
import { Context, Effect } from "effect"

/** Seals and opens texts. @category models @since 0.1.0 */
export interface SecretSealing {
  /** Whether sealed texts can be read without a key. */
  readonly isPlain: boolean
  /** The text as it may be kept. */
  readonly seal: (text: string) => Effect.Effect<string>
  /** The text again; dies where the key it was sealed with is not there. */
  readonly open: (sealed: string) => Effect.Effect<string>
}

/** How a text that `sealWith` sealed begins. @category constants @since 0.1.0 */
export const sealedMark = "sealed.v1."

/**
 * How secrets are kept; as they are, unless the host brings keys with `sealWith`. Without keys
 * nothing opens that was sealed.
 *
 * @category ports
 * @since 0.1.0
 */
export const SecretBox = Context.Reference<SecretSealing>("@candlewick/core/ports/SecretBox", {
  defaultValue: () => ({
    isPlain: true,
    seal: Effect.succeed,
    open: (text) =>
      text.startsWith(sealedMark)
        ? Effect.die(new Error("no encryption key was given for the sealed secrets"))
        : Effect.succeed(text)
  })
})
