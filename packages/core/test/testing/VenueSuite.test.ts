/**
 * The model exchange keeps the duties of every venue, in each of its kinds. It may report at once
 * or late, in parts, out of order and twice.
 */
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeRandom } from "@candlewick/engine/kernel"
import { makeModelVenue, type ModelVenueOptions } from "../../src/testing/modelVenue/ModelVenue.ts"
import type { VenueHarness } from "../../src/testing/venueAccount.ts"
import * as VenueSuite from "../../src/testing/VenueSuite.ts"

const symbol = "BTC/USDT"

const market = {
  symbol,
  base: "BTC",
  quote: "USDT",
  quantityStep: "0.001",
  priceStep: "0.01",
  minQuantity: "0.001",
  minNotional: "5",
  makerRate: "0.00075",
  takerRate: "0.001",
  price: "100"
}

const harnessOf = (
  optionsOf: () => Partial<ModelVenueOptions>,
  slowestMs: number
): Effect.Effect<VenueHarness> =>
  Effect.sync(() => {
    const balances = { USDT: "10000", BNB: "1" }
    const { act, catchUp, cut, moveTo, placeByHand, venue } = makeModelVenue({
      markets: [market],
      balances,
      ...optionsOf()
    })
    return {
      venue,
      symbol,
      slowestMs,
      moveTo: (price) => moveTo(symbol, price),
      wait: (ms) => Effect.andThen(TestClock.adjust(ms), catchUp),
      nowMs: Clock.currentTimeMillis,
      ...(venue.capabilities.kind === "one_way" && {
        fund: (rate: string) => act({ type: "funding", symbol, rate })
      }),
      placeByHand,
      cut
    }
  })

const runEach = (name: string, optionsOf: () => Partial<ModelVenueOptions>, slowestMs: number) =>
  VenueSuite.suite(name, Layer.empty, { open: harnessOf(optionsOf, slowestMs) })

const run = (name: string, options: Partial<ModelVenueOptions>, slowestMs = 1) =>
  runEach(name, () => options, slowestMs)

const oneWay = {
  kind: "one_way",
  hasReduceOnly: true,
  canShareQuantity: true,
  hasImmediate: true,
  hasExpiry: true
} as const

run("the model exchange", {})

run("the model exchange with positions", { capabilities: oneWay, feeCoin: "received" })

run("the model exchange without stops and without a window", {
  capabilities: { hasStops: false, windowMs: null, idForm: "uuid" },
  feeCoin: { coin: "BNB", price: "300" }
})

for (let seed = 1; seed <= 5; seed++) {
  // Each exchange draws from the beginning, so that the order of tests, which is shuffled, is none
  // of its draws.
  const late = (): Partial<ModelVenueOptions> => {
    const random = makeRandom(`late/${seed}`).next
    return {
      random,
      habits: { partChance: 0.6, fillDelayMs: 700, tellDelayMs: 3_000, repeatChance: 0.4 },
      capabilities: { readLagMs: 1_500, idForm: "hex", ...(seed % 2 === 0 && oneWay) },
      feeCoin: seed === 3 ? "received" : "quote",
      pageSize: 2,
      drawFault: ({ type }) => ({ lagMs: type === "feed" ? 0 : Math.floor(random() * 1_500) }),
      drawHint: () => (random() < 0.5 ? "twice" : "told")
    }
  }
  runEach(`the model exchange, late, in parts, out of order and twice (${seed})`, late, 5_000)
}
