/**
 * Orders as they are sent to a broker.
 *
 * @since 0.1.0
 */
import type { OrderRequest } from "@candlewick/engine/kernel"
import { testId } from "./testIds.ts"

/** A buy of two units at the market; fields replace its own. @category testing @since 0.1.0 */
export const orderRequest = (fields: Partial<OrderRequest> = {}): OrderRequest => ({
  id: testId("order"),
  side: 1,
  type: "market",
  leg: "entry",
  quantity: 2,
  limit: null,
  stop: null,
  expiresAfter: null,
  reason: "signal",
  attached: null,
  ...fields
})
