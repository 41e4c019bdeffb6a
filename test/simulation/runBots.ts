/**
 * Runs a history of bots. Faults come to the processes and the bots. Then comes a while without
 * faults, after which everything must be as if there had been none.
 */
import {
  Bots,
  BotStore,
  DeliveryStore,
  EndpointStore,
  Events,
  type ListedDelivery,
  Outbox,
  type Trade
} from "@candlewick/core"
import { sliceColumns } from "@candlewick/core/kernel"
import { Context, Effect, Exit, Option } from "effect"
import type { BotHistory, HistoryEvent } from "./botHistory.ts"
import { demand } from "./invariants.ts"
import { backtestFills, type Fill } from "./strategies.ts"
import { type Lane, Violation } from "./seededScheduler.ts"
import type { World, WorldBot } from "./world.ts"

/** How long everything may take to be well again once faults have ended. */
const healMs = 60_000
const lookMs = 1_000

const disturbing: ReadonlySet<string> = new Set(["pause", "stop", "close", "resumeRisk"])

const disturb = (world: World, event: HistoryEvent): void => {
  if (event.do === "halt") for (const bot of world.bots) bot.isDisturbed = true
  else if ("bot" in event && disturbing.has(event.do)) world.bots[event.bot]!.isDisturbed = true
}

/** A command to a bot, as a caller gives it. */
const command = (world: World, event: HistoryEvent & { readonly bot: number }) => {
  const { accountId } = world
  const { id } = world.bots[event.bot]!
  return Effect.flatMap(Bots, (bots): Effect.Effect<unknown, unknown> => {
    switch (event.do) {
      case "start":
      case "pause":
        return bots.command(accountId, id, event.do)
      case "stop":
        return bots.command(accountId, id, "stop", { positions: event.positions })
      case "close":
        return bots.closePositions(accountId, id)
      case "resumeRisk":
        return bots.resumeRisk(accountId, id)
      case "rename":
        return bots.update(accountId, id, { name: `a bot at ${world.simulator.nowMs}` })
      case "reconcile":
        return bots.reconcile(accountId, id, { accept: event.accept })
      default:
        return Effect.void
    }
  })
}

/** A command that wants a bot to be something. */
export interface Wish {
  readonly desired: string
  readonly isClosing: boolean
  readonly lane: Lane
  /** Whether another command was under way with it, so that nobody knows which came last. */
  isAlone: boolean
  isEnded: boolean
  isAnswered: boolean
}

/** The commands of the history. */
export class Asked {
  readonly wishes = new Map<number, Array<Wish>>()

  wish(bot: number, desired: string, isClosing: boolean, lane: Lane): Wish {
    const before = this.wishes.get(bot) ?? []
    const underWay = before.filter(({ isEnded, lane }) => !isEnded && lane.status !== "dead")
    for (const one of underWay) one.isAlone = false
    const isAlone = underWay.length === 0
    const made = { desired, isClosing, lane, isAlone, isEnded: false, isAnswered: false }
    this.wishes.set(bot, [...before, made])
    return made
  }
}

const desiredBy: Readonly<Record<string, string>> = {
  start: "running",
  pause: "paused",
  stop: "stopped"
}

const ask = (world: World, asked: Asked, event: HistoryEvent): void => {
  disturb(world, event)
  const { accountId, counts } = world
  const note = (exit: Exit.Exit<unknown, unknown>): void =>
    counts.add(`${event.do}.${Exit.isSuccess(exit) ? "answered" : "refused"}`)
  if (event.do === "halt" || event.do === "resumeAll") {
    const call = Effect.flatMap(Bots, (bots): Effect.Effect<unknown, unknown> =>
      event.do === "halt" ? bots.haltAll(accountId) : bots.resumeAll(accountId)
    )
    world.ask(event.process, call, note)
    return
  }
  if (!("bot" in event)) return
  const desired = desiredBy[event.do]
  const lane = world.laneOf(event.process)
  if (lane === null) return
  const isClosing = event.do === "stop" && event.positions === "close"
  const wish = desired === undefined ? null : asked.wish(event.bot, desired, isClosing, lane)
  world.ask(event.process, command(world, event), (exit) => {
    note(exit)
    if (wish === null) return
    wish.isEnded = true
    wish.isAnswered = Exit.isSuccess(exit)
  })
}

