/**
 * Trials as cells of a map over two parameters.
 */

/** A trial as far as the map needs it. */
export interface HeatTrial {
  readonly parameters: Readonly<Record<string, number>>
  readonly objective: number | null
}

/** A cell: where it is, and the best objective of the trials in it. */
export interface HeatCell {
  readonly column: number
  readonly row: number
  readonly objective: number
  readonly count: number
}

/** A map: the lower bounds of its columns and rows, and the cells with trials. */
export interface HeatMap {
  readonly columns: ReadonlyArray<number>
  readonly rows: ReadonlyArray<number>
  readonly cells: ReadonlyArray<HeatCell>
  readonly low: number
  readonly high: number
}

/** The values of a parameter, or bands of them where there are many. */
const bandsOf = (values: ReadonlyArray<number>, bandsMax: number): ReadonlyArray<number> => {
  const distinct = [...new Set(values)].toSorted((one, other) => one - other)
  if (distinct.length <= bandsMax) return distinct
  const [low, high] = [distinct[0]!, distinct.at(-1)!]
  if (distinct.every(Number.isInteger)) {
    const width = Math.ceil((high - low + 1) / bandsMax)
    const count = Math.ceil((high - low + 1) / width)
    return Array.from({ length: count }, (_, at) => low + width * at)
  }
  return Array.from({ length: bandsMax }, (_, at) => low + ((high - low) * at) / bandsMax)
}

const bandOf = (bands: ReadonlyArray<number>, value: number): number =>
  Math.max(
    0,
    bands.findLastIndex((low) => low <= value)
  )

/** Makes a map of trials over two of their parameters. */
export const heatOf = (
  trials: ReadonlyArray<HeatTrial>,
  across: string,
  down: string,
  bandsMax = 16
): HeatMap | null => {
  const known = trials.flatMap(({ objective, parameters }) => {
    const [x, y] = [parameters[across], parameters[down]]
    return objective === null || x === undefined || y === undefined ? [] : [{ objective, x, y }]
  })
  if (known.length === 0) return null
  const columns = bandsOf(
    known.map(({ x }) => x),
    bandsMax
  )
  const rows = bandsOf(
    known.map(({ y }) => y),
    bandsMax
  )
  const cells = new Map<string, HeatCell>()
  for (const { objective, x, y } of known) {
    const [column, row] = [bandOf(columns, x), bandOf(rows, y)]
    const name = `${column} ${row}`
    const before = cells.get(name)
    cells.set(name, {
      column,
      row,
      objective: Math.max(objective, before?.objective ?? objective),
      count: (before?.count ?? 0) + 1
    })
  }
  const all = [...cells.values()]
  const objectives = all.map(({ objective }) => objective)
  return {
    columns,
    rows,
    cells: all,
    low: Math.min(...objectives),
    high: Math.max(...objectives)
  }
}
