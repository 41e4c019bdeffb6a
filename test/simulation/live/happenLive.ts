/**
 * The events of live bots alone.
 */
import { marketAt } from "../accounts/faultyVenue.ts"
import { symbols } from "../strategies.ts"
import type { World } from "../world.ts"
import type { HappeningLive } from "./liveHistory.ts"
import { ownersCoins } from "./liveHoldings.ts"
import type { LiveSide } from "./liveSide.ts"

const sellOwn = (world: World, live: LiveSide, steps: number): void => {
  const { counts } = world
  const { quantityStep } = marketAt(symbols[0])
  const size = Math.min(steps * Number(quantityStep), Number(ownersCoins(world, live)))
  if (size <= 0) return
  const answer = live.venue.now(
    live.venue.model.placeByHand({
      symbol: symbols[0],
      side: "sell",
      type: "market",
      quantity: size.toFixed(3),
      limitPrice: null,
      stopPrice: null,
      isReduceOnly: false
    })
  )
  if (answer === "done") counts.add("venue.sellOwn")
}

/** Something happens to live bots, to their account or to who sends for it. */
export const happenLive = (world: World, live: LiveSide, event: HappeningLive): void => {
  const { counts } = world
  const { model } = live.venue
  switch (event.do) {
    case "sellOwn":
      return sellOwn(world, live, event.steps)
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
