/**
 * Agents of exchange accounts where the shares of processes say: one for each account, which goes
 * with its share.
 */
import { StoreError, StoreUnavailable } from "@candlewick/core"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  type AccountAgents,
  makeAccountAgents
} from "../../../packages/core/src/services/venues/agent/AccountAgents.ts"
import { makeWorld, pass } from "./accountWorld.ts"

/** Which calls of the first process fail. */
interface Faults {
  isLost?: boolean
  /** Whether the store fails from the moment at which the account is found to be another's. */
  isLostWithAccount?: boolean
}

const lost = Effect.fail(
  new StoreError({ reason: new StoreUnavailable({ cause: "the line was cut" }) })
)

/** Two processes, of which one has every share. */
const makeProcesses = Effect.fnUntraced(function* (faults: Faults = {}) {
  const world = yield* makeWorld()
  const { venueAccounts } = world.ports
  const faulty = {
    ...world.ports,
    venueAccounts: {
      ...venueAccounts,
      nowMs: Effect.suspend(() => (faults.isLost === true ? lost : venueAccounts.nowMs)),
      get: (key: string) =>
        Effect.tap(venueAccounts.get(key), (found) =>
          Effect.sync(() => {
            const isAnothers = Option.exists(found, ({ epoch }) => epoch > 1)
            if (isAnothers && faults.isLostWithAccount === true) faults.isLost = true
          })
        )
    }
  }
  let owner = "first"
  const connected = Effect.succeedSome({ venue: world.model.venue })
  const processOf = (name: string) =>
    makeAccountAgents({
      ports: name === "first" ? faulty : world.ports,
      placement: { shareOf: (key) => `share of ${key}`, isMine: () => owner === name },
      venues: { find: ({ exchange }) => (exchange === "model" ? connected : Effect.succeedNone) },
      wake: () => Effect.void,
      report: () => Effect.void
    })
  const ref = { accountId: world.account.id, exchange: "model" }
  const move = (from: AccountAgents, to: string) =>
    Effect.andThen(
      Effect.sync(() => void (owner = to)),
      from.leave(`share of ${world.key}`)
    )
  return {
    first: yield* processOf("first"),
    freeze: (other: string) => void (owner = other),
    move,
    ref,
    second: yield* processOf("second"),
    world
  }
})

const readinessOf = ({ agentOf }: AccountAgents, ref: Parameters<AccountAgents["agentOf"]>[0]) =>
  Effect.flatMap(agentOf(ref), (found) =>
    Option.isNone(found)
      ? Effect.succeed("none")
      : Effect.map(found.value.standing, ({ isReady }) => (isReady ? "ready" : "not ready"))
  )

it.effect("an account has one agent, whoever asks for it, and none where it has no venue", () =>
  Effect.gen(function* () {
    const { first, ref, second } = yield* makeProcesses()
    const asked = Effect.all([first.agentOf(ref), first.agentOf(ref)], { concurrency: 2 })
    const [one, same] = yield* asked
    assert.strictEqual(Option.getOrThrow(one), Option.getOrThrow(same))
    assert.isTrue(Option.isNone(yield* second.agentOf(ref)))
    assert.isTrue(Option.isNone(yield* first.agentOf({ ...ref, exchange: "another" })))
  })
)

it.effect("an agent goes with the share of its account, and its orders go on elsewhere", () =>
  Effect.gen(function* () {
    const { first, move, ref, second, world } = yield* makeProcesses()
    yield* first.agentOf(ref)
    yield* pass(3)
    yield* move(first, "second")
    assert.strictEqual(yield* readinessOf(first, ref), "none")
    const attempt = yield* world.decide()
    yield* pass(3)
    const before = yield* world.attemptsOf(attempt)
    assert.deepStrictEqual(
      before.map(({ state }) => state),
      ["written"]
    )
    yield* second.agentOf(ref)
    yield* pass(3)
    const after = yield* world.attemptsOf(attempt)
    assert.deepStrictEqual(
      after.map(({ state }) => state),
      ["over"]
    )
  })
)

it.effect("an agent begins anew where its share comes back that another process had", () =>
  Effect.gen(function* () {
    const { first, freeze, ref, second } = yield* makeProcesses()
    yield* first.agentOf(ref)
    yield* pass(3)
    // The first process stands still and does not hear that it loses the share.
    freeze("second")
    yield* second.agentOf(ref)
    yield* pass(3)
    freeze("first")
    assert.strictEqual(yield* readinessOf(first, ref), "not ready")
    yield* pass(3)
    assert.strictEqual(yield* readinessOf(first, ref), "ready")
  })
)

it.effect("an agent begins anew whose store failed as another process took its account", () =>
  Effect.gen(function* () {
    const faults: Faults = {}
    const { first, freeze, ref, second } = yield* makeProcesses(faults)
    yield* first.agentOf(ref)
    yield* pass(3)
    freeze("second")
    yield* second.agentOf(ref)
    faults.isLostWithAccount = true
    yield* pass(3)
    assert.isTrue(faults.isLost)
    faults.isLostWithAccount = false
    faults.isLost = false
    freeze("first")
    yield* first.agentOf(ref)
    yield* pass(3)
    assert.strictEqual(yield* readinessOf(first, ref), "ready")
  })
)