/** Has something happen to bots and processes. */
export const happen = (world: World, asked: Asked, event: HistoryEvent): void => {
  const { process } = event
  const lane = world.laneOf(process)
  switch (event.do) {
    case "kill":
      return world.kill(process)
    case "restart":
      return world.startProcess(process)
    case "end":
      return world.end(process)
    case "freeze":
      return world.freeze(process, event.ms)
    case "skew":
      return world.skew(process, event.ms)
    case "receiver":
      world.receiver.answer = event.answer
      return
    case "store":
      world.server.rates = event
      return
    case "cut":
      return lane === null ? undefined : world.market.cut(lane)
    case "lag":
      return lane === null ? undefined : world.market.lag(lane, event.ms)
    case "mend":
      return lane === null ? undefined : world.market.mend(lane)
    case "move":
      if (lane !== null) world.place((all) => all.give(world.bots[event.bot]!.share, lane))
      return
    case "steal":
      if (lane !== null) {
        world.place((all) => all.steal(world.bots[event.bot]!.share, lane, event.ms))
      }
      return
    case "arm": {
      if (lane === null) return
      const armed = world.server.armed.get(lane) ?? []
      world.server.armed.set(lane, armed)
      armed.push({ fault: event.fault, left: event.after, isBefore: event.isBefore, ms: event.ms })
      return
    }
    default:
      return ask(world, asked, event)
  }
}

/** How long nobody looks at what is to hold all the time. */
const lookEveryMs = 2_000

/** Lets time pass, in which candles are told, and stops at the first thing that is wrong. */
export class Passing {
  readonly #world: World
  readonly #tellMs: number
  #nextTellMs: number
  /** Looks at what is to hold all the time. */
  readonly #look: (() => void) | null

  constructor(world: World, tellMs: number, look: (() => void) | null = null) {
    this.#look = look
    this.#world = world
    this.#tellMs = tellMs
    this.#nextTellMs = world.simulator.nowMs + tellMs
  }

