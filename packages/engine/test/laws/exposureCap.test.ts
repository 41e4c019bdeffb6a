/**
 * Positions and orders of all markets together never go beyond the exposure cap when an entry is
 * decided.
 */
import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { makeColumns } from "../../src/kernel/columns.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import { drawCandles } from "./drawnCandles.ts"
import { drawStrategy } from "./drawnStrategies.ts"
import { openMarket, simulateOn, simulationInput } from "./simulated.ts"
import { runStepped, type SteppedState } from "./stepped.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const rules: StrategyDefinition = {
  format: 1,
  symbols: ["ONE/USD", "TWO/USD", "TRI/USD"],
  timeframe: "1h",
  parameters: {},
  long: {
    enter: {
      type: "above",
      left: { type: "price", field: "close" },
      right: { type: "constant", value: 100 }
    },
    exit: {
      type: "below",
      left: { type: "price", field: "close" },
      right: { type: "constant", value: 99 }
    }
  },
  sizing: { type: "equity_fraction", fraction: 1 },
  max_positions: 3
}

/** Opens at the close before, so that an entry fills at the price that it was decided at. */
const walk = (seed: string) => {
  const random = makeRandom(seed)
  const columns = makeColumns(400)
  let price = 100
  for (let index = 0; index < columns.length; index++) {
    const open = price
    price = Math.max(50, Math.round(price * (1 + 0.01 * random.normal()) * 100) / 100)
    columns.time[index] = index * 3_600_000
    columns.open[index] = open
    columns.close[index] = price
    columns.high[index] = Math.max(open, price)
    columns.low[index] = Math.min(open, price)
    columns.volume[index] = 1
  }
  return columns
}

const free = { ...openMarket, makerRate: 0, takerRate: 0, slippageRate: 0, lot: 0, minNotional: 0 }

describe("the exposure cap", () => {
  it("holds over markets that enter on one candle", () => {
    let entries = 0
    for (const cap of [0.3, 0.5, 1]) {
      for (let seed = 0; seed < 5; seed++) {
        const candles = [0, 1, 2].map((market) => walk(`exposure ${seed} ${market}`))
        const limits = { ...noRiskLimits, exposureMax: cap }
        const { equity, fills, notional, time } = simulateOn(rules, candles, { limits }, free)
        for (const fill of fills.filter(({ leg }) => leg === "entry")) {
          entries++
          const before = time.indexOf(fill.time) - 1
          // The lots open at the decision and still, and all lots bought with that order.
          const bought = fills
            .filter(({ leg, time: at }) => leg === "entry" && at === fill.time)
            .reduce((sum, { price, quantity }) => sum + price * quantity, 0)
          const sold = fills
            .filter(({ effect, time: at }) => effect === "close" && at === fill.time)
            .reduce((sum, { price, quantity }) => sum + price * quantity, 0)
          const committed = notional[before]! - sold + bought
          assert.isAtMost(committed, cap * equity[before]! * (1 + 1e-9), `seed ${seed}`)
        }
      }
    }
    assert.isAbove(entries, 100, "so few entries prove little")
  })
})

/** The notional that is held and may still be bought, less the exits that are ordered at market. */
const committedOf = ({ account, memories }: SteppedState): number => {
  let sum = 0
  memories.forEach((_, market) => {
    const { lastClose, orders, position } = account.book(market)
    const close = lastClose ?? 0
    sum += Math.abs(position?.quantity ?? 0) * close
    const groups = new Map<string, number>()
    for (const { id, leg, limit, quantity, stop, type } of orders) {
      if (leg === "exit" && type === "market") sum -= quantity * close
      if (leg !== "entry") continue
      // One order of a group fills, and its index stands behind a dash.
      const group = id.replace(/-\d+/, "")
      const notional = quantity * (stop ?? limit ?? close)
      groups.set(group, Math.max(groups.get(group) ?? 0, notional))
    }
    for (const notional of groups.values()) sum += notional
  })
  return sum
}

describe("the exposure cap of any strategy", () => {
  it("holds at each close at which an entry is ordered, over all that is held and rests", () => {
    const seen = { plain: 0, ladder: 0, capped: 0 }
    for (const { number, random } of draws("exposure", 200)) {
      const symbols = random.pick([["AAA/USD"], ["AAA/USD", "BBB/USD", "CCC/USD"]] as const)
      const definition = drawStrategy(random.next, { symbols })
      const candles = symbols.map(() => drawCandles(random, definition.timeframe, 200))
      const exposureMax = random.pick([0.2, 0.5, 1])
      const limits = { ...noRiskLimits, exposureMax }
      const fill = random.pick(["next_open", "close"] as const)
      const spec = { ...free, leverage: random.pick([1, 3]) }
      const input = simulationInput(definition, candles, { limits, fill, endOfData: "open" }, spec)
      const isLadder = input.markets[0]!.ladder !== undefined
      runStepped(input, {
        decided: (state, market, instructions) => {
          const isEntry = instructions.some(
            (one) => one.type === "place" && one.order.leg === "entry"
          )
          if (!isEntry) return
          const committed = committedOf(state)
          const most = exposureMax * state.account.equity
          const where = `strategy ${number}, market ${market}, ${JSON.stringify(definition)}`
          assert.isAtMost(committed, most * (1 + 1e-9), where)
          seen[isLadder ? "ladder" : "plain"] += 1
          if (committed > most * 0.99) seen.capped += 1
        }
      })
    }
    for (const [what, count] of Object.entries(seen)) assert.isAbove(count, atLeast(300), what)
  })
})
