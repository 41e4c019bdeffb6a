/**
 * Runs a history of live bots. Faults come to them, their processes and their exchange. Then comes
 * a while without faults, after which bots, books and exchange must agree.
 */
import { Bots, type Order } from "@candlewick/core"
import { Effect } from "effect"
import { isProtective } from "../../../packages/core/src/services/orderLegs.ts"
import {
  type AtExchange,
  happenThere,
  tradeFacts,
  unknownAtExchange
} from "../accounts/runAccount.ts"
import { demand } from "../invariants.ts"
import {
  answerOf,
  Asked,
  checkBooks,
  checkExpected,
  checkEvents,
  checkWishes,
  happen,
  heal,
  Passing
} from "../runBots.ts"
import type { World } from "../world.ts"
import { fundingFacts, priceFacts, overtime, unbooked, unclosed, unprotected } from "./liveBooks.ts"
import { isLive, isThere, type LiveHistory, unprotectedMsOf } from "./liveHistory.ts"
import type { LiveSide } from "./liveSide.ts"
import { buyBack, happenLive } from "./happenLive.ts"
import { StopWatch } from "./stopWatch.ts"
import { unheld } from "./liveHoldings.ts"

/** An account is reconciled each minute, and a stop that is missing is told of after one. */
const healMs = 300_000
const lookMs = 1_000

/** Whether a time limit of a bot's entries is over when the first candle could fill an order. */
const isBornOver = ({ bots, market }: World, { bot_id: botId, candle_time: time }: Order) => {
  const { additions = [], entry } = bots.find(({ id }) => id === botId)!.definition
  const opensMs = Date.parse(time) + market.times.candleMs
  const resting = [entry, ...additions.map((one) => one.entry)].flatMap((one) => {
    if (one === undefined || one.type === "market") return []
    return one.type === "one_cancels_other" ? one.orders : [one]
  })
  return resting.some(({ until }) => until !== undefined && Date.parse(until) <= opensMs)
}

const atExchange = (world: World, { venue, watch }: LiveSide): AtExchange => ({
  counts: world.counts,
  simulator: world.simulator,
  venue,
  watch,
  isBornOver: (order) => isBornOver(world, order)
})

const checkBot = (world: World, passing: Passing, at: number, asked: Asked): void => {
  const bot = world.bots[at]!
  checkBooks(world, passing, bot)
  checkExpected(world, passing, bot)
  const status = answerOf(
    world,
    passing,
    Effect.flatMap(Bots, (bots) => bots.status(world.accountId, bot.id))
  )
  // Nothing sells a rest that is too small, and the status says so.
  const isHolding = status.open_positions.some((one) => one.is_dust !== true)
  const held = new Set(status.open_positions.map(({ symbol }) => symbol))
  const vain = status.open_orders.find((one) => isProtective(one) && !held.has(one.symbol))
  demand(vain === undefined, `${vain?.client_order_id} protects nothing`)
  const last = asked.wishes.get(at)?.at(-1)
  const isClosed = last !== undefined && last.isAnswered && last.isAlone && last.isClosing
  if (isClosed && status.status === "stopped") {
    demand(!isHolding, "a bot was stopped and closed, and holds a position")
    world.counts.add("live.closed")
  }
  if (isHolding && status.protection === "venue") world.counts.add("live.protected")
}

/** An order at the market would fill while the checks ask one after the other; null for none. */
const unfilled = ({ venue }: LiveSide): string | null =>
  venue.orders.some(({ status, type }) => type === "market" && status === "open")
    ? "an order at the market is yet to fill"
    : null

/** The order that rests beside one of its group that has filled; null for none. */
const leftOfGroup = ({ venue, watch }: LiveSide): string | null => {
  const left = venue.orders.find(({ id, status }) => {
    const attempt = id === null ? undefined : watch.attempts.get(id)
    return status === "open" && attempt !== undefined && watch.hasOtherFilled(attempt)
  })
  return left === undefined ? null : `${left.id} rests, and another of its group has filled`
}

/** Runs a history of live bots, and throws the first thing that does not hold. */
export const carryOutLive = (history: LiveHistory, world: World): void => {
  const live = world.live!
  const there = atExchange(world, live)
  const stops = new StopWatch(unprotectedMsOf(history))
  const passing = new Passing(world, history.tellMs, () => stops.look(world, live))
  const asked = new Asked()
  for (const event of history.events) {
    passing.pass(event.afterMs)
    world.counts.add(`event.${event.do}`)
    if (isThere(event)) happenThere(there, event)
    else if (isLive(event)) happenLive(world, live, event)
    else happen(world, asked, event)
    world.simulator.settle()
    passing.check()
  }
  passing.pass(history.tellMs)
  // The exchange goes on failing for a while, where all else is well.
  for (let leftMs = history.venueFailsMs ?? 0; leftMs > 0; leftMs -= lookMs) {
    world.healProcesses()
    passing.pass(lookMs)
  }
  heal(world, passing, healMs, () => {
    buyBack(world, live)
    live.watch.refuseTwice(live.venue.orders)
    const payments = { paid: fundingFacts(live.watch), priced: priceFacts(live.watch) }
    const found = world.bots.map((bot) => unbooked(world, bot, tradeFacts(there), payments))
    const bare = world.bots.map((bot) => unprotected(world, bot, live))
    const left = world.bots.map((bot) => unclosed(world, bot, live) ?? overtime(world, bot, live))
    const differing = [...found, ...bare, ...left].find((one) => one !== null)
    const open = unfilled(live) ?? leftOfGroup(live) ?? live.shortage.unsettled
    return unknownAtExchange(there) ?? differing ?? open ?? unheld(world, live)
  })
  checkWishes(world, asked)
  for (const at of world.bots.keys()) checkBot(world, passing, at, asked)
  checkEvents(world, passing)
  world.counts.add("live.orders", live.venue.orders.length)
  const filled = [...live.watch.attempts.values()].filter(
    ({ filled_quantity: quantity, group }) => group !== undefined && Number(quantity) > 0
  )
  world.counts.add("live.filledOfGroup", filled.length)
  world.counts.add("live.trades", tradeFacts(there).length)
}
