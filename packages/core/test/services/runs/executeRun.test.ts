import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Scheduler } from "effect/Scheduler"
import { executeRun } from "../../../src/services/runs/executeRun.ts"
import type { RunServices } from "../../../src/services/runs/runHandle.ts"
import { RunQueue } from "../../../src/services/runs/runQueue.ts"
import type { RunSource } from "../../../src/services/runs/RunSource.ts"
import { yieldingAt } from "../yieldingAt.ts"

/** More operations than a run has until it works. */
const operationsMax = 60

describe("executeRun", () => {
  it.effect("leaves its place to the next run wherever it is interrupted", () =>
    Effect.gen(function* () {
      for (let operation = 1; operation < operationsMax; operation++) {
        const queue = new RunQueue(1)
        const services = {
          queue,
          checkpoints: { list: () => Effect.never }
        } as never as RunServices
        const source = { requeue: () => Effect.void } as never as RunSource
        const running = yield* executeRun(services, source, {
          accountId: "acc_1",
          kind: "backtest",
          id: "bt_01K00000000000000000000001"
        } as never).pipe(
          Effect.provideService(Scheduler, yieldingAt(operation)),
          Effect.forkChild({ startImmediately: true })
        )
        yield* Fiber.interrupt(running)
        assert.deepStrictEqual(queue.running(), [], `after operation ${operation}`)
        assert.isUndefined(
          queue.get("bt_01K00000000000000000000001"),
          `after operation ${operation}`
        )
      }
    })
  )
})
