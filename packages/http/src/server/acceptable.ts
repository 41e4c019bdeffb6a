/**
 * The formats of an answer: JSON, or the rows of a list as CSV where `Accept` asks for that.
 *
 * @since 0.1.0
 */
import { Problem } from "@candlewick/core"
import { Context, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { type AnswerRows, IsFollowed, ServesRows, ServesTypes } from "../api/Authorization.ts"
import { csvMediaType } from "../api/CandlesApi.ts"
import { eventStreamMediaType } from "../api/EventsApi.ts"

type Answer = HttpServerResponse.HttpServerResponse

interface MediaRange {
  readonly type: string
  readonly weight: number
}

const rangesOf = (accept: string): ReadonlyArray<MediaRange> =>
  accept
    .toLowerCase()
    .split(",")
    .map((range) => {
      const [type = "", ...parameters] = range.split(";").map((part) => part.trim())
      const weight = parameters.find((each) => each.startsWith("q="))?.slice(2)
      return { type, weight: weight === undefined ? 1 : Number(weight) || 0 }
    })

const matches = (range: string, type: string): boolean =>
  range === "*/*" || range === type || range === `${type.split("/")[0]}/*`

/** How much a media type is wanted: the range that names it most closely says so. */
const weightOf = (ranges: ReadonlyArray<MediaRange>, type: string): number => {
  const [closest] = ranges
    .filter((range) => matches(range.type, type))
    .toSorted((one, other) => one.type.split("*").length - other.type.split("*").length)
  return closest?.weight ?? 0
}

/** The media types that an operation answers with, the usual one first. */
const typesOf = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<string> => {
  const { annotations } = endpoint
  const others = Context.get(annotations, ServesTypes)
  if (others !== undefined) return others
  return [
    "application/json",
    ...(Context.get(annotations, ServesRows) === undefined ? [] : [csvMediaType]),
    ...(Context.get(annotations, IsFollowed) ? [eventStreamMediaType] : [])
  ]
}

/**
 * The media type that an operation is to answer with; fails with `not_acceptable` and those that
 * there are. Only reads are asked: a request that has changed something is answered in any case.
 *
 * @category combinators
 * @since 0.1.0
 */
export const acceptedType = (
  endpoint: HttpApiEndpoint.Top,
  accept: string | undefined
): Effect.Effect<string, Problem> => {
  const types = typesOf(endpoint)
  const [usual] = types
  if (accept === undefined || accept.trim() === "" || endpoint.method !== "GET") {
    return Effect.succeed(usual!)
  }
  const ranges = rangesOf(accept)
  const [best] = types
    .map((type) => ({ type, weight: weightOf(ranges, type) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
  return best === undefined
    ? Effect.fail(
        new Problem({
          code: "not_acceptable",
          detail: `The operation answers with ${types.join(" or ")}.`,
          allowed: [...types]
        })
      )
    : Effect.succeed(best.type)
}

const quoted = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/**
 * A text as a cell of CSV. A spreadsheet runs a text that begins as formulas do, and an apostrophe
 * before it keeps the spreadsheet from that.
 *
 * @category conversions
 * @since 0.1.0
 */
export const textCell = (text: string): string =>
  quoted(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  return typeof value === "string" ? textCell(value) : quoted(JSON.stringify(value))
}

/** The value of a column; `metrics.sharpe` is a part of a value. */
const valueAt = (row: Readonly<Record<string, unknown>>, column: string): unknown =>
  column
    .split(".")
    .reduce<unknown>(
      (value, name) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[name],
      row
    )

/**
 * Rows as RFC 4180 has them; values with parts are written as JSON.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toCsvRows = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>
): string =>
  rows.map((row) => `${columns.map((name) => cellOf(valueAt(row, name))).join(",")}\r\n`).join("")

/**
 * The same under a row of names.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toCsv = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>
): string => `${columns.map(textCell).join(",")}\r\n${toCsvRows(columns, rows)}`

/** The media type of a table in CSV. @category tables @since 0.1.0 */
export const csvContentType = `${csvMediaType}; charset=utf-8; header=present`

const decoder = new TextDecoder()

const asCsv = (answer: Answer, { columns, field }: AnswerRows): Answer => {
  if (answer.status !== 200 || answer.body._tag !== "Uint8Array") return answer
  const rows = JSON.parse(decoder.decode(answer.body.body))[field] ?? []
  return HttpServerResponse.text(toCsv(columns, rows), {
    contentType: csvContentType
  })
}

/** The rows that an answer of this media type is a table of. @category conversions @since 0.1.0 */
export const tableOf = (endpoint: HttpApiEndpoint.Top, type: string): AnswerRows | undefined =>
  type === csvMediaType ? Context.get(endpoint.annotations, ServesRows) : undefined

/** The answer as the media type that is accepted. @category conversions @since 0.1.0 */
export const toType = (answer: Answer, endpoint: HttpApiEndpoint.Top, type: string): Answer => {
  const rows = tableOf(endpoint, type)
  return rows === undefined ? answer : asCsv(answer, rows)
}
