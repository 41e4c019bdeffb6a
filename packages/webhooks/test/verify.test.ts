import { Limits } from "@candlewick/core"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { signAttempt } from "../src/Signature.ts"
import { decideRetry, retryWaitsMs } from "../src/RetrySchedule.ts"
import { type NotificationToVerify, VerificationError, verifyNotification } from "../src/verify.ts"
import { vector } from "./vectors.ts"

const sent: NotificationToVerify = {
  secret: vector.secret,
  headers: vector.headers,
  rawBody: vector.body,
  now: vector.atMs
}

const refusalOf = (changes: Partial<NotificationToVerify>): VerificationError => {
  try {
    verifyNotification({ ...sent, ...changes })
  } catch (error) {
    if (error instanceof VerificationError) return error
    throw error
  }
  throw new Error("it was accepted")
}

const dayMs = 24 * 3600 * 1000

/** When the last of ten attempts is made, each as late as Retry-After and jitter may make it. */
const lastAttemptMs = (): number => {
  let lastMs = 0
  const overloaded = { status: 503, error: null, retryAfter: "999999999" }
  for (let made = 1; made < retryWaitsMs.length; made++) {
    const next = decideRetry(made, overloaded, lastMs, 1)
    lastMs += next._tag === "RetryIn" ? next.inMs : 0
  }
  return lastMs
}

const codeOf = (changes: Partial<NotificationToVerify>) => refusalOf(changes).code

const without = (...names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(vector.headers).filter(([name]) => !names.includes(name)))

const bare = without("webhook-id", "webhook-timestamp", "webhook-signature")

const signed = (body: string) => ({
  rawBody: body,
  headers: {
    ...signAttempt({
      id: vector.id,
      atMs: vector.atMs,
      body: Buffer.from(body),
      secrets: [vector.redacted]
    })
  }
})

