/**
 * The times of rivals where they were last measured: `elsewhere.json`. Some never run here (a C
 * compiler's loop), some only where there is Python.
 */
import { readFileSync, writeFileSync } from "node:fs"

/** A rival's figure, and how many times that is what was measured beside it. */
export interface ElsewhereFigure {
  readonly row: number
  readonly rival: string
  readonly figure: string
  /**
   * The base of the ratio. The prototype of the engine was another program on another machine: what
   * is a multiple of it is not one of ours.
   */
  readonly against: "ours" | "the prototype"
  readonly ratio: number
  readonly date: string
  /** On which machine, and in which versions. */
  readonly where: string
}

interface Elsewhere {
  readonly comment: string
  readonly figures: ReadonlyArray<ElsewhereFigure>
}

const path = new URL("elsewhere.json", import.meta.url)

const readElsewhere = (): Elsewhere => JSON.parse(readFileSync(path, "utf8")) as Elsewhere

/** Figures of a row, but not of rivals that were measured just now. */
export const lastMeasured = (
  row: number,
  measuredNow: ReadonlyArray<string>
): ReadonlyArray<ElsewhereFigure> =>
  readElsewhere().figures.filter((one) => one.row === row && !measuredNow.includes(one.rival))

/** Keeps what was measured now, beside ours, of the rivals that are in the file. */
export const keepMeasured = (measured: ReadonlyArray<ElsewhereFigure>): void => {
  const { comment, figures } = readElsewhere()
  const kept = figures.map(
    (old) => measured.find(({ rival, row }) => row === old.row && rival === old.rival) ?? old
  )
  writeFileSync(path, `${JSON.stringify({ comment, figures: kept }, null, 2)}\n`)
}
