/**
 * The life of deliveries, by chance. Callers ask, answer, switch off
 * and kill at random. Every change is a row of the table, and attempts are counted. Nothing is lost or sent twice at once.
 *
 * `CANDLEWICK_DRAWS` says how many sequences are run, `CANDLEWICK_SEED` where they begin.
 */
import { DeliveryMachine, Limits, type StorePorts, toTimestamp } from "@candlewick/core"
import { makeRandom } from "@candlewick/core/kernel"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Random } from "effect"
import { TestClock } from "effect/testing"
import { onEveryStore } from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { in2026 } from "../services/setting.ts"
import type { KillAt } from "./deliveries/watchStore.ts"
import { answers, type KnownEndpoint, World } from "./deliveries/world.ts"
import { drawCount, draws, drawSeed } from "../draws.ts"

const minuteMs = 60_000
// The time that a machine with much else to do may take.
const timeoutMs = 900_000

const kills: ReadonlyArray<KillAt> = (
  [
    "DeliveryQueue.claim",
    "DeliveryStore.updateMany",
    "DeliveryQueue.keepOutcomes",
    "ReplayStore.update",
    "DeliveryQueue.cancelWaiting"
  ] as const
).flatMap((method) => [
  { method, isKept: false },
  { method, isKept: true }
])

type Command = (world: World, endpoint: KnownEndpoint) => Effect.Effect<unknown, unknown>

/** A call to a service, which may refuse it. */
const ask = (
  world: World,
  call: (webhooks: World["processes"][number]["webhooks"]) => Effect.Effect<unknown, unknown>
) =>
  Effect.flatMap(world.anyProcess, ({ life, webhooks }) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.ignore(call(webhooks)))
      yield* world.settle
      // No caller waits for one that was killed.
      if (life.isDead) fiber.interruptUnsafe()
    })
  )

const commands: Readonly<Record<string, Command>> = {
  publish: (world) => Effect.forkChild(Effect.ignore(world.publish)),
  publishMany: (world) =>
    Effect.forEach([1, 2, 3, 4, 5], () => Effect.forkChild(Effect.ignore(world.publish))),
  answer: (world, endpoint) =>
    Effect.sync(() => {
      endpoint.answer = world.random.pick(answers)
    }),
  wait: (world) => world.pass(world.random.pick([100, 6_000, 70_000, 6 * minuteMs])),
  waitLong: (world) => world.pass(world.random.pick([40 * minuteMs, 150 * minuteMs])),
  kill: (world) => world.kill(world.random.pick(kills)),
  start: (world) => (world.processes.length < 6 ? world.start : Effect.void),
  stop: (world) => world.stop,
  // A request that a receiver doesn't answer in time is broken off.
  stopAtWork: (world, endpoint) =>
    Effect.gen(function* () {
      endpoint.answer = "slow"
      yield* Effect.forkChild(Effect.ignore(world.publish))
      yield* world.pass(100)
      yield* world.stop
    }),
  disable: (world, { id }) =>
    ask(world, (webhooks) => webhooks.update(world.accountId, id, { status: "disabled" })),
  enable: (world, { id }) =>
    ask(world, (webhooks) => webhooks.update(world.accountId, id, { status: "active" })),
  payload: (world, { id }) =>
    ask(world, (webhooks) => webhooks.update(world.accountId, id, { payload: "extended" })),
  sample: (world, { id }) => ask(world, (webhooks) => webhooks.test(world.accountId, id)),
  redeliver: (world, { id }) =>
    ask(world, (webhooks) => {
      const ofIt = [...world.watch.deliveries.values()].filter((one) => one.webhook_id === id)
      if (ofIt.length === 0) return Effect.void
      // Each state as often as any other.
      const status = world.random.pick([...new Set(ofIt.map((one) => one.status))])
      const [one] = ofIt.filter((delivery) => delivery.status === status)
      const again = webhooks.redeliver(world.accountId, id, one!.id)
      const isEnabling = world.random.pick([true, false])
      const enabled = webhooks.update(world.accountId, id, { status: "active" })
      return isEnabling ? Effect.andThen(enabled, again) : again
    }),
  replay: (world, { id }) =>
    ask(world, (webhooks) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const mode = world.random.pick(["failed", "missing", "all"] as const)
        const since = toTimestamp(nowMs - 10 * 60 * minuteMs)
        return webhooks.replay(world.accountId, id, { since, mode })
      })
    ),
  rotate: (world, endpoint) =>
    ask(world, (webhooks) =>
      Effect.map(webhooks.rotateSecret(world.accountId, endpoint.id, {}), ({ secret }) => {
        endpoint.secret = secret
      })
    )
}

/** The checks that are made more often than once in a while. */
const often = ["publish", "wait", "wait", "answer", "kill", "redeliver"]

