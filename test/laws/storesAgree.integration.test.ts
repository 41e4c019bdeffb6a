/**
 * The stores are one store. The same random commands get the same answers and leave the same state
 * in memory and in SQL, transactions that fail included.
 *
 * `CANDLEWICK_DRAWS` and `CANDLEWICK_SEED` say how many sequences are run, and of which seed.
 */
import { StoreError, type StorePorts, Transactor } from "@candlewick/core"
import { makeRandom, type Random } from "@candlewick/core/kernel"
import { dueMs } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, it } from "@effect/vitest"
import { Cause, type Context, Effect, Exit, Layer, Option } from "effect"
import { inspect, isDeepStrictEqual } from "node:util"
import { onEveryStore } from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { batchCommands } from "./stores/batchCommands.ts"
import { atTime, type Command, type MakeCommand, makeWorld, type World } from "./stores/draw.ts"
import { finalState, tidyUp } from "./stores/finalState.ts"
import { otherCommands } from "./stores/otherCommands.ts"
import { methodsOf, recordCalls } from "./stores/recordCalls.ts"
import { recentCommands } from "./stores/recentCommands.ts"
import { recordCommands } from "./stores/recordCommands.ts"
import { aboutSending, sendingCommands } from "./stores/sendingCommands.ts"
import { venueCommands } from "./stores/venueCommands.ts"
import { draws } from "../draws.ts"

const commandCount = 120
// The time that a machine with much else to do may take.
const timeoutMs = 900_000
const ports = [
  ...recordCommands,
  ...otherCommands,
  ...batchCommands,
  ...recentCommands,
  ...sendingCommands,
  venueCommands
]

/** The caller's view of a command; when a store wrote a record is its own affair. */
const answerOf = <R>(run: Effect.Effect<unknown, unknown, R>) =>
  Effect.map(Effect.exit(run), (exit) => {
    if (Exit.isSuccess(exit)) return withoutWriteTimes(exit.value)
    const failure = Cause.squash(exit.cause)
    // A law that both stores break would else be an answer that they agree on.
    if (failure instanceof Error && failure.name === "AssertionError") throw failure
    return failure instanceof StoreError
      ? { refused: failure.reason._tag, because: failure.message }
      : { failure }
  })

const withoutWriteTimes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutWriteTimes)
  if (Option.isOption(value)) {
    return Option.isSome(value) ? { some: withoutWriteTimes(value.value) } : "none"
  }
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) =>
      key === "updated_at" ? [] : [[key, withoutWriteTimes(field)]]
    )
  )
}

/** Several commands that are kept together or not at all; what they gave inside is seen too. */
const transaction = (inner: ReadonlyArray<Command>, isKept: boolean): Command => ({
  name: `transaction that ${isKept ? "succeeds" : "fails"} (${inner.map(({ name }) => name).join(", ")})`,
  run: Effect.gen(function* () {
    const { transact } = yield* Transactor
    const answers: Array<unknown> = []
    const work = Effect.gen(function* () {
      for (const { run } of inner) answers.push(yield* answerOf(run))
      return yield* isKept ? Effect.void : Effect.fail("undo")
    })
    const end = yield* answerOf(transact(work))
    return { answers, end }
  })
})

type Lists = ReadonlyArray<ReadonlyArray<MakeCommand>>

/**
 * The records of a run. There are too many to meet twice, and a record that is changed was made
 * before under the same id and account.
 */
const focusOf = (random: Random): Lists =>
  random.next() < 0.4 ? aboutSending : [random.pick(ports), random.pick(ports), random.pick(ports)]

const makeCommand = (random: Random, world: World, focus: Lists, depth = 0): Command => {
  if (depth < 2 && random.next() < 0.08) {
    const inner = Array.from({ length: random.integer(1, 5) }, (_, index) =>
      makeCommand(random.fork(index), world, focus, depth + 1)
    )
    return transaction(inner, random.next() < 0.5)
  }
  return random.pick(random.pick(random.next() < 0.8 ? focus : ports))(random, world)
}

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null

