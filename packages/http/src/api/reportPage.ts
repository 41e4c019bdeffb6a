/**
 * Results as one HTML page.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The media type of a page. @category tables @since 0.1.0 */
export const reportMediaTypes = ["text/html"] as const

/** A page as it is answered. @category schemas @since 0.1.0 */
export const ReportPage = Schema.String.pipe(
  HttpApiSchema.asText({ contentType: "text/html; charset=utf-8" })
)

/** The description of the page, for that of an operation. @category tables @since 0.1.0 */
export const reportDescription =
  "One HTML file with charts, tables, warnings and where it comes from. It opens from a disk and " +
  "loads nothing. 409 until the run has ended with results."
