/**
 * The parts of random commands: few ids, so that they meet, and texts and numbers that are hard to
 * keep.
 */
import type { StorePorts, Timeframe } from "@candlewick/core"
import type { Random } from "@candlewick/core/kernel"
import { testId, testName, testSymbol } from "@candlewick/core/testing"
import { Clock, Effect } from "effect"

/** One call of a store, or several; what it gives is compared. */
export interface Command {
  readonly name: string
  readonly run: Effect.Effect<unknown, unknown, StorePorts>
}

/** Makes a command with these ids; equal draws make equal commands. */
export type MakeCommand = (random: Random, world: World) => Command

const several = <A>(count: number, make: () => A): ReadonlyArray<A> =>
  Array.from({ length: count }, make)

/** The ids of one run; no other run has them. */
export const makeWorld = () => ({
  accounts: several(2, () => testId("account")),
  keys: several(3, () => testId("key")),
  lookups: several(3, testName),
  strategies: several(4, () => testId("strategy")),
  backtests: several(4, () => testId("backtest")),
  optimizations: several(4, () => testId("optimization")),
  bots: several(3, () => testId("bot")),
  orders: several(5, () => testId("order")),
  clientOrders: several(4, testName),
  trades: several(4, () => testId("trade")),
  alerts: several(4, () => testId("alert")),
  webhooks: several(2, () => testId("webhook")),
  deliveries: several(6, () => testId("delivery")),
  events: several(5, () => testId("event")),
  symbols: several(2, testSymbol),
  scopes: several(2, testName),
  owners: several(2, testName),
  replays: several(4, () => testId("replay")),
  attempts: several(4, () => testId("attempt")),
  venueOrders: several(4, testName),
  facts: several(5, testName)
})

/** The ids of one run. */
export type World = ReturnType<typeof makeWorld>

/** Keeps those of a store's records that are of this run: other runs leave theirs. */
export const ownOnly =
  (ids: ReadonlyArray<string>) =>
  <A extends { readonly id: string }>(records: ReadonlyArray<A>): ReadonlyArray<A> =>
    records.filter(({ id }) => ids.includes(id))

/** Some of them, each once, in any order. */
export const some = <A>(random: Random, all: ReadonlyArray<A>): ReadonlyArray<A> => {
  const left = [...all]
  return Array.from({ length: random.integer(0, Math.min(4, all.length)) }, () =>
    left.splice(random.integer(0, left.length - 1), 1)
  ).flat()
}

/**
 * The owner of one of these ids. Mostly it is the one that it always has, so that made records are
 * found again, and now and then any.
 */
export const ownerOf = (
  random: Random,
  owners: ReadonlyArray<string>,
  ids: ReadonlyArray<string>,
  id: string
): string => (random.next() < 0.85 ? owners[ids.indexOf(id) % owners.length]! : random.pick(owners))

/** One of these ids with its owner among the accounts. */
export const anyOwned = (random: Random, { accounts }: World, ids: ReadonlyArray<string>) => {
  const id = random.pick(ids)
  return { id, account_id: ownerOf(random, accounts, ids, id) }
}

const texts = [
  "plain",
  "",
  "ü ✓ 🕯",
  "a\u0000b",
  "\ud800 alone",
  "\\u0000 ' \" % _",
  "x".repeat(9_000)
]
const numbers = [
  0,
  -0,
  1,
  -1.5,
  0.1 + 0.2,
  1e-300,
  5e-324,
  Number.MAX_VALUE,
  123_456_789.123_456_79
]
const times = [
  "2026-01-15T09:30:00.000Z",
  "2026-01-15T09:30:00Z",
  "2026-01-15T09:30:00.001Z",
  "1969-12-31T23:59:59.999Z"
]

/** A text, often one that is hard to keep. */
export const anyText = (random: Random): string => random.pick(texts)

/** A number, often one that is hard to keep. */
export const anyNumber = (random: Random): number => random.pick(numbers)

/** An instant, as callers may write it. */
export const anyTime = (random: Random): string => random.pick(times)

/** Some JSON, keys out of order included. */
export const anyJson = (random: Random) => ({
  z: anyText(random),
  a: [anyNumber(random), null, { [anyText(random)]: random.next() < 0.5 }],
  "10": 1,
  "9": 2
})

/** A page, of any size that there may be. */
export const anyPage = (random: Random, ids: ReadonlyArray<string>) => ({
  limit: random.integer(1, 3),
  before: random.next() < 0.5 ? undefined : random.pick(ids)
})

/** A timeframe of candles. */
export const anyTimeframe = (random: Random): Timeframe => random.pick(["1m", "1h", "1d"])

/** Runs a command while the clock shows a time, which is that of the stores too. */
export const atTime = <A, E, R>(
  nowMs: number,
  run: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) =>
    Effect.provideService(run, Clock.Clock, {
      currentTimeMillisUnsafe: () => nowMs,
      currentTimeMillis: Effect.succeed(nowMs),
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      currentTimeNanos: clock.currentTimeNanos,
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      sleep: (duration) => clock.sleep(duration)
    })
  )
