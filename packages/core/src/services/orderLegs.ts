/**
 * Orders by their purpose: entries, exits, and what protects a position.
 *
 * @since 0.1.0
 */

/** The purpose of an order, an attempt or a fill. */
interface WithLeg {
  readonly leg: string
}

/** Whether an order opens a position or adds to one. */
export const isEntry = ({ leg }: WithLeg): boolean => leg === "entry"

/** Whether an order protects a position, as a stop or a target. */
export const isProtective = ({ leg }: WithLeg): boolean => leg !== "entry" && leg !== "exit"
