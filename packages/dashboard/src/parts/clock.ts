/**
 * The clock of the browser.
 */

/** The present time, in milliseconds. */
export const nowMs = (): number =>
  // oxlint-disable-next-line eslint/no-restricted-properties -- A page has no Clock of Effect.
  Date.now()
