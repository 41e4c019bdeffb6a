/**
 * The events of live bots alone.
 */
import { Bots } from "@candlewick/core"
import { Effect } from "effect"
import { holdingsOf } from "../../../packages/core/src/testing/modelVenue/Exchange.ts"
import { marketAt } from "../accounts/faultyVenue.ts"
import { symbols } from "../strategies.ts"
import type { World } from "../world.ts"
import type { HappeningLive, LiveEvent } from "./liveHistory.ts"
import { ownersCoins } from "./liveHoldings.ts"
import type { LiveSide } from "./liveSide.ts"

/** Places an order at the market by hand; whether the exchange took it. */
const placeByHand = ({ venue }: LiveSide, side: "buy" | "sell", size: number): boolean =>
  venue.now(
    venue.model.placeByHand({
      symbol: symbols[0],
      side,
      type: "market",
      quantity: size.toFixed(3),
      limitPrice: null,
      stopPrice: null,
      isReduceOnly: false
    })
  ) === "done"

const sellOwn = (world: World, live: LiveSide, steps: number): void => {
  const { counts } = world
  const { quantityStep } = marketAt(symbols[0])
  const size = Math.min(steps * Number(quantityStep), Number(ownersCoins(world, live)))
  if (size > 0 && placeByHand(live, "sell", size)) counts.add("venue.sellOwn")
}

/** How often it is looked whether there is something to sell, or to accept. */
const lookAgainMs = 5_000

/**
 * Sells coins of bots once they have some. Orders that rest for them at the exchange are ended
 * first, for these lock them.
 */
const sellBots = (world: World, live: LiveSide, part: number): void => {
  const { shortage, venue, watch } = live
  const [symbol] = symbols
  const { base, quantityStep } = marketAt(symbol)
  const there = holdingsOf(venue.now(venue.model.truth)).balances.get(base) ?? "0"
  const owners = Math.max(0, Number(ownersCoins(world, live)))
  const botsPart = (Number(there) - owners) * part
  const steps = Math.floor((owners + botsPart) / Number(quantityStep))
  if (botsPart < Number(quantityStep)) {
    world.simulator.after(lookAgainMs, venue.lane, () => {
      if (!world.market.isOver) world.noting(() => sellBots(world, live, part))
    })
    return
  }
  for (const { id, side, status, symbol: at } of venue.orders) {
    if (id === null || side !== "sell" || status !== "open" || at !== symbol) continue
    if (watch.attempts.get(id)?.order.type === "market") continue
    venue.now(venue.model.act({ type: "end", id, status: "cancelled" }))
  }
  if (!placeByHand(live, "sell", steps * Number(quantityStep))) return
  shortage.isSold = true
  world.counts.add("venue.sellBots")
}

/** Buys the coins back that bots lack, once no order for them is open. */
export const buyBack = (world: World, live: LiveSide): void => {
  const { base, quantityStep } = marketAt(symbols[0])
  const lacking = live.shortage.lackingOf(base)
  const isBuying = live.venue.orders.some(
    ({ id, side, status }) => id === null && side === "buy" && status === "open"
  )
  if (lacking === 0 || isBuying) return
  // Fees may be taken from it, and the exchange takes no smaller order.
  const steps = Math.ceil((lacking * 1.01 + 0.2) / Number(quantityStep))
  if (placeByHand(live, "buy", steps * Number(quantityStep))) world.counts.add("venue.buyBack")
}

/** Accepts through a process that a bot lacks something, once it has heard of that. */
const acceptLack = (world: World, live: LiveSide, slot: number, at: number): void => {
  const { accountId, bots, counts, market, simulator } = world
  const { id } = bots[at]!
  if (!live.shortage.hasHeard(id)) {
    simulator.after(lookAgainMs, live.venue.lane, () => {
      if (!market.isOver) world.noting(() => acceptLack(world, live, slot, at))
    })
    return
  }
  const accepting = Effect.flatMap(Bots, (all) => all.reconcile(accountId, id, { accept: true }))
  world.ask(slot, accepting, () => counts.add("live.askedToAccept"))
}

/** Something happens to live bots, to their account or to who sends for it. */
export const happenLive = (
  world: World,
  live: LiveSide,
  event: HappeningLive & LiveEvent
): void => {
  const { counts } = world
  const { model } = live.venue
  switch (event.do) {
    case "sellOwn":
      return sellOwn(world, live, event.steps)
    case "sellBots":
      return sellBots(world, live, event.part)
    case "acceptLack":
      return acceptLack(world, live, event.process, event.bot)
    case "buyBack":
      return buyBack(world, live)
    case "fund": {
      const symbol = symbols[event.market]!
      live.venue.now(model.act({ type: "funding", symbol, rate: event.rate }))
      return
    }
    case "killAtSend": {
      const { isBefore } = event
      const meet: NonNullable<typeof live.venue.onSend>["meet"] = (lane) => {
        counts.add("venue.killAtSend")
        world.lose(lane)
      }
      live.venue.onSend = { isBefore, meet }
    }
  }
}
