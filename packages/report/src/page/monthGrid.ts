/**
 * Returns by month, a row for each year.
 *
 * @since 0.1.0
 */
import type { EquityPoint } from "@candlewick/core/domain"
import { escape, percentText } from "./html.ts"
import { monthReturns } from "./results.ts"

const names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** How much a return is, in steps that the styles colour. */
const toneOf = (value: number): string => {
  const size = Math.abs(value) >= 0.1 ? 3 : Math.abs(value) >= 0.03 ? 2 : 1
  return value === 0 ? "flat" : `${value > 0 ? "gain" : "loss"}${size}`
}

const cellOf = (value: number | undefined): string =>
  value === undefined
    ? "<td></td>"
    : `<td class="${toneOf(value)}">${escape(percentText(value).replace(" %", ""))}</td>`

/** The grid of months, in percent. @category html @since 0.1.0 */
export const monthGrid = (curve: ReadonlyArray<EquityPoint>): string => {
  const found = monthReturns(curve)
  const years = [...new Set(found.map(({ year }) => year))]
  const rows = years.map((year) => {
    const own = found.filter((one) => one.year === year)
    const cells = names.map((_, month) => cellOf(own.find((one) => one.month === month)?.value))
    const whole = own.reduce((product, { value }) => product * (1 + value), 1) - 1
    return `<tr><th scope="row">${year}</th>${cells.join("")}${cellOf(whole)}</tr>`
  })
  const head = [...names, "Year"].map((name) => `<th scope="col">${name}</th>`).join("")
  return `<div class="scroll"><table class="months"><caption>Percent</caption><thead><tr><th></th>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`
}
