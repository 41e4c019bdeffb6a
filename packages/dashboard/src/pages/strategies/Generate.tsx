/**
 * Asks for a strategy: an objective, a risk, a timeframe.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { words } from "../../parts/format.ts"

const objectives = ["sharpe", "sortino", "calmar", "total_return"] as const
const risks = ["low", "medium", "high"] as const
const timeframes = ["15m", "1h", "4h", "1d"] as const

type Choice = readonly [name: string, value: string, values: ReadonlyArray<string>]

const Choices = (props: {
  readonly choices: ReadonlyArray<Choice>
  readonly onChange: (name: string, value: string) => void
}): VNode => (
  <div class="filters">
    {props.choices.map(([name, value, values]) => (
      <label key={name}>
        {name}
        <select value={value} onChange={(event) => props.onChange(name, event.currentTarget.value)}>
          {values.map((one) => (
            <option key={one} value={one}>
              {words(one)}
            </option>
          ))}
        </select>
      </label>
    ))}
  </div>
)

/** A button that asks for a strategy. */
export const GenerateButton = ({ onStarted }: { readonly onStarted: () => void }): VNode => {
  const [isAsked, setIsAsked] = useState(false)
  const [chosen, setChosen] = useState({ Objective: "sharpe", Risk: "medium", Candles: "1h" })
  const generate = async () => {
    await call("strategies.generate", {
      payload: {
        objective: chosen.Objective as (typeof objectives)[number],
        risk_tolerance: chosen.Risk as (typeof risks)[number],
        timeframe: chosen.Candles as (typeof timeframes)[number]
      }
    })
    onStarted()
  }
  return (
    <div class="commands">
      <button type="button" class="primary" onClick={() => setIsAsked(true)}>
        Generate
      </button>
      {isAsked ? (
        <Confirm
          title="Generate a strategy"
          operation="Generate"
          onDo={generate}
          onClose={() => setIsAsked(false)}
        >
          <p>Candidates are tried on the candles that are here, and judged on others of them.</p>
          <Choices
            choices={[
              ["Objective", chosen.Objective, objectives],
              ["Risk", chosen.Risk, risks],
              ["Candles", chosen.Candles, timeframes]
            ]}
            onChange={(name, value) => setChosen((before) => ({ ...before, [name]: value }))}
          />
        </Confirm>
      ) : null}
    </div>
  )
}
