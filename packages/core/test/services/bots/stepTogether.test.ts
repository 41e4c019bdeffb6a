import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { Scheduler } from "effect/Scheduler"
import { makeStepGroups } from "../../../src/services/bots/stepTogether.ts"
import { yieldingAt } from "../yieldingAt.ts"

const memberOf = (botId: string) => ({
  accountId: "acc_1",
  botId,
  market: "BTC/USD 1h",
  stateVersion: () => 1,
  isBusy: () => false
})

/** More operations than a step has until it is queued. */
const operationsMax = 60

describe("makeStepGroups", () => {
  it.live("carries on where a step is given up at any operation", () =>
    Effect.gen(function* () {
      for (let operation = 1; operation < operationsMax; operation++) {
        const groups = yield* makeStepGroups({
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
