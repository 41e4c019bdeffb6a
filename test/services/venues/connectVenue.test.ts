/**
 * The terms of a bot's markets, as its session asks its venue for them.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { VenueError, VenueUnavailable } from "../../../packages/core/src/domain/VenueError.ts"
import { connectVenue } from "../../../packages/core/src/services/venues/bots/connectVenue.ts"
import { makeModelVenue } from "../../../packages/core/src/testing/modelVenue/ModelVenue.ts"
import { botRecord } from "../../../packages/core/src/testing/records.ts"
import { btc } from "./accountWorld.ts"

const bot = botRecord({ mode: "live", exchange: "model", symbols: [btc.symbol] })

/** Asks a venue that gives no answer so often at first. */
const askAfter = (failureCount: number) => {
  const { venue } = makeModelVenue({ markets: [btc], balances: {} })
  const state = { askedCount: 0 }
  const noAnswer = new VenueUnavailable({ why: "there was no answer", is_maintenance: false })
  const unsteady = {
    ...venue,
    market: (symbol: string) =>
      Effect.suspend(() =>
        state.askedCount++ < failureCount
          ? Effect.fail(new VenueError({ reason: noAnswer }))
          : venue.market(symbol)
      )
  }
  const ports = {
    accountAgents: { terms: new Map(), current: null },
    marketData: { clock: "live" },
    venues: { find: () => Effect.succeedSome({ venue: unsteady }) }
  } as unknown as Parameters<typeof connectVenue>[0]
  return Effect.gen(function* () {
    const asking = yield* Effect.forkChild(Effect.result(connectVenue(ports, bot, "asked")))
    yield* TestClock.adjust("5 seconds")
    return { result: yield* Fiber.join(asking), askedCount: state.askedCount }
  })
}

it.effect("are asked for twice more where there was no answer", () =>
  Effect.gen(function* () {
    const { askedCount, result } = yield* askAfter(2)
    const live = Option.getOrThrow(Option.fromNullishOr(yield* Effect.fromResult(result)))
    assert.strictEqual(live.markets[0]?.priceStep, "0.01")
    assert.strictEqual(askedCount, 3)
  })
)

it.effect("are out of reach after the third time", () =>
  Effect.gen(function* () {
    const { result } = yield* askAfter(3)
    assert.deepInclude(result, { _tag: "Failure" })
    assert.include(JSON.stringify(result), "there was no answer")
  })
)
