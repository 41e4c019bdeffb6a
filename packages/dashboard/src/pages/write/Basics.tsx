/**
 * The name of a strategy, its markets, and its limits of loss.
 */
import type { VNode } from "preact"
import type { StrategyDraft } from "./draft.ts"

const timeframes = ["1m", "5m", "15m", "30m", "1h", "2h", "4h", "12h", "1d", "1w"]

type Change = (draft: StrategyDraft) => void

const Select = (props: {
  readonly label: string
  readonly value: string
  readonly values: ReadonlyArray<string>
  readonly onChange: (value: string) => void
}): VNode => (
  <label>
    {props.label}
    <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
      {props.values.map((value) => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </select>
  </label>
)

/** The name of a strategy, and where it trades. */
export const Basics = (props: {
  readonly draft: StrategyDraft
  readonly markets: ReadonlyArray<string>
  readonly isJson: boolean
  readonly onChange: Change
}): VNode => {
  const { draft, isJson, markets, onChange } = props
  return (
    <div class="filters">
      <label>
        Name
        <input
          type="text"
          required
          maxLength={100}
          value={draft.name}
          onInput={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        />
      </label>
      {isJson ? null : (
        <>
          <Select
            label="Market"
            value={draft.symbol}
            values={markets}
            onChange={(symbol) => onChange({ ...draft, symbol })}
          />
          <Select
            label="Candles"
            value={draft.timeframe}
            values={timeframes}
            onChange={(timeframe) => onChange({ ...draft, timeframe })}
          />
          <Select
            label="Side"
            value={draft.side}
            values={["long", "short"]}
            onChange={(side) => onChange({ ...draft, side: side === "short" ? "short" : "long" })}
          />
        </>
      )}
    </div>
  )
}

const Percent = (props: {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly onChange: (value: number) => void
}): VNode => (
  <label>
    {props.label}
    <input
      type="number"
      min={0}
      max={props.max}
      step="any"
      value={props.value}
      onInput={(event) => props.onChange(event.currentTarget.valueAsNumber || 0)}
    />
  </label>
)

/** The limits of a loss, the size of an entry, and the parameters of a search. */
export const RiskFields = (props: {
  readonly draft: StrategyDraft
  readonly onChange: Change
}): VNode => {
  const { draft, onChange } = props
  return (
    <fieldset class="rules">
      <legend>Limits and size</legend>
      <div class="filters">
        <Percent
          label="Stop loss, % (0: none)"
          value={draft.stopPercent}
          max={99}
          onChange={(stopPercent) => onChange({ ...draft, stopPercent })}
        />
        <Percent
          label="Target, % (0: none)"
          value={draft.targetPercent}
          max={1_000}
          onChange={(targetPercent) => onChange({ ...draft, targetPercent })}
        />
        <Percent
          label="Size, % of equity"
          value={draft.sizePercent}
          max={100}
          onChange={(sizePercent) => onChange({ ...draft, sizePercent })}
        />
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={draft.isTunable}
          onChange={(event) => onChange({ ...draft, isTunable: event.currentTarget.checked })}
        />{" "}
        A search may change the periods
      </label>
    </fieldset>
  )
}
