/**
 * Coins of a live bot that its exchange lacks, until their owner accepts that they are gone or puts
 * them back.
 */
import { BotJournal, StoreError, StoreUnavailable } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, References } from "effect"
import { decimalText } from "../../packages/core/src/domain/decimals.ts"
import { openOrdersOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import { holdLive, liveWorld, makeModel } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { symbol } from "./scene.ts"

describe("a loss that its owner accepts", () => {
  it.effect("is taken out of the books once, and the gate is open again", () => {
    const model = makeModel()
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
      yield* model.act({ type: "deposit", coin: "STY", amount: "-4" })
      yield* Effect.sleep("2 minutes")
      yield* becomes(({ trading_state }) => trading_state !== "active")
      yield* bots.reconcile(accountId, bot.id, { accept: true })
      yield* Effect.sleep("5 minutes")
      const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
      const events = items
        .map(({ event }) => event)
        .filter((event) => event === "reconcile.mismatch" || event === "reconcile.accepted")
      assert.deepStrictEqual(events, ["reconcile.accepted", "reconcile.mismatch"])
      const status = yield* becomes(({ trading_state }) => trading_state === "active")
      assert.strictEqual(status.open_positions[0]?.quantity, 6)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

/** An exchange whose holdings are as old as its terms allow. */
const makeLagging = (readLagMs: number, onHoldings = () => {}) =>
  makeModel({
    capabilities: { readLagMs },
    drawFault: ({ type }) => {
      if (type !== "holdings") return {}
      onHoldings()
      return { lagMs: readLagMs }
    }
  })

describe("a loss at an exchange whose answers lag", () => {
  it.effect("is found by the reconciliation that a caller asks for at once", () => {
    const model = makeLagging(10_000)
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* holdLive(model, world)
      yield* Effect.sleep("100 seconds")
      yield* model.act({ type: "deposit", coin: "STY", amount: "-4" })
      const { differences } = yield* bots.reconcile(accountId, bot.id)
      assert.lengthOf(differences, 1)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  for (const [name, readLagMs, answerMs] of [
    ["are half a minute old", 29_000, 0],
    ["take three seconds each", 0, 3_000]
  ] as const) {
    it.effect(`is accepted in one request where answers ${name}`, () => {
      let isSlow = false
      const model = makeModel({
        capabilities: { readLagMs },
        drawFault: ({ type }) => ({
          ...(isSlow && type !== "submit" && type !== "feed" && { answerMs }),
          ...(type === "holdings" && { lagMs: readLagMs })
        })
      })
      const world = liveWorld(model)
      return Effect.gen(function* () {
        const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
        isSlow = true
        yield* model.act({ type: "deposit", coin: "STY", amount: "-4" })
        yield* Effect.sleep("4 minutes")
        yield* becomes(({ trading_state }) => trading_state === "halted")
        const { adjustment } = yield* bots.reconcile(accountId, bot.id, { accept: true })
        assert.strictEqual(adjustment?.amount, -404)
      }).pipe(Effect.provide(world.layer), whileTimePasses)
    })
  }

  it.effect("is not accepted by a comparison that had begun before it was put back", () => {
    let lookCount = 0
    const model = makeLagging(20_000, () => lookCount++)
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
      yield* Effect.sleep("90 seconds")
      yield* model.act({ type: "deposit", coin: "STY", amount: "-4" })
      yield* Effect.sleep("2 minutes")
      yield* becomes(({ trading_state }) => trading_state === "halted")
      yield* Effect.sleep("10 seconds")
      const before = lookCount
      yield* Effect.repeat(Effect.sleep("1 second"), { until: () => lookCount > before })
      // The comparison goes on for more than 20 s.
      yield* Effect.sleep("2 seconds")
      yield* model.act({ type: "deposit", coin: "STY", amount: "4" })
      const { adjustment } = yield* bots.reconcile(accountId, bot.id, { accept: true })
      assert.isNull(adjustment)
      const status = yield* becomes(({ trading_state }) => trading_state === "active")
      assert.strictEqual(status.open_positions[0]?.quantity, 10)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

describe("the rest of a lot whose loss is accepted at once", () => {
  for (const lagMs of [0, 10_000]) {
    it.effect(`has its stop again where answers are ${lagMs / 1_000} s old`, () => {
      const model = makeLagging(lagMs)
      const world = liveWorld(model)
      return Effect.gen(function* () {
        const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
        yield* Effect.sleep("70 seconds")
        yield* model.act({ type: "deposit", coin: "STY", amount: "-4" })
        yield* bots.reconcile(accountId, bot.id, { accept: true })
        yield* Effect.sleep(lagMs + 10_000)
        const stops = openOrdersOf(yield* model.truth).map(({ quantity }) => decimalText(quantity))
        assert.deepStrictEqual(stops, ["6"])
        yield* Effect.sleep("3 minutes")
        yield* becomes(({ open_positions: [held] }) => held?.quantity === 6)
        const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
        assert.isFalse(items.some(({ event }) => event === "protection.missing"))
      }).pipe(Effect.provide(world.layer), whileTimePasses)
    })
  }
})

describe("an answer to the acceptance of a loss", () => {
  it.effect("waits for one comparison, and the next one begins by itself", () => {
    let lookCount = 0
    const model = makeLagging(20_000, () => lookCount++)
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* holdLive(model, world)
      yield* Effect.sleep("70 seconds")
      yield* model.act({ type: "deposit", coin: "STY", amount: "-4" })
      const accept = bots.reconcile(accountId, bot.id, { accept: true })
      const answer = yield* Effect.timeoutOption(accept, "50 seconds")
      assert.isNotNull(Option.getOrThrow(answer).adjustment)
      const before = lookCount
      yield* Effect.sleep("5 seconds")
      assert.isAbove(lookCount, before)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

describe("a loss beside a trade that came as it was looked at", () => {
  it.effect("is not accepted, for the trade may explain it", () => {
    const model = makeLagging(1_000)
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
      yield* model.act({ type: "deposit", coin: "STY", amount: "-4" })
      yield* Effect.sleep("2 minutes")
      yield* becomes(({ trading_state }) => trading_state === "halted")
      const accept = Effect.flip(bots.reconcile(accountId, bot.id, { accept: true }))
      const accepting = yield* Effect.forkChild(accept)
      yield* Effect.sleep("2 seconds")
      yield* model.placeByHand({
        symbol,
        side: "buy",
        type: "market",
        quantity: "1",
        limitPrice: null,
        stopPrice: null,
        isReduceOnly: false
      })
      assert.deepInclude(yield* Fiber.join(accepting), { _tag: "Problem", code: "unavailable" })
      const { adjustments } = yield* bots.performance(accountId, bot.id)
      assert.deepStrictEqual(adjustments, [])
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

describe("a reconciliation at an exchange that does not answer", () => {
  it.effect("is refused, and decides nothing", () => {
    let isSilent = false
    const model = makeModel({
      drawFault: ({ type }) => (isSilent && type === "holdings" ? { outcome: "hangs_before" } : {})
    })
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* holdLive(model, world)
      isSilent = true
      yield* model.act({ type: "deposit", coin: "STY", amount: "-4" })
      const refused = yield* Effect.flip(bots.reconcile(accountId, bot.id, { accept: true }))
      assert.deepInclude(refused, { _tag: "Problem", code: "unavailable" })
      const status = yield* bots.status(accountId, bot.id)
      assert.strictEqual(status.open_positions[0]?.quantity, 10)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

describe("a loss that its owner puts back", () => {
  it.effect("is over for a bot at rest, also where its store fails as that is found", () => {
    const model = makeModel()
    const world = liveWorld(model)
    let failures = 0
    const journal = Layer.effect(
      BotJournal,
      Effect.map(BotJournal, (real) => ({
        ...real,
        append: (line: Parameters<typeof real.append>[0]) =>
          line.event === "reconcile.matches" && failures++ === 0
            ? Effect.fail(new StoreError({ reason: new StoreUnavailable({ cause: "a test" }) }))
            : real.append(line)
      }))
    ).pipe(Layer.provide(MemoryStore.layer))
    const quiet = Layer.succeed(References.MinimumLogLevel, "None")
    const stores = Layer.mergeAll(MemoryStore.layer, journal, quiet)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
      yield* bots.command(accountId, bot.id, "stop")
      yield* becomes(({ status }) => status === "stopped")
      yield* model.act({ type: "deposit", coin: "STY", amount: "-4" })
      yield* Effect.sleep("2 minutes")
      yield* becomes(({ trading_state }) => trading_state !== "active")
      yield* model.act({ type: "deposit", coin: "STY", amount: "4" })
      yield* Effect.sleep("3 minutes")
      yield* becomes(({ trading_state }) => trading_state === "active")
      assert.strictEqual(failures, 2)
    }).pipe(Effect.provide(Layer.provideMerge(world.services, stores)), whileTimePasses)
  })
})
