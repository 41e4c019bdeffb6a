/**
 * A delivery as a row: columns have the fields that a claim changes, and the body is written once.
 *
 * @since 0.1.0
 */
import { Delivery, ListedDelivery } from "@candlewick/core"
import { decoderOf } from "./decoderOf.ts"

/** The columns of `listedColumns`. @category models @since 0.1.0 */
export interface ListedRow {
  readonly record: object
  readonly sequence: number
  readonly status: string
  readonly due_at_ms: number
  readonly leased_until_ms: number | null
  readonly version: number
  readonly updated_at: string
}

/** The columns of `deliveryColumns`. @category models @since 0.1.0 */
export interface DeliveryRow extends ListedRow {
  readonly body: string
}

/** The columns that a delivery is listed from. @category tables @since 0.1.0 */
export const listedColumns =
  "record, sequence, status, due_at_ms, leased_until_ms, version, updated_at"

/** The columns that a delivery is read from. @category tables @since 0.1.0 */
export const deliveryColumns = `${listedColumns}, body`

const decode = decoderOf(Delivery)
const decodeListed = decoderOf(ListedDelivery)

/** The delivery of a row. @category models @since 0.1.0 */
export const toDelivery = (row: DeliveryRow): Delivery => decode({ ...row.record, ...row })

/** The delivery of a row that was read without its body. @category models @since 0.1.0 */
export const toListed = (row: ListedRow): ListedDelivery => decodeListed({ ...row.record, ...row })

/** The part of a delivery that is kept beside its columns. @category models @since 0.1.0 */
export const recordOf = ({
  body: _body,
  due_at_ms: _due,
  due_in_ms: _wait,
  leased_until_ms: _leased,
  status: _status,
  updated_at: _updated,
  version: _version,
  ...record
}: Omit<ListedDelivery, "sequence" | "due_at_ms"> & {
  readonly body?: string
  readonly due_at_ms?: number
  readonly due_in_ms?: number
}): object => record

/**
 * The condition of the index of deliveries that are over and did not succeed, which are few.
 *
 * @category tables
 * @since 0.1.0
 */
export const unsuccessful = "status in ('failed', 'cancelled', 'skipped')"
