/**
 * Agents of one exchange account over databases: bots write while one process sends, and another
 * one takes the account over in the middle of it.
 */
import type { OrderAttempt } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { holdSwitch } from "../../../packages/core/src/services/accounts/killSwitch.ts"
import { onEveryStore } from "../../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { btc, makeWorld } from "./accountWorld.ts"

const timeoutMs = 120_000

/** Waits until it is so; a test that waits for ever fails by its own time limit. */
const until = <E, R>(isSo: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.suspend(() =>
    Effect.flatMap(isSo, (so) => (so ? Effect.void : Effect.andThen(Effect.sleep(50), until(isSo))))
  )

onEveryStore("agents", (name, stores) => {
  describe(name, () => {
    it.live(
      "send each order once and keep each trade once, whoever owns the account",
      () =>
        Effect.gen(function* () {
          const world = yield* makeWorld({ stores, pageSize: 3 })
          const first = yield* world.begin
          const write = (botId: string, limitPrice?: string) =>
            Effect.forEach([1, 2, 3], () =>
              world.decide({ botId, quantity: "0.5", ...(limitPrice && { limitPrice }) })
            )
          const [one, other] = world.bots.map(({ id }) => id)
          const writing = Effect.all([write(one!), write(other!), write(one!, "90")], {
            concurrency: "unbounded"
          })
          const attempts: ReadonlyArray<OrderAttempt> = (yield* writing).flat()
          yield* first.ring
          yield* until(Effect.map(world.orders, ({ length }) => length > 2))
          const second = yield* world.begin
          for (const attempt of attempts.slice(6)) {
            const isWorking = Effect.map(world.attemptsOf(attempt), ([kept]) =>
              ["working", "over"].includes(kept!.state)
            )
            yield* until(isWorking)
            yield* Effect.retry(world.takeBack(attempt), { times: 9 })
          }
          yield* second.ring
          const open = world.ports.venueAccounts.listOpenAttempts(world.key)
          yield* until(Effect.map(open, ({ length }) => length === 0))
          const orders = yield* world.orders
          assert.lengthOf(orders, attempts.length)
          assert.deepStrictEqual(orders.map(({ status }) => status).toSorted(), [
            ...Array.from({ length: 3 }, () => "cancelled"),
            ...Array.from({ length: 6 }, () => "filled")
          ])
          const facts = [...(yield* world.factsOf(one!)), ...(yield* world.factsOf(other!))]
          const trades = facts.filter(({ fact }) => fact.type === "trade")
          assert.deepStrictEqual(
            trades.map(({ fact }) => fact.id).toSorted(),
            (yield* world.trades).map(({ id }) => id).toSorted()
          )
          assert.lengthOf(facts, 9)
          assert.strictEqual(orders[0]!.symbol, btc.symbol)
        }).pipe(Effect.scoped),
      timeoutMs
    )

    it.live(
      "write no entry as sent while a transaction turns the kill switch on",
      () =>
        Effect.gen(function* () {
          const world = yield* makeWorld({ stores })
          const { accounts, transactor } = world.ports
          const attempt = yield* world.decide()
          const isRead = yield* Deferred.make<void>()
          const turning = Effect.gen(function* () {
            yield* holdSwitch(world.ports, world.account.id)
            const account = Option.getOrThrow(yield* accounts.get(world.account.id))
            yield* Deferred.succeed(isRead, undefined)
            yield* Effect.sleep("3 seconds")
            yield* accounts.update({ ...account, is_halted: true })
          })
          const turned = yield* Effect.forkChild(transactor.transact(turning))
          yield* Deferred.await(isRead)
          yield* world.begin
          yield* Fiber.join(turned)
          const kept = Effect.map(world.attemptsOf(attempt), ([one]) => one!)
          yield* until(Effect.map(kept, ({ state }) => state === "over"))
          assert.strictEqual((yield* kept).reason, "the account is halted")
          assert.deepStrictEqual(yield* world.orders, [])
        }).pipe(Effect.scoped),
      timeoutMs
    )
  })
})
