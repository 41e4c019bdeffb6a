/**
 * A bot on paper that one command disturbs differs from its backtest by that command alone: each
 * difference has it for its cause. So it is over the strategies of many kinds, on recordings and on
 * live markets.
 */
import {
  type BotStatusView,
  Candles,
  type ExpectedView,
  operatorAccountId,
  type Problem,
  type StoreError,
  type StrategyDefinition,
  type Trade
} from "@candlewick/core"
import type { Random } from "@candlewick/core/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomLadder } from "../../packages/engine/src/testing/randomLadder.ts"
import { atLeast, type Draw, draws } from "../draws.ts"
import { setTheScene, symbol } from "../stories/scene.ts"
import { columnsOf, makeScript, scriptStart } from "../stories/scripted.ts"
import { makeWallClock } from "../stories/wallClock.ts"
import { botsOver } from "../stories/world.ts"

const costs = { taker_rate: 0.001, maker_rate: 0.001, slippage_rate: 0.0005 }
const hourMs = 3_600_000
const candleCount = 90

const close = { type: "price", field: "close" } as const
const average = { type: "sma", period: 4 } as const

/** Enters above the average of the last candles and leaves below it, with all of its equity. */
const signals: StrategyDefinition = {
  format: 1,
  symbols: [symbol],
  timeframe: "1h",
  parameters: {},
  long: {
    enter: { type: "above", left: close, right: average },
    exit: { type: "below", left: close, right: average }
  }
}

const fixed = { type: "fixed_notional", notional: 600 } as const
const half = { type: "equity_fraction", fraction: 0.5 } as const
const stopOf = (value: number) => ({ stop_loss: { type: "fraction", value } }) as const

const strategies: Readonly<Record<string, StrategyDefinition>> = {
  signals,
  "half of the equity": { ...signals, sizing: half },
  "two markets": { ...signals, symbols: [symbol, "TWO/USD"], sizing: half, exits: stopOf(0.03) },
  "stop and target": {
    ...signals,
    exits: { ...stopOf(0.03), take_profit: { type: "fraction", value: 0.04 } }
  },
  ladder: {
    ...signals,
    long: { enter: { type: "above", left: close, right: average } },
    sizing: fixed,
    safety_orders: { count: 4, distance: 0.02, distance_factor: 1.3, size_factor: 1.5 },
    exits: { take_profit: { type: "fraction", value: 0.02 } }
  },
  cooldown: {
    ...signals,
    exits: stopOf(0.02),
    reentry: { cooldown: 2, cooldown_after_stop: 5 }
  },
  "resting entries": {
    ...signals,
    entry: { type: "limit", offset: 0.01, expires_after: 3 },
    exits: { trailing_stop: { distance: { type: "fraction", value: 0.03 } } }
  },
  "fixed size": { ...signals, sizing: fixed },
  targets: {
    ...signals,
    sizing: half,
    targets: [
      { at: { type: "fraction", value: 0.02 }, portion: 0.5, stop: "entry" },
      { at: { type: "fraction", value: 0.05 }, portion: 0.5 }
    ],
    exits: stopOf(0.04)
  }
}
const resting = new Set(["ladder", "resting entries", "drawn"])
const names = Object.keys(strategies)

const commands = ["none", "pause", "halt", "stop and keep", "stop and close", "close"] as const

const walk = (random: Random): ReadonlyArray<number> => {
  let price = 100
  return Array.from({ length: candleCount }, () => {
    price *= 1 + 0.02 * random.normal()
    return Math.round(price * 100) / 100
  })
}

/** The bot of a draw, what it is asked and when, and on which clock. */
const drawStory = ({ number, random }: Draw) => {
  const kind = random.next() < 0.8 ? random.pick(names) : "drawn"
  const symbols = random.pick([[symbol], [symbol, "TWO/USD"]] as const)
  const drawn = () => ({ ...randomLadder(random.next, { symbols }), timeframe: "1h" }) as const
  const definition: StrategyDefinition = strategies[kind] ?? drawn()
  return {
    kind,
    definition,
    command: commands[number % commands.length]!,
    clock: random.pick(["replay", "live"] as const),
    at: random.integer(10, 60),
    restCount: random.integer(1, 12),
    script: Object.fromEntries(definition.symbols.map((one) => [one, walk(random)]))
  }
}

type Story = ReturnType<typeof drawStory>

/** The candles that are imported anew, and their closes. */
const lifted = { from: 66, until: 74, factor: 1.05 } as const
const liftedOf = (closes: ReadonlyArray<number>): ReadonlyArray<number> =>
  closes.map((close, index) =>
    index >= lifted.from && index < lifted.until ? close * lifted.factor : close
  )

