/**
 * Live streams that bots share tell each of them what a stream of its own would tell.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, References, Stream } from "effect"
import { draws } from "../../../../../test/draws.ts"
import { MarketDataError, SourceUnavailable } from "../../../src/domain/MarketDataError.ts"
import type { MarketData, MarketUpdate } from "../../../src/ports/MarketData.ts"
import { shareFeeds } from "../../../src/services/candles/sharedFeeds.ts"

type Source = MarketData["Service"]

const down = new MarketDataError({ reason: new SourceUnavailable({ cause: "it is cut" }) })
const price = { open: 1, high: 1, low: 1, close: 1, volume: 1 }

const updateAt = (time: number, symbols: ReadonlyArray<string>): MarketUpdate => ({
  type: "candles",
  time,
  candles: symbols.map((symbol) => ({ symbol, candle: { time, ...price } }))
})

/** A live source whose candles open at 1, 2, 3 …, and how many streams of it are open. */
const makeSource = () => {
  let waiting: Array<() => void> = []
  const state = { told: 0, cuts: 0, open: 0, opened: 0 }
  const ended = new Set<number>()
  const wake = (): void => {
    const all = waiting
    waiting = []
    for (const one of all) one()
  }
  const news = Effect.callback<void>((resume) => {
    waiting.push(() => resume(Effect.void))
  })
  const candles: Source["candles"] = ({ after, symbols }) => {
    const { cuts } = state
    let nth = 0
    const next = (
      time: number
    ): Effect.Effect<
      readonly [ReadonlyArray<MarketUpdate>, Option.Option<number>],
      MarketDataError
    > =>
      Effect.suspend(() => {
        if (state.cuts !== cuts) return Effect.fail(down)
        if (ended.has(nth)) return Effect.succeed([[], Option.none()])
        if (time > state.told) return Effect.andThen(news, next(time))
        return Effect.succeed([[updateAt(time, symbols)], Option.some(time + 1)])
      })
    const opening = Effect.sync(() => {
      state.open++
      nth = ++state.opened
    })
    const closing = Effect.sync(() => {
      state.open--
    })
    const told = Stream.paginate((after ?? 0) + 1, next)
    return Stream.unwrap(
      Effect.as(
        Effect.acquireRelease(opening, () => closing),
        told
      )
    )
  }
  const source: Source = { clock: "live", history: () => Effect.die("nobody asks"), candles }
  return {
    source,
    state,
    tell: Effect.sync(() => {
      state.told++
      wake()
    }),
    cut: Effect.sync(() => {
      state.cuts++
      wake()
    }),
    /** Ends a stream in good order: the first to be opened is 1. */
    end: (nth: number) =>
      Effect.sync(() => {
        ended.add(nth)
        wake()
      })
  }
}

const asked = (symbols: ReadonlyArray<string>, after: number | null) =>
  ({ accountId: "acct_1", symbols, timeframe: "1h", after }) as const

/** Lets all fibres come to where they wait. */
const settle = Effect.forEach(Array.from({ length: 60 }), () => Effect.yieldNow, { discard: true })

/** A listener that goes on after its last candle where its stream fails. */
const listen = Effect.fnUntraced(function* (
  source: Source,
  symbols: ReadonlyArray<string>,
  after: number | null
) {
  const heard: Array<number> = []
  const follow: Effect.Effect<void> = Effect.suspend(() =>
    Stream.runForEach(source.candles(asked(symbols, heard.at(-1) ?? after)), (update) =>
      Effect.sync(() => {
        if (update.type !== "candles") return
        assert.deepStrictEqual(
          update.candles.map(({ symbol }) => symbol),
          symbols
        )
        heard.push(update.time)
      })
    )
  ).pipe(Effect.catch(() => Effect.andThen(Effect.yieldNow, follow)))
  const fiber = yield* Effect.forkChild(follow)
  return { after, fiber, heard }
})

const range = (after: number | null, until: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, until - (after ?? 0)) }, (_, nth) => (after ?? 0) + 1 + nth)

