/**
 * Runs a history of live bots: what happens to them, their processes and their exchange, then a
 * while without faults, after which bots, books and exchange must agree.
 */
import { Bots, VenueAccountStore } from "@candlewick/core"
import { holdingsOf, tradesOf } from "../../../packages/core/src/testing/modelVenue/Exchange.ts"
import { BigDecimal, Context, Effect, Option } from "effect"
import {
  allocate,
  bookTrade,
  emptyAccountBook,
  ownedBy
} from "../../../packages/core/src/domain/AccountBook.ts"
import { decimalOfUnsafe, decimalText } from "../../../packages/core/src/domain/decimals.ts"
import { isProtective } from "../../../packages/core/src/services/bots/protectiveOrders.ts"
import { bookOf } from "../../../packages/core/src/services/venues/agent/agentState.ts"
import {
  type AtExchange,
  happenThere,
  tradeFacts,
  unknownAtExchange
} from "../accounts/runAccount.ts"
import { marketAt } from "../accounts/faultyVenue.ts"
import { demand } from "../invariants.ts"
import {
  answerOf,
  Asked,
  checkBooks,
  checkEvents,
  checkWishes,
  happen,
  heal,
  Passing
} from "../runBots.ts"
import type { World } from "../world.ts"
import { unbooked, unprotected } from "./liveBooks.ts"
import { isThere, type LiveHistory } from "./liveHistory.ts"
import { balance, type LiveSide } from "./liveSide.ts"
import { capital, symbols } from "../strategies.ts"

/** An account is reconciled each minute, and a stop that is missing is told of after one. */
const healMs = 300_000

const atExchange = ({ counts, simulator }: World, { venue, watch }: LiveSide): AtExchange => ({
  counts,
  simulator,
  venue,
  watch
})

type Amounts = Readonly<Record<string, string>>

/** How the coins of bots and of their owner differ from the exchange's; null where they do not. */
const unheld = (world: World, { shareOf, venue }: LiveSide): string | null => {
  const accounts = Context.get(world.stores, VenueAccountStore)
  const kept = Effect.runSync(accounts.get(shareOf(world.accountId)))
  const { shares } = bookOf(Option.getOrThrow(kept))
  const truth = venue.now(venue.model.truth)
  // The owner of the account is one more bot here, who trades by hand.
  const start = allocate(
    emptyAccountBook,
    "owner",
    marketAt(symbols[0]).quote,
    String(Number(balance) - capital * world.bots.length)
  )
  const outside = tradesOf(truth)
    .filter(({ orderId }) => orderId === null)
    .reduce(
      (book, trade) =>
        bookTrade(book, "owner", {
          ...trade,
          fee_amount: trade.fee.amount,
          fee_currency: trade.fee.currency
        }),
      start
    )
  const sums = new Map<string, BigDecimal.BigDecimal>()
  const add = (amounts: Amounts): void => {
    for (const [coin, amount] of Object.entries(amounts)) {
      sums.set(
        coin,
        BigDecimal.sum(sums.get(coin) ?? decimalOfUnsafe("0"), decimalOfUnsafe(amount))
      )
    }
  }
  for (const { id } of world.bots) add(ownedBy(shares, id))
  add(ownedBy(outside, "owner"))
  const { balances } = holdingsOf(truth)
  for (const [coin, sum] of sums) {
    const held = decimalOfUnsafe(balances.get(coin) ?? "0")
    if (BigDecimal.equals(sum, held)) continue
    return `of ${coin}, bots and their owner have ${decimalText(sum)}, and the exchange ${balances.get(coin)}`
  }
  return null
}

const checkBot = (world: World, passing: Passing, at: number, asked: Asked): void => {
  const bot = world.bots[at]!
  checkBooks(world, passing, bot)
  const status = answerOf(
    world,
    passing,
    Effect.flatMap(Bots, (bots) => bots.status(world.accountId, bot.id))
  )
  const isHolding = status.open_positions.length > 0
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

/** Runs a history of live bots, and throws the first thing that does not hold. */
export const carryOutLive = (history: LiveHistory, world: World): void => {
  const live = world.live!
  const there = atExchange(world, live)
  const passing = new Passing(world, history.tellMs)
  const asked = new Asked()
  for (const event of history.events) {
    passing.pass(event.afterMs)
    world.counts.add(`event.${event.do}`)
    if (isThere(event)) happenThere(there, event)
    else happen(world, asked, event)
    world.simulator.settle()
    passing.check()
  }
  passing.pass(history.tellMs)
  heal(world, passing, healMs, () => {
    live.watch.refuseTwice(live.venue.orders)
    const found = world.bots.map((bot) => unbooked(world, bot, tradeFacts(there)))
    const bare = world.bots.map((bot) => unprotected(world, bot, live.watch))
    const differing = [...found, ...bare].find((one) => one !== null)
    return unknownAtExchange(there) ?? differing ?? unheld(world, live)
  })
  checkWishes(world, asked)
  for (const at of world.bots.keys()) checkBot(world, passing, at, asked)
  checkEvents(world, passing)
  world.counts.add("live.orders", live.venue.orders.length)
  world.counts.add("live.trades", tradeFacts(there).length)
}
