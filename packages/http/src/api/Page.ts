/**
 * Lists, a page at a time: the request and the answer.
 *
 * @since 0.1.0
 */
import { Limits } from "@candlewick/core/domain"
import { Schema, SchemaTransformation, Struct } from "effect"

/** How many items a page has at most. @category schemas @since 0.1.0 */
export const PageLimit = Schema.NumberFromString.check(
  Schema.isInt(),
  Schema.isBetween({ minimum: 1, maximum: Limits.pageSizeMax })
)

/** The query parameters of every list. @category schemas @since 0.1.0 */
export const pageQuery = {
  limit: Schema.optionalKey(PageLimit),
  cursor: Schema.optionalKey(Schema.String)
}

/** True or false, as texts. @category schemas @since 0.1.0 */
export const BooleanText = Schema.Literals(["true", "false"]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({
      decode: (text): boolean => text === "true",
      encode: (value): "true" | "false" => (value ? "true" : "false")
    })
  )
)

/** The query parameters of a list that a filter narrows. @category schemas @since 0.1.0 */
export const filteredQuery = <const Fields extends Readonly<Record<string, Schema.Top>>>(
  filter: Fields
) => ({ ...pageQuery, ...Struct.map(filter, Schema.optionalKey) })

/** A page of these items, newest first. @category schemas @since 0.1.0 */
export const PageOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    data: Schema.Array(item),
    has_more: Schema.Boolean,
    /** The value to pass as `cursor` for the next page, or null at the end. */
    next_cursor: Schema.NullOr(Schema.String)
  })

/** A page as it is answered. @category models @since 0.1.0 */
export interface PageAnswer<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
  readonly next_cursor: string | null
}
