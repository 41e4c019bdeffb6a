/**
 * Every kind of hindrance, and the four places that tell an operator of it: the bot's log, its
 * status, the metrics and an alert.
 */
import {
  type Alert,
  Alerts,
  type Bots,
  ExposureGuard,
  type Hindrance,
  type HindranceKind,
  hindranceKinds,
  PaperBooks,
  riskProfiles
} from "@candlewick/core"
import { type DrawFault, orderRequest } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { openOrdersOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import { holdLive, liveWorld, makeModel } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { setTheScene, symbol, world } from "./scene.ts"
import { candleOf, makeScript, scriptStart } from "./scripted.ts"
import { makeWallClock } from "./wallClock.ts"
import { botsOver, eventually, type World } from "./world.ts"

const hourMs = 3_600_000

/** A bot at work that nothing hinders, and how that changes. */
interface Free {
  readonly accountId: string
  readonly bot: { readonly id: string }
  readonly bots: Bots["Service"]
  readonly hinder: Effect.Effect<unknown, unknown>
  readonly relieve: Effect.Effect<unknown, unknown>
}

/** A world in which a hindrance can be brought about. */
interface Cause {
  readonly layer: Layer.Layer<Layer.Success<typeof World>, unknown>
  /** The clock of the world. */
  readonly on: <A, E, R>(test: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly begin: Effect.Effect<Free, unknown, Layer.Success<typeof World>>
}

/** A market that moves nowhere, on which the bot enters nothing. */
const flat = Array.from({ length: 12 }, () => 99)

/** A bot on paper on a live market, in a process that may have a hindrance of its own. */
const onLiveMarket = (
  change: (world: {
    readonly host: { hindrance: Hindrance | null }
    /** Lets hours pass, of which the last one's candle comes in time. */
    readonly next: (hours: number) => Effect.Effect<unknown, unknown>
    readonly pass: (hours: number) => Effect.Effect<void>
  }) => Pick<Free, "hinder" | "relieve">
): Cause => {
  const script = { [symbol]: flat }
  const { layer, tellUntil } = makeScript(script, "live")
  const host = { hindrance: null as Hindrance | null }
  const guard = Layer.succeed(
    ExposureGuard,
    Effect.sync(() => host.hindrance)
  )
  const wall = makeWallClock(scriptStart + flat.length * hourMs)
  const pass = (hours: number) => Effect.sync(() => void (wall.told.timeMs += hours * hourMs))
  const begin = Effect.gen(function* () {
    const scene = yield* setTheScene(script)
    const next = Effect.fnUntraced(function* (hours: number) {
      yield* pass(hours)
      const count = (wall.told.timeMs - scriptStart) / hourMs
      yield* tellUntil(count)
      yield* scene.reaches(count - 1)
    })
    wall.told.timeMs = scriptStart
    yield* scene.bots.command(scene.accountId, scene.bot.id, "start")
    yield* next(1)
    return { ...scene, ...change({ host, next, pass }) }
  })
  return { layer: botsOver(layer).pipe(Layer.provide(guard)), on: wall.on, begin }
}

/** A process whose watch over its store has found a fault. */
const ofStore = (kind: "slow_store" | "damaged_store") =>
  onLiveMarket(({ host, next }) => {
    const found = { kind, since: "2024-01-01T00:00:00.000Z", message: "the store is not well" }
    const has = (hindrance: Hindrance | null) =>
      Effect.andThen(
        Effect.sync(() => void (host.hindrance = hindrance)),
        next(1)
      )
    return { hinder: has(found), relieve: has(null) }
  })

type Scene = Effect.Success<ReturnType<typeof setTheScene>>

/** A bot on paper on a recording, of which it has seen two candles. */
const onRecording = (
  closes: ReadonlyArray<number>,
  change: (
    scene: Scene & { readonly tell: (count: number) => Effect.Effect<unknown, unknown> }
  ) => Pick<Free, "hinder" | "relieve">,
  options: Parameters<typeof setTheScene>[1] = {}
): Cause => {
  const script = { [symbol]: closes }
  const { layer, tellUntil } = world(script)
  const begin = Effect.gen(function* () {
    const scene = yield* setTheScene(script, options)
    const tell = (count: number) => Effect.andThen(tellUntil(count), scene.reaches(count - 1))
    yield* scene.bots.command(scene.accountId, scene.bot.id, "start")
    yield* tell(2)
    return { ...scene, ...change({ ...scene, tell }) }
  })
  return { layer, on: whileTimePasses, begin }
}

/** Buys five at the exchange of a bot without a word to it. */
const buyBehindItsBack = Effect.fnUntraced(function* (botId: string) {
  const books = yield* PaperBooks
  yield* books.place(botId, 0, orderRequest({ id: "foreign", quantity: 5 }))
  yield* books.settle(botId, [{ symbol, ...candleOf(flat, 1) }])
})

/** A live bot with a position and its stop, at an exchange with faults. */
const live = (
  change: (exchange: {
    readonly model: ReturnType<typeof makeModel>
    readonly faults: (draw: DrawFault) => Effect.Effect<void>
    /** Ends the stop at the exchange, so that it is asked for again. */
    readonly endStop: Effect.Effect<void>
  }) => Pick<Free, "hinder" | "relieve">,
  { bareSeconds, windowMs } = { bareSeconds: 3_600, windowMs: 5_000 }
): Cause => {
  let drawFault: DrawFault = () => ({})
  const model = makeModel({ capabilities: { windowMs }, drawFault: (call) => drawFault(call) })
  const faults = (draw: DrawFault) => Effect.sync(() => void (drawFault = draw))
  const endStop = Effect.gen(function* () {
    const stop = openOrdersOf(yield* model.truth).find(({ type }) => type === "stop")!
    yield* model.act({ type: "end", id: stop.id!, status: "cancelled" })
  })
  const told = liveWorld(model)
  const risk = { ...unlimited, unprotected_max_seconds: bareSeconds }
  const begin = Effect.gen(function* () {
    const held = yield* holdLive(model, told, undefined, { risk })
    return { ...held, ...change({ model, faults, endStop }) }
  })
  return { layer: told.layer, on: whileTimePasses, begin }
}

const unlimited = {
  ...riskProfiles.low,
  max_drawdown: 1,
  daily_loss: 1,
  max_exposure: 10,
  risk_per_trade: 1,
  is_stop_loss_mandatory: false
}

/** Answers nothing that it is asked. */
const silent: DrawFault = ({ type }) =>
  type === "submit" || type === "cancel" ? {} : { outcome: "lost_before" }

const sells =
  (outcome: "refused" | "lost_before"): DrawFault =>
  (call) =>
    call.type === "submit" && call.order.side === "sell" ? { outcome } : {}

const faultless: DrawFault = () => ({})

/** A kind of hindrance, and where it is told under a name of its own. */
interface Told {
  readonly cause: () => Cause
  /** The event of the log. */
  readonly event?: string
  /** The metric of the alert; null for a kind without one. */
  readonly metric?: Alert["metric"] | null
}

/** A bot that no process runs writes nothing; `ownership.test.ts` has its status. */
const table: Readonly<Record<Exclude<HindranceKind, "ownership">, Told>> = {
  slow_store: { cause: () => ofStore("slow_store") },
  damaged_store: { cause: () => ofStore("damaged_store") },
  stale_data: {
    cause: () => onLiveMarket(({ next, pass }) => ({ hinder: pass(2), relieve: next(1) }))
  },
  data_ended: {
    cause: () =>
      onRecording([99, 99, 99], ({ accountId, bot, bots, tell }) => ({
        hinder: tell(3),
        relieve: bots.command(accountId, bot.id, "stop")
      })),
    event: "data.ended",
    metric: null
  },
  risk_gate: {
    // Ten that are bought at 101 lose more than a hundredth of 10,000.
    cause: () =>
      onRecording(
        [99, 101, 101, 90, 90, 90],
        ({ accountId, bot, bots, tell }) => ({
          hinder: tell(4),
          relieve: Effect.andThen(bots.resumeRisk(accountId, bot.id), tell(5))
        }),
        { risk: { ...unlimited, max_drawdown: 0.01 } }
      )
  },
  mismatch: {
    cause: () => {
      const { begin, ...rest } = onRecording(flat, ({ accountId, bot, bots, tell }) => ({
        hinder: Effect.andThen(bots.reconcile(accountId, bot.id), tell(3)),
        relieve: Effect.andThen(bots.reconcile(accountId, bot.id, { accept: true }), tell(4))
      }))
      return { ...rest, begin: Effect.tap(begin, ({ bot }) => buyBehindItsBack(bot.id)) }
    },
    metric: "reconcile_mismatch"
  },
  account_halted: {
    cause: () =>
      onRecording(flat, ({ accountId, bots, tell }) => ({
        hinder: Effect.andThen(bots.haltAll(accountId), tell(3)),
        relieve: Effect.andThen(bots.resumeAll(accountId), tell(4))
      })),
    metric: "kill_switch"
  },
  unknown_order: {
    cause: () =>
      live(
        ({ endStop, faults }) => ({
          hinder: Effect.andThen(faults(sells("lost_before")), endStop),
          relieve: Effect.andThen(faults(faultless), Effect.sleep("30 seconds"))
        }),
        { bareSeconds: 3_600, windowMs: 30_000 }
      )
  },
  venue: {
    cause: () => live(({ faults }) => ({ hinder: faults(silent), relieve: faults(faultless) }))
  },
  maintenance: {
    cause: () =>
      live(({ model }) => ({
        hinder: model.act({ type: "maintenance", isDown: true }),
        relieve: model.act({ type: "maintenance", isDown: false })
      }))
  },
  unprotected: {
    cause: () =>
      live(
        ({ endStop, faults }) => ({
          hinder: Effect.andThen(faults(sells("refused")), endStop),
          relieve: faults(faultless)
        }),
        { bareSeconds: 5, windowMs: 5_000 }
      ),
    event: "protection.missing"
  }
}

/** The kinds that the metric shows of any bot. */
const shownKinds = Effect.map(Metric.snapshot, (metrics) =>
  metrics.flatMap(({ attributes, id, state }) =>
    id === "candlewick_bots_hindered" && (state as { readonly value: number }).value > 0
      ? [`${attributes!["kind"]} ${(state as { readonly value: number }).value}`]
      : []
  )
)

const tellingEvents = ["bot.hindered", "bot.unhindered", "data.ended", "protection.missing"]

/** Everything that the four places say of a bot. */
const placesOf = Effect.fnUntraced(function* ({ accountId, bot, bots }: Free) {
  const { hindrances } = yield* bots.status(accountId, bot.id)
  const { items: lines } = yield* bots.logs(accountId, bot.id, { limit: 99 })
  const { items: alerts } = yield* (yield* Alerts).list(accountId, { limit: 99 })
  return {
    log: lines
      .filter(({ event }) => tellingEvents.includes(event))
      .map(({ data, event }) =>
        [event, data["kind"]].filter((one) => typeof one === "string").join(" ")
      )
      .toReversed(),
    status: hindrances.map(({ kind }) => kind),
    metrics: yield* shownKinds,
    alerts: alerts.flatMap(({ fired_count: count, metric }) =>
      Array.from({ length: count }, () => metric)
    )
  }
})

type Places = Effect.Success<ReturnType<typeof placesOf>>

/** The places with those lines and alerts alone that are new. */
const since = (before: Places, now: Places): Places => {
  const earlier = [...before.alerts]
  const isNew = (metric: Alert["metric"]) => {
    const at = earlier.indexOf(metric)
    if (at >= 0) earlier.splice(at, 1)
    return at < 0
  }
  const log = now.log.slice(before.log.length)
  return { ...now, log, alerts: now.alerts.filter(isNew) }
}

/** The places once they say what is wanted; a failed assertion shows what they say instead. */
const comesTo = Effect.fnUntraced(function* <E, R>(
  places: Effect.Effect<Places, E, R>,
  wanted: Partial<Places>
) {
  const isWanted = (now: Places) =>
    Object.entries(wanted).every(
      ([place, said]) => JSON.stringify(now[place as keyof Places]) === JSON.stringify(said)
    )
  const now = yield* Effect.catchDefect(eventually(places, isWanted), () => places)
  assert.deepStrictEqual(now, { ...now, ...wanted })
  return now
})

describe("a hindrance of each kind", () => {
  it("is brought about in this file, but for that of a bot without a process", () => {
    const kinds = [...Object.keys(table), "ownership"]
    assert.sameMembers(kinds, [...hindranceKinds])
  })

  it.effect.each(Object.entries(table))(
    "is told in the log, the status, the metrics and by an alert: %s",
    ([kind, { cause, event, metric = "hindered" }]) => {
      const { begin, layer, on } = cause()
      const comes = event ?? `bot.hindered ${kind}`
      return Effect.gen(function* () {
        const free = yield* begin
        const before = yield* comesTo(placesOf(free), { status: [], metrics: [] })
        const places = Effect.map(placesOf(free), (now) => since(before, now))
        yield* free.hinder
        yield* comesTo(places, {
          log: [comes],
          status: [kind as HindranceKind],
          metrics: [`${kind} 1`],
          alerts: metric === null ? [] : [metric]
        })
        yield* free.relieve
        const log = event === undefined ? [comes, `bot.unhindered ${kind}`] : [comes]
        yield* comesTo(places, { log, status: [], metrics: [] })
      }).pipe(Effect.provide(layer), on)
    }
  )
})