  pass(ms: number): void {
    const { simulator } = this.#world
    const endMs = simulator.nowMs + ms
    while (simulator.nowMs < endMs) {
      const lookedAtMs = this.#look === null ? Infinity : simulator.nowMs + lookEveryMs
      simulator.pass(Math.min(endMs, this.#nextTellMs, lookedAtMs) - simulator.nowMs)
      if (simulator.nowMs === this.#nextTellMs) {
        this.#world.tell()
        this.#nextTellMs += this.#tellMs
      }
      this.check()
    }
    simulator.settle()
    this.check()
  }

  check(): void {
    this.#look?.()
    if (this.#world.violation !== null) throw this.#world.violation
  }
}

const fillOf = (trade: Trade): Fill => ({
  symbol: trade.symbol,
  time: Date.parse(trade.executed_at),
  side: trade.side,
  quantity: trade.amount,
  price: trade.price,
  fee: trade.fee,
  leg: trade.leg
})

const statusOf: Readonly<Record<string, string>> = {
  running: "running",
  paused: "paused",
  stopped: "stopped"
}

/** Whether an exit of a bot is left to a person, for its exchange proves nothing. */
const asksOperator = ({ live }: World, { id }: WorldBot): boolean =>
  [...(live?.watch.attempts.values() ?? [])].some(
    ({ bot_id, leg, state }) => bot_id === id && leg !== "entry" && state === "given_up"
  )

/** The fault of a bot; null where there is none. */
const unwell = (world: World, own: WorldBot): string | null => {
  const { id } = own
  const { bot, cursor, orders } = world.watch.bots.get(id)!
  const isClosing = bot.status === "stopping" && asksOperator(world, own)
  const isAsWanted = bot.status === statusOf[bot.desired_status] || isClosing
  if (bot.status !== "created" && !isAsWanted) {
    return `it is ${bot.status}, and ${bot.desired_status} was asked`
  }
  const isFollowing = bot.status === "running" || bot.status === "paused"
  const newest = world.market.series.get(bot.symbols[0]!)!.time[world.market.count - 1]
  if (isFollowing && cursor !== newest) return `it has not worked off all candles`
  for (const order of orders.values()) {
    const isOpen = ["new", "submitted", "unknown"].includes(order.status)
    if (world.live === null && isOpen && bot.status !== "created")
      return `an order is ${order.status}`
  }
  return null
}

/** The deliveries of webhooks. */
const deliveriesOf = (world: World): ReadonlyArray<ListedDelivery> => {
  const deliveries = Context.get(world.stores, DeliveryStore)
  const endpoints = Context.get(world.stores, EndpointStore)
  const [endpoint] = Effect.runSync(endpoints.list(world.accountId, { limit: 1 })).items
  return Effect.runSync(deliveries.list(endpoint!.id, { limit: 1_000 })).items
}

/** The fault of events: all are published, and none waits that was not refused before. */
const unsent = (world: World): string | null => {
  const outbox = Context.get(world.stores, Outbox)
  if (Effect.runSync(outbox.peek(1)).length > 0) return "an event was not published"
  const isWaiting = deliveriesOf(world).some(({ status }) => isUnsent.has(status))
  return isWaiting ? "a webhook was not sent" : null
}

const isUnsent: ReadonlySet<string> = new Set(["pending", "sending"])

/** Ends all faults, tells the other candles, and waits until all is well. */
export const heal = (
  world: World,
  passing: Passing,
  limitMs = healMs,
  unwellElsewhere: () => string | null = () => null
): void => {
  world.heal()
  while (!world.market.isOver) passing.pass(lookMs)
  const sinceMs = world.simulator.nowMs
  for (;;) {
    passing.pass(lookMs)
    world.heal()
    world.refuseEndless()
    const [found] = [
      ...world.bots.map((bot) => unwell(world, bot)),
      unsent(world),
      unwellElsewhere()
    ].filter((one) => one !== null)
    if (found === undefined && world.isWhole) return
    const isLate = world.simulator.nowMs - sinceMs > limitMs
    if (isLate) {
      throw new Violation(`long after all faults, not all is well: ${found ?? "a process"}`)
    }
  }
}

/** Calls a process where all is well, and waits for its answer. */
export const answerOf = <A, E>(
  world: World,
  passing: Passing,
  effect: Parameters<typeof world.now<A, E>>[1]
): A => {
  const answered: Array<A> = []
  for (let attempt = 0; attempt < 20; attempt++) {
    world.ask(0, effect, (exit) => {
      if (Exit.isSuccess(exit)) answered.push(exit.value)
      else throw new Violation(`a call is refused where all is well: ${String(exit.cause)}`)
    })
    passing.pass(attempt === 0 ? 1 : lookMs)
    if (answered.length > 0) return answered[0]!
  }
  throw new Violation("a call is not answered where all is well")
}

/** The books of a bot agree with its picture, and its trades are listed as they were kept. */
export const checkBooks = (world: World, passing: Passing, { id }: WorldBot): void => {
  const { accountId, watch } = world
  const { differences } = answerOf(
    world,
    passing,
    Effect.flatMap(Bots, (bots) => bots.reconcile(accountId, id))
  )
  demand(differences.length === 0, `a bot differs from its broker: ${JSON.stringify(differences)}`)
  const { trades } = watch.bots.get(id)!
  const keptCount = trades.size
  const { items } = answerOf(
    world,
    passing,
    Effect.flatMap(Bots, (bots) => bots.trades(accountId, id, { limit: 1_000 }))
  )
  // An exchange may fill on while the answer is on its way.
  const isListed = items.length >= keptCount && items.length <= trades.size
  demand(isListed, `${items.length} trades are listed, and ${keptCount} were kept`)
}

/** Each difference between a bot and the backtest of its period has a cause. */
export const checkExpected = (world: World, passing: Passing, { id }: WorldBot) => {
  const { accountId, counts } = world
  const view = answerOf(
    world,
    passing,
    Effect.flatMap(Bots, (bots) => bots.expected(accountId, id))
  )
  for (const { cause } of view.differences) counts.add(`expected.${cause}`)
  const unexplained = view.differences.filter(({ cause }) => cause === null)
  demand(
    view.unexplained === 0 && unexplained.length === 0,
    `${view.unexplained} of what a bot earned is unexplained: ${JSON.stringify(unexplained)}`
  )
  return view
}

const checkBot = (world: World, passing: Passing, bot: WorldBot): void => {
  checkBooks(world, passing, bot)
  checkExpected(world, passing, bot)
  const { counts, market, watch } = world
  const { id } = bot
  const kept = [...watch.bots.get(id)!.trades.values()]
  const fills = kept.map(fillOf)
  if (bot.isDisturbed || watch.bots.get(id)!.bot.status !== "running") return
  const columnsOf = (symbol: string) => sliceColumns(market.series.get(symbol)!, 0, market.count)
  const wanted = backtestFills(bot.definition, columnsOf)
  counts.add("backtests")
  counts.add("backtests.fills", wanted.length)
  const at = fills.findIndex((fill, index) => !isEqual(fill, wanted[index]))
  if (at < 0 && fills.length === wanted.length) return
  const [has, should] = [fills, wanted].map((all) => JSON.stringify(all.at(at) ?? null))
  throw new Violation(
    `fill ${at} of ${fills.length} is ${has}; fill ${at} of ${wanted.length} of the backtest is ${should}`
  )
}

const isEqual = (one: Fill, other: Fill | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Each trade was announced once, and the receiver was told of it. */
export const checkEvents = (world: World, passing: Passing): void => {
  const { accountId, receiver, watch } = world
  const events = answerOf(
    world,
    passing,
    Effect.flatMap(Events, ({ list }) => list(accountId, { after: 0, limit: 100_000 }))
  )
  const trades = events.flatMap(({ event }) =>
    event.event === "trade.executed"
      ? [(JSON.parse(event.body) as { data: { trade_id: string } }).data.trade_id]
      : []
  )
  const kept = [...watch.bots.values()].reduce((sum, bot) => sum + bot.trades.size, 0)
  demand(trades.length === kept, `${kept} trades were announced ${trades.length} times`)
  demand(new Set(trades).size === trades.length, "a trade was announced twice")
  const all = deliveriesOf(world)
  for (const { event, event_id: id, status } of all) {
    if (event !== "trade.executed" || status !== "succeeded") continue
    demand(receiver.accepted.has(id), `the event ${id} counts as delivered, and was not`)
  }
  world.counts.add("deliveries", all.length)
}

/** A command that was answered, and after which no other one came, is kept. */
export const checkWishes = (world: World, { wishes }: Asked): void => {
  const bots = Context.get(world.stores, BotStore)
  for (const [at, ofBot] of wishes) {
    const last = ofBot.at(-1)!
    if (!last.isAnswered || !last.isAlone) continue
    const found = Effect.runSync(bots.get(world.accountId, world.bots[at]!.id))
    const now = Option.getOrThrow(found).desired_status
    demand(now === last.desired, `${last.desired} was answered, and ${now} is kept`)
  }
}

/** Runs a history of bots, and throws the first thing that does not hold. */
export const carryOutBots = (history: BotHistory, world: World): void => {
  const passing = new Passing(world, history.tellMs)
  const asked = new Asked()
  for (const event of history.events) {
    passing.pass(event.afterMs)
    world.counts.add(`event.${event.do}`)
    happen(world, asked, event)
    world.simulator.settle()
    passing.check()
  }
  passing.pass(history.tellMs)
  heal(world, passing)
  checkWishes(world, asked)
  for (const bot of world.bots) checkBot(world, passing, bot)
  checkEvents(world, passing)
}