describe("live streams", () => {
  it.effect("are opened once for the bots of an account that follow the same markets", () =>
    Effect.gen(function* () {
      const { source, state, tell } = makeSource()
      const shared = yield* shareFeeds(source)
      for (let count = 0; count < 5; count++) yield* tell
      const listeners = yield* Effect.forEach([5, 5, 5], (after) => listen(shared, ["A"], after))
      yield* settle
      assert.strictEqual(state.open, 1)
      const other = yield* listen(shared, ["A", "B"], 5)
      yield* settle
      assert.strictEqual(state.open, 2)
      yield* tell
      yield* settle
      for (const { heard } of [...listeners, other]) assert.deepStrictEqual(heard, [6])
      // One that is behind hears what it lacks from a stream of its own, and the rest with others.
      const late = yield* listen(shared, ["A"], 2)
      yield* settle
      assert.deepStrictEqual(late.heard, [3, 4, 5, 6])
      assert.deepStrictEqual([state.open, state.opened], [2, 3])
      yield* tell
      yield* settle
      for (const { heard } of [...listeners, late]) assert.strictEqual(heard.at(-1), 7)
      yield* Effect.forEach([...listeners, late, other], ({ fiber }) => Fiber.interrupt(fiber))
      yield* settle
      assert.strictEqual(state.open, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("tell each its candles once, whoever comes, goes or is cut off", () =>
    Effect.gen(function* () {
      let [cuts, ends, behind] = [0, 0, 0]
      for (const { random, seed } of draws("shared feeds", 200)) {
        const { cut, end, source, state, tell } = makeSource()
        const shared = yield* shareFeeds(source)
        let listeners: Array<Effect.Success<ReturnType<typeof listen>>> = []
        for (let turn = 0; turn < 40; turn++) {
          const act = random.next()
          if (act < 0.5) yield* tell
          else if (act < 0.7) {
            const after = random.pick([null, state.told, random.integer(0, state.told)])
            if ((after ?? 0) < state.told) behind++
            listeners.push(yield* listen(shared, ["A"], after))
          } else if (act < 0.8) {
            const gone = listeners.splice(0, 1)
            yield* Effect.forEach(gone, ({ fiber }) => Fiber.interrupt(fiber))
          } else if (act < 0.9) {
            cuts++
            yield* cut
          } else if (state.opened > 0) {
            ends++
            yield* end(random.integer(1, state.opened))
          }
          if (random.next() < 0.5) yield* settle
        }
        yield* settle
        yield* settle
        for (const { after, heard } of listeners) {
          assert.deepStrictEqual(heard, range(after, state.told), seed)
        }
        assert.isAtMost(state.open, 1, seed)
        yield* Effect.forEach(listeners, ({ fiber }) => Fiber.interrupt(fiber))
        listeners = []
        yield* settle
        assert.strictEqual(state.open, 0, seed)
      }
      assert.isAbove(cuts, 10)
      assert.isAbove(ends, 10)
      assert.isAbove(behind, 10)
    }).pipe(Effect.scoped)
  )

  it.effect("fail where they end, so that those who listen open another", () =>
    Effect.gen(function* () {
      const { end, source, state, tell } = makeSource()
      const shared = yield* shareFeeds(source)
      for (let count = 0; count < 5; count++) yield* tell
      const listeners = yield* Effect.forEach([5, 5], (after) => listen(shared, ["A"], after))
      yield* settle
      yield* end(1)
      yield* settle
      yield* tell
      yield* settle
      for (const { heard } of listeners) assert.deepStrictEqual(heard, [6])
      assert.deepStrictEqual([state.open, state.opened], [1, 2])
      const asking = Stream.runCollect(shared.candles(asked(["A"], 6)))
      const alone = yield* Effect.forkChild(Effect.flip(asking))
      yield* settle
      yield* end(2)
      const { reason } = yield* Fiber.join(alone)
      assert.strictEqual(reason._tag, "SourceUnavailable")
      yield* Effect.forEach(listeners, ({ fiber }) => Fiber.interrupt(fiber))
    }).pipe(Effect.scoped)
  )

  it.effect("tell one whose own stream ends before the others' place the rest of it", () =>
    Effect.gen(function* () {
      const { end, source, state, tell } = makeSource()
      const shared = yield* shareFeeds(source)
      for (let count = 0; count < 3; count++) yield* tell
      const first = yield* listen(shared, ["A"], 5)
      yield* settle
      // The source tells 4 and 5 only later, so that its own stream stays open.
      const behind = yield* listen(shared, ["A"], 2)
      yield* settle
      assert.deepStrictEqual(behind.heard, [3])
      yield* end(2)
      yield* settle
      for (let count = 0; count < 4; count++) yield* tell
      yield* settle
      assert.deepStrictEqual([first.heard, behind.heard], [range(5, 7), range(2, 7)])
      assert.deepStrictEqual([state.open, state.opened], [1, 3])
      yield* Effect.forEach([first, behind], ({ fiber }) => Fiber.interrupt(fiber))
    }).pipe(Effect.scoped)
  )

  it.effect("tell one that comes while they are cut, wherever its turn ends", () =>
    Effect.gen(function* () {
      for (let nth = 0; nth < 100; nth++) {
        const [operations, turns] = [3 + (nth % 2), Math.floor(nth / 2)]
        const { cut, source, state, tell } = makeSource()
        const shared = yield* shareFeeds(source)
        const early = yield* listen(shared, ["A"], null)
        yield* settle
        const late = yield* Effect.provideService(
          listen(shared, ["A"], null),
          References.MaxOpsBeforeYield,
          operations
        )
        for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
        yield* cut
        for (let count = 0; count < 10; count++) yield* settle
        yield* tell
        for (let count = 0; count < 10; count++) yield* settle
        assert.deepStrictEqual([early.heard, late.heard], [[1], [1]], `${operations}, ${turns}`)
        assert.strictEqual(state.open, 1)
        yield* Effect.forEach([early, late], ({ fiber }) => Fiber.interrupt(fiber))
        yield* settle
        assert.strictEqual(state.open, 0)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("tell those that open one at once their own candles, wherever turns end", () =>
    Effect.gen(function* () {
      for (let nth = 0; nth < 100; nth++) {
        const [operations, turns] = [3 + (nth % 2), Math.floor(nth / 2)]
        const { source, state, tell } = makeSource()
        const shared = yield* shareFeeds(source)
        for (let count = 0; count < 5; count++) yield* tell
        const behind = yield* Effect.provideService(
          listen(shared, ["A"], 2),
          References.MaxOpsBeforeYield,
          operations
        )
        for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
        const other = yield* listen(shared, ["A"], 4)
        for (let count = 0; count < 10; count++) yield* settle
        yield* tell
        for (let count = 0; count < 10; count++) yield* settle
        const heard = [behind.heard, other.heard]
        assert.deepStrictEqual(heard, [range(2, 6), range(4, 6)], `${operations}, ${turns}`)
        yield* Effect.forEach([behind, other], ({ fiber }) => Fiber.interrupt(fiber))
        yield* settle
        assert.strictEqual(state.open, 0)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("of recordings are left as they are", () =>
    Effect.gen(function* () {
      const { source } = makeSource()
      const recorded: Source = { ...source, clock: "replay" }
      assert.strictEqual(yield* shareFeeds(recorded), recorded)
    }).pipe(Effect.scoped)
  )
})
