/**
 * Conditions of an entry or an exit, a row each.
 */
import type { VNode } from "preact"
import type { FieldFault } from "../../api/call.ts"
import { words } from "../../parts/format.ts"
import {
  type DraftComparison,
  comparisons,
  firstRule,
  pointerOf,
  type RuleDraft,
  type RulesDraft,
  type SeriesDraft,
  type DraftSeries,
  seriesKinds
} from "./draft.ts"

const kindWords: Readonly<Record<DraftSeries, string>> = {
  close: "close",
  open: "open",
  high: "high",
  low: "low",
  sma: "simple average of",
  ema: "exponential average of",
  rsi: "RSI of",
  number: "the number"
}

const hasValue = (kind: DraftSeries): boolean => ["sma", "ema", "rsi", "number"].includes(kind)

const Series = (props: {
  readonly label: string
  readonly series: SeriesDraft
  readonly onChange: (series: SeriesDraft) => void
}): VNode => {
  const { label, onChange, series } = props
  return (
    <span class="series">
      <select
        aria-label={label}
        value={series.kind}
        onChange={(event) =>
          onChange({ ...series, kind: event.currentTarget.value as DraftSeries })
        }
      >
        {seriesKinds.map((kind) => (
          <option key={kind} value={kind}>
            {kindWords[kind]}
          </option>
        ))}
      </select>
      {hasValue(series.kind) ? (
        <input
          type="number"
          step="any"
          aria-label={series.kind === "number" ? `${label}: number` : `${label}: candles`}
          value={series.value}
          onInput={(event) => onChange({ ...series, value: event.currentTarget.valueAsNumber })}
        />
      ) : null}
    </span>
  )
}

const Rule = (props: {
  readonly name: string
  readonly rule: RuleDraft
  readonly faults: ReadonlyArray<FieldFault>
  readonly onChange: (rule: RuleDraft) => void
  readonly onRemove: (() => void) | undefined
}): VNode => {
  const { faults, name, onChange, onRemove, rule } = props
  return (
    <li class={faults.length === 0 ? undefined : "at-fault"}>
      <Series
        label={`${name}: left side`}
        series={rule.left}
        onChange={(left) => onChange({ ...rule, left })}
      />
      <select
        aria-label={`${name}: comparison`}
        value={rule.comparison}
        onChange={(event) =>
          onChange({ ...rule, comparison: event.currentTarget.value as DraftComparison })
        }
      >
        {comparisons.map((one) => (
          <option key={one} value={one}>
            {words(one)}
          </option>
        ))}
      </select>
      <Series
        label={`${name}: right side`}
        series={rule.right}
        onChange={(right) => onChange({ ...rule, right })}
      />
      {onRemove === undefined ? null : (
        <button type="button" class="plain" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </button>
      )}
      {faults.map(({ message }) => (
        <p key={message} class="fault">
          {message}
        </p>
      ))}
    </li>
  )
}

/** Conditions of an entry or an exit. */
export const Rules = (props: {
  readonly title: string
  readonly side: string
  readonly part: "enter" | "exit"
  readonly rules: RulesDraft
  readonly faults: ReadonlyArray<FieldFault>
  readonly onChange: (rules: RulesDraft) => void
}): VNode => {
  const { faults, onChange, part, rules: all, side, title } = props
  const { join, rules } = all
  const replace = (at: number, rule: RuleDraft) =>
    onChange({ join, rules: rules.map((one, index) => (index === at ? rule : one)) })
  const remove = (at: number) =>
    onChange({ join, rules: rules.filter((_rule, index) => index !== at) })
  return (
    <fieldset class="rules">
      <legend>{title}</legend>
      {rules.length < 2 ? null : (
        <label>
          where{" "}
          <select
            value={join}
            onChange={(event) =>
              onChange({ rules, join: event.currentTarget.value === "any" ? "any" : "all" })
            }
          >
            <option value="all">all of these hold</option>
            <option value="any">any of these holds</option>
          </select>
        </label>
      )}
      <ol>
        {rules.map((rule, at) => (
          <Rule
            key={at}
            name={`${title}, condition ${at + 1}`}
            rule={rule}
            faults={faults.filter(({ pointer }) =>
              pointer.includes(pointerOf(side, part, at, rules.length))
            )}
            onChange={(next) => replace(at, next)}
            onRemove={part === "enter" && rules.length === 1 ? undefined : () => remove(at)}
          />
        ))}
      </ol>
      <div>
        <button
          type="button"
          class="plain"
          onClick={() => onChange({ join, rules: [...rules, firstRule] })}
        >
          Add a condition
        </button>
      </div>
    </fieldset>
  )
}
