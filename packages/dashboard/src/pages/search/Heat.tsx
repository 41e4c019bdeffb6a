/**
 * A map of the parameters' results: the darker a cell, the better its best trial in sample.
 */
import type { VNode } from "preact"
import { useMemo, useState } from "preact/hooks"
import { formatNumber, formatParameter, words } from "../../parts/format.ts"
import { usePhone } from "../../parts/usePhone.ts"
import { heatOf, type HeatMap, type HeatTrial } from "./heat.ts"

const levels = 8

const levelOf = (objective: number, { high, low }: HeatMap): number =>
  high === low
    ? levels - 1
    : Math.min(levels - 1, Math.floor(((objective - low) / (high - low)) * levels))

const Grid = (props: {
  readonly map: HeatMap
  readonly across: string
  readonly down: string
}): VNode => {
  const { across, down, map } = props
  const cells = new Map(map.cells.map((cell) => [`${cell.column} ${cell.row}`, cell]))
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Map of the trials">
      <table class="heat">
        <caption class="hidden">
          Best objective in sample by {words(across)} and {words(down)}
        </caption>
        <thead>
          <tr>
            <th scope="col">
              {words(down)} ↓ {words(across)} →
            </th>
            {map.columns.map((value) => (
              <th key={value} scope="col">
                {formatParameter(Number(value.toPrecision(4)))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {map.rows.map((value, row) => (
            <tr key={value}>
              <th scope="row">{formatParameter(Number(value.toPrecision(4)))}</th>
              {map.columns.map((other, column) => {
                const cell = cells.get(`${column} ${row}`)
                return cell === undefined ? (
                  <td key={other} />
                ) : (
                  <td
                    key={other}
                    class={`heat-${levelOf(cell.objective, map)}`}
                    title={`${cell.count} trials`}
                  >
                    {formatNumber(cell.objective)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Choice = (props: {
  readonly name: string
  readonly value: string
  readonly names: ReadonlyArray<string>
  readonly onChange: (name: string) => void
}): VNode => (
  <label>
    {props.name}{" "}
    <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
      {props.names.map((name) => (
        <option key={name} value={name}>
          {words(name)}
        </option>
      ))}
    </select>
  </label>
)

/** A map over two parameters, which can be chosen. */
export const Heat = (props: {
  readonly trials: ReadonlyArray<HeatTrial>
  readonly names: ReadonlyArray<string>
}): VNode | null => {
  const { names, trials } = props
  const [across, setAcross] = useState(names[0] ?? "")
  const [down, setDown] = useState(names[1] ?? names[0] ?? "")
  const bandsMax = usePhone() ? 5 : 16
  const map = useMemo(
    () => heatOf(trials, across, down, bandsMax),
    [trials, across, down, bandsMax]
  )
  if (names.length < 2 || map === null) return null
  return (
    <section class="card">
      <div class="card-head">
        <h2>Where the good ones are</h2>
        <div class="commands">
          <Choice name="across" value={across} names={names} onChange={setAcross} />
          <Choice name="down" value={down} names={names} onChange={setDown} />
        </div>
      </div>
      <Grid map={map} across={across} down={down} />
      <p class="note">
        Each cell has the best objective in sample of its trials. A lone good cell among bad ones is
        luck more often than a broad field of them.
      </p>
    </section>
  )
}
