import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

/**
 * The columns of a CSV file (gzipped if so named) by name. An empty cell, which stands for a value
 * that is not defined, is NaN.
 */
export const readTable = (
  path: string,
  rowCount = Number.MAX_SAFE_INTEGER
): ((name: string) => Float64Array) => {
  const bytes = readFileSync(path)
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").trimEnd()
  const [header = "", ...lines] = text.split("\n", Math.min(rowCount + 1, 2 ** 32 - 1))
  const names = header.trim().split(",")
  const rows = lines.map((line) => line.trim().split(","))
  return (name) => {
    const at = names.indexOf(name)
    if (at < 0) throw new Error(`${path} has no column ${name}`)
    return Float64Array.from(rows, (row) => {
      const cell = row[at] ?? ""
      return cell === "" ? Number.NaN : Number(cell)
    })
  }
}
