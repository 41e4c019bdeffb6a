/**
 * Ids of orders at venues: each form has its length and alphabet, and no two digests share an id.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeVenueId } from "../../src/services/venues/makeVenueId.ts"
import { venueIdOf, venueIdPatterns, venueIdText } from "../../src/domain/venueIds.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const hexOf = (id: string): string => {
  let bits = 0n
  for (const letter of id) bits = bits * 62n + BigInt(alphabet.indexOf(letter))
  return bits.toString(16).padStart(32, "0")
}

/** Digests at the ends of the range, and many between. */
const digests = ["0", "f"].flatMap((digit) => [digit.repeat(32), digit.repeat(64)])
for (let nth = 0n; nth < 500n; nth++) {
  const mixed = (nth * 0x9e3779b97f4a7c15f39cc0605cedc835n) % (1n << 128n)
  digests.push(mixed.toString(16).padStart(32, "0"))
}

const forms = ["base62", "hex", "uuid"] as const

describe("ids of orders at venues", () => {
  it.each(forms)("%s ids have the length and the letters of their form", (form) => {
    const lengths = { base62: 22, hex: 32, uuid: 36 }
    for (const digest of digests) {
      const id = venueIdOf(digest, form)
      assert.match(id, venueIdPatterns[form])
      assert.lengthOf(id, lengths[form])
    }
  })

  it("hold all of the first 128 bits of a digest, and nothing else", () => {
    for (const digest of digests) {
      const bits = digest.slice(0, 32)
      assert.strictEqual(hexOf(venueIdOf(digest, "base62")), bits)
      assert.strictEqual(venueIdOf(digest, "uuid").replaceAll("-", ""), bits)
      assert.strictEqual(venueIdOf(digest, "hex"), bits)
    }
  })

  it("are refused to what is no digest", () => {
    for (const text of ["", "0".repeat(31), "G".repeat(32), "A".repeat(32)]) {
      assert.throws(() => venueIdOf(text, "base62"), RangeError)
    }
  })

  it("come from texts that differ wherever a part does", () => {
    const parts = { botId: "bot_1", epoch: 1, market: 1, decision: "1", leg: "entry", attempt: 1 }
    const changed = [
      { botId: "bot_2" },
      { epoch: 2 },
      { market: 2 },
      { decision: "11" },
      { decision: '1","entry' },
      { leg: "exit" },
      { attempt: 2 }
    ]
    const texts = changed.map((change) => venueIdText({ ...parts, ...change }))
    assert.lengthOf([...new Set([venueIdText(parts), ...texts])], changed.length + 1)
  })

  it.effect("are the same for the same parts in each form, and others for another attempt", () =>
    Effect.gen(function* () {
      const parts = { botId: "bot_1", epoch: 1, market: 0, decision: "1", leg: "entry", attempt: 1 }
      const hex = yield* makeVenueId(parts, "hex")
      assert.strictEqual(hex, "bbbf890e150303b562a0e71990568152")
      assert.strictEqual(hexOf(yield* makeVenueId(parts, "base62")), hex)
      assert.notStrictEqual(yield* makeVenueId({ ...parts, attempt: 2 }, "hex"), hex)
    })
  )
})