/** Where two answers differ first, and what stands there. */
const firstDifference = (expected: unknown, actual: unknown, path = "answer"): string => {
  const keys = isNested(expected) && isNested(actual) ? Object.keys({ ...expected, ...actual }) : []
  for (const key of keys) {
    const [one, other] = [Reflect.get(Object(expected), key), Reflect.get(Object(actual), key)]
    if (!isDeepStrictEqual(one, other)) return firstDifference(one, other, `${path}.${key}`)
  }
  return `${path} is ${inspect(actual)} and was ${inspect(expected)} in memory`
}

type Stores = Context.Context<StorePorts>

/** The first command to which two stores give different answers, the final state being the last. */
const disagreement = Effect.fnUntraced(function* (
  seed: string,
  indexes: ReadonlyArray<number>,
  stores: readonly [Stores, Stores]
) {
  const world = makeWorld()
  const random = makeRandom(seed)
  const focus = focusOf(random.fork("focus"))
  const commands = [
    ...indexes.map((index) => {
      const { name, run } = makeCommand(random.fork(index), world, focus)
      // Time goes back and forth, so that what is due and what has ended is met in any order.
      const nowMs = dueMs + random.fork(`time ${index}`).integer(-1, 12)
      return { name: `${name} at ${nowMs - dueMs}`, run: atTime(nowMs, run) }
    }),
    { name: "final state", run: finalState(world) }
  ]
  const on = (store: Stores, run: Effect.Effect<unknown, unknown, StorePorts>) =>
    Effect.provideContext(answerOf(run), store)
  for (const [at, { run }] of commands.entries()) {
    const [expected, actual] = [yield* on(stores[0], run), yield* on(stores[1], run)]
    if (isDeepStrictEqual(actual, expected)) continue
    const names = commands.slice(0, at + 1).map(({ name }) => name)
    return [seed, ...names, firstDifference(expected, actual)].join("\n")
  }
  for (const store of stores) yield* on(store, tidyUp(world))
  return null
})

/** Fewer commands with which they disagree as well. */
const shrink = Effect.fnUntraced(function* (seed: string, stores: readonly [Stores, Stores]) {
  let indexes = Array.from({ length: commandCount }, (_, index) => index)
  for (let at = indexes.length - 1; at >= 0; at--) {
    const fewer = indexes.filter((_, place) => place !== at)
    if ((yield* disagreement(seed, fewer, stores)) !== null) indexes = fewer
  }
  return yield* disagreement(seed, indexes, stores)
})

/** The methods that no command draws, and the reason. */
const undrawn: Readonly<Record<string, string>> = {}

onEveryStore("every method of the ports is drawn and does not always fail", (name, layer) => {
  it.effect(
    name,
    () =>
      Effect.gen(function* () {
        const memory = yield* Layer.build(MemoryStore.layer)
        const { called, stores } = recordCalls(memory)
        // In memory alone, and always as many: so it doesn't depend on how many the law is run with.
        for (let run = 0; run < 100; run++) {
          const [world, random] = [makeWorld(), makeRandom(`stores/${run}`)]
          const focus = focusOf(random.fork("focus"))
          for (let index = 0; index < commandCount; index++) {
            const command = makeCommand(random.fork(index), world, focus)
            yield* Effect.provideContext(answerOf(command.run), stores)
          }
          yield* Effect.provideContext(tidyUp(world), memory)
        }
        // A store may have more than its port says, but hardly two of them the same.
        const inSql = new Set(methodsOf(yield* Layer.build(layer)))
        const methods = methodsOf(memory).filter((method) => inSql.has(method))
        const missing = methods.filter((method) => !called.has(method))
        assert.deepStrictEqual(missing.sort(), Object.keys(undrawn).sort())
      }),
    timeoutMs
  )
})

onEveryStore("memory and SQL agree", (name, layer) => {
  it.effect(
    name,
    () =>
      Effect.gen(function* () {
        const stores = [yield* Layer.build(MemoryStore.layer), yield* Layer.build(layer)] as const
        const indexes = Array.from({ length: commandCount }, (_, index) => index)
        for (const { seed } of draws("stores agree", 60)) {
          if ((yield* disagreement(seed, indexes, stores)) === null) continue
          assert.fail((yield* shrink(seed, stores)) ?? `${seed} disagrees only as a whole`)
        }
      }),
    timeoutMs
  )
})