describe("verifyNotification", () => {
  it("imports nothing but the host's cryptography", () => {
    const source = readFileSync(new URL("../src/verify.ts", import.meta.url), "utf8")
    const code = source.replace(/\/\*\*[\s\S]*?\*\//g, "")
    const imports = Array.from(code.matchAll(/\bfrom "([^"]+)"|\bimport\(/g), ([, name]) => name)
    assert.deepStrictEqual(imports, ["./hmacSha256.ts"])
  })

  it("returns the envelope, the id and the scheme that proved it", () => {
    const { data, ...rest } = verifyNotification(sent)
    assert.deepStrictEqual(rest, {
      id: vector.id,
      event: "trade.executed",
      timestamp: "2026-01-15T09:30:00.000Z",
      scheme: "standard"
    })
    assert.deepInclude(data, { trade_id: "trd_7Q2M", amount: 0.25 })
  })

  it("reads headers from a record of any case, from Node's arrays and from Headers", () => {
    const upper = Object.fromEntries(
      Object.entries(vector.headers).map(([name, value]) => [name.toUpperCase(), [value]])
    )
    for (const headers of [upper, new Headers(vector.headers), vector.headers]) {
      assert.strictEqual(verifyNotification({ ...sent, headers }).id, vector.id)
    }
  })

  it("takes the body as text or as bytes", () => {
    for (const rawBody of [vector.body.toString(), vector.body, Uint8Array.from(vector.body)]) {
      assert.strictEqual(verifyNotification({ ...sent, rawBody }).event, "trade.executed")
    }
  })

  it("accepts any of several secrets, and a header signed with several", () => {
    const secrets = [vector.oldSecret, vector.secret]
    assert.isOk(verifyNotification({ ...sent, secret: undefined, secrets }))
    const headers = { ...vector.headers, ...vector.rotation }
    assert.isOk(verifyNotification({ ...sent, secret: vector.oldSecret, headers }))
  })

  it("refuses a copy without the standard headers, however young, and names the ways out", () => {
    for (const scheme of [undefined, "standard"] as const) {
      const refusal = refusalOf({ scheme, headers: bare, ageMaxSeconds: 36 * 86_400 })
      assert.strictEqual(refusal.code, "missing_header")
      for (const name of ["webhook-signature", '"standard"', '"service"', '"either"']) {
        assert.include(refusal.message, name)
      }
    }
  })

  it("accepts the plain signature alone where the scheme says so, without an id", () => {
    for (const scheme of ["service", "either"] as const) {
      const notification = verifyNotification({ ...sent, scheme, headers: bare })
      assert.strictEqual(notification.scheme, "service")
      assert.isNull(notification.id)
    }
  })

  it("reads no standard header under the plain scheme, and prefers it under either", () => {
    const headers = { ...vector.headers, "webhook-signature": "v1,AAAA" }
    assert.isNull(verifyNotification({ ...sent, scheme: "service", headers }).id)
    const { id, scheme } = verifyNotification({ ...sent, scheme: "either" })
    assert.deepStrictEqual({ id, scheme }, { id: vector.id, scheme: "standard" })
    for (const one of ["standard", "either"] as const) {
      assert.strictEqual(codeOf({ scheme: one, headers }), "bad_signature")
    }
  })

  it("names the header that each scheme misses", () => {
    const { "x-service-signature": _, ...standard } = vector.headers
    assert.include(
      refusalOf({ scheme: "service", headers: standard }).message,
      "x-service-signature"
    )
    assert.include(refusalOf({ scheme: "either", headers: {} }).message, "neither")
  })

  it("takes no scheme that nobody knows", () => {
    for (const scheme of ["Standard", "", 1]) {
      const request = { ...sent, headers: bare, scheme: scheme as "either" }
      assert.throws(
        () => verifyNotification(request),
        RangeError,
        '"standard", "service", "either"'
      )
    }
  })

  it("names the header that is missing", () => {
    assert.strictEqual(codeOf({ headers: {} }), "missing_header")
    for (const name of ["webhook-id", "webhook-timestamp"]) {
      const refusal = refusalOf({ headers: without(name) })
      assert.strictEqual(refusal.code, "missing_header")
      assert.include(refusal.message, name)
    }
  })

  it("accepts a clock that differs by the tolerance and refuses one second more", () => {
    for (const [offset, code] of [
      [301, "too_old"],
      [-301, "too_new"]
    ] as const) {
      const nearer = offset - Math.sign(offset)
      assert.isOk(verifyNotification({ ...sent, now: vector.atMs + nearer * 1000 }))
      assert.strictEqual(codeOf({ now: vector.atMs + offset * 1000 }), code)
      const now = new Date(vector.atMs + offset * 1000)
      assert.isOk(verifyNotification({ ...sent, now, toleranceSeconds: 301 }))
    }
  })

  it("takes no limit and no time that is no number, which nothing would be older than", () => {
    for (const limit of [Number.NaN, -1]) {
      for (const name of ["toleranceSeconds", "ageMaxSeconds", "now"]) {
        assert.throws(() => verifyNotification({ ...sent, [name]: limit }), RangeError, name)
      }
    }
    const now = new Date("yesterday")
    assert.throws(() => verifyNotification({ ...sent, now }), RangeError, "now is Invalid Date")
    assert.isOk(verifyNotification({ ...sent, toleranceSeconds: Infinity, now: 0 }))
  })

  it("refuses a plain signature on a body older than retries last", () => {
    const plain = { scheme: "service", headers: bare } as const
    const lastMs = lastAttemptMs()
    assert.isAbove(lastMs, 5 * dayMs)
    assert.isOk(verifyNotification({ ...sent, ...plain, now: vector.atMs + lastMs }))
    const now = vector.atMs + 6 * dayMs
    assert.isOk(verifyNotification({ ...sent, ...plain, now }))
    assert.strictEqual(codeOf({ ...plain, now: now + 1000 }), "too_old")
    assert.strictEqual(codeOf({ ...plain, now: vector.atMs - 301_000 }), "too_new")
  })

  it("takes an older body where it is told to, for replays, and a younger one only", () => {
    const ageMaxSeconds = 20 * 24 * 3600
    const plain = { scheme: "either", headers: bare, ageMaxSeconds } as const
    const now = vector.atMs + ageMaxSeconds * 1000
    assert.isOk(verifyNotification({ ...sent, ...plain, now }))
    assert.strictEqual(codeOf({ ...plain, now: now + 1000 }), "too_old")
    assert.strictEqual(
      codeOf({ ...plain, ageMaxSeconds: 60, now: vector.atMs + 61_000 }),
      "too_old"
    )
  })

  it("is told in the guide how long an event may come again, as it is", () => {
    const guide = readFileSync(new URL("../../../docs/webhooks.md", import.meta.url), "utf8")
    const daysOf = (name: string) => {
      const row = guide.split("\n").find((line) => line.includes(`| ${name} `))!
      return Number(/\| (\d+) days +\|/.exec(row)![1])
    }
    const lastDays = lastAttemptMs() / dayMs
    assert.isBelow(lastDays, daysOf("neither `replay` nor `redeliver`"))
    assert.isBelow(Limits.webhookReplayMaxDays + lastDays, daysOf("`replay`"))
    assert.isBelow(Limits.webhookRetentionDays + lastDays, daysOf("`redeliver`"))
  })

  it("refuses a time that isn't in plain digits", () => {
    for (const timestamp of ["1768469400junk", "1e9", "-5", " 1768469400"]) {
      const headers = { ...vector.headers, "webhook-timestamp": timestamp }
      assert.strictEqual(codeOf({ headers }), "bad_timestamp")
    }
  })

  it("tells whoever changed the body to pass the raw one", () => {
    const parsed: unknown = JSON.parse(vector.body.toString())
    const rewritten = JSON.stringify(parsed, null, 2)
    assert.include(refusalOf({ rawBody: rewritten }).message, "pass the raw body")
    const refusal = refusalOf({ rawBody: parsed as string })
    assert.strictEqual(refusal.code, "bad_body")
    assert.include(refusal.message, "pass the raw body")
  })

  it("refuses a signed body that is no envelope", () => {
    for (const body of ["not json", "[]", "null", '{"event":"x","timestamp":"y"}', '"text"']) {
      assert.strictEqual(codeOf(signed(body)), "bad_body")
    }
  })

  it("refuses an id that moves the boundary to the time", () => {
    const attempt = { id: "a.1", atMs: vector.atMs, body: vector.body }
    const headers = { ...signAttempt({ ...attempt, secrets: [vector.redacted] }) }
    assert.strictEqual(codeOf({ headers }), "bad_signature")
  })

  it("refuses signatures of other versions, in other spellings, and no signature at all", () => {
    const signature = vector.headers["webhook-signature"]
    for (const other of [
      "",
      signature.replace("v1,", "v2,"),
      signature.replace("v1,", "v1a,"),
      signature.slice(3),
      signature.replace("=", ""),
      signature.replace("E=", "F="),
      `${signature},${signature}`
    ]) {
      const headers = { ...vector.headers, "webhook-signature": other }
      assert.strictEqual(codeOf({ headers }), "bad_signature", other)
    }
    assert.isOk(
      verifyNotification({
        ...sent,
        headers: { ...vector.headers, "webhook-signature": `v1a,AAAA v2,x ${signature}` }
      })
    )
  })

  it("says what is wrong with a secret that is none", () => {
    assert.include(refusalOf({ secret: `v1,${vector.secret}` }).message, 'remove the "v1,"')
    for (const secret of [vector.secret.slice(6), "whsec_", "whsec_%%%", undefined]) {
      assert.strictEqual(codeOf({ secret }), "bad_secret")
    }
  })

  it("does not accept a signature of one scheme in the other", () => {
    const { "x-service-signature": plain } = vector.headers
    const hex = Buffer.from(plain.slice(7), "hex").toString("base64")
    const headers = { ...vector.headers, "webhook-signature": `v1,${hex}` }
    assert.strictEqual(codeOf({ headers }), "bad_signature")
    assert.notStrictEqual(Redacted.value(vector.redacted), vector.oldSecret)
  })
})