/** Everything mends: whatever still waits must then arrive, without being asked for. */
const mend = (world: World) =>
  Effect.gen(function* () {
    for (const endpoint of world.endpoints) endpoint.answer = "ok"
    for (const { life } of world.processes) life.killAt = null
    for (const { id } of world.endpoints) {
      const [endpoint] = yield* world.endpointStore.getMany([id])
      if (endpoint?.status === "disabled")
        yield* commands["enable"]!(world, { id } as KnownEndpoint)
    }
    yield* world.living
    yield* world.settle
    const isWaiting = () =>
      [...world.watch.deliveries.values()].some(({ status }) =>
        ["pending", "sending", "retrying"].includes(status)
      )
    for (let hour = 0; hour < 60 && isWaiting(); hour++) yield* world.pass(60 * minuteMs)
    assert.isFalse(isWaiting(), "something waits for ever")
  })

const attemptsOf = (world: World, prefix: string) =>
  [...world.posts].filter(([attempt]) => attempt.startsWith(`${prefix} `))

/** The laws of the whole story. */
const checkEnd = (world: World) => {
  const ofEvents = new Set<string>()
  for (const delivery of world.watch.ever.values()) {
    const { attempts, earlier_attempts, event_id, status, webhook_id } = delivery
    const key = `${webhook_id} ${event_id}`
    assert.isFalse(ofEvents.has(key), `${key} has two deliveries`)
    ofEvents.add(key)
    const posts = attemptsOf(world, key)
    // An attempt is written down before its request; a kill may come between.
    const cutOff = attempts.filter(
      ({ duration_ms, error }) => duration_ms === null || error === "cancelled"
    ).length
    assert.isAtMost(posts.length, attempts.length)
    assert.isAtLeast(posts.length, attempts.length - cutOff)
    const isAccepted = posts.some(([, post]) => post.isAccepted)
    if (status === "succeeded") assert.isTrue(isAccepted, `${key} was never accepted`)
    const counted = attempts
      .slice(earlier_attempts)
      .filter(({ duration_ms, error }) => duration_ms !== null && error !== "cancelled")
    assert.isAtMost(counted.length, 10)
    const last = attempts.at(-1)
    if (status === "failed") {
      assert.isTrue(counted.length === 10 || [400, 410].includes(last?.status ?? 0))
    }
    if (status === "skipped") assert.strictEqual(attempts.length, 0)
    assert.isAtMost(attempts.length, Limits.webhookAttemptsMaxCount)
  }
  for (const event of world.published) {
    for (const { id } of world.endpoints) {
      assert.isTrue(ofEvents.has(`${id} ${event}`), `${event} is lost`)
    }
  }
}

const run = (
  stores: Layer.Layer<StorePorts>,
  seed: string,
  commandCount: number,
  rows: Set<string>
) =>
  Effect.gen(function* () {
    const random = makeRandom(seed)
    const world = new World(yield* Layer.build(stores), random, rows)
    yield* world.start
    yield* world.start
    for (let count = 0; count < 2; count++) yield* world.register
    const names = Object.keys(commands)
    const told: Array<string> = []
    for (let count = 0; count < commandCount; count++) {
      const name = random.pick([...often, ...names])
      told.push(name)
      yield* commands[name]!(world, random.pick(world.endpoints)).pipe(
        Effect.andThen(world.settle),
        Effect.tapCause(() => Effect.logError(`seed ${seed}: ${told.join(", ")}`))
      )
    }
    yield* mend(world).pipe(
      Effect.tapCause(() => Effect.logError(`seed ${seed}: ${told.join(", ")}, mend`))
    )
    checkEnd(world)
    assert.isAbove(world.published.size, 0)
    assert.isAbove(world.posts.size, 0)
  }).pipe(
    Effect.scoped,
    // A clock of its own: what a run leaves behind does nothing in the next one.
    Effect.provide(Layer.provideMerge(in2026, TestClock.layer())),
    Random.withSeed(seed)
  )

const everyRow = DeliveryMachine.transitions.map(({ from, on, to }) => `${from} --> ${to}: ${on}`)

const title = "every delivery goes through its table, is counted, and arrives"

const lawOn = (
  name: string,
  stores: Layer.Layer<StorePorts>,
  { all, commandCount, runsMax }: Readonly<Record<"all" | "commandCount" | "runsMax", number>>
) =>
  it.effect(
    name,
    () =>
      Effect.gen(function* () {
        const rows = new Set<string>()
        for (const { seed } of draws("deliveries", all, 1)) {
          yield* run(stores, seed, commandCount, rows)
        }
        // Chance may leave a row out: then more is tried.
        for (let done = drawCount(all, 1); done < runsMax && rows.size < everyRow.length; done++) {
          yield* run(stores, drawSeed("deliveries", done), commandCount, rows)
        }
        assert.includeMembers(everyRow, [...rows])
        if (runsMax > 0) assert.sameMembers([...rows], everyRow)
      }),
    timeoutMs
  )

lawOn(`${title}, in memory`, MemoryStore.layer, { all: 40, commandCount: 60, runsMax: 120 })
onEveryStore(title, (name, stores) =>
  lawOn(name, stores, { all: 10, commandCount: 25, runsMax: 0 })
)
