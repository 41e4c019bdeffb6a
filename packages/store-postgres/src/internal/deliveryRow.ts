/**
 * A delivery as a row: what a claim changes is in columns, and the body is written once.
 *
 * @since 0.1.0
 */
import { Delivery } from "@candlewick/core"
import { decoderOf } from "./decoderOf.ts"

/** What `deliveryColumns` selects. @category models @since 0.1.0 */
export interface DeliveryRow {
  readonly record: object
  readonly body: string
  readonly sequence: number
  readonly status: string
  readonly due_at_ms: number
  readonly leased_until_ms: number | null
  readonly version: number
  readonly updated_at: string
}

/** The columns that a delivery is read from. @category tables @since 0.1.0 */
export const deliveryColumns =
  "record, body, sequence, status, due_at_ms, leased_until_ms, version, updated_at"

const decode = decoderOf(Delivery)

/** The delivery of a row. @category models @since 0.1.0 */
export const toDelivery = (row: DeliveryRow): Delivery => decode({ ...row.record, ...row })

/** What is kept of a delivery beside its columns. @category models @since 0.1.0 */
export const recordOf = ({
  body: _body,
  due_at_ms: _due,
  leased_until_ms: _leased,
  status: _status,
  updated_at: _updated,
  version: _version,
  ...record
}: Omit<Delivery, "sequence">): object => record
