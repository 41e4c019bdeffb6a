/**
 * Times several sides in turns, so that whatever else the machine does falls on all of them alike,
 * and takes medians.
 */

/** Something to be timed. */
export type Side = {
  readonly name: string
  /** The work of one call, in the unit that the row counts. */
  readonly units: number
  /** Calls before the first round, 1 by default. */
  readonly warmUps?: number
  /** The preparation before each turn, which is not timed. */
  readonly prepare?: () => Promise<void>
} & (
  | { readonly run: () => unknown }
  /** A call in another process, which says itself how many milliseconds it took. */
  | { readonly runMs: () => Promise<number> }
)

/** The result of a side. */
export interface Timing {
  readonly name: string
  /** Nanoseconds for each unit, the median of the rounds. */
  readonly nsPerUnit: number
  /** Milliseconds of each call, the median of the rounds. */
  readonly ms: number
  /** Nanoseconds for each unit in the fastest and in the slowest round. */
  readonly spread: readonly [least: number, most: number]
}

/** How to time. */
export interface MeasureOptions {
  readonly rounds: number
  /**
   * Time that the process's threads were busy, which is deaf to other processes; or that passed,
   * for work on several threads or processes.
   */
  readonly clock: "cpu" | "wall"
  /** A call that takes less is repeated until this many milliseconds are over. */
  readonly callMinMs?: number
}

/** Slowest over fastest round above which a median says little. */
const spreadMax = 1.5

/** The middle value; the mean of the two in the middle where their number is even. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

const cpuMs = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

const wallMs = (): number => performance.now()

const timeOnce = async (side: Side, now: () => number, callMinMs: number): Promise<number> => {
  if ("runMs" in side) return side.runMs()
  const started = now()
  let calls = 0
  do {
    await side.run()
    calls++
  } while (now() - started < callMinMs)
  return (now() - started) / calls
}

/** Warm-ups, then rounds in which every side has its turn. */
export const measure = async (
  sides: ReadonlyArray<Side>,
  { callMinMs = 20, clock, rounds }: MeasureOptions
): Promise<ReadonlyArray<Timing>> => {
  const now = clock === "cpu" ? cpuMs : wallMs
  const took = sides.map((): Array<number> => [])
  for (const side of sides) {
    await side.prepare?.()
    for (let call = 0; call < (side.warmUps ?? 1); call++) await timeOnce(side, now, 0)
  }
  for (let round = 0; round < rounds; round++) {
    for (const [index, side] of sides.entries()) {
      await side.prepare?.()
      took[index]!.push(await timeOnce(side, now, callMinMs))
    }
  }
  return sides.map(({ name, units }, index) => {
    const all = took[index]!
    const ms = median(all)
    const [least, most] = [Math.min(...all), Math.max(...all)]
    if (most / least > spreadMax) {
      console.error(
        `${name}: rounds were ${(most / least).toFixed(1)}× apart; is the machine idle?`
      )
    }
    const toNs = (each: number): number => (each * 1e6) / units
    return { name, ms, nsPerUnit: toNs(ms), spread: [toNs(least), toNs(most)] }
  })
}
