/**
 * The contract of `BotPlacement`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, Exit, Latch, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { BotPlacement } from "../ports/BotPlacement.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"

/** The placement of one more process. @category models @since 0.1.0 */
export type Join = (name: string) => Layer.Layer<BotPlacement>

/** How an adapter makes processes. @category models @since 0.1.0 */
export interface PlacementProcesses extends SuiteOptions {
  /** A store, and the placement of each process over it. */
  readonly store: Effect.Effect<Join, never, Scope.Scope>
  /** Whether several processes share the store; false where the store refuses a second one. */
  readonly isShared: boolean
}

const keys = Array.from({ length: 200 }, (_, index) => `bot_${index}`)

/** So many that each share has one of them. */
const manyKeys = Array.from({ length: 10_000 }, (_, index) => `bot_${index}`)

/** Somebody who is told what a process lets go. */
interface Told {
  readonly note: (line: string) => void
  /** The time that the bots of a share take. */
  readonly stop: (share: string) => Effect.Effect<void>
}

const stop = () => Effect.sleep("50 millis")
const unheard: Told = { note: () => {}, stop }

/** A process that notes the shares that it has let go. */
const begin = Effect.fnUntraced(function* (
  join: Join,
  name: string,
  { note, stop }: Told = unheard
) {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(Layer.fresh(join(name)), scope)
  const placement = yield* Effect.provide(BotPlacement, context)
  let gains = 0
  let losses = 0
  yield* placement
    .serve({
      gained: Effect.sync(() => {
        gains++
      }),
      lost: (share) =>
        Effect.sync(() => {
          losses++
          note(`${name} begins to let ${share} go`)
        }).pipe(
          Effect.andThen(stop(share)),
          Effect.andThen(Effect.sync(() => note(`${name} has let ${share} go`)))
        )
    })
    .pipe(Effect.forkIn(scope))
  const owns = (key: string): boolean => placement.isMine(placement.shareOf(key))
  return {
    gainCount: () => gains,
    heldCount: () => gains - losses,
    owns,
    placement,
    end: Scope.close(scope, Exit.void)
  }
})

type Process = Effect.Success<ReturnType<typeof begin>>

/** Waits in real time, for at most half a minute, until each key has one owner. */
const untilPlaced = Effect.fnUntraced(function* (processes: ReadonlyArray<Process>) {
  const ownersOf = (key: string): number => processes.filter(({ owns }) => owns(key)).length
  const isPlaced = (): boolean => keys.every((key) => ownersOf(key) === 1)
  const areTold = (): boolean => processes.every(({ gainCount }) => gainCount() > 0)
  for (let attempt = 0; attempt < 300 && !(isPlaced() && areTold()); attempt++) {
    yield* Effect.sleep("100 millis")
  }
  assert.deepStrictEqual(
    keys.map(ownersOf),
    keys.map(() => 1)
  )
  assert.isTrue(areTold(), "each process is told of what it has gained")
})

const countOf = ({ owns }: Process): number => keys.filter(owns).length

const aloneTests = ({ store }: PlacementProcesses) => ({
  "gives each bot to the one process, and tells it so": TestClock.withLive(
    Effect.gen(function* () {
      const join = yield* store
      const one = yield* begin(join, "one")
      yield* untilPlaced([one])
      yield* one.end
    })
  ),

  "puts a key into the same share every time": TestClock.withLive(
    Effect.gen(function* () {
      const join = yield* store
      const one = yield* begin(join, "one")
      const other = yield* begin(join, "other")
      for (const key of keys) {
        assert.strictEqual(one.placement.shareOf(key), other.placement.shareOf(key))
      }
      yield* one.end
      yield* other.end
    })
  )
})

const endTests = ({ store }: PlacementProcesses) => ({
  "lets all of its shares go at once when it ends": TestClock.withLive(
    Effect.gen(function* () {
      const lines: Array<string> = []
      const told = new Set<string>()
      const shares = new Set<string>()
      const areTold = yield* Latch.make()
      let isEnding = false
      // Bots of each share stop once all shares are told; for want of that they do after a while.
      const stop = (share: string) =>
        Effect.suspend(() => {
          if (!isEnding) return Effect.void
          told.add(share)
          const open = Effect.asVoid(areTold.open)
          if (told.size === shares.size) return open
          return Effect.timeoutOrElse(areTold.await, { duration: "20 seconds", orElse: () => open })
        })
      const join = yield* store
      const one = yield* begin(join, "one", { note: (line) => lines.push(line), stop })
      yield* untilPlaced([one])
      for (const key of manyKeys) shares.add(one.placement.shareOf(key))
      // On a busy processor a share is the process's for a while before it is told so. One that
      // stood still may have let a share go, and takes it again.
      for (let attempt = 0; attempt < 300 && one.heldCount() < shares.size; attempt++) {
        yield* Effect.sleep("100 millis")
      }
      assert.strictEqual(one.heldCount(), shares.size, "it is told of all that it has gained")
      const before = lines.length
      isEnding = true
      yield* one.end
      const ending = lines.slice(before)
      const first = ending.findIndex((line) => line.includes("has let"))
      const begun = ending.slice(0, first)
      for (const share of shares) assert.include(begun, `one begins to let ${share} go`)
      assert.lengthOf(new Set(ending), ending.length, "each share is let go once")
    })
  )
})

const sharedTests = ({ store }: PlacementProcesses) => ({
  "gives each bot to one of several processes, and a process that joins its part":
    TestClock.withLive(
      Effect.gen(function* () {
        const join = yield* store
        const one = yield* begin(join, "one")
        yield* untilPlaced([one])
        const other = yield* begin(join, "other")
        const third = yield* begin(join, "third")
        const all = [one, other, third]
        for (let attempt = 0; attempt < 300 && all.some((each) => countOf(each) < 33); attempt++) {
          yield* Effect.sleep("100 millis")
        }
        yield* untilPlaced(all)
        for (const each of all) assert.isAbove(countOf(each), 33, "a third of the bots is 66")
        for (const { placement } of all) {
          for (const key of keys.slice(0, 9)) {
            assert.isTrue(yield* placement.hasOwner(placement.shareOf(key)))
          }
        }
        yield* Effect.forEach(all, ({ end }) => end)
      })
    ),

  "moves a share only after its process has let the bots go": TestClock.withLive(
    Effect.gen(function* () {
      const lines: Array<string> = []
      const join = yield* store
      const one = yield* begin(join, "one", { note: (line) => lines.push(line), stop })
      yield* untilPlaced([one])
      const other = yield* begin(join, "other")
      for (let attempt = 0; attempt < 300 && countOf(other) === 0; attempt++) {
        for (const key of keys) {
          const share = other.placement.shareOf(key)
          if (other.owns(key)) assert.include(lines, `one has let ${share} go`)
        }
        yield* Effect.sleep("20 millis")
      }
      assert.isAbove(countOf(other), 0)
      yield* one.end
      yield* untilPlaced([other])
      for (const key of keys) {
        const { shareOf, takeLoss } = other.placement
        assert.isNull(takeLoss(shareOf(key)), "a share that is handed over is no loss")
      }
      yield* other.end
    })
  )
})

/** Registers the suite. @category testing @since 0.1.0 */
export const suite = (name: string, processes: PlacementProcesses): void =>
  registerSuite<never, never>(
    name,
    Layer.empty,
    {
      ...aloneTests(processes),
      ...(processes.isShared && { ...sharedTests(processes), ...endTests(processes) })
    },
    processes
  )
