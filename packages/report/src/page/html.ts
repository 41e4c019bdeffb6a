/**
 * Pieces of HTML, with every value made harmless.
 *
 * @since 0.1.0
 */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** A text as it stands between tags or in an attribute. @category conversions @since 0.1.0 */
export const escape = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign]!)

/** A fraction as percent. @category conversions @since 0.1.0 */
export const percentText = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : `${(value * 100).toFixed(2)} %`

/** A number with as many digits as show something. @category conversions @since 0.1.0 */
export const figure = (value: number | null | undefined): string => {
  if (value === null || value === undefined) return "–"
  return Math.abs(value) >= 1000
    ? value.toFixed(0).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202F")
    : String(Number(value.toPrecision(4)))
}

/** A day of a moment. @category conversions @since 0.1.0 */
export const day = (moment: string): string => moment.slice(0, 10)

/** Names and values, as a list of definitions. @category html @since 0.1.0 */
export const facts = (rows: ReadonlyArray<readonly [name: string, value: string]>): string =>
  `<dl>${rows.map(([name, value]) => `<div><dt>${escape(name)}</dt><dd>${escape(value)}</dd></div>`).join("")}</dl>`

/** A table; columns of `numeric` stand to the right. @category html @since 0.1.0 */
export const tableHtml = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  caption = ""
): string => {
  const head = names.map((name) => `<th scope="col">${escape(name)}</th>`).join("")
  const body = rows
    .map((row) => `<tr>${row.map((value) => `<td>${escape(value)}</td>`).join("")}</tr>`)
    .join("")
  const title = caption === "" ? "" : `<caption>${escape(caption)}</caption>`
  return `<div class="scroll"><table>${title}<thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

/** A part of the page with its heading. @category html @since 0.1.0 */
export const section = (title: string, content: string): string =>
  content === "" ? "" : `<section><h2>${escape(title)}</h2>${content}</section>`

/** A place that the script draws a chart in. @category html @since 0.1.0 */
export const chart = (name: string, label: string): string =>
  `<figure class="chart" id="${name}" role="img" aria-label="${escape(label)}"></figure>`
