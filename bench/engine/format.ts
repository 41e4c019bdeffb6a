/**
 * Figures as people read them.
 */

/** A whole number, thousands apart. */
export const formatCount = (value: number): string =>
  String(value).replaceAll(/\B(?=(\d{3})+(?!\d))/g, " ")

/** Three significant digits. */
export const formatNumber = (value: number): string => {
  if (!Number.isFinite(value)) return String(value)
  if (Math.abs(value) >= 100) return formatCount(Math.round(value))
  const digits = 2 - Math.floor(Math.log10(Math.max(1e-6, Math.abs(value))))
  return value.toFixed(Math.min(6, digits))
}

/** A ratio with its sign. */
export const formatRatio = (value: number): string => `${formatNumber(value)}×`

/** A table in Markdown, padded so that it can be read in a terminal too. */
export const formatTable = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): string => {
  const widths = head.map((title, at) =>
    Math.max(3, title.length, ...rows.map((row) => row[at]!.length))
  )
  const line = (cells: ReadonlyArray<string>): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n")
}
