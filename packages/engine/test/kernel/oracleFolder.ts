/**
 * The folder with other software's results. Its own lists say how its files are named and how many
 * cases they hold. Tests run all of them, and `npm run oracles` counts them.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { TestContext } from "@effect/vitest"
import { type CandleColumns, sliceColumns } from "../../src/kernel/columns.ts"
import { readCandles } from "./readCandles.ts"

/** The folder; empty where none is named. */
export const oracles = process.env["CANDLEWICK_ORACLES"] ?? ""

/** Why the tests of a kind are skipped. */
export const noCases = (kind: string): string =>
  oracles === "" ? "CANDLEWICK_ORACLES names no folder" : `the folder has no cases of ${kind}`

/** The folders and files of a kind by their paths; none where the kind is absent. */
export const pathsIn = (kind: string, folder = oracles): ReadonlyArray<string> => {
  const path = join(folder, kind)
  if (folder === "" || !existsSync(path)) return []
  return readdirSync(path)
    .toSorted()
    .map((name) => join(path, name))
}

/** The cases of a kind that has a folder for each. */
export const idsIn = (kind: string, folder = oracles): ReadonlyArray<string> =>
  pathsIn(kind, folder).flatMap((path) =>
    existsSync(join(path, "case.json")) ? [basename(path)] : []
  )

export const readJson = <A>(path: string): A => JSON.parse(readFileSync(path, "utf8")) as A

/** The content of each list of a kind. */
export const listsIn = <A>(kind: string, folder = oracles): ReadonlyArray<A> =>
  pathsIn(kind, folder)
    .filter((path) => path.endsWith(".json"))
    .map((path) => readJson<A>(path))

/** The cases of all lists of a kind that hold some as `cases`. */
export const casesIn = <A>(kind: string, folder = oracles): ReadonlyArray<A> =>
  listsIn<{ readonly cases?: ReadonlyArray<A> }>(kind, folder).flatMap(({ cases = [] }) => cases)

/** Candles by the file that they are in, and its rows from one up to another. */
export interface CaseData {
  readonly file: string
  readonly rows_used?: readonly [number, number] | null
}

/** The candles of a case; rows may begin anywhere. */
export const readCaseCandles = ({ file, rows_used }: CaseData): CandleColumns => {
  const [from, to] = rows_used ?? [0, undefined]
  const all = readCandles(join(oracles, file), to)
  return sliceColumns(all, from, all.length)
}

/** Skips a case in such a way that the table names it with its reason. */
export const leaveOut = (ctx: TestContext, as: "refused" | "unknown", reason: string): void => {
  Object.assign(ctx.task.meta, { [as]: reason })
  ctx.skip(reason)
}
