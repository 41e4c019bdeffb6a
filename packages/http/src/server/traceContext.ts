/**
 * The W3C `traceparent` header: taken over from the caller, or begun here.
 *
 * @since 0.1.0
 */

const pattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/

// Asking the system for a few bytes costs as much as asking it for a page of them.
const pool = Buffer.alloc(4096)
let taken = pool.length

const randomHex = (bytes: number): string => {
  if (taken + bytes > pool.length) {
    crypto.getRandomValues(pool)
    taken = 0
  }
  taken += bytes
  return pool.toString("hex", taken - bytes, taken)
}

const spanPattern = /^[0-9a-f]{32}-[0-9a-f]{16}$/

/**
 * The header of the answer: the span that is exported for this request, else the caller's trace and
 * a span of ours.
 *
 * @category conversions
 * @since 0.1.0
 */
export const traceparentOf = (
  span:
    | { readonly traceId: string; readonly spanId: string; readonly sampled: boolean }
    | undefined,
  incoming: string | undefined
): string => {
  if (span !== undefined && spanPattern.test(`${span.traceId}-${span.spanId}`)) {
    return `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`
  }
  const match = incoming === undefined ? null : pattern.exec(incoming)
  return `00-${match?.[1] ?? randomHex(16)}-${randomHex(8)}-${match?.[2] ?? "00"}`
}
