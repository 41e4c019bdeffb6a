/**
 * Published series of the folder, each with the vendored file of the same indicator with the same
 * settings. Both are compared in the same parts and the same way.
 */
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type CaseData, listsIn, readJson } from "./oracleFolder.ts"

export const goldenSeries = fileURLToPath(
  new URL("../../../../test/golden/indicators", import.meta.url)
)

interface Series {
  readonly file: string
  readonly indicator: string
  readonly params: Readonly<Record<string, number | string>>
}

/** Whether two lists give the same settings. */
export const isSameSettings = (params: Series["params"], others: Series["params"]): boolean =>
  Object.keys(params).length === Object.keys(others).length &&
  Object.entries(params).every(([name, value]) => others[name] === value)

const vendored = readJson<ReadonlyArray<Series>>(join(goldenSeries, "index.json"))

/** The folder's series: its file, its name for the table, and the vendored file that is alike. */
export const publishedSeries = listsIn<ReadonlyArray<Series & { readonly data: CaseData }>>(
  "indicators_published"
)
  .flat()
  .map(({ data, file, indicator, params }) => ({
    data,
    file,
    name: basename(file),
    like: vendored.find((one) => one.indicator === indicator && isSameSettings(one.params, params))
      ?.file
  }))
