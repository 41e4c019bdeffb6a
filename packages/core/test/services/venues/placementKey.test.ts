/**
 * The key by which a bot is placed on a process.
 */
import { assert, describe, it } from "@effect/vitest"
import { venueKeyOf } from "../../../src/domain/VenueAccount.ts"
import { placementKeyOf } from "../../../src/services/venues/bots/liveVenue.ts"
import { botRecord } from "../../../src/testing/records.ts"

const account_id = botRecord().account_id

describe("the key that places a bot", () => {
  it("is a paper bot's own, also where it names an exchange", () => {
    for (const exchange of [null, "model"]) {
      const bots = [1, 2].map(() => botRecord({ account_id, mode: "paper", exchange }))
      assert.deepStrictEqual(
        bots.map(placementKeyOf),
        bots.map(({ id }) => id)
      )
    }
  })

  it("is the exchange account of a live bot, so that one process has all its bots", () => {
    const at = (exchange: string, fields: { readonly account_id?: string } = {}) =>
      placementKeyOf(botRecord({ account_id, mode: "live", exchange, ...fields }))
    assert.strictEqual(at("model"), venueKeyOf(account_id, "model"))
    assert.strictEqual(at("model"), at("model"))
    const others = [at("other"), at("model", { account_id: botRecord().account_id })]
    assert.strictEqual(new Set([at("model"), ...others]).size, 3)
  })
})
