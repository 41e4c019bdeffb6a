import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Option } from "effect"
import { Scheduler } from "effect/Scheduler"
import { BotId } from "../../../src/domain/Identifier.ts"
import { StoreError } from "../../../src/domain/StoreError.ts"
import type { StepWrite } from "../../../src/ports/StepStore.ts"
import { CurrentGroup, groupedEvents, groupedOrders } from "../../../src/services/bots/groupWork.ts"
import { makeStepGroups, type StepGroups } from "../../../src/services/bots/stepTogether.ts"
import { testId } from "../../../src/testing/testIds.ts"
import { botRecord, eventRecord, orderRecord, tradeRecord } from "../../../src/testing/records.ts"
import { yieldingAt } from "../yieldingAt.ts"

const memberOf = (botId: string) => ({
  accountId: "acc_1",
  botId,
  market: "BTC/USD 1h",
  stateVersion: () => 1
})

/** More operations than a step has until it is queued. */
const operationsMax = 60

describe("makeStepGroups", () => {
  it.live("carries on where a step is given up at any operation", () =>
    Effect.gen(function* () {
      for (let operation = 1; operation < operationsMax; operation++) {
        const groups = yield* makeStepGroups({
          events: { announceAll: () => Effect.void },
          transactor: { isSerial: true, transact: (body: never) => body } as never,
          steps: {
            hold: () => Effect.succeed({ accounts: [], alerts: [], bots: [] }),
            open: () => Effect.never,
            write: () => Effect.void
          }
        })
        const givenUp = yield* groups
          .step(memberOf("bot_1"), Effect.void)
          .pipe(
            Effect.provideService(Scheduler, yieldingAt(operation)),
            Effect.forkChild({ startImmediately: true })
          )
        yield* Fiber.interrupt(givenUp)
        const next = yield* Effect.timeoutOption(
          groups.step(memberOf("bot_2"), Effect.succeed("stepped")),
          "5 seconds"
        )
        assert.deepStrictEqual(next, Option.some("stepped"), `after operation ${operation}`)
      }
    })
  )
})

const [one, other, third] = [testId("bot"), testId("bot"), testId("bot")].toSorted()
const botOf = (id: string) => botRecord({ id: BotId.make(id) })

/** Groups over a store that keeps what it is given, and refuses the writes of some bots. */
const recordedGroups = Effect.fnUntraced(function* (refused: ReadonlyArray<string> = []) {
  const kept: Array<StepWrite> = []
  const announced: Array<string> = []
  const groups = yield* makeStepGroups({
    transactor: { isSerial: true, transact: (body: never) => body } as never,
    events: {
      announceAll: (events) =>
        Effect.sync(() => void announced.push(...events.map(({ timestamp }) => timestamp)))
    },
    steps: {
      hold: (ids) =>
        Effect.succeed({
          accounts: [],
          alerts: [],
          bots: ids.map((id) => ({ bot: botOf(id), stateVersion: 1, openOrders: [] }))
        }),
      open: () => Effect.never,
      write: (writes) =>
        writes.some(({ botId }) => refused.includes(botId))
          ? Effect.fail(StoreError.alreadyExists("order", "one"))
          : Effect.sync(() => void kept.push(...writes))
    }
  })
  return { announced, groups, kept }
})

const never = () => Effect.die(new Error("a step of a group asks its store"))

/** Stores that a step of a group is not to reach. */
const orders = groupedOrders({
  insert: never,
  get: () => Effect.succeedNone,
  update: never,
  list: never,
  listOpen: never,
  appendTrade: never,
  listTrades: never,
  removeOfBot: never
})
const events = groupedEvents({ announce: never } as never)

/** A step that places an order, reads it, moves it, and announces an event. */
const trading = Effect.fnUntraced(function* (botId: string) {
  const id = BotId.make(botId)
  const order = yield* orders.insert(orderRecord({ bot_id: id, client_order_id: `${botId}:1` }))
  yield* orders.update({ ...order, status: "accepted" })
  const [open] = yield* orders.listOpen(botId)
  assert.deepStrictEqual(yield* orders.get(botId, `${botId}:1`), Option.some(open!))
  assert.strictEqual(open!.status, "accepted")
  yield* orders.appendTrade(tradeRecord({ bot_id: id }))
  yield* events.announce({ ...eventRecord(), timestamp: botId })
})

const stepsOf = (groups: StepGroups, steps: ReadonlyArray<readonly [string, StepOf]>) =>
  Effect.all(
    steps.map(([botId, step]) => Effect.exit(groups.step(memberOf(botId), step(botId)))),
    { concurrency: "unbounded" }
  )

type StepOf = (botId: string) => Effect.Effect<unknown, StoreError>

const tagOf = (exit: Exit.Exit<unknown, StoreError>): string =>
  Exit.match(exit, {
    onFailure: (cause) =>
      Option.match(Cause.findErrorOption(cause), {
        onNone: () => "defect",
        onSome: ({ reason }) => reason._tag
      }),
    onSuccess: () => "kept"
  })

describe("a group's steps", () => {
  it.live("are written together, orders once, but for one that fails after its writes", () =>
    Effect.gen(function* () {
      const { announced, groups, kept } = yield* recordedGroups()
      const failing: StepOf = (botId) =>
        Effect.andThen(trading(botId), Effect.fail(StoreError.notFound("strategy", "gone")))
      const exits = yield* stepsOf(groups, [
        [one!, trading],
        [other!, failing],
        [third!, trading]
      ])
      assert.deepStrictEqual(exits.map(tagOf), ["kept", "NotFound", "kept"])
      assert.deepStrictEqual(
        kept.map(({ botId, orders: written, trades }) => [
          botId,
          written?.map(({ order, versionBefore }) => [order.version, versionBefore]),
          trades?.length
        ]),
        [
          [one!, [[2, 0]], 1],
          [third!, [[2, 0]], 1]
        ]
      )
      assert.deepStrictEqual(announced, [one, third])
    })
  )

  it.live("are each taken alone after the store refused the write of all", () =>
    Effect.gen(function* () {
      const { groups, kept } = yield* recordedGroups([other!])
      const steps = [one!, other!, third!].map((botId) => [botId, trading] as const)
      const refused = yield* stepsOf(groups, steps)
      assert.deepStrictEqual(refused.map(tagOf), Array(3).fill("VersionConflict"))
      assert.deepStrictEqual(kept, [])
      const seen: Array<string> = []
      const lookOut: StepOf = (botId) =>
        Effect.map(CurrentGroup, (group) => void seen.push(`${botId} ${group === null}`))
      const again = [one!, other!, third!].map((botId) => [botId, lookOut] as const)
      assert.deepStrictEqual((yield* stepsOf(groups, again)).map(tagOf), Array(3).fill("kept"))
      assert.deepStrictEqual(
        seen.toSorted(),
        [one, other, third].map((botId) => `${botId} true`)
      )
      const later = yield* stepsOf(groups, [
        [one!, trading],
        [third!, trading]
      ])
      assert.deepStrictEqual(later.map(tagOf), ["kept", "kept"])
      assert.strictEqual(kept.length, 2)
    })
  )
})
