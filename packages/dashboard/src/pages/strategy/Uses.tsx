/**
 * The uses of a strategy: a backtest, a search, a bot on paper.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { StrategyRecord } from "../../api/types.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { go } from "../../shell/route.ts"

type Use = "backtest" | "search" | "bot"

const titles: Readonly<Record<Use, string>> = {
  backtest: "Backtest",
  search: "Search parameters",
  bot: "Run on paper"
}

const explained: Readonly<Record<Use, string>> = {
  backtest: "It runs over all candles of its markets, with their costs.",
  search: "Parameters are tried on the first part of the candles; the rest judges the best ones.",
  bot: "A bot trades it on paper, with this capital."
}

/** Buttons for the uses of a strategy. */
export const Uses = ({ strategy }: { readonly strategy: StrategyRecord }): VNode => {
  const [asked, setAsked] = useState<Use | null>(null)
  const [count, setCount] = useState(asked === "bot" ? 10_000 : 200)
  const ask = (use: Use) => {
    setCount(use === "search" ? 200 : 10_000)
    setAsked(use)
  }
  const act = async (use: Use) => {
    const strategy_id = strategy.id
    if (use === "backtest") {
      const { id } = await call("backtests.start", {
        payload: { strategy_id, initial_capital: count }
      })
      go(["backtests", id])
    } else if (use === "search") {
      const { id } = await call("optimizations.start", {
        payload: { strategy_id, max_trials: count }
      })
      go(["searches", id])
    } else {
      const { id } = await call("bots.create", {
        payload: { name: strategy.name, strategy_id, capital_allocation: count, auto_start: true }
      })
      go(["bots", id])
    }
  }
  return (
    <div class="commands">
      {(["backtest", "search", "bot"] as const).map((use) => (
        <button
          key={use}
          type="button"
          class={use === "backtest" ? "primary" : "plain"}
          disabled={use === "search" && strategy.parameters.length === 0}
          onClick={() => ask(use)}
        >
          {titles[use]}
        </button>
      ))}
      {asked === null ? null : (
        <Confirm
          title={`${titles[asked]}: ${strategy.name}`}
          operation={titles[asked]}
          onDo={() => act(asked)}
          onClose={() => setAsked(null)}
        >
          <p>{explained[asked]}</p>
          <div class="filters">
            <label>
              {asked === "search" ? "Trials" : "Capital"}
              <input
                type="number"
                min={1}
                max={asked === "search" ? 10_000 : undefined}
                required
                value={count}
                onInput={(event) => setCount(event.currentTarget.valueAsNumber)}
              />
            </label>
          </div>
        </Confirm>
      )}
    </div>
  )
}
