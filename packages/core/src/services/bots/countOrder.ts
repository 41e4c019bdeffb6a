/**
 * Orders that bots of this process have placed, as `/metrics` shows them.
 *
 * @since 0.1.0
 */
import { Effect, Metric } from "effect"
import type { Bot } from "../../domain/Bot.ts"

const placed = Metric.counter("candlewick_orders_placed_total", {
  description: "Orders that bots of this process have placed",
  incremental: true
})

const counters = new Map<string, Metric.Metric<number, unknown>>()

/** Counts an order; one whose step is given up and taken again counts twice. */
export const countOrder = ({ mode }: Bot, leg: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const name = `${mode} ${leg}`
    let counter = counters.get(name)
    if (counter === undefined) {
      counter = Metric.withAttributes(placed, { mode, leg })
      counters.set(name, counter)
    }
    return Metric.update(counter, 1)
  })
