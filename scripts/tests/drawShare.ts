/**
 * The share of its draws that a law takes. This one place says so for the laws, the tiers and the
 * time that a test may take.
 */

/** Where nobody asks for another: what `npm test` takes. */
export const defaultDrawShare = 0.025

/** The share that `CANDLEWICK_DRAWS` asks for. */
export const drawShare = (asked: string | undefined = process.env["CANDLEWICK_DRAWS"]): number => {
  if (asked === undefined || asked === "") return defaultDrawShare
  const share = Number(asked)
  if (!(share > 0)) throw new Error("CANDLEWICK_DRAWS is a share above 0, such as 0.025 or 1")
  return share
}
