import { verify as verifyPlain, verifyWithFallback } from "@octokit/webhooks-methods"
import { assert, describe, it, afterEach, beforeEach, vi } from "@effect/vitest"
import { Redacted } from "effect"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { Webhook as SvixWebhook } from "svix"
import { signAttempt } from "../src/Signature.ts"
import { verifyNotification } from "../src/verify.ts"
import { makeSeededRandom, type SeededRandom } from "./seededRandom.ts"
import { vector } from "./vectors.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: vector.atMs + 10_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

interface Signed {
  readonly secret: string
  readonly body: string
  readonly headers: Record<string, string>
}

const isAccepted = (check: () => unknown): boolean => {
  try {
    check()
    return true
  } catch {
    return false
  }
}

const acceptStandard = ({ secret, body, headers }: Signed) => [
  isAccepted(() => new StandardWebhook(secret).verify(body, headers)),
  isAccepted(() => new SvixWebhook(secret).verify(body, headers)),
  isAccepted(() => verifyNotification({ secret, headers, rawBody: body }))
]

const acceptPlain = async ({ secret, body, headers }: Signed) => {
  const signature = headers["x-service-signature"]!
  const only = { "x-service-signature": signature }
  return [
    await verifyPlain(secret, body, signature).catch(() => false),
    isAccepted(() =>
      verifyNotification({ scheme: "service", secret, headers: only, rawBody: body })
    )
  ]
}

const flipOneBit = (text: string, random: SeededRandom): string => {
  const bytes = Buffer.from(text)
  const at = random.below(bytes.length)
  // Only bits that leave it ASCII, so that it stays a text of the same length.
  bytes[at] = bytes[at]! ^ (1 << random.below(7))
  return bytes.toString()
}

const draw = (random: SeededRandom): Signed => {
  const secret = "whsec_" + Buffer.from(random.bytes(24 + random.below(41))).toString("base64")
  const text = Buffer.from(random.bytes(random.below(300))).toString("base64")
  const timestamp = new Date(vector.atMs - random.below(1000)).toISOString()
  const body = JSON.stringify({ event: "trade.executed", timestamp, data: { text } })
  const id = "msg_" + Buffer.from(random.bytes(13)).toString("hex").toUpperCase()
  const headers = signAttempt({
    id,
    atMs: vector.atMs + random.below(200_000),
    body: Buffer.from(body),
    secrets: [Redacted.make(secret)]
  })
  return { secret, body, headers: { ...headers } }
}

describe("Signature", () => {
  it("gives the headers of the published vector", () => {
    const { id, atMs, body, redacted, headers } = vector
    assert.deepStrictEqual(signAttempt({ id, atMs, body, secrets: [redacted] }), headers)
  })

  it("signs with the new secret first and keeps the old one for the plain scheme", () => {
    const { id, atMs, body, redacted, oldRedacted, headers, rotation } = vector
    const signed = signAttempt({ id, atMs, body, secrets: [redacted, oldRedacted] })
    assert.deepStrictEqual(signed, { ...headers, ...rotation })
  })

  it("signs the plain scheme with the new secret once that is activated", () => {
    const { id, atMs, body, redacted, oldRedacted, headers } = vector
    const secrets = [redacted, oldRedacted] as const
    const signed = signAttempt({ id, atMs, body, secrets, serviceSecret: redacted })
    assert.strictEqual(signed["x-service-signature"], headers["x-service-signature"])
  })

  it("is accepted by the libraries that receivers use", async () => {
    const { secret, headers } = vector
    const signed = { secret, headers, body: vector.body.toString() }
    assert.deepStrictEqual(acceptStandard(signed), [true, true, true])
    assert.deepStrictEqual(await acceptPlain(signed), [true, true])
  })

  it("is accepted with either secret while one replaces the other", async () => {
    const body = vector.body.toString()
    const headers = { ...vector.headers, ...vector.rotation }
    for (const secret of [vector.secret, vector.oldSecret]) {
      assert.deepStrictEqual(acceptStandard({ secret, body, headers }), [true, true, true])
    }
    const signature = headers["x-service-signature"]
    assert.isTrue(await verifyPlain(vector.oldSecret, body, signature))
    assert.isTrue(await verifyWithFallback(vector.secret, body, signature, [vector.oldSecret]))
  })

  it("is accepted by every verifier for any secret, id, time and body", async () => {
    const random = makeSeededRandom(20_260_115)
    for (let round = 0; round < 300; round++) {
      const signed = draw(random)
      assert.deepStrictEqual(acceptStandard(signed), [true, true, true], JSON.stringify(signed))
      assert.deepStrictEqual(await acceptPlain(signed), [true, true], JSON.stringify(signed))
    }
  })

  it("is refused by every verifier after a change of any one bit", async () => {
    const random = makeSeededRandom(7)
    const covered = ["webhook-id", "webhook-timestamp", "webhook-signature"]
    for (let round = 0; round < 300; round++) {
      const signed = draw(random)
      const otherBody = { ...signed, body: flipOneBit(signed.body, random) }
      const name = covered[random.below(covered.length)]!
      const otherHeader = {
        ...signed,
        headers: { ...signed.headers, [name]: flipOneBit(signed.headers[name]!, random) }
      }
      for (const changed of [otherBody, otherHeader]) {
        assert.deepStrictEqual(
          acceptStandard(changed),
          [false, false, false],
          JSON.stringify(changed)
        )
      }
      const plainName = "x-service-signature"
      const otherPlain = {
        ...signed,
        headers: { [plainName]: flipOneBit(signed.headers[plainName]!, random) }
      }
      for (const changed of [otherBody, otherPlain]) {
        assert.deepStrictEqual(await acceptPlain(changed), [false, false], JSON.stringify(changed))
      }
    }
  })
})
