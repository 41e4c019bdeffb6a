/**
 * The contract of `WebhookTransport`, as tests.
 *
 * It tries the transport's part in the registration of webhooks.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Problem } from "../domain/Problem.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"

/** The facts of an adapter that the suite needs. @category models @since 0.1.0 */
export interface WebhookTransportSuiteOptions extends SuiteOptions {
  /** An address that may be delivered to, or null where the adapter sends nothing. */
  readonly reachable: string | null
}

/** No adapter delivers to these, unless its host opens them by name. */
const unreachable: ReadonlyArray<string> = [
  "",
  "receiver",
  "ftp://203.0.113.7/hook",
  "https://user:password@example.com/hook",
  "https://127.0.0.1/hook",
  "https://2130706433/hook",
  "https://localhost/hook",
  "https://10.1.2.3/hook",
  "https://192.168.0.1/hook",
  "https://169.254.169.254/latest/meta-data",
  "https://[::1]/hook",
  "https://[::ffff:127.0.0.1]/hook",
  "https://[fd00::1]/hook"
]

const codeOf = <A, R>(effect: Effect.Effect<A, Problem, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, Problem)
    return error.code
  })

const addressTests = ({ reachable }: WebhookTransportSuiteOptions) => ({
  "allows an address that may be delivered to, where it sends at all": Effect.gen(function* () {
    const { checkAddress } = yield* WebhookTransport
    if (reachable !== null) return yield* checkAddress(reachable)
    assert.strictEqual(yield* codeOf(checkAddress("https://example.com/")), "url_not_allowed")
  }),

  "refuses an address that is none, or not public": Effect.gen(function* () {
    const { checkAddress } = yield* WebhookTransport
    for (const url of unreachable) {
      assert.strictEqual(yield* codeOf(checkAddress(url)), "url_not_allowed", url)
    }
  }),

  "names the field of an address that it refuses, and tells nobody a password": Effect.gen(
    function* () {
      const { checkAddress } = yield* WebhookTransport
      const error = yield* Effect.flip(checkAddress("https://user:password@127.0.0.1/hook"))
      for (const { pointer } of error.errors ?? []) assert.strictEqual(pointer, "/url")
      assert.notInclude(JSON.stringify(error), "password")
    }
  )
})

const secretTests = ({ reachable }: WebhookTransportSuiteOptions) => ({
  "makes secrets that it would take over, each another, where it sends at all": Effect.gen(
    function* () {
      const { checkSecret, makeSecret } = yield* WebhookTransport
      if (reachable === null) {
        assert.isTrue((yield* Effect.exit(makeSecret))._tag === "Failure")
        return
      }
      const [one, other] = [yield* makeSecret, yield* makeSecret]
      assert.notStrictEqual(one, other)
      assert.strictEqual(yield* checkSecret(one), one)
    }
  ),

  "refuses a secret that is too short or malformed, and repeats none": Effect.gen(function* () {
    const { checkSecret } = yield* WebhookTransport
    for (const secret of ["", "whsec_", "whsec_c2hvcnQ=", "whsec_not base64 at all, I fear"]) {
      const error = yield* Effect.flip(checkSecret(secret))
      assert.strictEqual(error.code, "unprocessable", secret)
      for (const { pointer } of error.errors ?? []) assert.strictEqual(pointer, "/secret")
      if (secret.length > "whsec_".length) assert.notInclude(JSON.stringify(error), secret)
    }
  })
})

const wakeTests = {
  "may be woken at any time, however often": Effect.gen(function* () {
    const { wake } = yield* WebhookTransport
    for (let count = 0; count < 100; count++) yield* wake
  })
}

/**
 * Registers the contract of `WebhookTransport` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<WebhookTransport, E>,
  options: WebhookTransportSuiteOptions
): void =>
  registerSuite<WebhookTransport, E>(
    name,
    layer,
    { ...addressTests(options), ...secretTests(options), ...wakeTests },
    options
  )