/** Imports candles of each market anew, with other prices. */
const importAnew = Effect.fnUntraced(function* (script: Story["script"]) {
  const candles = yield* Candles
  for (const [name, closes] of Object.entries(script)) {
    yield* candles.import(operatorAccountId, {
      key: { symbol: name, timeframe: "1h" },
      columns: columnsOf(liftedOf(closes)),
      on_conflict: "replace"
    })
  }
})

/** Runs the story of a bot to the end of its candles, and tells of it before and after an import. */
const play = ({ at, clock, command, definition, restCount, script }: Story) => {
  const { layer, tellUntil } = makeScript(script, clock)
  const wall = makeWallClock(scriptStart + candleCount * hourMs)
  const story = Effect.gen(function* () {
    const { accountId, becomes, bot, bots, reaches } = yield* setTheScene(script, {
      definition,
      market: { ...costs, lot: 0.0001, can_short: true }
    })
    const tell = Effect.fnUntraced(function* (count: number) {
      if (clock === "live") wall.told.timeMs = scriptStart + count * hourMs
      yield* tellUntil(count)
    })
    let told = 0
    const follow = Effect.fnUntraced(function* (count: number) {
      // On a live market, a candle that comes late is too old to enter on.
      for (told = clock === "live" ? told + 1 : count; told < count; told++) {
        yield* tell(told)
        yield* reaches(told - 1)
      }
      yield* tell(count)
      yield* reaches(count - 1)
    })
    const ask = Effect.fnUntraced(function* (
      name: "start" | "pause" | "stop",
      status: BotStatusView["status"],
      request = {}
    ) {
      yield* bots.command(accountId, bot.id, name, request)
      yield* becomes(status)
    })
    yield* tell(0)
    yield* ask("start", "running")
    yield* follow(at)
    // A machine that is busy with more may let its answer wait; the first one counts all the same.
    const isLate = ({ _tag, ...error }: Problem | StoreError) =>
      _tag === "Problem" && "code" in error && error.code === "unavailable"
    const closing = bots.closePositions(accountId, bot.id)
    if (command === "close") yield* Effect.retry(closing, { times: 9, while: isLate })
    if (command === "pause") {
      yield* ask("pause", "paused")
      yield* follow(at + restCount)
      yield* ask("start", "running")
    }
    if (command === "halt") {
      yield* bots.haltAll(accountId)
      yield* follow(at + restCount)
      yield* bots.resumeAll(accountId)
    }
    if (command.startsWith("stop")) {
      const positions = command === "stop and close" ? "close" : "keep"
      yield* bots.command(accountId, bot.id, "stop", { positions })
      // A stop that closes waits for the candle that fills its exits.
      yield* tell(at + 1)
      yield* becomes("stopped")
      yield* tell(at + restCount)
      yield* ask("start", "running")
      yield* reaches(at + restCount - 1)
    }
    if (command !== "none" && command !== "close") told = at + restCount
    yield* follow(candleCount)
    const view = yield* bots.expected(accountId, bot.id)
    const { items } = yield* bots.trades(accountId, bot.id, { limit: 1_000 })
    yield* importAnew(script)
    const anew = yield* bots.expected(accountId, bot.id)
    return { anew, trades: items.toReversed(), view }
  })
  return wall.on(Effect.provide(story, botsOver(layer)))
}

const sum = ({ differences }: ExpectedView): number =>
  differences.reduce((all, { amount }) => all + amount, 0)

/** The index of the candle of a difference. */
const indexOf = ({ expected_at, realized_at }: ExpectedView["differences"][number]): number =>
  (Date.parse((expected_at ?? realized_at)!) - scriptStart) / hourMs

const check = (view: ExpectedView, { at, command, kind, restCount }: Story, said: string): void => {
  assert.strictEqual(view.unexplained, 0, said)
  const found = view.differences.map(({ cause }) => cause)
  if (command === "none") return assert.deepStrictEqual(view.differences, [], said)
  assert.deepStrictEqual(
    found.filter((cause) => cause !== "command"),
    [],
    said
  )
  assert.closeTo(view.causes.command, view.difference, 1e-6, said)
  assert.closeTo(sum(view), view.difference, 1e-6, said)
  // All that comes of nothing earlier came while the command held, or in the candle after it.
  const own = view.differences.filter(({ follows }) => !follows)
  // An order that was placed again may differ in size where no fill is missing.
  if (found.length > 0 && !resting.has(kind)) {
    assert.strictEqual(own[0], view.differences[0], said)
  }
  for (const difference of own) {
    assert.isAtLeast(indexOf(difference), at, said)
    // An order that was taken back might have rested for long.
    if (resting.has(kind)) continue
    assert.isAtMost(indexOf(difference), at + (command === "close" ? 1 : restCount + 1), said)
  }
}

