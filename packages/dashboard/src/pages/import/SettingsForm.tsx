/**
 * The way to read a file: its market, and corrections where the server read it otherwise.
 */
import type { VNode } from "preact"
import type { CandlePreviewRecord } from "../../api/types.ts"
import { words } from "../../parts/format.ts"
import { candleFields, type Settings } from "./importing.ts"

type Name = Exclude<keyof Settings, "columns">

interface Fields {
  readonly settings: Settings
  readonly onChange: (settings: Settings) => void
}

const Text = (
  props: Fields & {
    readonly name: Name
    readonly label: string
    readonly placeholder?: string
    readonly isRequired?: boolean
    readonly isUpper?: boolean
  }
): VNode => {
  const { isRequired, isUpper, label, name, onChange, placeholder, settings } = props
  const take = (text: string) =>
    onChange({ ...settings, [name]: isUpper === true ? text.toUpperCase() : text })
  return (
    <label>
      {label}
      <input
        value={settings[name]}
        placeholder={placeholder}
        required={isRequired === true}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => take(event.currentTarget.value)}
      />
    </label>
  )
}

const Choice = (
  props: Fields & {
    readonly name: Name
    readonly label: string
    readonly options: Readonly<Record<string, string>>
  }
): VNode => {
  const { label, name, onChange, options, settings } = props
  return (
    <label>
      {label}
      <select
        value={settings[name]}
        onChange={(event) => onChange({ ...settings, [name]: event.currentTarget.value })}
      >
        <option value="">found out</option>
        {Object.entries(options).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

const units = { s: "seconds", ms: "milliseconds", us: "microseconds", ns: "nanoseconds" }
const decimals = { point: "point", comma: "comma" }
const orders = { day_first: "day first", month_first: "month first" }
const timeframes = "1m 3m 5m 15m 30m 1h 2h 4h 6h 8h 12h 1d 3d 1w"
const steps = Object.fromEntries(timeframes.split(" ").map((one) => [one, one]))

const Columns = (props: Fields & { readonly reading: CandlePreviewRecord["reading"] }): VNode => {
  const { onChange, reading, settings } = props
  const found = new Map(reading?.columns.map(({ column, field }) => [field, column]))
  const known = [...found.values(), ...(reading?.ignored_columns ?? [])]
  return (
    <fieldset class="fields">
      <legend class="note">Columns, by header or by number from 1</legend>
      <datalist id="columns-known">
        {known.map((column) => (
          <option key={column} value={column} />
        ))}
      </datalist>
      {candleFields.map((field) => (
        <label key={field}>
          {field}
          <input
            list="columns-known"
            value={settings.columns[field] ?? ""}
            placeholder={found.get(field)}
            spellcheck={false}
            autocomplete="off"
            onInput={(event) =>
              onChange({
                ...settings,
                columns: { ...settings.columns, [field]: event.currentTarget.value }
              })
            }
          />
        </label>
      ))}
    </fieldset>
  )
}

/** The settings of an import. */
export const SettingsForm = (
  props: Fields & { readonly reading: CandlePreviewRecord["reading"]; readonly isZip: boolean }
): VNode => {
  const { isZip, reading, ...fields } = props
  const { settings } = fields
  return (
    <>
      <div class="fields">
        <Text {...fields} name="symbol" label="Market" placeholder="BTC/USDT" isRequired isUpper />
        {settings.symbol.includes("/") ? null : (
          <Text
            {...fields}
            name="currency"
            label="Currency of its prices"
            placeholder="USD"
            isUpper
          />
        )}
        <Choice {...fields} name="timeframe" label="Candle" options={steps} />
        <Text {...fields} name="source" label="Source, for your notes" placeholder="none" />
      </div>
      <details>
        <summary>Say how the file is meant</summary>
        <div class="fields">
          <Choice {...fields} name="time_unit" label="Epoch times count" options={units} />
          <Choice {...fields} name="date_order" label={words("date_order")} options={orders} />
          <Choice {...fields} name="decimal" label="Mark of the fraction" options={decimals} />
          <Text
            {...fields}
            name="zone"
            label="Zone of times that name none"
            placeholder={reading?.zone ?? "UTC"}
          />
          {isZip ? (
            <Text {...fields} name="file" label="File of the archive" placeholder="the only one" />
          ) : null}
        </div>
        <Columns {...fields} reading={reading} />
      </details>
    </>
  )
}