/** A fill without its quantity, which may differ for ever. */
const placeOf = ({ candle_time, leg, price, side, symbol: market }: Trade): string =>
  `${candle_time} ${market} ${side} ${leg} ${price}`

const timeOfIndex = (index: number): string => new Date(scriptStart + index * hourMs).toISOString()

/**
 * Whether a bot is back on the path of another before the candles that are imported anew: both open
 * the same position after the command, and make the same fills from there on.
 */
const isBack = (
  bot: ReadonlyArray<Trade>,
  calm: ReadonlyArray<Trade>,
  { at, restCount }: Story
): boolean => {
  const [own, other] = [bot, calm].map((trades) =>
    trades.filter(({ candle_time: time }) => time < timeOfIndex(lifted.from)).map(placeOf)
  )
  const shared = own!.filter((place) => other!.includes(place))
  const since = bot.find(
    (trade) =>
      trade.position_effect === "open" &&
      trade.candle_time > timeOfIndex(at + restCount + 1) &&
      [own!, other!].every((all) => {
        const rest = all.slice(all.indexOf(placeOf(trade)))
        return all.includes(placeOf(trade)) && rest.every((place) => shared.includes(place))
      })
  )
  return since !== undefined
}

/** The fills missing on one side that nothing explains, each by its place; no mere sizes. */
const unexplainedOf = (
  { differences }: ExpectedView,
  trades: ReadonlyArray<Trade>
): ReadonlyArray<string> => {
  const least = Math.min(...trades.map(({ amount }) => amount)) / 2
  return differences
    .filter(({ cause, quantity }) => cause === null && quantity > least)
    .map(
      ({ expected_at, leg, realized_at, side }) => `${expected_at} ${realized_at} ${side} ${leg}`
    )
}

const backKinds = ["signals", "half of the equity", "stop and target", "cooldown", "fixed size"]

describe("a bot on paper that one command disturbs", () => {
  it.effect(
    "differs by that command alone, and not at all where there is none",
    () =>
      Effect.gen(function* () {
        const seen = new Map<string, number>()
        for (const draw of draws("causes of commands", 75, 12)) {
          const story = drawStory(draw)
          const { view } = yield* play(story)
          const { command, kind } = story
          const said = `${draw.seed}: ${JSON.stringify({ ...story, script: undefined })} ${JSON.stringify(view.differences)}`
          check(view, story, said)
          const isFollowed = view.differences.some(({ follows }) => follows)
          for (const part of [kind, command, ...(isFollowed ? [`${command} follows`] : [])]) {
            seen.set(part, (seen.get(part) ?? 0) + 1)
          }
        }
        const followed = commands.slice(1).map((command) => `${command} follows`)
        for (const part of [...names, "drawn", ...commands, ...followed]) {
          assert.isAtLeast(seen.get(part) ?? 0, atLeast(1), part)
        }
      }),
    900_000
  )

  it.effect(
    "is not what candles change that are imported anew, once the bot is back on its path",
    () =>
      Effect.gen(function* () {
        const seen = new Map<string, number>()
        for (const draw of draws("causes that are over", 40, 10)) {
          const { random } = draw
          const kind = random.pick(backKinds)
          const story = {
            ...drawStory(draw),
            kind,
            definition: strategies[kind]!,
            command: random.pick(commands.slice(1)),
            at: random.integer(10, 20),
            restCount: random.integer(1, 6),
            script: { [symbol]: walk(random) }
          }
          const calm = yield* play({ ...story, command: "none" })
          const disturbed = yield* play(story)
          const { script: _, ...told } = story
          const said = `${draw.seed}: ${JSON.stringify(told)}`
          assert.strictEqual(disturbed.view.unexplained, 0, said)
          const wanted = unexplainedOf(calm.anew, calm.trades)
          if (wanted.length === 0 || !isBack(disturbed.trades, calm.trades, story)) continue
          const found = unexplainedOf(disturbed.anew, calm.trades)
          assert.includeMembers([...found], [...wanted], said)
          assert.notStrictEqual(disturbed.anew.unexplained, 0, said)
          if (disturbed.view.difference_count === 0) continue
          seen.set(kind, (seen.get(kind) ?? 0) + 1)
        }
        for (const kind of backKinds) assert.isAtLeast(seen.get(kind) ?? 0, atLeast(1), kind)
      }),
    900_000
  )
})
